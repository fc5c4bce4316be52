// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/endpoint_bind.cc: dat_rmr_bind: a request that runs in its turn and fences what
// follows.
#include "base/refusal.h"
#include "core/adapter/interface_adapter.h"
#include "core/endpoint/endpoint.h"
#include "core/endpoint/endpoint_checks.h"
#include "core/object/causes.h"

namespace datum {
namespace {

[[gnu::cold, gnu::noinline]] Status lacks_right(const MemoryRegion& region, bool write) {
  note_bits("mem_privileges of the LMR", region.rights(),
            write ? "with LOCAL_WRITE 0x10" : "with LOCAL_READ 0x1", "");
  return {Type::PrivilegesViolation, write ? Detail::PrivilegesWrite : Detail::PrivilegesRead};
}

} // namespace

Status Endpoint::post_bind(MemoryWindow& window, const LocalTriplet& range, Access access,
                           std::uint64_t cookie, CompletionFlags flags, Stag& stag,
                           bool zero_based) {
  constexpr CompletionFlags kAllowed = kSuppress | kUnsignalled | kBarrierFence;
  if (!check_flags(flags, kAllowed, attributes_.request_completion_flags).ok())
    return {Type::InvalidParameter, Detail::Arg6};
  if (!zone_) return invalid_state(state_);
  if (&window.zone() != zone_.get())
    return {Type::ProtectionViolation, Detail::ProtectionRdmaWrite};

  MemoryWindow::Binding binding;
  if (range.length != 0) {
    MemoryRegion* region = adapter().find_region(range.stag);
    if (region == nullptr) {
      note_bits("lmr_triplet.lmr_context", range.stag, "that of an LMR of this IA", "");
      return {Type::InvalidParameter, Detail::Arg2};
    }
    const RegionRequest& whole = region->request();
    const std::uint64_t offset = range.address - whole.address;
    if (range.address < whole.address || offset > whole.length ||
        range.length > whole.length - offset) {
      causes::note_outside(range, whole.address, whole.length);
      return {Type::InvalidParameter, Detail::Arg2};
    }
    if (&region->zone() != zone_.get())
      return {Type::ProtectionViolation, Detail::ProtectionRdmaWrite};
    const bool may_read = (region->rights() & kLocalRead) != 0;
    const bool may_write = (region->rights() & kLocalWrite) != 0;
    if ((access & kRemoteRead) != 0 && !may_read) return lacks_right(*region, false);
    if ((access & kRemoteWrite) != 0 && !may_write) return lacks_right(*region, true);
    binding.range = range;
    binding.access = access & (kRemoteRead | kRemoteWrite);
    binding.zero_based = zero_based;
    binding.region = Ref(region);
  }
  if (const Status s = check_state_for_request(); !s.ok()) return s;
  // The completion is a bind event: the request EVD has to take those (decision 11).
  if (request_evd_ && (request_evd_->flags() & kEvdRmrBind) == 0)
    return {Type::InvalidState, Detail::EpEvdRequest};
  if (requests_.full() && !has_room_again())
    return {Type::InsufficientResources, Detail::ResourceMemory};
  if (range.length != 0) {
    binding.stag = adapter().regions().reserve();
    if (binding.stag == 0) return {Type::InsufficientResources, Detail::ResourceMemoryRegion};
  }
  stag = binding.stag;
  requests_.next_bind() = {&window, window.token(), std::move(binding)};
  requests_.push({.cookie = cookie, .flags = flags, .opcode = Opcode::Bind});
  start_or_flush();
  return kOk;
}

void Endpoint::execute_bind(BindRequest& request) {
  MemoryWindow::Binding binding = std::exchange(request.binding, {});
  if (request.window == nullptr) {
    if (binding.stag != 0) adapter().regions().release(binding.stag);
    return;
  }
  if (binding.stag != 0) {
    const RegionEntry* whole = adapter().regions().find(binding.region->local_stag());
    RegionTable::Description description;
    description.access = binding.access;
    description.base = binding.range.address;
    description.zero_based = binding.zero_based;
    description.length = binding.range.length;
    description.zone = request.window->zone().id();
    description.window = true;
    if (request.window->for_endpoint()) description.endpoint = number_;
    if (whole != nullptr && whole->backing_fd >= 0) {
      description.backing_fd = whole->backing_fd;
      description.backing_offset = whole->backing_offset + (binding.range.address - whole->base);
    }
    adapter().regions().publish(binding.stag, description);
  }
  request.window->take(std::move(binding));
}

void Endpoint::drop_bind(BindRequest& request) {
  if (request.binding.stag != 0) adapter().regions().release(request.binding.stag);
  request.binding = {};
  // A bind that did not happen leaves its window unbound (decision 224).
  if (request.window != nullptr) request.window->take({});
}

void Endpoint::forget_window(const MemoryWindow& window) {
  for (std::uint64_t at = requests_.retired(); at != requests_.posted(); ++at)
    if (BindRequest& bind = requests_.bind(at); bind.window == &window) bind.window = nullptr;
}

} // namespace datum
