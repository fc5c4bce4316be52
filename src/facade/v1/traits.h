// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v1/traits.h: DAT 1.2 for the templates of the facade: names, numbers, layouts.
// Lives here: everything in which DAT versions differ. The only way to the DAT headers.
// Not here:   checks of arguments (../*_calls.h).
#pragma once

// The registry header needs the other one first.
#include <dat/udat.h>

#include <dat/dat_registry.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"
#include "core/event.h"
#include "core/memory_region.h"
#include "core/types.h"
#include "facade/ia_control.h"
#include "facade/v1/subtypes.h"

namespace datum {

struct V1 {
  using Table = DAT_PROVIDER;

  static constexpr DAT_RETURN subtype(Detail detail) {
    return v1::kSubtypes[static_cast<std::size_t>(detail)];
  }
  // The IA handle that the consumer knows, which may be an index into a table of libdat.
  static DAT_IA_HANDLE consumer_ia(Token ia);

  // Triplets of 1.2 are laid out like the core's: no copy on the way to a post.
  static_assert(sizeof(DAT_LMR_TRIPLET) == sizeof(LocalTriplet));
  static_assert(offsetof(DAT_LMR_TRIPLET, lmr_context) == offsetof(LocalTriplet, stag));
  static_assert(offsetof(DAT_LMR_TRIPLET, virtual_address) == offsetof(LocalTriplet, address));
  static_assert(offsetof(DAT_LMR_TRIPLET, segment_length) == offsetof(LocalTriplet, length));
  static std::span<const LocalTriplet> local(const DAT_LMR_TRIPLET* iov, std::size_t count) {
    return {reinterpret_cast<const LocalTriplet*>(iov), count};
  }
  static RemoteTriplet remote(const DAT_RMR_TRIPLET& triplet) {
    return {triplet.rmr_context, triplet.target_address, triplet.segment_length};
  }
  static DAT_LMR_TRIPLET to_triplet(const LocalTriplet& triplet) {
    return {triplet.stag, 0, triplet.address, triplet.length};
  }

  // Exactly the 48 bytes of DAT 1.2.
  static void write_event(const Event& event, Token evd, const Address& local_address,
                          DAT_EVENT& out);
  static_assert(sizeof(DAT_EVENT) == 48);

  // A failure names argument `position`. Values are not compared with limits here.
  static Status from_dat(const DAT_EP_ATTR& from, Detail position, EndpointAttributes& to);
  static void to_dat(const EndpointAttributes& from, DAT_EP_ATTR& to);
  static void to_dat(std::span<const NamedAttribute> from, DAT_EP_ATTR& to);
  static void to_dat(IaControl& ia, DAT_IA_ATTR& to);
  static void to_dat(IaControl& ia, DAT_PROVIDER_ATTR& to);
  static void describe(const RegionRequest& request, bool relaxed_ordering, DAT_LMR_PARAM& to);
};

// Contexts and cookies: eight bytes that nobody looks at.
inline std::uint64_t bits(DAT_CONTEXT context) {
  return context.as_64;
}
inline DAT_CONTEXT to_context(std::uint64_t value) {
  DAT_CONTEXT context;
  context.as_64 = value;
  return context;
}

} // namespace datum

#include "facade/v1/event.h"
