// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/endpoint/endpoint_frame.h"

namespace datum {

EndpointFrame::EndpointFrame(const EndpointServices& services, ProtectionZone* zone,
                             const EndpointAttributes& attributes)
    : Object(services.events.adapter, ObjectKind::Endpoint), services_(services), zone_(zone),
      number_(adapter().next_number()), attributes_(attributes) {
  adapter().count_channel_owner(1);
}

EndpointFrame::~EndpointFrame() {
  adapter().count_channel_owner(-1);
}

AccessFault EndpointFrame::check_own(Stag stag, std::uint64_t address, std::uint64_t length,
                                     Access right, std::uint64_t& memory) const {
  const RegionEntry* entry = adapter().regions().find(stag);
  if (entry == nullptr) return AccessFault::BadStag;
  const AccessFault fault =
      check_access(*entry, stag, address, length, right, zone_->id(), number_);
  if (fault == AccessFault::None) memory = address + entry->shift();
  return fault;
}

AccessFault EndpointFrame::check_peer(Stag stag, std::uint64_t address, std::uint64_t length,
                                      Access right, std::uint64_t& memory) const {
  const AccessFault fault = check_own(stag, address, length, right, memory);
  if (fault != AccessFault::None) ++adapter().tally().access_faults;
  return fault;
}

AccessFault EndpointFrame::check_peer_note(const MessageNote& note) const {
  if (note.by != Opcode::SendInvalidate) return AccessFault::None;
  const RegionEntry* entry = adapter().regions().find(note.value);
  if (entry == nullptr || entry->window == 0) return AccessFault::BadStag;
  const bool for_this_ep =
      zone_ && entry->zone == zone_->id() && (entry->endpoint == 0 || entry->endpoint == number_);
  return for_this_ep ? AccessFault::None : AccessFault::WrongZone;
}

} // namespace datum
