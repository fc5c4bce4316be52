// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The limits of TcpOptions: what a peer may make a station keep, and for how long. Each bound has
// the value that was set.
#include <gtest/gtest.h>
#include <sys/ioctl.h>

#include "../iwarp/pair.h"
#include "caller.h"
#include "station.h"

namespace datum::test {
namespace {

using iwarp::test::Bytes;
using Log = std::vector<std::string>;

// An MPA request for the peer-to-peer model, in which the initiator has to send the first FPDU.
constexpr const char* kPeerToPeer = "4d504120494420526571204672616d65100200048010c010";

class TcpLimits : public testing::Test {
 protected:
  void open(const TcpOptions& options) {
    stations_ = std::make_unique<TwoStations>(options);
    empty_ = far().reactor.size();
  }
  Station& far() const { return stations_->far; }
  ConnQual qualifier() const { return stations_->qualifier(); }
  void look_often() const {
    for (int i = 0; i < 10; ++i) far().turn();
  }
  std::size_t inside() const { return far().reactor.size() - empty_; }
  void skip(Duration time) const {
    far().skip(time);
    look_often();
  }
  // Connects a stranger that sends this request, and accepts the connection.
  void connect(const char* request) {
    stranger_ = std::make_unique<Caller>(qualifier());
    stranger_->say_hex(request);
    std::unique_ptr<IncomingConnection> asked;
    stations_->run_until([&] { return (asked = far().take_request()) != nullptr; });
    socket_ = far().reactor.last();
    channel_ =
        asked->accept({}, events_, {.reads_in = 4, .reads_out = 4, .reads_out_chosen = true});
    look_often();
  }
  std::size_t unread() const {
    int octets = 0;
    EXPECT_EQ(::ioctl(socket_, FIONREAD, &octets), 0);
    return static_cast<std::size_t>(octets);
  }

  std::unique_ptr<TwoStations> stations_;
  std::size_t empty_ = 0;
  std::unique_ptr<Caller> stranger_;
  iwarp::test::StandIn events_;
  std::unique_ptr<Channel> channel_;
  int socket_ = -1;
};

// Rules: tcp.R5 ENV.13
TEST_F(TcpLimits, TimeForARequest) {
  TcpOptions options;
  options.request_timeout = 3 * kSecond;
  open(options);
  const Caller silent(qualifier());
  const Caller slow(qualifier());
  slow.say_hex("4d504120");
  look_often();
  EXPECT_EQ(inside(), 2U);
  skip(2500 * kMillisecond);
  EXPECT_EQ(inside(), 2U);
  skip(500 * kMillisecond);
  EXPECT_EQ(inside(), 0U);
  EXPECT_TRUE(silent.is_ended());
  EXPECT_TRUE(slow.is_ended());
}

// Rules: iwarp.S27 ENV.14
TEST_F(TcpLimits, TimeForTheFirstFrame) {
  TcpOptions options;
  options.first_fpdu_timeout = 3 * kSecond;
  open(options);
  connect(kPeerToPeer);
  skip(2500 * kMillisecond);
  EXPECT_EQ(events_.log(), Log{});
  skip(500 * kMillisecond);
  EXPECT_EQ(events_.log(), Log{"failed: non-peer rejected"});
  channel_.reset(); // as the core does after this event
  look_often();
  EXPECT_TRUE(stranger_->is_ended());
}

// Rules: ENV.18
TEST_F(TcpLimits, TimeForAnEnd) {
  TcpOptions options;
  options.end_timeout = 3 * kSecond;
  open(options);
  connect(kPlain);
  EXPECT_EQ(inside(), 1U);
  channel_->close(CloseMode::Disconnect);
  channel_.reset();
  skip(2500 * kMillisecond);
  EXPECT_EQ(inside(), 1U) << "it waits for the peer's end";
  skip(500 * kMillisecond);
  EXPECT_EQ(inside(), 0U);
}

// One message finds no Recv. The station has read the header, the part that it may keep, and what
// came with the same read. TCP holds the rest.
// Rules: tcp.H5 ENV.15 ENV.16
TEST_F(TcpLimits, OctetsOfOneRead) {
  TcpOptions options;
  options.most_unexpected = 4096;
  options.read_size = 8192;
  options.receive_timeout = 600 * kSecond;
  open(options);
  connect(kPlain);
  const Bytes message =
      iwarp::test::fpdu(iwarp::test::untagged(iwarp::Rdmap::Send, 0, 1), Bytes(30'000), false);
  stranger_->say(message);
  await_octets(socket_);
  while (unread() < message.size() && unread() != 0) {
    if (message.size() - unread() == 8192) break;
    far().turn();
  }
  look_often();
  EXPECT_EQ(unread(), message.size() - 8192);
  EXPECT_EQ(events_.log(), Log{"established  reads 4"});
}

// The station reads on as long as it may keep the octets that it reads.
// Rules: tcp.H5 ENV.15
TEST_F(TcpLimits, OctetsOfMessagesThatWait) {
  TcpOptions options;
  options.most_unexpected = 20'000;
  options.read_size = 4096;
  options.receive_timeout = 600 * kSecond;
  open(options);
  connect(kPlain);
  const Bytes message =
      iwarp::test::fpdu(iwarp::test::untagged(iwarp::Rdmap::Send, 0, 1), Bytes(50'000), false);
  stranger_->say(message);
  await_octets(socket_);
  for (int i = 0; i < 100; ++i) far().turn();
  const std::size_t taken = message.size() - unread();
  EXPECT_GE(taken, 20U + 20'000 - 128); // the header, and the octets that are kept
  EXPECT_LE(taken, 20U + 20'000 + 4096);
}

// A peer that sends more messages than the station keeps, and then ends.
class BeyondTheBound : public TcpLimits {
 protected:
  static constexpr std::uint32_t kMessages = 12;
  static constexpr std::size_t kSize = 1000;
  void open_small() {
    TcpOptions options;
    options.most_unexpected = 4096; // three whole messages
    options.read_size = 4096;
    options.receive_timeout = patience;
    open(options);
  }
  static Bytes message(std::uint32_t msn) { return iwarp::test::pattern(kSize, 3, msn); }
  void flood_and_finish() {
    flood();
    finish();
  }
  void flood() {
    open_small();
    connect(kPlain);
    // One call sends everything. With several calls, the sender's TCP would hold back the octets of
    // the second call until the octets of the first are acknowledged.
    Bytes all;
    for (std::uint32_t msn = 1; msn <= kMessages; ++msn) {
      const Bytes one =
          iwarp::test::fpdu(iwarp::test::untagged(iwarp::Rdmap::Send, 0, msn), message(msn), false);
      all.insert(all.end(), one.begin(), one.end());
    }
    stranger_->say(all);
    while (unread() < all.size()) await_octets(socket_);
    look_often();
  }
  void finish() {
    stranger_->finish();
    await_end(socket_);
    look_often();
    EXPECT_GT(unread(), 0U) << "its end is behind what is not read";
    EXPECT_EQ(events_.take_log(), Log{"established  reads 4"});
  }
  std::optional<Duration> patience = 3 * kSecond;
  // Posts `count` Recvs, all at once.
  void post(iwarp::test::StandIn& events, Channel& channel, std::uint32_t count) const {
    for (std::uint32_t i = 0; i < count; ++i) events.post_receive(kSize);
    channel.on_receive_posted();
    far().turn();
  }
  void expect_all(iwarp::test::StandIn& events, Channel& channel, std::size_t before = 0) const {
    post(events, channel, kMessages);
    look_often();
    Log expected(kMessages, "received 1000");
    expected.emplace_back("disconnected");
    ASSERT_EQ(events.log(), expected);
    for (std::uint32_t msn = 1; msn <= kMessages; ++msn)
      EXPECT_TRUE(events.received(before + msn - 1) == message(msn)) << msn;
  }
};

// Rules: tcp.O4 tcp.H5
TEST_F(BeyondTheBound, EachMessageComesToItsRecvAndThenTheEnd) {
  flood_and_finish();
  expect_all(events_, *channel_);
}

// Nine of the twelve messages are beyond the bound. Once only three wait, the station reads the
// end.
// Rules: tcp.O4 iwarp.W3
TEST_F(BeyondTheBound, TheEndIsNoticedWhereWhatWaitsIsWithinTheBound) {
  flood_and_finish();
  for (std::uint32_t msn = 1; msn < kMessages - 3; ++msn) {
    post(events_, *channel_, 1);
    look_often();
    ASSERT_EQ(events_.take_log(), Log{"received 1000"}) << msn;
    EXPECT_TRUE(events_.received(msn - 1) == message(msn)) << msn;
  }
  post(events_, *channel_, 1);
  look_often();
  EXPECT_EQ(events_.log(), (Log{"received 1000", "disconnected"}));
}

// Rules: tcp.O4 ENV.15
TEST_F(BeyondTheBound, WithoutARecvTheEndComesWhenThePatienceIsOver) {
  flood_and_finish();
  skip(2500 * kMillisecond);
  EXPECT_EQ(events_.log(), Log{});
  skip(500 * kMillisecond);
  EXPECT_EQ(events_.log(), Log{"broken"});
}

// No limit is set, and strict mode is off: the messages wait as long as the peer exists.
// Rules: tcp.O4.default tcp.H5.default
TEST_F(BeyondTheBound, WithoutARecvForEverTheEndComesASecondBehindThePeers) {
  patience.reset();
  events_.waits_on = true;
  flood();
  for (int i = 0; i < 100; ++i) skip(3600 * kSecond);
  EXPECT_EQ(events_.take_log(), Log{"established  reads 4"});
  EXPECT_EQ(events_.long_waits, 4) << "what was kept of them";
  stranger_->finish();
  await_end(socket_);
  look_often();
  EXPECT_GT(unread(), 0U);
  EXPECT_EQ(far().reactor.watched(socket_), 0U) << "it is told of that once";
  skip(kSecond / 2);
  EXPECT_EQ(events_.log(), Log{});
  skip(kSecond / 2);
  EXPECT_EQ(events_.log(), Log{"broken"});
}

// Rules: tcp.O4.default
TEST_F(BeyondTheBound, RecvsThatArePostedWithinThatSecondGetTheirMessages) {
  patience.reset();
  events_.waits_on = true;
  flood();
  skip(3600 * kSecond);
  EXPECT_EQ(events_.take_log(), Log{"established  reads 4"});
  stranger_->finish();
  await_end(socket_);
  look_often();
  skip(kSecond / 2);
  expect_all(events_, *channel_);
}

// The Close, which announces an orderly end, is behind the messages as well.
// Rules: tcp.O4 tcp.H5
TEST_F(BeyondTheBound, APeerOfOursThatHasClosedIsHeardToItsClose) {
  open_small();
  const std::unique_ptr<Line> line = stations_->connect();
  std::vector<Bytes> data;
  for (std::uint32_t msn = 1; msn <= kMessages; ++msn) {
    data.push_back(message(msn));
    const LocalTriplet local = iwarp::test::triplet(data.back().data(), kSize);
    const WorkRequest send = iwarp::test::send_of(std::span(&local, 1));
    ASSERT_EQ(line->near.channel->start_now(send), StartResult::Started);
  }
  line->near.channel->close(CloseMode::Disconnect);
  stations_->near.turn();
  await_end(line->far.socket);
  look_often();
  EXPECT_EQ(line->far.events.log(), Log{});
  expect_all(line->far.events, *line->far.channel, 1);
}

// Rules: ENV.17
TEST(TcpOptions, OctetsThatTcpHasNotTakenUnlessGiven) {
  TcpOptions options;
  EXPECT_EQ(options.unsent(true), 1'048'576U);
  EXPECT_EQ(options.unsent(false), 262'144U);
  options.most_unsent = 5000;
  EXPECT_EQ(options.unsent(true), 5000U);
  EXPECT_EQ(options.unsent(false), 5000U);
}

// Each FPDU has 1024 octets. The first leaves at once, since it is alone. Four wait for TCP, and
// one more waits for room.
// Rules: ENV.17
TEST_F(TcpLimits, OctetsThatTcpHasNotTaken) {
  TcpOptions options;
  options.most_unsent = 4096;
  open(options);
  connect(kPlain);
  stranger_->say(iwarp::test::fpdu(iwarp::test::tagged(iwarp::Rdmap::Write, 1, 0), {}, false));
  await_octets(socket_);
  look_often();
  const Bytes data(1000);
  const LocalTriplet local = iwarp::test::triplet(data.data(), data.size());
  // A poll comes soon after each post. Once the station has learnt that, a request waits for the
  // requests that follow.
  far().stop_clock();
  WorkRequest nothing;
  nothing.opcode = Opcode::RdmaWrite;
  for (unsigned i = 0; i < waiting::kSoonInARow; ++i) {
    ASSERT_EQ(channel_->start(nothing), StartResult::Started);
    look_often();
  }
  const std::vector<WorkRequest> requests(20, iwarp::test::send_of(std::span(&local, 1)));
  std::size_t taken = 0;
  while (taken < requests.size() && channel_->start(requests[taken]) == StartResult::Started)
    ++taken;
  EXPECT_EQ(taken, 6U);
}

} // namespace
} // namespace datum::test
