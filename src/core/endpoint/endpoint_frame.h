// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/endpoint_frame.h: what the parts of an EP share, and what they ask of the EP.
// Lives here: the EP's number, zone, attributes and counters, and which memory may be used through
//             the EP. Only Endpoint changes the zone and the attributes.
// Not here:   what one part owns (connection.h, request_stream.h, inbox.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <span>

#include "core/events/event_services.h"
#include "core/memory/local_memory.h"
#include "core/memory/memory_index.h"
#include "core/memory/protection_zone.h"
#include "core/object/adapter_context.h"
#include "core/object/object.h"
#include "core/object/object_walk.h"
#include "core/object/ref.h"
#include "core/object/tally.h"
#include "core/port/channel.h"
#include "core/port/types.h"

namespace datum {

// The services of an open IA that its endpoints use.
struct EndpointServices {
  EventServices& events;
  MemoryIndex& memory;
  ObjectList& endpoints;
};

class EndpointFrame : public Object {
 public:
  const EndpointAttributes& attributes() const { return attributes_; }
  ProtectionZone* zone() const { return zone_.get(); }
  // Names the EP inside region entries and in the log; never 0.
  std::uint32_t number() const { return number_; }
  const EndpointTally& tally() const { return tally_; }
  EndpointTally& tally() { return tally_; }
  const EndpointServices& services() const { return services_; }

  // True: a local DTO of this EP may use the bytes of `segment` with this right.
  bool covers(const LocalTriplet& segment, Access right) const {
    return adapter().regions().covers(segment.stag, segment.address, segment.length, right,
                                      zone_->id());
  }
  // True: segments that were checked at their post may still be touched.
  bool still_covers(std::span<const LocalTriplet> local, Access right) const {
    return zone_ && local_memory_still_valid(adapter().regions(), local, right, zone_->id());
  }
  // Checks an access to memory of this IA as if the peer of this EP made it. Without a fault,
  // `memory` becomes the address of the range.
  AccessFault check_own(Stag stag, std::uint64_t address, std::uint64_t length, Access right,
                        std::uint64_t& memory) const;
  // check_peer() is check_own() for an access of the peer, and counts a fault. check_peer_note()
  // checks whether the peer may send a note with a message.
  AccessFault check_peer(Stag stag, std::uint64_t address, std::uint64_t length, Access right,
                         std::uint64_t& memory) const;
  AccessFault check_peer_note(const MessageNote& note) const;

  // --- calls of the parts; an ordinary request or message makes none of them ---
  // Breaks the connection for a reason on this side.
  virtual void break_connection() = 0;
  // Called by a stream of requests that drains: some requests may have been retired.
  virtual void on_requests_retired() = 0;
  // Called by an inbox that had no Recv for a message and has a Recv now.
  virtual void on_receive_posted() = 0;

 protected:
  EndpointFrame(const EndpointServices& services, ProtectionZone* zone,
                const EndpointAttributes& attributes);
  ~EndpointFrame() override;
  void set_zone(ProtectionZone* zone) { zone_ = Ref(zone); }
  void set_attributes(const EndpointAttributes& attributes) { attributes_ = attributes; }

 private:
  const EndpointServices& services_;
  Ref<ProtectionZone> zone_;
  const std::uint32_t number_;
  EndpointAttributes attributes_;
  EndpointTally tally_;
};

} // namespace datum
