// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/endpoint/connect_reports.h"

namespace datum {

ConnectReports::ConnectReports(EndpointFrame& frame, const ConnectEvd::Choice& choice)
    : frame_(frame), evd_(frame.services().events.foreign, choice) {}

ConnectReports::~ConnectReports() {
  forget_told_data();
}

void ConnectReports::forget_told_data() {
  if (evd_ && told_private_data_) evd_.forget_data(frame_.token(), private_data_.data());
}

void ConnectReports::change(const ConnectEvd::Choice& choice) {
  // The old EVD may still hold an event of the EP. When the private data are freed, the EP no
  // longer knows the old EVD. So the event loses its pointer now.
  if (choice.token() != evd_.token()) forget_told_data();
  evd_.change(choice);
}

PrivateData ConnectReports::keep(PrivateData data) {
  private_data_.assign(data.begin(), data.end());
  return private_data_;
}

bool ConnectReports::report(EventKind kind, Role role, PrivateData data) {
  count(kind, role);
  if (!evd_) return true;
  Event event;
  event.kind = kind;
  event.object = frame_.token();
  event.data = data.empty() ? nullptr : data.data();
  event.size = static_cast<std::uint32_t>(data.size());
  const bool reported = evd_.push(event, connection_);
  told_private_data_ = told_private_data_ || (reported && !data.empty());
  return reported;
}

bool ConnectReports::report_datagrams(const Event& event) {
  count(event.kind, Role::Connecter);
  return evd_ && evd_.push(event, connection_);
}

void ConnectReports::count(EventKind kind, Role role) {
  AdapterTally& tally = frame_.adapter().tally();
  switch (kind) {
  case EventKind::Established:
    ++(role == Role::Accepter ? tally.established_passive : tally.established);
    break;
  case EventKind::DatagramsRejected:
  case EventKind::PeerRejected: ++tally.rejected_by_peer; break;
  case EventKind::NonPeerRejected: ++tally.refused; break;
  case EventKind::Broken: ++tally.broken; break;
  case EventKind::TimedOut: ++tally.timed_out; break;
  case EventKind::DatagramsFailed:
  case EventKind::AcceptCompletionError:
  case EventKind::Unreachable: ++tally.failed; break;
  case EventKind::DatagramsResolved:
  case EventKind::DatagramsResolvedPassive: ++tally.datagram_addresses; break;
  default: break; // Disconnected: counted by disconnect() or on_closed()
  }
}

} // namespace datum
