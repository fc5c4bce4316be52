// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v1/traits.h: the names, numbers and layouts of DAT 1.2, for the templates of the facade.
// Lives here: everything in which DAT versions differ. The facade gets the DAT headers of 1.2
//             through this file only.
// Not here:   checks of arguments (../*_calls.h).
#pragma once

// The registry header needs udat.h before it.
#include <dat/udat.h>

#include <dat/dat_registry.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"
#include "core/events/event.h"
#include "core/memory/memory_region.h"
#include "core/port/types.h"
#include "facade/context.h"
#include "facade/event.h"
#include "facade/ia_control.h"
#include "facade/subtypes.h"
#include "facade/table.h"

namespace datum {

struct V1 {
  using Table = DAT_PROVIDER;

  static constexpr DAT_RETURN subtype(Detail detail) {
    return subtypes::kNumbers[static_cast<std::size_t>(detail)];
  }
  // The IA handle that the consumer knows. It may be an index into a table of libdat.
  static DAT_IA_HANDLE consumer_ia(Token ia);

  // Triplets of 1.2 have the layout of the core's triplets, so a post need not copy them.
  static_assert(sizeof(DAT_LMR_TRIPLET) == sizeof(LocalTriplet));
  static_assert(offsetof(DAT_LMR_TRIPLET, lmr_context) == offsetof(LocalTriplet, stag));
  static_assert(offsetof(DAT_LMR_TRIPLET, virtual_address) == offsetof(LocalTriplet, address));
  static_assert(offsetof(DAT_LMR_TRIPLET, segment_length) == offsetof(LocalTriplet, length));
  using Segments = std::span<const LocalTriplet>;
  static Segments local(const RegionTable&, const DAT_LMR_TRIPLET* iov, std::size_t count) {
    return {reinterpret_cast<const LocalTriplet*>(iov), count};
  }
  static LocalTriplet to_local(const RegionTable&, const DAT_LMR_TRIPLET& triplet) {
    return {triplet.lmr_context, triplet.virtual_address, triplet.segment_length};
  }
  static RemoteTriplet remote(const DAT_RMR_TRIPLET& triplet) {
    return {triplet.rmr_context, triplet.target_address, triplet.segment_length};
  }
  static DAT_LMR_TRIPLET to_triplet(const LocalTriplet& triplet) {
    return {triplet.stag, 0, triplet.address, triplet.length};
  }

  // Exactly the 48 bytes of DAT 1.2.
  static_assert(sizeof(DAT_EVENT) == 48);
  static void write_dto(const Event& event, DAT_EVENT& out) {
    out.event_data.dto_completion_event_data.transfered_length = event.value;
  }
  // An RSP is logically gone once its request exists (dat/dat.h, DAT_CR_ARRIVAL_EVENT_DATA).
  static void write_request(const Event& event, DAT_EVENT& out) {
    if (event.size != 0)
      out.event_data.cr_arrival_event_data.sp_handle.rsp_handle = DAT_HANDLE_NULL;
  }
  // In 1.2 only an accept has private data. A peer of 2.0 may have sent some with its reject.
  template <class Adapter>
  static void write_connection(const Event& event, const Adapter&, DAT_EVENT& out) {
    if (event.kind == EventKind::Established) return;
    out.event_data.connect_event_data.private_data_size = 0;
    out.event_data.connect_event_data.private_data = nullptr;
  }

  // A failure names argument `position`. Values are not compared with limits here.
  static Status from_dat(const DAT_EP_ATTR& from, Detail position, EndpointAttributes& to);
  static void to_dat(const EndpointAttributes& from, DAT_EP_ATTR& to);
  static void to_dat(std::span<const NamedAttribute> from, DAT_EP_ATTR& to);
  static void to_dat(IaControl& ia, DAT_IA_ATTR& to);
  static void to_dat(IaControl& ia, DAT_PROVIDER_ATTR& to);
  static void describe(const RegionRequest& request, bool relaxed_ordering, DAT_LMR_PARAM& to);
  static void describe(const MemoryWindow&, DAT_RMR_PARAM&) {}
  static void describe(const Endpoint&, DAT_EP_PARAM&) {}
  static void describe(const NotificationObject& cno, DAT_CNO_PARAM& to) {
    to.agent = {cno.agent().instance, cno.agent().call};
  }

  // Masks that differ between versions: what a consumer may set in them.
  static constexpr std::uint64_t kCnoFields = DAT_CNO_FIELD_ALL;
  static constexpr EvdFlags kEvdFlags = kEvdAll;
  static constexpr bool kBareQueueEmpty = false;
  static constexpr Access kPrivileges = kAllAccess;
  static constexpr Access kImpliedPrivileges = 0;
  // Relaxed ordering does not exist here, so the flag that forbids it changes nothing.
  static constexpr Access kIgnoredPrivileges = DAT_MEM_PRIV_RO_DISABLE_FLAG;
  static bool is_virtual(DAT_MEM_TYPE type) {
    return type == DAT_MEM_TYPE_VIRTUAL || type == DAT_MEM_TYPE_SO_VIRTUAL;
  }

  static void enter_calls(Table& table) { enter_all_calls<V1>(table); }

  // Calls whose arguments only 1.2 has.
  static DAT_RETURN cr_reject(DAT_CR_HANDLE cr);
  static DAT_RETURN lmr_create(DAT_IA_HANDLE ia, DAT_MEM_TYPE type,
                               DAT_REGION_DESCRIPTION description, DAT_VLEN length,
                               DAT_PZ_HANDLE pz, DAT_MEM_PRIV_FLAGS privileges, DAT_LMR_HANDLE* lmr,
                               DAT_LMR_CONTEXT* lmr_context, DAT_RMR_CONTEXT* rmr_context,
                               DAT_VLEN* registered_size, DAT_VADDR* registered_address);
  static DAT_RETURN rmr_bind(DAT_RMR_HANDLE rmr, const DAT_LMR_TRIPLET* lmr_triplet,
                             DAT_MEM_PRIV_FLAGS privileges, DAT_EP_HANDLE ep, DAT_RMR_COOKIE cookie,
                             DAT_COMPLETION_FLAGS flags, DAT_RMR_CONTEXT* rmr_context);
};

} // namespace datum
