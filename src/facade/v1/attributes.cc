// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v1/attributes.cc: what only the attributes of DAT 1.2 have, or have otherwise.
#include "facade/v1/traits.h"

#include "facade/attributes.h"

namespace datum {

DAT_IA_HANDLE V1::consumer_ia(Token ia) {
  return attributes::consumer_ia(ia);
}

void V1::to_dat(IaControl& ia, DAT_IA_ATTR& to) {
  attributes::describe(ia, to);
}

void V1::to_dat(IaControl& ia, DAT_PROVIDER_ATTR& to) {
  attributes::describe(ia, to);
  // The "union" of all types, although their numbers are no bits (C-31).
  to.lmr_mem_types_supported = DAT_MEM_TYPE_SO_VIRTUAL;
  to.num_provider_specific_attr = 0;
  to.provider_specific_attr = nullptr;
}

Status V1::from_dat(const DAT_EP_ATTR& from, Detail position, EndpointAttributes& to) {
  return attributes::read(from, position, to);
}

void V1::to_dat(const EndpointAttributes& from, DAT_EP_ATTR& to) {
  attributes::describe(from, to);
}

void V1::to_dat(std::span<const NamedAttribute> from, DAT_EP_ATTR& to) {
  attributes::describe(from, to);
}

void V1::describe(const RegionRequest& request, bool relaxed_ordering, DAT_LMR_PARAM& to) {
  switch (request.type) {
  case MemoryType::Region:
    to.mem_type = DAT_MEM_TYPE_LMR;
    to.region_desc.for_lmr_handle = const_cast<void*>(request.described_by);
    break;
  case MemoryType::Shared:
    to.mem_type = DAT_MEM_TYPE_SHARED_VIRTUAL;
    to.region_desc.for_shared_memory.virtual_address = reinterpret_cast<void*>(request.address);
    to.region_desc.for_shared_memory.shared_memory_id =
        reinterpret_cast<DAT_LMR_COOKIE>(const_cast<char*>(request.cookie.data()));
    break;
  case MemoryType::Virtual:
  case MemoryType::StronglyOrdered:
    // An IA that was opened without the RO_AWARE_ prefix has strongly ordered memory only (D-34).
    to.mem_type = relaxed_ordering && request.type == MemoryType::Virtual ? DAT_MEM_TYPE_VIRTUAL
                                                                          : DAT_MEM_TYPE_SO_VIRTUAL;
    to.region_desc.for_va = reinterpret_cast<void*>(request.address);
    break;
  }
}

} // namespace datum
