// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/shm/stranger.h: both sides of the handshake without an adapter. The test writes the
// messages, right or wrong.
#pragma once

#include <sys/socket.h>

#include "tests/unit/shm/test_world.h"
#include "transport/shm/message_socket.h"
#include "transport/shm/rendezvous.h"
#include "transport/shm/sealed_memory.h"

namespace datum::test {

// The dialling side.
class Stranger {
 public:
  Stranger(World& world, ConnQual qualifier) : world_(world) {
    EXPECT_EQ(connect_rendezvous(read_address(address_of("127.0.0.1")), qualifier, socket_), 0);
  }
  void say(std::span<const std::byte> bytes, std::span<const int> fds = {}) {
    EXPECT_EQ(send_message(socket_.get(), bytes, fds), 0);
  }
  void say_hello(std::uint16_t version = kHandshakeVersion, const char* address = "127.0.0.1") {
    Greeting hello;
    hello.preamble.version = version;
    hello.id = {1, 2};
    hello.address = address_of(address);
    std::byte bytes[Greeting::kWireSize];
    encode(hello, bytes);
    say(bytes);
  }
  void say_offer(std::span<const int> fds) {
    Agreement offer;
    offer.preamble.kind = MessageKind::Offer;
    std::byte bytes[Agreement::kWireSize];
    encode(offer, bytes);
    say(bytes, fds);
  }
  void make_link() {
    say_hello();
    EXPECT_EQ(hear(), DialVerdict::Fresh);
    const SealedMemory memory = make_segment();
    const int fd = memory.file.get();
    say_offer(std::span(&fd, 1));
    EXPECT_EQ(hear(), DialVerdict::Fresh);
  }
  // The verdict of the next answer, or nothing if the dialled side hung up.
  std::optional<DialVerdict> hear() {
    std::optional<DialVerdict> verdict;
    EXPECT_TRUE(world_.run_until([&] {
      std::byte bytes[512];
      std::size_t length = 0;
      PassedFds passed;
      const ReceiveResult result = receive_message(socket_.get(), bytes, length, passed);
      if (result == ReceiveResult::Nothing) return false;
      Preamble preamble;
      if (result == ReceiveResult::Message && decode(std::span(bytes).first(length), preamble))
        verdict = preamble.verdict;
      return true;
    }));
    return verdict;
  }
  int socket() const { return socket_.get(); }

 private:
  World& world_;
  GuardedFd socket_;
};

// The dialled side, which holds a rendezvous. All of its answers have the same id.
class StrangeListener {
 public:
  StrangeListener(World& world, ConnQual qualifier) : world_(world) {
    auto bound = bind_rendezvous(read_address(address_of("127.0.0.1")), qualifier, false);
    EXPECT_TRUE(bound.has_value());
    if (bound) socket_ = std::move(*bound);
  }
  // Accepts the next dialler, and reads its Hello.
  UniqueFd accept() {
    UniqueFd dialler;
    EXPECT_TRUE(world_.run_until([&] {
      dialler = UniqueFd(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      return static_cast<bool>(dialler);
    }));
    EXPECT_EQ(hear(dialler), MessageKind::Hello);
    return dialler;
  }
  void answer(const UniqueFd& dialler, DialVerdict verdict,
              std::uint16_t version = kHandshakeVersion) {
    Greeting answer;
    answer.preamble = {version, MessageKind::Answer, verdict};
    answer.id = {3, 4};
    answer.address = address_of("127.0.0.1");
    std::byte bytes[Greeting::kWireSize];
    encode(answer, bytes);
    EXPECT_EQ(send_message(dialler.get(), bytes), 0);
  }
  void say_ready(const UniqueFd& dialler, DialVerdict verdict, std::span<const int> fds = {}) {
    Agreement ready;
    ready.preamble = {kHandshakeVersion, MessageKind::Ready, verdict};
    std::byte bytes[Agreement::kWireSize];
    encode(ready, bytes);
    EXPECT_EQ(send_message(dialler.get(), bytes, fds), 0);
  }
  // The kind of the next message, or nothing if the dialler hung up.
  std::optional<MessageKind> hear(const UniqueFd& dialler) {
    std::optional<MessageKind> kind;
    EXPECT_TRUE(world_.run_until([&] {
      std::byte bytes[512];
      std::size_t length = 0;
      PassedFds passed;
      const ReceiveResult result = receive_message(dialler.get(), bytes, length, passed);
      Preamble preamble;
      if (result == ReceiveResult::Message && decode(std::span(bytes).first(length), preamble))
        kind = preamble.kind;
      return result != ReceiveResult::Nothing;
    }));
    return kind;
  }

 private:
  World& world_;
  GuardedFd socket_;
};

} // namespace datum::test
