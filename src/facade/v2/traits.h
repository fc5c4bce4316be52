// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v2/traits.h: the names, numbers and layouts of DAT 2.0, for the templates of the facade.
// Lives here: everything in which DAT versions differ. The facade gets the DAT headers of 2.0
//             through this file, except in counter_names.cc.
// Not here:   checks of arguments (../*_calls.h).
#pragma once

#include <dat2/dat_ib_extensions.h>
#include <dat2/dat_registry.h>

#include <algorithm>
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

struct V2 {
  using Table = DAT_PROVIDER;

  static constexpr DAT_RETURN subtype(Detail detail) {
    return subtypes::kNumbers[static_cast<std::size_t>(detail)];
  }
  // The IA handle that the consumer knows, which may be an index into a table of libdat.
  static DAT_IA_HANDLE consumer_ia(Token ia);

  // The core uses virtual addresses of this process only. For a zero-based LMR the consumer's
  // addresses begin at 0 and have to be shifted.
  static LocalTriplet to_local(const RegionTable& regions, const DAT_LMR_TRIPLET& triplet) {
    const RegionEntry* entry = regions.find(triplet.lmr_context);
    const std::uint64_t shift = entry != nullptr ? entry->shift() : 0;
    return {triplet.lmr_context, triplet.virtual_address + shift, triplet.segment_length};
  }
  // The segments of one post in the layout of the core. A number above any IA's limit is reduced to
  // kMost, which is enough for the core to refuse the post.
  class Segments {
   public:
    Segments(const RegionTable& regions, const DAT_LMR_TRIPLET* iov, std::size_t count)
        : count_(std::min(count, kMost)) {
      for (std::size_t i = 0; i != count_; ++i) new (at(i)) LocalTriplet(to_local(regions, iov[i]));
    }
    operator std::span<const LocalTriplet>() const { // NOLINT(google-explicit-constructor)
      return {std::launder(reinterpret_cast<const LocalTriplet*>(bytes_)), count_};
    }

   private:
    static constexpr std::size_t kMost = std::size_t{Limits{}.max_iov} + 1;
    void* at(std::size_t i) { return bytes_ + i * sizeof(LocalTriplet); }

    std::size_t count_;
    // Not initialised, because most posts have only one segment.
    alignas(LocalTriplet) std::byte bytes_[kMost * sizeof(LocalTriplet)];
  };
  static Segments local(const RegionTable& regions, const DAT_LMR_TRIPLET* iov, std::size_t count) {
    return {regions, iov, count};
  }
  static RemoteTriplet remote(const DAT_RMR_TRIPLET& triplet) {
    return {triplet.rmr_context, triplet.virtual_address, triplet.segment_length};
  }
  static DAT_LMR_TRIPLET to_triplet(const LocalTriplet& triplet) {
    return {triplet.address, static_cast<DAT_SEG_LENGTH>(triplet.length), triplet.stag};
  }

  static_assert(sizeof(DAT_EVENT) == 120);
  // Always inlined: otherwise it would not be inlined into callers without a stack protector
  // (no_canary.h).
  [[gnu::always_inline]] static void write_dto(const Event& event, DAT_EVENT& out) {
    DAT_DTO_COMPLETION_EVENT_DATA& data = out.event_data.dto_completion_event_data;
    constexpr std::uint64_t kMost = ~DAT_SEG_LENGTH{0};
    data.transfered_length = static_cast<DAT_SEG_LENGTH>(std::min(event.value, kMost));
    data.operation = operation(event);
    data.rmr_context = data.operation == DAT_DTO_RECEIVE_WITH_INVALIDATE ? event.size : 0;
    if (event.opcode == Opcode::WriteImmediate || event.opcode == Opcode::Datagram ||
        is_atomic(event.opcode)) [[unlikely]]
      write_extension(event, out);
  }
  // The event keeps the handle of an RSP: programs of DAT 2.0 compare it with their RSP, which they
  // still free.
  static void write_request(const Event& event, DAT_EVENT& out) {
    out.event_data.cr_arrival_event_data.truncate_flag = DAT_FALSE;
    if (event.kind == EventKind::DatagramsRequest) write_datagrams(event, nullptr, out);
  }
  static void write_connection(const Event& event, InterfaceAdapter& adapter, DAT_EVENT& out) {
    if (event.kind >= EventKind::DatagramsRequest && event.kind <= EventKind::DatagramsFailed)
      write_datagrams(event, &adapter.datagrams().addresses(), out);
  }

  // A failure names argument `position`. Values are not compared with limits here.
  static Status from_dat(const DAT_EP_ATTR& from, Detail position, EndpointAttributes& to);
  static void to_dat(const EndpointAttributes& from, DAT_EP_ATTR& to);
  static void to_dat(std::span<const NamedAttribute> from, DAT_EP_ATTR& to);
  static void to_dat(IaControl& ia, DAT_IA_ATTR& to);
  static void to_dat(IaControl& ia, DAT_PROVIDER_ATTR& to);
  static void describe(const RegionRequest& request, bool relaxed_ordering, DAT_LMR_PARAM& to);
  static void describe(const MemoryWindow& window, DAT_RMR_PARAM& to);
  static void describe(const Endpoint& endpoint, DAT_EP_PARAM& to);
  static void describe(const NotificationObject& cno, DAT_CNO_PARAM& to);

  // Masks that differ between versions: what a consumer may set in them. In DAT 2.0
  // DAT_CNO_FIELD_ALL is not the union of the other CNO fields.
  static constexpr std::uint64_t kCnoFields = DAT_CNO_FIELD_PROXY | DAT_CNO_FIELD_ALL;
  static constexpr EvdFlags kEvdFlags = kEvdAll | kEvdExtension;
  static constexpr bool kBareQueueEmpty = true;
  static constexpr Access kPrivileges = kAllAccess | kRemoteAtomic;
  // InfiniBand adapters always allow local reads, and programs rely on that.
  static constexpr Access kImpliedPrivileges = kLocalRead;
  static constexpr Access kIgnoredPrivileges = 0;
  static bool is_virtual(DAT_MEM_TYPE type) { return type == DAT_MEM_TYPE_VIRTUAL; }

  static void enter_calls(Table& table) {
    enter_all_calls<V2>(table);
    enter_new_calls(table);
  }
  // The calls that 2.0 adds (new_calls.cc).
  static void enter_new_calls(Table& table);

  // Calls whose arguments differ from those of 1.2.
  static DAT_RETURN cr_reject(DAT_CR_HANDLE cr, DAT_COUNT data_size, const DAT_PVOID data);
  static DAT_RETURN lmr_create(DAT_IA_HANDLE ia, DAT_MEM_TYPE type,
                               DAT_REGION_DESCRIPTION description, DAT_VLEN length,
                               DAT_PZ_HANDLE pz, DAT_MEM_PRIV_FLAGS privileges, DAT_VA_TYPE va_type,
                               DAT_LMR_HANDLE* lmr, DAT_LMR_CONTEXT* lmr_context,
                               DAT_RMR_CONTEXT* rmr_context, DAT_VLEN* registered_size,
                               DAT_VADDR* registered_address);
  static DAT_RETURN rmr_bind(DAT_RMR_HANDLE rmr, DAT_LMR_HANDLE lmr,
                             const DAT_LMR_TRIPLET* lmr_triplet, DAT_MEM_PRIV_FLAGS privileges,
                             DAT_VA_TYPE va_type, DAT_EP_HANDLE ep, DAT_RMR_COOKIE cookie,
                             DAT_COMPLETION_FLAGS flags, DAT_RMR_CONTEXT* rmr_context);

 private:
  static DAT_DTOS operation(const Event& event) {
    switch (event.opcode) {
    case Opcode::Send: return event.receive ? DAT_DTO_RECEIVE : DAT_DTO_SEND;
    case Opcode::RdmaWrite: return DAT_DTO_RDMA_WRITE;
    case Opcode::RdmaRead: return DAT_DTO_RDMA_READ;
    case Opcode::SendInvalidate:
      return event.receive ? DAT_DTO_RECEIVE_WITH_INVALIDATE : DAT_DTO_SEND;
    case Opcode::WriteImmediate:
      return static_cast<DAT_DTOS>(event.receive ? DAT_IB_DTO_RECV_IMMED
                                                 : DAT_IB_DTO_RDMA_WRITE_IMMED);
    case Opcode::Datagram: return static_cast<DAT_DTOS>(DAT_IB_DTO_SEND_UD);
    case Opcode::FetchAdd: return static_cast<DAT_DTOS>(DAT_IB_DTO_FETCH_ADD);
    case Opcode::CompareSwap: return static_cast<DAT_DTOS>(DAT_IB_DTO_CMP_SWAP);
    case Opcode::Bind: break;
    }
    return DAT_DTO_BIND_MW;
  }
  // Completions of extended operations have a number and data of their own.
  static void write_extension(const Event& event, DAT_EVENT& out);
  // Events about peers of an endpoint of datagrams (extension_datagrams.cc). `addresses`: null for
  // a request, whose peer has no address yet.
  static void write_datagrams(const Event& event, const DatagramAddresses* addresses,
                              DAT_EVENT& out);
};

} // namespace datum
