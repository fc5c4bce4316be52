// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/endpoint/bind_request.h"

#include <utility>

#include "base/assertion.h"
#include "base/refusal.h"
#include "core/endpoint/endpoint_frame.h"
#include "core/object/causes.h"

namespace datum {
namespace {

[[gnu::cold, gnu::noinline]] Status lacks_right(const MemoryRegion& region, bool write) {
  note_bits("mem_privileges of the LMR", region.rights(),
            write ? "with LOCAL_WRITE 0x10" : "with LOCAL_READ 0x1", "");
  return {Type::PrivilegesViolation, write ? Detail::PrivilegesWrite : Detail::PrivilegesRead};
}

} // namespace

Status BindRequest::make(const EndpointFrame& endpoint, MemoryWindow& to, const LocalTriplet& range,
                         Access access, bool zero_based) {
  window = &to;
  window_token = to.token();
  if (range.length == 0) return kOk;
  MemoryRegion* region = endpoint.services().memory.find_region(range.stag);
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
  if (&region->zone() != endpoint.zone())
    return {Type::ProtectionViolation, Detail::ProtectionRdmaWrite};
  const bool may_read = (region->rights() & kLocalRead) != 0;
  const bool may_write = (region->rights() & kLocalWrite) != 0;
  if ((access & kRemoteRead) != 0 && !may_read) return lacks_right(*region, false);
  if ((access & kRemoteWrite) != 0 && !may_write) return lacks_right(*region, true);
  binding.range = range;
  binding.access = access & (kRemoteRead | kRemoteWrite);
  binding.zero_based = zero_based;
  binding.region = Ref(region);
  return kOk;
}

bool BindRequest::reserve(RegionTable& regions) {
  if (!binding.region) return true; // it unbinds
  DATUM_ASSERT(binding.stag == 0);
  binding.stag = regions.reserve();
  return binding.stag != 0;
}

void BindRequest::carry_out(RegionTable& regions, std::uint32_t endpoint) {
  DATUM_ASSERT(static_cast<bool>(binding.region) == (binding.stag != 0));
  MemoryWindow::Binding made = std::exchange(binding, {});
  if (window == nullptr) {
    if (made.stag != 0) regions.release(made.stag);
    return;
  }
  if (made.stag != 0) {
    const RegionEntry* whole = regions.find(made.region->local_stag());
    RegionTable::Description description;
    description.access = made.access;
    description.base = made.range.address;
    description.zero_based = made.zero_based;
    description.length = made.range.length;
    description.zone = window->zone().id();
    description.window = true;
    if (window->for_endpoint()) description.endpoint = endpoint;
    if (whole != nullptr && whole->backing_fd >= 0) {
      description.backing_fd = whole->backing_fd;
      description.backing_offset = whole->backing_offset + (made.range.address - whole->base);
    }
    regions.publish(made.stag, description);
  }
  window->take(std::move(made));
}

void BindRequest::drop(RegionTable& regions) {
  give_back(regions);
  binding = {};
  // A bind that did not happen leaves its window unbound (decision 224).
  if (window != nullptr) window->take({});
}

void BindRequest::give_back(RegionTable& regions) {
  if (binding.stag != 0) regions.release(binding.stag);
}

} // namespace datum
