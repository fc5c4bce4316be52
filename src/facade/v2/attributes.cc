// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v2/attributes.cc: attributes that only DAT 2.0 has, or that it defines in its own way.
#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <string>

#include "facade/v2/traits.h"

#include "facade/attributes.h"

namespace datum {
namespace {

// Programs written for InfiniBand look for these names.
constexpr std::array kProviderAttributes = {
    NamedAttribute{"DAT_IB_PROVIDER_NAME", "DATUM"},
    NamedAttribute{"DAT_IB_CONNECTIVITY_MODE", "DIRECT"},
    NamedAttribute{"DAT_IB_RDMA_READ", "TRUE"},
    NamedAttribute{"DAT_IB_TRANSPORT_MTU", "4096"},
    NamedAttribute{"DAT_IB_PORT_NUMBER", "1"},
    NamedAttribute{"DAT_IB_PORT_STATUS", "ACTIVE"},
    NamedAttribute{"DAT_EXTENSION_INTERFACE", "TRUE"},
    NamedAttribute{DAT_IB_ATTR_FETCH_AND_ADD, "TRUE"},
    NamedAttribute{DAT_IB_ATTR_CMP_AND_SWAP, "TRUE"},
    NamedAttribute{DAT_IB_ATTR_IMMED_DATA, "TRUE"},
    NamedAttribute{DAT_IB_ATTR_UD, "TRUE"},
    NamedAttribute{DAT_IB_ATTR_COUNTERS, "TRUE"},
};

// The GID of an address, in the form of RoCE adapters: an IPv4 address is mapped into IPv6, an IPv6
// address stays as it is.
std::string gid_of(const Address& address) {
  const sockaddr& given = *to_sockaddr(address);
  in6_addr gid{};
  if (given.sa_family == AF_INET) {
    gid.s6_addr[10] = gid.s6_addr[11] = 0xff;
    std::memcpy(&gid.s6_addr[12], address.bytes + offsetof(sockaddr_in, sin_addr), 4);
  } else {
    std::memcpy(&gid, address.bytes + offsetof(sockaddr_in6, sin6_addr), sizeof gid);
  }
  char text[INET6_ADDRSTRLEN] = {};
  return ::inet_ntop(AF_INET6, &gid, text, sizeof text) != nullptr ? text : "";
}

// Adds the attributes that differ between IAs. DAT_IB_NODE_GUID is left out, since Datum has no
// such number.
std::span<const NamedAttribute> provider_attributes(IaControl& ia) {
  try {
    NamedAttributes all;
    for (const NamedAttribute& each : kProviderAttributes) all.emplace_back(each.name, each.value);
    all.emplace_back("DAT_IB_DEVICE_NAME", ia.registration().ia_name);
    all.emplace_back("DAT_IB_GID", gid_of(ia.adapter().transport().address()));
    return keep_for_good(all);
  } catch (const std::bad_alloc&) {
    return kProviderAttributes; // a query has no return code for a failure here
  }
}

bool is_datagrams(DAT_SERVICE_TYPE type) {
  return static_cast<int>(type) == static_cast<int>(DAT_IB_SERVICE_TYPE_UD);
}

} // namespace

DAT_IA_HANDLE V2::consumer_ia(Token ia) {
  return attributes::consumer_ia(ia);
}

void V2::to_dat(IaControl& ia, DAT_IA_ATTR& to) {
  attributes::describe(ia, to);
  to.zb_supported = DAT_TRUE;
  to.extension_supported = DAT_EXTENSION_IB;
  to.extension_version = DAT_IB_EXTENSION_VERSION;
}

void V2::to_dat(IaControl& ia, DAT_PROVIDER_ATTR& to) {
  attributes::describe(ia, to);
  // The manual asks for the "union" of all types, although their numbers are not bits (decision
  // 131).
  to.lmr_mem_types_supported = static_cast<DAT_MEM_TYPE>(DAT_MEM_TYPE_VIRTUAL | DAT_MEM_TYPE_LMR |
                                                         DAT_MEM_TYPE_SHARED_VIRTUAL);
  to.rdma_read_lmr_rmr_context_exposure = DAT_FALSE;
  to.rmr_scope_supported = DAT_RMR_SCOPE_ANY;
  to.is_signal_safe = DAT_FALSE;
  to.ha_supported = DAT_FALSE;
  to.ha_loadbalancing = DAT_HA_LB_NONE;
  const std::span<const NamedAttribute> names = provider_attributes(ia);
  to.num_provider_specific_attr = static_cast<DAT_COUNT>(names.size());
  to.provider_specific_attr = attributes::named(names);
}

Status V2::from_dat(const DAT_EP_ATTR& from, Detail position, EndpointAttributes& to) {
  to.datagrams = is_datagrams(from.service_type);
  DAT_EP_ATTR known = from;
  if (to.datagrams) known.service_type = DAT_SERVICE_TYPE_RC;
  const Status s = attributes::read(known, position, to);
  // Programs move more octets in one RDMA Write than the max_rdma_size that they asked for, and
  // other providers accept that. So only Datum's own limit is checked.
  to.rdma_bound = Limits{}.max_rdma_size;
  return s;
}

void V2::to_dat(const EndpointAttributes& from, DAT_EP_ATTR& to) {
  attributes::describe(from, to);
  if (from.datagrams) to.service_type = static_cast<DAT_SERVICE_TYPE>(DAT_IB_SERVICE_TYPE_UD);
}

void V2::to_dat(std::span<const NamedAttribute> from, DAT_EP_ATTR& to) {
  attributes::describe(from, to);
}

void V2::describe(const RegionRequest& request, bool, DAT_LMR_PARAM& to) {
  to.va_type = request.zero_based ? DAT_VA_TYPE_ZB : DAT_VA_TYPE_VA;
  attributes::describe(request, DAT_MEM_TYPE_VIRTUAL, to);
}

void V2::describe(const MemoryWindow& window, DAT_RMR_PARAM& to) {
  to.rmr_scope = window.for_endpoint() ? DAT_RMR_SCOPE_EP : DAT_RMR_SCOPE_PZ;
  const MemoryWindow::Binding& binding = window.binding();
  to.va_type = binding.zero_based ? DAT_VA_TYPE_ZB : DAT_VA_TYPE_VA;
  if (binding.region && binding.region->request().zero_based)
    to.lmr_triplet.virtual_address -= binding.region->request().address;
}

void V2::describe(const Endpoint& endpoint, DAT_EP_PARAM& to) {
  const sockaddr* local = to_sockaddr(endpoint.adapter().transport().address());
  to.comm = {local->sa_family, SOCK_STREAM, 0};
}

void V2::describe(const NotificationObject& cno, DAT_CNO_PARAM& to) {
  const ProxyAgent& agent = cno.agent();
  to.proxy.agent = {agent.instance, agent.call};
  to.proxy_type = agent.armed() ? DAT_PROXY_TYPE_AGENT : DAT_PROXY_TYPE_NONE;
  if (const DescriptorSignal* signal = cno.signal()) {
    to.proxy_type = DAT_PROXY_TYPE_FD;
    to.proxy.fd = signal->descriptor();
  }
}

} // namespace datum
