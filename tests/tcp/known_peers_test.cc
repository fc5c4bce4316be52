// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whole connections, in both roles, with peers that behave as known stacks do. Such a peer fails
// the test at everything that would break the stack (known_peer.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "connection.h"
#include "known_peer.h"
#include "variable.h"

namespace datum::test {
namespace {

enum class Asks { We, They };

Octets pattern(std::size_t size, std::uint8_t seed) {
  Octets out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::uint8_t>(seed + i * 7 + i / 251);
  return out;
}
void set(Buffer& buffer, const Octets& octets) {
  std::copy(octets.begin(), octets.end(), reinterpret_cast<std::uint8_t*>(buffer.bytes().data()));
}
Octets contents(Buffer& buffer, std::size_t size) {
  const auto* from = reinterpret_cast<const std::uint8_t*>(buffer.bytes().data());
  return Octets(from, from + size);
}

class KnownPeers : public testing::TestWithParam<std::tuple<const Stack*, Asks>> {
 protected:
  const Stack& stack() const { return *std::get<0>(GetParam()); }
  bool they_ask() const { return std::get<1>(GetParam()) == Asks::They; }

  KnownPeer start(Side& side, const std::string& request = {}, const std::string& reply = {}) {
    return they_ask() ? answered(side, request, reply) : asked(side, request, reply);
  }
  KnownPeer calling() const {
    return KnownPeer(stack(), RawPeer(address_of(ia_), listener_.qualifier(), 0, stack().segment));
  }
  // A responder that has got a request. A stack of revision 1 refuses the first request, which has
  // revision 2.
  KnownPeer called() {
    if (stack().revision == 1) {
      RawPeer first = theirs_.accept();
      EXPECT_GE(first.hear_request().size(), 24U);
      first.reset();
    }
    return KnownPeer(stack(), theirs_.accept());
  }
  KnownPeer answered(Side& side, const std::string& request, const std::string& reply) {
    KnownPeer peer = calling();
    peer.ask(request);
    Cr cr = listener_.expect_request();
    EXPECT_EQ(request_data(cr), request);
    EXPECT_DAT_OK(accept(cr, side.ep(), reply));
    const KnownPeer::Answer answer = peer.hear_answer();
    EXPECT_FALSE(answer.rejected);
    EXPECT_EQ(answer.private_data, reply);
    peer.begin();
    expect_established(side);
    return peer;
  }
  KnownPeer asked(Side& side, const std::string& request, const std::string& reply) {
    EXPECT_DAT_OK(connect(side.ep(), address_of(ia_), theirs_.qualifier(), request));
    KnownPeer peer = called();
    EXPECT_EQ(peer.hear_question(), request);
    peer.accept(reply);
    peer.hear_first();
    EXPECT_EQ(reply_data(expect_established(side)), reply);
    return peer;
  }
  static DAT_CONNECTION_EVENT_DATA expect_established(Side& side) {
    return expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side.ep());
  }
  static void expect_end(Side& side, DAT_EVENT_NUMBER number) {
    expect_connection_event(side.connect_evd(), number, side.ep());
    EXPECT_EQ(ep_state(side.ep()), DAT_EP_STATE_DISCONNECTED);
    EXPECT_NO_EVENT(side.connect_evd());
  }
  static DAT_RMR_TRIPLET theirs(std::size_t offset, std::size_t size) {
    return remote_part(KnownPeer::kRegionStag, KnownPeer::kRegionBase + offset, size);
  }

  // Sends a message behind all requests that are under way.
  static void expect_sent(Side& side, KnownPeer& peer, Buffer& buffer, const Octets& message,
                          DAT_UINT64 cookie) {
    set(buffer, message);
    EXPECT_DAT_OK(post_send(side.ep(), {buffer.segment(0, message.size())}, cookie));
    EXPECT_EQ(peer.hear_send(), message);
    expect_dto(side.request_evd(), side.ep(), cookie);
  }
  static void expect_received(Side& side, KnownPeer& peer, Buffer& buffer, const Octets& message,
                              DAT_UINT64 cookie) {
    EXPECT_DAT_OK(post_recv(side.ep(), {buffer.segment()}, cookie));
    peer.send(message);
    EXPECT_EQ(expect_dto(side.recv_evd(), side.ep(), cookie), message.size());
    EXPECT_EQ(contents(buffer, message.size()), message);
  }
  // The consumer of the peer sends first. With client-server the initiator has to.
  void first_word(Side& side, KnownPeer& peer) {
    Buffer word = side.buffer(64);
    expect_received(side, peer, word, pattern(5, 1), 1);
  }

  const Variable crc_{"DATUM_CRC", std::get<0>(GetParam())->our_crc};
  Ia ia_ = open_ia();
  Listener listener_{ia_};
  RawListener theirs_{address_of(ia_), std::get<0>(GetParam())->segment};
};

// rdma_cm carries 251 octets of private data, behind four octets of its own.
// Rules: tcp.K1
TEST_P(KnownPeers, StartWithPrivateData) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{251}}) {
    SCOPED_TRACE(size);
    Side side(ia_);
    KnownPeer peer = start(side, std::string(size, 'q'), std::string(size, 'r'));
    first_word(side, peer);
    peer.finish();
    expect_end(side, DAT_CONNECTION_EVENT_DISCONNECTED);
  }
}

constexpr std::size_t kSizes[] = {0, 1, 1438, 100'000};

// Rules: tcp.K2
TEST_P(KnownPeers, SendBothWays) {
  Side side(ia_);
  Buffer out = side.buffer(100'000);
  Buffer in = side.buffer(100'000);
  KnownPeer peer = start(side);
  DAT_UINT64 cookie = 1;
  for (const std::size_t size : kSizes) {
    SCOPED_TRACE(size);
    expect_received(side, peer, in, pattern(size, 3), cookie++);
    expect_sent(side, peer, out, pattern(size, 4), cookie++);
  }
  EXPECT_EQ(peer.markers_heard() > 0, stack().markers);
}

// Rules: tcp.K3
TEST_P(KnownPeers, WriteBothWays) {
  Side side(ia_);
  Buffer out = side.buffer(100'000);
  Buffer in = side.buffer(100'000);
  Buffer word = side.buffer(64);
  KnownPeer peer = start(side);
  DAT_UINT64 cookie = 1;
  for (const std::size_t size : kSizes) {
    SCOPED_TRACE(size);
    const Octets from_them = pattern(size, 5);
    const Octets from_us = pattern(size, 6);
    peer.write(in.rmr_context(), in.address(), from_them);
    expect_received(side, peer, word, pattern(8, 7), cookie++);
    EXPECT_EQ(contents(in, size), from_them);
    set(out, from_us);
    EXPECT_DAT_OK(post_write(side.ep(), {out.segment(0, size)}, theirs(64, size), cookie));
    set(word, pattern(8, 8));
    EXPECT_DAT_OK(post_send(side.ep(), {word.segment(0, 8)}, cookie + 1));
    EXPECT_EQ(peer.hear_send(), pattern(8, 8));
    expect_dto(side.request_evd(), side.ep(), cookie);
    expect_dto(side.request_evd(), side.ep(), cookie + 1);
    cookie += 2;
    const auto placed = peer.region().begin() + 64;
    EXPECT_TRUE(std::equal(from_us.begin(), from_us.end(), placed));
  }
}

// Rules: tcp.K4
TEST_P(KnownPeers, ReadBothWays) {
  Side side(ia_);
  Buffer sink = side.buffer(100'000);
  Buffer source = side.buffer(100'000);
  Buffer word = side.buffer(64);
  KnownPeer peer = start(side);
  first_word(side, peer);
  DAT_UINT64 cookie = 2;
  for (const std::size_t size : kSizes) {
    SCOPED_TRACE(size);
    set(source, pattern(size, 9));
    EXPECT_EQ(peer.read(source.rmr_context(), source.address(), size), pattern(size, 9));
    const Octets there = pattern(size, 10);
    std::copy(there.begin(), there.end(), peer.region().begin() + 128);
    EXPECT_DAT_OK(post_read(side.ep(), {sink.segment(0, size)}, theirs(128, size), cookie));
    set(word, pattern(8, 11));
    EXPECT_DAT_OK(post_send(side.ep(), {word.segment(0, 8)}, cookie + 1));
    EXPECT_EQ(peer.hear_send(), pattern(8, 11));
    EXPECT_EQ(expect_dto(side.request_evd(), side.ep(), cookie), size);
    expect_dto(side.request_evd(), side.ep(), cookie + 1);
    EXPECT_EQ(contents(sink, size), there);
    cookie += 2;
  }
}

// The frames of revision 1 do not carry IRD and ORD, so the consumers have to agree on them.
// Rules: tcp.K5
TEST_P(KnownPeers, ReadsBeyondTheirsAreHeldBack) {
  const bool told = stack().revision == 2;
  const unsigned served = told ? stack().reads : KnownPeer::kRevision1Reads;
  Side side(ia_, {.change =
                      [&](DAT_EP_ATTR& attributes) {
                        attributes.max_rdma_read_out =
                            told ? 128 : static_cast<DAT_COUNT>(KnownPeer::kRevision1Reads);
                        attributes.max_request_dtos = 200;
                      },
                  .queue_length = 200});
  Buffer sink = side.buffer(256 * 8);
  KnownPeer peer = start(side);
  first_word(side, peer);
  const unsigned posted = served + 3;
  for (unsigned i = 0; i < posted; ++i)
    EXPECT_DAT_OK(post_read(side.ep(), {sink.segment(8 * i, 8)}, theirs(8 * i, 8), 10 + i));
  peer.expect_reads_held_back(served);
  Buffer word = side.buffer(8);
  EXPECT_DAT_OK(post_send(side.ep(), {word.segment()}, 9));
  peer.hear_send();
  for (unsigned i = 0; i < posted; ++i) expect_dto(side.request_evd(), side.ep(), 10 + i);
  expect_dto(side.request_evd(), side.ep(), 9);
}

// The consumers have chosen no number. A peer of revision 2 is told 4. Towards a peer of revision 1
// only one Read is under way at a time.
// Rules: tcp.K11
TEST_P(KnownPeers, ReadsThatNobodyHasChosenAreOneWhereTheWireDoesNotTell) {
  const unsigned expected = stack().revision == 2 ? 4 : 1;
  Side side(ia_);
  Buffer sink = side.buffer(64);
  KnownPeer peer = start(side);
  first_word(side, peer);
  EXPECT_EQ(told_of(side.ep(), "datum_effective_rdma_read_out"), std::to_string(expected));
  EXPECT_EQ(query_ep(side.ep()).ep_attr.max_rdma_read_out, 4);
  for (unsigned i = 0; i < 6; ++i)
    EXPECT_DAT_OK(post_read(side.ep(), {sink.segment(8 * i, 8)}, theirs(8 * i, 8), 10 + i));
  peer.expect_reads_held_back(expected);
  Buffer word = side.buffer(8);
  EXPECT_DAT_OK(post_send(side.ep(), {word.segment()}, 9));
  peer.hear_send();
  for (unsigned i = 0; i < 6; ++i) expect_dto(side.request_evd(), side.ep(), 10 + i);
  expect_dto(side.request_evd(), side.ep(), 9);
}

// A stack that rejects ends the stream. Intel's ends it in the same segment.
// Rules: tcp.K6
TEST_P(KnownPeers, Reject) {
  Side side(ia_);
  if (they_ask()) {
    KnownPeer peer = calling();
    peer.ask("please");
    Cr cr = listener_.expect_request();
    EXPECT_DAT_OK(dat_cr_reject(cr.release()));
    EXPECT_TRUE(peer.hear_answer().rejected);
    EXPECT_EQ(peer.hear_the_end(), "none");
    return;
  }
  EXPECT_DAT_OK(connect(side.ep(), address_of(ia_), theirs_.qualifier(), "please"));
  KnownPeer peer = called();
  EXPECT_EQ(peer.hear_question(), "please");
  peer.reject("no");
  expect_end(side, DAT_CONNECTION_EVENT_PEER_REJECTED);
}

// Rules: tcp.K7
TEST_P(KnownPeers, EndInOrder) {
  for (const DAT_CLOSE_FLAGS how : {DAT_CLOSE_GRACEFUL_FLAG, DAT_CLOSE_ABRUPT_FLAG}) {
    SCOPED_TRACE(how);
    Side side(ia_);
    KnownPeer peer = start(side);
    first_word(side, peer);
    EXPECT_DAT_OK(dat_ep_disconnect(side.ep(), how));
    EXPECT_EQ(peer.hear_the_end(), "none");
    peer.finish();
    expect_end(side, DAT_CONNECTION_EVENT_DISCONNECTED);
  }
}

// Rules: tcp.K8
TEST_P(KnownPeers, AreGone) {
  for (const bool resets : {true, false}) {
    SCOPED_TRACE(resets);
    Side side(ia_);
    Buffer word = side.buffer(64);
    KnownPeer peer = start(side);
    first_word(side, peer);
    EXPECT_DAT_OK(post_recv(side.ep(), {word.segment()}, 2));
    if (resets) {
      peer.reset();
    } else {
      peer.give_up();
      EXPECT_EQ(peer.hear_the_end(), "none") << "an answer to a Terminate";
    }
    expect_end(side, DAT_CONNECTION_EVENT_BROKEN);
    expect_dto(side.recv_evd(), side.ep(), 2, DAT_DTO_ERR_FLUSHED);
  }
}

// Rules: tcp.K9
TEST_P(KnownPeers, RefuseARead) {
  Side side(ia_);
  Buffer sink = side.buffer(64);
  KnownPeer peer = start(side);
  first_word(side, peer);
  EXPECT_DAT_OK(post_read(side.ep(), {sink.segment()}, theirs(0, 64), 2));
  peer.refuse_read();
  expect_dto(side.request_evd(), side.ep(), 2, DAT_DTO_ERR_REMOTE_ACCESS);
  expect_end(side, DAT_CONNECTION_EVENT_BROKEN);
  EXPECT_EQ(peer.hear_the_end(), "none");
}

class ClientServerPeers : public KnownPeers {};

// siw asks for client-server though both of its consumers may send first.
// Rules: tcp.K10
TEST_P(ClientServerPeers, HearNothingBeforeTheyHaveSpoken) {
  Side side(ia_);
  Buffer word = side.buffer(64);
  KnownPeer peer = start(side);
  EXPECT_DAT_OK(post_send(side.ep(), {word.segment(0, 8)}, 1));
  peer.expect_silence();
  Buffer in = side.buffer(64);
  expect_received(side, peer, in, pattern(5, 1), 2);
  EXPECT_EQ(peer.hear_send(), contents(word, 8));
  expect_dto(side.request_evd(), side.ep(), 1);
}

const auto kPeerNames = [](const testing::TestParamInfo<std::tuple<const Stack*, Asks>>& one) {
  const auto& [stack, asks] = one.param;
  return stack->name + std::string(asks == Asks::They ? "Asks" : "IsAsked");
};
INSTANTIATE_TEST_SUITE_P(Of, KnownPeers,
                         testing::Combine(testing::Values(&kSiw, &kSiwWithoutCrc, &kCxgb4,
                                                          &kCxgb4Revision1, &kIrdma,
                                                          &kIrdmaOutOfOrder),
                                          testing::Values(Asks::We, Asks::They)),
                         kPeerNames);
INSTANTIATE_TEST_SUITE_P(Of, ClientServerPeers,
                         testing::Combine(testing::Values(&kSiw, &kSiwWithoutCrc),
                                          testing::Values(Asks::They)),
                         kPeerNames);

} // namespace
} // namespace datum::test
