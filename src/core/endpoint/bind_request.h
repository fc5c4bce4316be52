// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/bind_request.h: the request of dat_rmr_bind: its checks, and its effect when its
// turn comes among the requests of an EP.
// Threads:    the adapter's lock.
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

  // Checks that the range is empty, or a part of an LMR that may be opened to peers in this way
  // (dat_rmr_bind(3DAT), Description). Reserves nothing yet.
  Status make(const EndpointFrame& endpoint, MemoryWindow& to, const LocalTriplet& range,
              Access access, bool zero_based);
  // Reserves the context that the window will get. False: no context is left.
  bool reserve(RegionTable& regions);
  // `endpoint`: the number of the EP that carries out the bind.
  void carry_out(RegionTable& regions, std::uint32_t endpoint);
  // The bind failed.
  void drop(RegionTable& regions);
  // The bind never had its turn: gives its context back.
  void give_back(RegionTable& regions);
};

} // namespace datum
