// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/bind_request.h: what dat_rmr_bind asks for: its checks, and its effect in its turn
// among the requests of an EP.
// Threads: the adapter's lock.
#pragma once

#include "base/status.h"
#include "core/memory/memory_window.h"
#include "core/port/region_table.h"
#include "core/port/types.h"

namespace datum {

class EndpointFrame;

// The window (nullptr once freed) and what it will be bound to.
struct BindRequest {
  MemoryWindow* window = nullptr;
  Token window_token = nullptr;
  MemoryWindow::Binding binding;

  // The range is empty, or part of an LMR that may be opened so to peers (dat_rmr_bind(3DAT),
  // Description). Nothing is reserved yet.
  Status make(const EndpointFrame& endpoint, MemoryWindow& to, const LocalTriplet& range,
              Access access, bool zero_based);
  // The context that will be valid. False: there is none left.
  bool reserve(RegionTable& regions);
  // `endpoint`: the number of the EP that carries it out.
  void carry_out(RegionTable& regions, std::uint32_t endpoint);
  // It did not happen.
  void drop(RegionTable& regions);
  // It never had its turn: the context is given back.
  void give_back(RegionTable& regions);
};

} // namespace datum
