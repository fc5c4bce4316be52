// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/listener.h: a PSP or an RSP of an adapter, with an EVD of its own.
// Lives here: the requests that have arrived and wait for an answer.
// Not here:   the answers (search_connect.cc).
#pragma once

#include <vector>

#include "party.h"

namespace datum::test {

class Listener {
 public:
  // A PSP.
  Listener(SimNode& node, ConnQual qualifier, ServicePoint::EpSource source);
  // An RSP. Without a party the provider makes the EP.
  Listener(SimNode& node, ConnQual qualifier, Party* reserved);
  // Frees both objects, which must succeed. An RSP must be freed before the EP that it holds.
  void free_all();

  SimNode& node() { return node_; }
  ConnQual qualifier() const { return qualifier_; }
  bool reserved() const { return point_->reserved(); }
  bool spent() const { return point_->spent(); }
  bool brings_endpoint() const { return point_->ep_source() == ServicePoint::EpSource::Provider; }
  // The party whose EP this RSP connects. null: the RSP has no party's EP.
  Party* party() { return party_; }

  // Takes the requests that have arrived.
  void harvest();
  bool waits() const { return !waiting_.empty(); }
  ConnectionRequest& take_newest();
  // Hands `request` off to `other`. The request arrives at the EVD of `other`, unless that EVD is
  // full.
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
