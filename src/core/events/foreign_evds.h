// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/events/foreign_evds.h: the connect EVDs of other IAs that the EPs of an IA feed.
// Lives here: one way for each such EVD, and which of them have something to be delivered.
// Not here:   one such way (foreign_evd.h); delivering (the facade, once the own lock is free).
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

  // An EP feeds it, through what leads there already if others do; telling it something needs no
  // memory then.
  const std::shared_ptr<ForeignEvd>& feed(const std::shared_ptr<ForeignEvd>& evd);
  // What that may lack memory for.
  void make_room_to_feed(const std::shared_ptr<ForeignEvd>& evd);
  void stop_feeding(const std::shared_ptr<ForeignEvd>& evd);
  // It has been told something, which the facade delivers as it lets go of the lock.
  void deliver_later(const std::shared_ptr<ForeignEvd>& evd);
  using Deliveries = std::array<std::shared_ptr<ForeignEvd>, 8>;
  // Those that were told something first; the rest is put off again.
  Deliveries take_deliveries();

 private:
  // Null: no EP feeds that EVD yet.
  const std::shared_ptr<ForeignEvd>* way_to(const ForeignEvd& evd) const;

  AdapterContext& adapter_;
  std::vector<std::shared_ptr<ForeignEvd>> fed_;
  std::vector<std::shared_ptr<ForeignEvd>> deliveries_;
};

} // namespace datum
