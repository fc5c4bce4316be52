// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/link_table.h: the links of one fabric. A peer adapter has at most one link that is
// not condemned. The link of this adapter to itself has both its ends in the table.
// Threads: the adapter's lock.
#pragma once

#include <memory>
#include <unordered_map>

#include "transport/shm/shm_port.h"

namespace datum {

class LinkTable {
 public:
  explicit LinkTable(ShmContext& context) : context_(context) {}

  // The link to `peer` that is not condemned, or nullptr. If `peer` is this adapter: the dialling
  // end of the link.
  ShmPort* find(const PeerKey& peer);
  // Adds the link and calls FabricEvents::on_link(). nullptr: the link's descriptors cannot be
  // watched, or memory is lacking.
  ShmPort* add(LinkParts parts);
  // Removes the link from the table, calls FabricEvents::on_link_lost() and destroys the link.
  void lose(ShmPort& port);
  // Destroys all links at the end of the fabric, without on_link_lost().
  void clear() { ports_.clear(); }

  bool full() const;
  std::size_t size() const { return ports_.size(); }
  // Called when memory is taken away from peers, also by destructors. So it must not allocate.
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
