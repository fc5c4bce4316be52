// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/listener.h: a PSP or an RSP of an adapter, with an EVD of its own.
// Lives here: the requests that have arrived and wait for an answer.
// Not here:   which answer that is (search_connect.cc).
#pragma once

#include <vector>

#include "party.h"

namespace datum::test {

class Listener {
 public:
  // A PSP.
  Listener(SimNode& node, ConnQual qualifier, ServicePoint::EpSource source);
  // An RSP; without a party the provider brings the EP.
  Listener(SimNode& node, ConnQual qualifier, Party* reserved);
  // Both objects must be free to go. Before its EP, which an RSP holds.
  void free_all();

  SimNode& node() { return node_; }
  ConnQual qualifier() const { return qualifier_; }
  bool reserved() const { return point_->reserved(); }
  bool spent() const { return point_->spent(); }
  bool brings_endpoint() const { return point_->ep_source() == ServicePoint::EpSource::Provider; }
  // Whose EP an RSP connects; null: it is not that of a party.
  Party* party() { return party_; }

  // Takes the requests that have arrived.
  void harvest();
  bool waits() const { return !waiting_.empty(); }
  ConnectionRequest& take_newest();
  // Gives `request` to `other`: it is presented there, unless nobody can be told.
  static void hand_off(ConnectionRequest& request, Listener& other);

 private:
  SimNode& node_;
  ConnQual qualifier_;
  EventDispatcher* evd_;
  ServicePoint* point_ = nullptr;
  Party* party_ = nullptr;
  std::vector<ConnectionRequest*> waiting_;
};

} // namespace datum::test
