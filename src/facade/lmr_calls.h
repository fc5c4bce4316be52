// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/lmr_calls.h: local memory regions.
#pragma once

#include "core/object/causes.h"
#include "facade/answer.h"
#include "facade/counting.h"
#include "facade/locked.h"
#include "facade/table.h"

namespace datum {

using LockedLmr = Locked<ObjectKind::MemoryRegion>;

// Builds the request from a region description, which depends on the type of memory
// (dat_lmr_create). `held` finds the LMR that another LMR is made from.
template <class V, class Held>
Status to_request(const Held& held, DAT_MEM_TYPE type, const DAT_REGION_DESCRIPTION& description,
                  DAT_VLEN length, RegionRequest& request) {
  request.length = length;
  if (V::is_virtual(type)) {
    request.type = static_cast<MemoryType>(type);
    request.address = reinterpret_cast<std::uint64_t>(description.for_va);
    return kOk;
  }
  switch (type) {
  case DAT_MEM_TYPE_LMR: {
    const MemoryRegion* original =
        held.template find<ObjectKind::MemoryRegion>(description.for_lmr_handle);
    if (original == nullptr) {
      note_bad_handle(description.for_lmr_handle, ObjectKind::MemoryRegion);
      name_cause("region_description.for_lmr_handle");
      return {Type::InvalidHandle, Detail::HandleLmr};
    }
    request.type = MemoryType::Region;
    request.address = original->request().address;
    request.length = original->request().length;
    request.described_by = description.for_lmr_handle;
    return kOk;
  }
  case DAT_MEM_TYPE_SHARED_VIRTUAL:
    if (description.for_shared_memory.shared_memory_id == nullptr) {
      name_cause("region_description.shared_memory_id", "null", "not null");
      return {Type::InvalidParameter, Detail::Arg3};
    }
    request.type = MemoryType::Shared;
    request.address =
        reinterpret_cast<std::uint64_t>(description.for_shared_memory.virtual_address);
    std::memcpy(request.cookie.data(), description.for_shared_memory.shared_memory_id,
                request.cookie.size());
    return kOk;
  default: note_value(type); return {Type::InvalidParameter, Detail::Arg2};
  }
}

struct RegionOuts {
  DAT_LMR_CONTEXT* lmr_context;
  DAT_RMR_CONTEXT* rmr_context;
  DAT_VLEN* registered_size;
  DAT_VADDR* registered_address;
};

inline void write_outs(const MemoryRegion& region, const RegionOuts& outs) {
  if (outs.lmr_context != nullptr) *outs.lmr_context = region.local_stag();
  if (outs.rmr_context != nullptr) *outs.rmr_context = region.remote_stag();
  if (outs.registered_size != nullptr) *outs.registered_size = region.request().length;
  if (outs.registered_address != nullptr)
    *outs.registered_address = region.request().zero_based ? 0 : region.request().address;
}

// The arguments of dat_lmr_create that all versions have, in their order.
struct LmrArguments {
  DAT_IA_HANDLE ia;
  DAT_MEM_TYPE type;
  const DAT_REGION_DESCRIPTION& description;
  DAT_VLEN length;
  DAT_PZ_HANDLE pz;
  DAT_MEM_PRIV_FLAGS privileges;
  DAT_LMR_HANDLE* lmr;
  RegionOuts outs;
  Counting counting = Counting::FromAddress;
};

[[gnu::cold, gnu::noinline]] inline void note_privileges(Access given, Access known) {
  if (refusals_are_told())
    note_cause({"", text("{:#x}", given), text("flags within {:#x}", known), ""});
}

// `lmr_position`: the position of arguments.lmr in the call. The argument before it is `counting`.
template <class V>
[[gnu::always_inline]] inline DAT_RETURN create_lmr(const LmrArguments& arguments,
                                                    Detail lmr_position) {
  const Locked<ObjectKind::InterfaceAdapter> ia(arguments.ia);
  if (!ia) return invalid_handle<V>(Detail::HandleIa);
  RegionRequest request;
  const Status described =
      to_request<V>(ia, arguments.type, arguments.description, arguments.length, request);
  if (described.type() == Type::InvalidHandle) return encode<V>(described);
  ProtectionZone* zone = ia.find<ObjectKind::ProtectionZone>(arguments.pz);
  if (zone == nullptr)
    return invalid_handle<V>(Detail::HandlePz, arguments.pz, ObjectKind::ProtectionZone);
  if (arguments.lmr == nullptr) return invalid_argument<V>(lmr_position);
  if (!described.ok()) return encode<V>(described);
  request.zero_based = arguments.counting == Counting::FromZero;
  request.implied = V::kImpliedPrivileges;
  request.access = static_cast<Access>(arguments.privileges) & ~V::kIgnoredPrivileges;
  if ((request.access & ~V::kPrivileges) != 0) {
    note_privileges(request.access, V::kPrivileges);
    return invalid_argument<V>(Detail::Arg6);
  }
  if (arguments.counting == Counting::Neither) return invalid_argument<V>(Detail::Arg7);
  const Result<MemoryRegion*> region = ia->create_region(request, *zone);
  if (!region) return encode<V>(region.error());
  write_outs(**region, arguments.outs);
  *arguments.lmr = (*region)->token();
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN lmr_query(DAT_LMR_HANDLE lmr_handle,
                                                   DAT_LMR_PARAM_MASK mask, DAT_LMR_PARAM* param) {
  LockedLmr lmr(lmr_handle);
  if (!lmr) return invalid_handle<V>(Detail::HandleLmr);
  if (const Status s = check_query(mask, DAT_LMR_FIELD_ALL, param); !s.ok()) return encode<V>(s);
  V::describe(lmr->request(), lmr.control().relaxed_ordering(), *param);
  param->length = lmr->request().length;
  param->pz_handle = lmr->zone().token();
  param->mem_priv = static_cast<DAT_MEM_PRIV_FLAGS>(lmr->request().access);
  write_outs(*lmr, {&param->lmr_context, &param->rmr_context, &param->registered_size,
                    &param->registered_address});
  const Token ia = lmr.adapter().token();
  lmr.release();
  param->ia_handle = V::consumer_ia(ia);
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN lmr_free(DAT_LMR_HANDLE lmr_handle) {
  const LockedLmr lmr(lmr_handle);
  if (!lmr) return invalid_handle<V>(Detail::HandleLmr);
  return encode<V>(lmr.adapter().free(*lmr));
}

// The memory of this provider is coherent, so the call only checks the segments (decision 250).
template <class V>
[[gnu::always_inline]] inline DAT_RETURN
sync_segments(DAT_IA_HANDLE ia_handle, const DAT_LMR_TRIPLET* list, DAT_VLEN count) {
  const Locked<ObjectKind::InterfaceAdapter> ia(ia_handle);
  if (!ia) return invalid_handle<V>(Detail::HandleIa);
  if (count != 0 && list == nullptr) return invalid_argument<V>(Detail::Arg2);
  // Such a list is larger than any address space.
  if (count > PTRDIFF_MAX / sizeof(DAT_LMR_TRIPLET))
    return invalid_argument<V>(Detail::Arg3, count);
  for (DAT_VLEN i = 0; i != count; ++i) {
    const LocalTriplet segment = V::to_local(ia->regions(), list[i]);
    // The other fields may hold anything (dat/dat.h, DAT_LMR_TRIPLET).
    if (segment.length == 0) continue;
    const MemoryRegion* region = ia->memory().find_region(segment.stag);
    if (region == nullptr) {
      note_bits("lmr_context of a segment", segment.stag, "that of an LMR of this IA", "");
      return invalid_argument<V>(Detail::Arg2);
    }
    const RegionRequest& whole = region->request();
    const std::uint64_t offset = segment.address - whole.address;
    if (segment.address < whole.address || offset > whole.length ||
        segment.length > whole.length - offset) {
      causes::note_outside(segment, whole.address, whole.length);
      return invalid_argument<V>(Detail::Arg2);
    }
  }
  return DAT_SUCCESS;
}

template <class V>
void enter_lmr_calls(typename V::Table& table) {
  table.lmr_create_func = &Shield<V, &V::lmr_create, &calls::kLmrCreate>::call;
  table.lmr_query_func = &Shield<V, &lmr_query<V>, &calls::kLmrQuery>::call;
  table.lmr_free_func = &Shield<V, &lmr_free<V>, &calls::kLmrFree>::call;
  table.lmr_sync_rdma_read_func = &Shield<V, &sync_segments<V>, &calls::kLmrSyncRdmaRead>::call;
  table.lmr_sync_rdma_write_func = &Shield<V, &sync_segments<V>, &calls::kLmrSyncRdmaWrite>::call;
}

} // namespace datum
