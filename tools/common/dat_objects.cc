// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/dat_objects.h"

#include <fmt/format.h>

#include "common/address.h"
#include "common/dat_error.h"
#include "common/ia_obstacle.h"

namespace datum::tools {
namespace {

constexpr DAT_COUNT kAsyncQueue = 8;

} // namespace

Interface::Interface(const std::string& name) : name_(name) {
  DAT_IA_HANDLE ia = nullptr;
  std::string mutable_name = name; // DAT_NAME_PTR points to char, not const char
  const DAT_RETURN ret = dat_ia_open(mutable_name.data(), kAsyncQueue, &async_evd_, &ia);
  if (ret != DAT_SUCCESS) throw ToolError(ExitCode::Usage, explain_open(ret, name));
  ia_ = IaHandle(ia);
}

std::string Interface::address() const {
  DAT_IA_ATTR attr = {};
  check(dat_ia_query(get(), nullptr, DAT_IA_FIELD_IA_ADDRESS_PTR, &attr, 0, nullptr),
        "dat_ia_query", name_);
  return address_text(reinterpret_cast<const sockaddr*>(attr.ia_address_ptr));
}

Pz make_pz(const Interface& ia) {
  DAT_PZ_HANDLE pz = nullptr;
  check(dat_pz_create(ia.get(), &pz), "dat_pz_create", ia.name());
  return Pz(pz);
}

Evd make_evd(const Interface& ia, DAT_COUNT qlen, int flags) {
  DAT_EVD_HANDLE evd = nullptr;
  check(dat_evd_create(ia.get(), qlen, nullptr, static_cast<DAT_EVD_FLAGS>(flags), &evd),
        "dat_evd_create", fmt::format("{}, {} events", ia.name(), qlen));
  return Evd(evd);
}

Ep make_ep(const Interface& ia, const Pz& pz, const Evd& evd, const DAT_EP_ATTR* attr) {
  DAT_EP_HANDLE ep = nullptr;
  check(dat_ep_create(ia.get(), pz.get(), evd.get(), evd.get(), evd.get(), attr, &ep),
        "dat_ep_create", ia.name());
  return Ep(ep);
}

Psp listen(const Interface& ia, DAT_CONN_QUAL& port, const Evd& cr_evd) {
  DAT_PSP_HANDLE psp = nullptr;
  if (port == 0)
    check(dat_psp_create_any(ia.get(), &port, cr_evd.get(), DAT_PSP_CONSUMER_FLAG, &psp),
          "dat_psp_create_any", ia.name(), ExitCode::Usage);
  else
    check(dat_psp_create(ia.get(), port, cr_evd.get(), DAT_PSP_CONSUMER_FLAG, &psp),
          "dat_psp_create", fmt::format("{}, port {}", ia.name(), port), ExitCode::Usage);
  return Psp(psp);
}

void accept(Cr request, DAT_EP_HANDLE ep, const std::string& peer, std::string private_data) {
  const auto size = static_cast<DAT_COUNT>(private_data.size());
  check(dat_cr_accept(request.get(), ep, size, private_data.data()), "dat_cr_accept", peer);
  request.release();
}

Caller caller_of(const Cr& request) {
  DAT_CR_PARAM param = {};
  check(dat_cr_query(request.get(), DAT_CR_FIELD_ALL, &param), "dat_cr_query");
  return {address_text(reinterpret_cast<const sockaddr*>(param.remote_ia_address_ptr)),
          {static_cast<const char*>(param.private_data),
           static_cast<std::size_t>(param.private_data_size)}};
}

std::string path_of(const Ep& ep) {
  DAT_EP_PARAM param = {};
  if (dat_ep_query(ep.get(), DAT_EP_FIELD_EP_ATTR_ALL, &param) != DAT_SUCCESS) return {};
  const auto find = [](DAT_COUNT count, const DAT_NAMED_ATTR* attrs) -> std::string {
    for (DAT_COUNT i = 0; attrs != nullptr && i < count; ++i)
      if (std::string_view(attrs[i].name).find("path") != std::string_view::npos)
        return attrs[i].value;
    return {};
  };
  const DAT_EP_ATTR& attr = param.ep_attr;
  std::string text = find(attr.ep_provider_specific_count, attr.ep_provider_specific);
  if (text.empty()) text = find(attr.ep_transport_specific_count, attr.ep_transport_specific);
  return text;
}

Region::Region(const Interface& ia, const Pz& pz, std::span<std::byte> memory, int privileges)
    : bytes_(memory) {
  DAT_REGION_DESCRIPTION region = {};
  region.for_va = memory.data();
  DAT_LMR_HANDLE lmr = nullptr;
  DAT_VLEN size = 0;
  DAT_VADDR address = 0;
  check(dat_lmr_create(ia.get(), DAT_MEM_TYPE_VIRTUAL, region, memory.size(), pz.get(),
                       static_cast<DAT_MEM_PRIV_FLAGS>(privileges), &lmr, &lmr_context_,
                       &rmr_context_, &size, &address),
        "dat_lmr_create", fmt::format("{}, {} bytes", ia.name(), memory.size()));
  lmr_ = Lmr(lmr);
}

DAT_LMR_TRIPLET Region::local(std::size_t offset, std::size_t length) const {
  DAT_LMR_TRIPLET triplet = {};
  triplet.lmr_context = lmr_context_;
  triplet.virtual_address = address() + offset;
  triplet.segment_length = length;
  return triplet;
}

DAT_RMR_TRIPLET remote(DAT_RMR_CONTEXT context, DAT_VADDR address, DAT_VLEN length) {
  DAT_RMR_TRIPLET triplet = {};
  triplet.rmr_context = context;
  triplet.target_address = address;
  triplet.segment_length = length;
  return triplet;
}

} // namespace datum::tools
