// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/session/play.h: one play of an input by fuzz_iwarp_session: the session, its peer and
// its consumer.
// Lives here: what an input chooses, the memory of both sides. fuzz_iwarp_session.cc has the
//             peer that says anything, and the checks.
#pragma once

#include <algorithm>
#include <array>
#include <deque>

#include "input.h"
#include "pair.h"
#include "session/heard.h"
#include "session/situations.h"

namespace datum::fuzz {

using namespace iwarp;
using namespace iwarp::test;

// The first octet of an input.
inline constexpr unsigned kInitiator = 0x01;
inline constexpr unsigned kCrc = 0x02;
inline constexpr unsigned kHello = 0x04;
inline constexpr unsigned kExtensions = 0x08;
inline constexpr unsigned kPatient = 0x10;
inline constexpr unsigned kConnected = 0x20; // begin in full operation
inline constexpr unsigned kPeerIsOwn = 0x40;
inline constexpr unsigned kMore = 0x80; // three more octets follow

// The second octet.
inline constexpr unsigned kMarkers = 0x01; // wanted by the peer
inline constexpr unsigned kOldRequest = 0x02;
inline constexpr unsigned kPrivateData = 0x04; // the fourth octet is their length
inline constexpr unsigned kLastMsns = 0x08;    // MSNs begin shortly before they wrap to 0
inline constexpr unsigned kRoundTrip = 0x10;
inline constexpr unsigned kNoExtensions = 0x20;
inline constexpr unsigned kAnotherPlace = 0x40; // there is another place to ask if no reply comes
inline constexpr unsigned kNotArrived = 0x80;
// The third octet: the form of the RTR, the longest ULPDU in the Hello of an own peer, and the size
// of TCP's segments.
inline constexpr unsigned kForms = 0x03;
inline constexpr unsigned kHelloSizes = 0x1c;
inline constexpr unsigned kSegmentSizes = 0xe0;

enum class Delivery { Whole, Octets, Placed };

// Memory with guards on both sides. Its addresses travel in frames, so they are the same in every
// play.
inline constexpr std::size_t kGuard = 256;
inline constexpr std::size_t kRegionSize = 16384;
struct Memory {
  std::array<std::byte, kGuard> before;
  std::array<std::byte, kRegionSize> region;
  std::array<std::byte, kGuard> after;
};
alignas(64) inline Memory writable;
alignas(64) inline Memory readable;
alignas(64) inline std::array<std::byte, 70000> sources;
// Reads place their octets here. Requests are sent from `sources`, so nothing that was read is sent
// again.
inline constexpr std::size_t kMostRead = 8192;
inline constexpr std::size_t kSinks = 8; // more than Reads at a time
alignas(64) inline std::array<std::array<std::byte, kMostRead>, kSinks> sinks;
inline constexpr std::array<std::byte, kRegionSize> kUntouched{};

inline constexpr Stag kWritable = 0x101;
inline constexpr Stag kReadable = 0x102;

inline std::uint64_t address(const void* of) {
  return reinterpret_cast<std::uint64_t>(of);
}

struct Choices {
  explicit Choices(Input& input) : setting(input.byte()) {
    if ((setting & kMore) == 0) return;
    more = input.byte();
    sizes = input.byte();
    private_octets = input.byte();
  }
  bool initiator() const { return (setting & kInitiator) != 0; }
  bool own() const { return (setting & kPeerIsOwn) != 0; }
  std::size_t private_size() const {
    return (more & kPrivateData) != 0 ? 2 * private_octets % 509 : 0;
  }
  std::uint8_t revision() const { return (more & kOldRequest) != 0 ? 1 : 2; }
  std::uint32_t first_msn() const { return (more & kLastMsns) != 0 ? 0xfffffffe : kFirstMsn; }

  unsigned setting;
  unsigned more = 0;
  unsigned sizes = 0;
  unsigned private_octets = 0;
};

inline constexpr std::uint16_t kHelloUlpdus[] = {1000, 0xffff, 128, 1460, 127, 64768, 300, 8960};

inline std::uint64_t hello_offset(std::uint16_t largest, std::uint16_t flags) {
  return encode(Hello{.flags = flags, .largest_ulpdu = largest});
}

class Play {
 public:
  Play(const Choices& choices, Delivery delivery);
  void step(Input& input);
  // Returns what the session has told and sent.
  std::string finish();

 private:
  static constexpr std::uint64_t kHelloOffset = 0x44545750100103e8;

  static void reset(Memory& memory) {
    memory.before.fill(std::byte{0xaa});
    memory.region.fill(std::byte{0});
    memory.after.fill(std::byte{0xaa});
  }
  static void require_guarded(const Memory& memory) {
    for (std::size_t i = 0; i < kGuard; ++i)
      require(memory.before[i] == std::byte{0xaa} && memory.after[i] == std::byte{0xaa},
              "nothing outside a region is written");
  }
  void be_connected();
  void feed(Octets octets);
  void set_largest(std::size_t ulpdu);
  void peer_startup(Input& input);
  void peer_untagged(Input& input);
  void peer_tagged(Input& input);
  void peer_raw(Input& input);
  void end_frame(Bytes octets, unsigned how);
  void honest(Input& input, unsigned what);
  void honest_startup(unsigned choice);
  void honest_first(std::uint64_t hello);
  void honest_hello(unsigned choice);
  void honest_answer(std::size_t most);
  void honest_ack(std::uint32_t placed);
  void honest_read(unsigned choice);
  void honest_atomic(unsigned choice);
  void honest_terminate(unsigned choice);
  void honest_message(unsigned choice);
  UntaggedHeader next(Rdmap opcode);
  bool crc() const { return side_.session.terms().crc; }
  std::ptrdiff_t told(const char* what) const {
    return std::ranges::count(side_.events.log(), what);
  }
  Wishes wishes() const { return {.revision = choices_.revision(), .reads_in = 4, .reads_out = 4}; }
  WorkRequest& new_work(unsigned choice, std::size_t size);
  void consumer_starts(Input& input, bool now);
  void consumer_answers(unsigned choice);
  void leave_at_once();
  void take(std::size_t most);
  void heard(Octets octets);

  const Choices choices_;
  const Delivery delivery_;
  Side side_;
  Heard heard_;
  Bytes sent_;
  Bytes private_data_;
  std::uint32_t next_msn_[4];
  std::size_t next_sink_ = 0;
  std::deque<WorkRequest> requests_;
  std::deque<std::array<LocalTriplet, 3>> locals_;
  bool accepted_ = false;
  bool closed_ = false;
};

} // namespace datum::fuzz
