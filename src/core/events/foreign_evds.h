// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/events/foreign_evds.h: the connect EVDs of other IAs that the EPs of an IA feed.
// Lives here: one ForeignEvd for each such EVD, and which of them have events to deliver.
// Not here:   one ForeignEvd (foreign_evd.h); delivering (the facade, once the lock of the EPs' IA
//             is free).
// Threads:    the lock of the EPs' IA.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/events/foreign_evd.h"
#include "core/object/adapter_context.h"

namespace datum {

class ForeignEvds {
 public:
  explicit ForeignEvds(AdapterContext& adapter) : adapter_(adapter) {}

  // One more EP feeds the EVD. Returns the ForeignEvd that this IA has for the EVD already,
  // otherwise `evd`. From then on reporting to the EVD needs no memory.
  const std::shared_ptr<ForeignEvd>& feed(const std::shared_ptr<ForeignEvd>& evd);
  // Allocates what feed() needs.
  void make_room_to_feed(const std::shared_ptr<ForeignEvd>& evd);
  void stop_feeding(const std::shared_ptr<ForeignEvd>& evd);
  // `evd` has events. The facade delivers them once it has released the lock.
  void deliver_later(const std::shared_ptr<ForeignEvd>& evd);
  using Deliveries = std::array<std::shared_ptr<ForeignEvd>, 8>;
  // Takes the ForeignEvds that got events first, as many as fit. The rest is deferred again.
  Deliveries take_deliveries();

 private:
  // Null: no EP feeds that EVD yet.
  const std::shared_ptr<ForeignEvd>* way_to(const ForeignEvd& evd) const;

  AdapterContext& adapter_;
  std::vector<std::shared_ptr<ForeignEvd>> fed_;
  std::vector<std::shared_ptr<ForeignEvd>> deliveries_;
};

} // namespace datum
