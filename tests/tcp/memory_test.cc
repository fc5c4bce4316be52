// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Hostile peers cannot make an IA use more memory than datum(7), LIMITS, says.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <list>
#include <vector>

#include "besieged.h"

namespace datum::test {
namespace {

// The resident memory of this process. That includes the peers, each of which is a socket and a few
// octets.
std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  statm >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

class BoundedMemory : public Besieged {
 protected:
  static constexpr std::size_t kKiB = 1024;
  static constexpr std::size_t kMiB = 1024 * kKiB;
  // datum(7), LIMITS: the memory of a connection, of a connection that was never established, and
  // of a whole IA.
  static constexpr std::size_t kOfConnection = 384 * kKiB;
  static constexpr std::size_t kOfOther = 4 * kKiB;
  static constexpr std::size_t kOfAll = 3277 * kKiB; // 3.2 MiB
  // The memory that malloc, the test and its peers keep, however many peers there are.
  static constexpr std::size_t kSlack = 2 * kMiB;

  // Runs once before anything is counted, because memory allocated for the first connection stays
  // allocated.
  void warm_up() {
    bystanders_.expect_unharmed();
    before_ = resident_bytes();
  }
  void expect_growth_of_at_most(std::size_t bytes) {
    bystanders_.expect_unharmed();
    const std::size_t now = resident_bytes();
    EXPECT_LE(now, before_ + bytes + kSlack) << "before: " << before_;
  }
  // Connects each victim to a stranger of its own. No stranger has broken a rule yet.
  void connect_strangers(std::size_t count, const Octets& request, int receive_buffer) {
    for (std::size_t i = 0; i < count; ++i) {
      Side& victim = victims_.emplace_back(patient_);
      RawPeer& peer =
          strangers_.emplace_back(address_of(patient_), door_.qualifier(), receive_buffer);
      EXPECT_TRUE(peer.say(request));
      Cr cr = door_.expect_request();
      EXPECT_DAT_OK(accept(cr, victim.ep()));
      EXPECT_GE(peer.hear_reply().size(), 20U);
    }
  }
  // Sends messages to all victims in turn, until no victim takes any more octets.
  void flood(std::size_t payload) {
    // The buffers of both kernels hold a few MiB.
    constexpr std::size_t kMost = 64 * kMiB;
    struct Stream {
      std::uint32_t msn = 0;
      std::size_t taken = 0;
      Octets next;
    };
    std::vector<Stream> streams(strangers_.size());
    for (int refused = 0; refused < 3 && !HasFailure();) {
      std::size_t taken = 0;
      for (std::size_t i = 0; i < streams.size(); ++i) {
        Stream& stream = streams[i];
        while (stream.next.size() < 64 * kKiB) {
          const Octets message = send_message(++stream.msn, payload);
          stream.next.insert(stream.next.end(), message.begin(), message.end());
        }
        const std::size_t now = strangers_[i].say_at_most(stream.next);
        stream.next.erase(stream.next.begin(),
                          stream.next.begin() + static_cast<std::ptrdiff_t>(now));
        stream.taken += now;
        taken += now;
        EXPECT_LT(stream.taken, kMost) << "nothing holds it";
      }
      refused = taken == 0 ? refused + 1 : 0;
      bystanders_.expect_unharmed(); // gives the victims time to read more
    }
  }

  // This limit is longer than the test, so messages wait for a Recv until its end.
  const Variable patience_{"DATUM_RNR_TIMEOUT", "600000"};
  Ia patient_ = open_ia();
  Listener door_{patient_};
  std::list<Side> victims_;
  std::vector<RawPeer> strangers_;
  std::size_t before_ = 0;
};

// Rules: tcp.R6 tcp.H5
TEST_F(BoundedMemory, MessagesThatNobodyHasARecvFor) {
  constexpr std::size_t kConnections = 16;
  connect_strangers(kConnections, plain_request(), 0);
  warm_up();
  flood(60'000);
  expect_growth_of_at_most(kOfAll + kConnections * kOfConnection);
}

// Rules: tcp.R6 tcp.H5
TEST_F(BoundedMemory, EmptyMessagesThatNobodyHasARecvFor) {
  constexpr std::size_t kConnections = 2;
  connect_strangers(kConnections, plain_request(), 0);
  warm_up();
  flood(0);
  expect_growth_of_at_most(kOfAll + kConnections * kOfConnection);
}

// Sends to peers that read nothing wait on this side, in the program's memory and in the frames
// around it. When the IA ends the connections, its last messages wait as well, until the IA gives
// them up.
// Rules: tcp.R6 tcp.H5
TEST_F(BoundedMemory, PeersThatReadNothing) {
  constexpr std::size_t kConnections = 16;
  constexpr DAT_UINT64 kSends = 8;
  connect_strangers(kConnections, plain_request(), 4096);
  std::vector<Buffer> memory;
  for (Side& victim : victims_) {
    expect_connection_event(victim.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, victim.ep());
    memory.push_back(victim.buffer(2 * kMiB));
    memory.back().fill(1);
  }
  warm_up();
  std::size_t next = 0;
  for (Side& victim : victims_) {
    for (DAT_UINT64 i = 0; i < kSends; ++i)
      EXPECT_DAT_OK(post_send(victim.ep(), {memory[next].segment()}, i));
    ++next;
  }
  for (int i = 0; i < 3; ++i) bystanders_.expect_unharmed();
  expect_growth_of_at_most(kOfAll + kConnections * kOfConnection);

  for (RawPeer& peer : strangers_)
    // queue 7 does not exist, so this breaks the connection
    EXPECT_TRUE(peer.say(untagged(Opcode::Send, 7, 1, 0, Octets(8))));
  for (Side& victim : victims_)
    expect_connection_event(victim.connect_evd(), DAT_CONNECTION_EVENT_BROKEN, victim.ep());
  expect_growth_of_at_most(kOfAll + kConnections * kOfConnection);
}

// Rules: tcp.R6 tcp.R5
TEST_F(BoundedMemory, ConnectionsThatAreHalfOpen) {
  constexpr std::size_t kHalfOpen = 512; // datum(7)
  constexpr std::size_t kMany = 1500;
  Octets almost = plain_request(Octets(256));
  almost.pop_back();
  strangers_.reserve(kMany);
  warm_up();
  for (std::size_t i = 0; i < kMany; ++i) {
    RawPeer& peer = strangers_.emplace_back(address_of(patient_), door_.qualifier());
    peer.say_at_most(almost);
  }
  expect_growth_of_at_most((kHalfOpen + 1) * kOfOther);
}

// The peers are rejected, and no peer closes its socket.
// Rules: tcp.R6 tcp.R4
TEST_F(BoundedMemory, ConnectionsThatEnd) {
  constexpr std::size_t kEnding = 128;
  constexpr std::size_t kMany = 1500;
  const Variable bound("DATUM_ENDING", std::to_string(kEnding));
  const Ia ia = open_ia();
  Listener door(ia);
  strangers_.reserve(kMany);
  warm_up();
  for (std::size_t i = 0; i < kMany && !HasFailure(); ++i) {
    RawPeer& peer = strangers_.emplace_back(address_of(ia), door.qualifier());
    EXPECT_TRUE(peer.say(plain_request(Octets(256))));
    door.expect_request().free();
    EXPECT_EQ(peer.hear_reply().size(), 20U);
  }
  expect_growth_of_at_most((kEnding + 1) * kOfOther);
}

} // namespace
} // namespace datum::test
