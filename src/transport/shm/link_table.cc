// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/link_table.h"

#include <new>

#include "base/assertion.h"
#include "base/log.h"
#include "transport/shm/shm_context.h"

namespace datum {

ShmPort* LinkTable::find(const PeerKey& peer) {
  const bool self = peer.id == context_.self.id;
  const auto range = ports_.equal_range(peer.id);
  for (auto at = range.first; at != range.second; ++at) {
    ShmPort& port = *at->second;
    if (port.peer() == peer && !port.condemned() && (!self || port.side() == 0)) return &port;
  }
  return nullptr;
}

ShmPort* LinkTable::add(LinkParts parts) {
  DATUM_ASSERT(parts.peer.id == context_.self.id || find(parts.peer) == nullptr);
  auto port = std::make_unique<ShmPort>(context_, std::move(parts));
  if (!port->watch().ok()) return nullptr;
  ShmPort& added = *port;
  const auto at = ports_.emplace(added.peer().id, std::move(port));
  try {
    context_.events->on_link(added);
  } catch (const std::bad_alloc&) {
    ports_.erase(at);
    return nullptr;
  }
  added.on_idle();
  if (log_enabled(LogLevel::Info))
    log(LogLevel::Info, "link to process {}: {}; {}", added.peer().process.pid, added.path(),
        added.path_reason());
  return &added;
}

void LinkTable::lose(ShmPort& port) {
  const auto range = ports_.equal_range(port.peer().id);
  for (auto at = range.first; at != range.second; ++at) {
    if (at->second.get() != &port) continue;
    // The port leaves the table first, because a dial from inside on_link_lost() must not find it.
    const auto owned = ports_.extract(at);
    port.retire();
    context_.events->on_link_lost(port);
    return;
  }
}

bool LinkTable::full() const {
  return ports_.size() >= context_.options.max_links;
}

} // namespace datum
