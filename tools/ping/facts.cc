// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ping/facts.h"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/address.h"
#include "common/dat_error.h"
#include "common/human.h"
#include "common/text_line.h"

namespace datum::ping {
namespace {

constexpr std::size_t kMostShown = 64; // bytes of private data

std::string named(const DAT_EP_ATTR& attr, std::string_view name) {
  const DAT_NAMED_ATTR* const all = attr.ep_provider_specific;
  for (DAT_COUNT i = 0; all != nullptr && i < attr.ep_provider_specific_count; ++i)
    if (all[i].name == name) return all[i].value;
  return {};
}

void append(std::vector<std::string>& texts, DAT_COUNT count, const DAT_NAMED_ATTR* attributes) {
  for (DAT_COUNT i = 0; attributes != nullptr && i < count; ++i)
    texts.push_back(fmt::format("{}={}", attributes[i].name, attributes[i].value));
}

std::string address_of(DAT_IA_ADDRESS_PTR address) {
  return tools::address_text(reinterpret_cast<const sockaddr*>(address));
}

std::string text_of(const End& end) {
  return fmt::format("{} port {}", end.address, end.port);
}

} // namespace

Facts facts_of(const tools::Ep& ep) {
  Facts facts;
  DAT_EP_PARAM param = {};
  if (dat_ep_query(ep.get(), DAT_EP_FIELD_ALL, &param) != DAT_SUCCESS) return facts;
  const DAT_EP_ATTR& attr = param.ep_attr;
  facts.way = {named(attr, "datum_path"), named(attr, "datum_path_reason")};
  facts.local = {address_of(param.local_ia_address_ptr), param.local_port_qual};
  facts.peer = {address_of(param.remote_ia_address_ptr), param.remote_port_qual};
  facts.reads_in = named(attr, "datum_effective_rdma_read_in");
  facts.reads_out = named(attr, "datum_effective_rdma_read_out");
  facts.requests = attr.max_request_dtos;
  facts.receives = attr.max_recv_dtos;
  if (facts.way.path.empty()) {
    append(facts.attributes, attr.ep_transport_specific_count, attr.ep_transport_specific);
    append(facts.attributes, attr.ep_provider_specific_count, attr.ep_provider_specific);
  }
  return facts;
}

Bounds bounds_of(const tools::Interface& ia) {
  DAT_IA_ATTR adapter = {};
  DAT_PROVIDER_ATTR provider = {};
  tools::check(dat_ia_query(ia.get(), nullptr, DAT_IA_FIELD_ALL, &adapter, DAT_PROVIDER_FIELD_ALL,
                            &provider),
               "dat_ia_query", ia.name());
  return {adapter.max_message_size, provider.max_private_data_size};
}

std::string text_of(const Way& way) {
  if (way.path.empty()) return "unknown (the provider tells none, or the connection has ended)";
  if (way.reason.empty()) return way.path + ", the fastest there is";
  return fmt::format("{}, because: {}", way.path, way.reason);
}

std::string private_data_text(const std::string& data) {
  if (data.empty()) return "none";
  return fmt::format("{} bytes \"{}\"{}", data.size(),
                     tools::printable(std::string_view(data).substr(0, kMostShown)),
                     data.size() > kMostShown ? "..." : "");
}

std::string text_of(const Facts& facts, const Bounds& bounds, const std::string& sent,
                    const std::string& came) {
  std::string text = tools::text_line("  path          {}", text_of(facts.way));
  if (!facts.attributes.empty())
    text += tools::text_line("  attributes    {}", fmt::join(facts.attributes, ", "));
  text += tools::text_line("  ends          {} here, {} there", text_of(facts.local),
                           text_of(facts.peer));
  text += fmt::format("  private data  sent {}; came {}; at most {} bytes\n",
                      private_data_text(sent), private_data_text(came), bounds.private_data);
  text +=
      fmt::format("  limits        messages up to {}; {} requests and {} receives posted at most",
                  tools::human_size(bounds.message), facts.requests, facts.receives);
  if (!facts.reads_in.empty())
    text += fmt::format("; RDMA Reads at a time: {} in, {} out", facts.reads_in, facts.reads_out);
  return text + '\n';
}

} // namespace datum::ping
