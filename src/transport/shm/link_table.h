// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/link_table.h: the links of one fabric: at most one that is not condemned per peer
// adapter, two to this adapter itself.
// Threads: the adapter's lock.
#pragma once

#include <memory>
#include <unordered_map>

#include "transport/shm/shm_port.h"

namespace datum {

class LinkTable {
 public:
  explicit LinkTable(ShmContext& context) : context_(context) {}

  // The link to a peer that is not condemned; nullptr: none. For a link to this very adapter: its
  // dialling side.
  ShmPort* find(const PeerKey& peer);
  // Adds the link and tells FabricEvents::on_link(). nullptr: its descriptors cannot be watched, or
  // there is no memory.
  ShmPort* add(LinkParts parts);
  // Takes the link out, tells FabricEvents::on_link_lost() and destroys the link.
  void lose(ShmPort& port);
  // Destroys all links at the end of the fabric, without on_link_lost().
  void clear() { ports_.clear(); }

  bool full() const;
  std::size_t size() const { return ports_.size(); }
  // Runs where memory is taken away from peers, also in destructors. So it must allocate nothing.
  template <class F>
  void for_each(F&& visit) {
    for (auto& [id, port] : ports_) visit(*port);
  }

 private:
  struct IdHash {
    // The id is random, so it needs no hashing.
    std::size_t operator()(const AdapterId& id) const { return static_cast<std::size_t>(id.low); }
  };

  ShmContext& context_;
  std::unordered_multimap<AdapterId, std::unique_ptr<ShmPort>, IdHash> ports_;
};

} // namespace datum
