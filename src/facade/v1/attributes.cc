// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v1/attributes.cc: attributes that only DAT 1.2 has, or that it defines in its own way.
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
  // The manual asks for the "union" of all types, although their numbers are not bits (decision
  // 131).
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
  // An IA that was opened without the RO_AWARE_ prefix has strongly ordered memory only
  // (decision 34).
  const bool relaxed = relaxed_ordering && request.type == MemoryType::Virtual;
  attributes::describe(request, relaxed ? DAT_MEM_TYPE_VIRTUAL : DAT_MEM_TYPE_SO_VIRTUAL, to);
}

} // namespace datum
