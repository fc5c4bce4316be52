// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/tcp/besieged.h: an IA with a service point that strangers connect to, and a second
// connection whose data are verified meanwhile.
#pragma once

#include <cstring>
#include <memory>

#include "connection.h"
#include "raw_peer.h"
#include "registration.h"
#include "variable.h"

namespace datum::test {

// Two sides of a connection that the strangers must not harm.
class Bystanders {
 public:
  explicit Bystanders(DAT_IA_HANDLE ia) : near_(ia) { establish(far_, near_); }
  Side& near() { return near_; }
  // Checks a Send and a Write to the side on the besieged IA, and a Read from it.
  void expect_unharmed() {
    source_.fill(++seed_);
    sink_.fill(0);
    EXPECT_DAT_OK(post_recv(near_.ep(), {target_.segment(0, kHalf)}, 1));
    EXPECT_DAT_OK(post_send(far_.ep(), {source_.segment(0, kHalf)}, 2));
    EXPECT_DAT_OK(
        post_write(far_.ep(), {source_.segment(kHalf, kHalf)}, target_.remote(kHalf, kHalf), 3));
    EXPECT_EQ(expect_dto(near_.recv_evd(), near_.ep(), 1), kHalf);
    expect_dto(far_.request_evd(), far_.ep(), 2);
    expect_dto(far_.request_evd(), far_.ep(), 3);
    EXPECT_DAT_OK(post_read(far_.ep(), {sink_.segment()}, target_.remote(), 4));
    expect_dto(far_.request_evd(), far_.ep(), 4);
    EXPECT_TRUE(target_.holds(seed_, 0, 2 * kHalf));
    EXPECT_TRUE(sink_.holds(seed_, 0, 2 * kHalf));
  }
  const Buffer& target() const { return target_; }

 private:
  static constexpr std::size_t kHalf = 8192;
  Ia ia_ = open_ia();
  Side far_{ia_};
  Side near_;
  Buffer source_ = far_.buffer(2 * kHalf);
  Buffer sink_ = far_.buffer(2 * kHalf);
  Buffer target_ = near_.buffer(2 * kHalf);
  std::uint8_t seed_ = 0;
};

// Memory whose middle is registered for the peer of a side.
class Granted {
 public:
  static constexpr std::size_t kSize = 4096;
  static constexpr unsigned char kUntouched = 0x5a;

  Granted(Side& side, DAT_MEM_PRIV_FLAGS privileges)
      : middle_(side.ia(), side.pz(), place(), kSize) {
    std::memset(memory_.get(), kUntouched, kWhole);
    middle_.privileges = privileges;
    EXPECT_DAT_OK(middle_.create());
  }
  std::uint32_t stag() const { return middle_.rmr_context; }
  std::uint64_t base() const { return reinterpret_cast<std::uintptr_t>(place()); }
  // The region may have changed only in its first `but` octets.
  void expect_untouched(std::size_t but = 0) const {
    std::size_t changed = 0;
    for (std::size_t i = 0; i < kWhole; ++i)
      if (memory_[i] != kUntouched && (i < kSize || i >= kSize + but)) ++changed;
    EXPECT_EQ(changed, 0U);
  }

 private:
  static constexpr std::size_t kWhole = 3 * kSize;
  unsigned char* place() const { return memory_.get() + kSize; }

  std::unique_ptr<unsigned char[]> memory_{new unsigned char[kWhole]};
  Registration middle_;
};

class Besieged : public testing::Test {
 protected:
  RawPeer stranger(int receive_buffer = 0) {
    return RawPeer(address_of(ia_), listener_.qualifier(), receive_buffer);
  }
  // A connection with a stranger that has broken no rule so far.
  RawPeer connected_stranger(Side& victim, const Octets& request = plain_request(),
                             int receive_buffer = 0) {
    RawPeer peer = stranger(receive_buffer);
    EXPECT_TRUE(peer.say(request));
    Cr cr = listener_.expect_request();
    EXPECT_DAT_OK(accept(cr, victim.ep()));
    EXPECT_GE(peer.hear_reply().size(), 20U);
    return peer;
  }
  static void expect_end(Side& victim, DAT_EVENT_NUMBER number) {
    expect_connection_event(victim.connect_evd(), number, victim.ep());
    EXPECT_EQ(ep_state(victim.ep()), DAT_EP_STATE_DISCONNECTED);
  }

  Ia ia_ = open_ia();
  Listener listener_{ia_};
  Bystanders bystanders_{ia_};
};

} // namespace datum::test
