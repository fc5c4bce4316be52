// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "provider/report.h"

#include <concepts>
#include <optional>
#include <utility>

#include "base/registry_uses.h"
#include "transport/host/host_address.h"

namespace datum {
namespace {

class Line {
 public:
  Line(std::string& text, std::string_view kind) : text_(text) { text_ += kind; }
  ~Line() { text_ += '\n'; }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  // A character that would end the field or the line becomes a blank.
  Line& add(std::string_view field) {
    text_ += '\t';
    if (field.empty()) text_ += '-';
    for (const char c : field) text_ += c == '\t' || c == '\n' ? ' ' : c;
    return *this;
  }
  Line& add(std::integral auto number) { return add(std::string_view(std::to_string(number))); }

 private:
  std::string& text_;
};

// The names of DAT_EP_STATE without their common prefix.
std::string_view name_of(EpState state) {
  switch (state) {
  case EpState::Unconnected: return "UNCONNECTED";
  case EpState::Reserved: return "RESERVED";
  case EpState::PassivePending: return "PASSIVE_CONNECTION_PENDING";
  case EpState::ActivePending: return "ACTIVE_CONNECTION_PENDING";
  case EpState::TentativePending: return "TENTATIVE_CONNECTION_PENDING";
  case EpState::Connected: return "CONNECTED";
  case EpState::DisconnectPending: return "DISCONNECT_PENDING";
  case EpState::Disconnected: return "DISCONNECTED";
  case EpState::CompletionPending: return "COMPLETION_PENDING";
  case EpState::Datagrams: return "DATAGRAMS";
  }
  return {};
}

std::string text_of(const Address& address) {
  const std::optional<HostAddress> host = read_address(address);
  return host ? to_text(*host) : std::string();
}

Tally sum_of(const TallyByOpcode& tally) {
  Tally sum;
  for (const Tally& each : tally.tallies) {
    sum.count += each.count;
    sum.bytes += each.bytes;
  }
  return sum;
}

void report_endpoint(std::string& text, const Endpoint& endpoint) {
  const EndpointTally& tally = endpoint.tally();
  const Tally posted = sum_of(tally.posted);
  const Tally received = sum_of(tally.received);
  const bool has_peer = endpoint.remote_port() != 0;
  const Path path = endpoint.path();
  Line line(text, "ep");
  line.add(endpoint.number()).add(name_of(endpoint.state())).add(path.name);
  line.add(has_peer ? text_of(endpoint.remote_address()) : std::string());
  line.add(has_peer ? std::to_string(endpoint.remote_port()) : std::string());
  line.add(posted.count).add(posted.bytes).add(received.count).add(received.bytes);
  line.add(endpoint.requests_held()).add(endpoint.attributes().max_request_dtos);
  line.add(endpoint.recvs_held()).add(endpoint.attributes().max_recv_dtos);
  line.add(tally.stalls).add(path.reason);
}

void report_leniencies(std::string& text, InterfaceAdapter& adapter) {
  for (std::size_t i = 0; i != kLeniencies; ++i) {
    const auto leniency = static_cast<Leniency>(i);
    const std::uint64_t uses = adapter.leniencies().uses(leniency) + registry_uses(leniency);
    if (uses != 0) Line(text, "leniency").add(name_of(leniency)).add(uses);
  }
}

void report_dispatcher(std::string& text, const EventDispatcher& evd, unsigned number) {
  Line line(text, "evd");
  line.add(number).add(evd.flags()).add(evd.count()).add(evd.qlen());
  line.add(evd.tally().completions).add(evd.tally().waits);
}

} // namespace

std::string Report::next_part() {
  std::string text;
  if (!ia_name_.empty()) {
    Line(text, "ia").add(std::exchange(ia_name_, {}));
    report_leniencies(text, adapter_);
  }
  for (int left = kObjectsInAPart; left != 0; --left) {
    if (const Object* endpoint = endpoints_.take())
      report_endpoint(text, static_cast<const Endpoint&>(*endpoint));
    else if (const Object* evd = dispatchers_.take())
      report_dispatcher(text, static_cast<const EventDispatcher&>(*evd), ++dispatchers_told_);
    else
      break;
  }
  return text;
}

} // namespace datum
