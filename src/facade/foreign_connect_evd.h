// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/foreign_connect_evd.h: holds the connect EVD that a consumer passes for an EP, if it
// belongs to another open IA than the EP.
// Threads:    made before the lock of the EP's IA is taken, and destroyed after that lock is
//             released, because no thread ever holds the locks of two IAs.
#pragma once

#include <memory>

#include "core/events/foreign_evd.h"

namespace datum {

class ForeignConnectEvd {
 public:
  // `beside`: the handle of the EP, or of the IA that will own it.
  ForeignConnectEvd(const void* beside, const void* evd);
  ~ForeignConnectEvd();
  ForeignConnectEvd(const ForeignConnectEvd&) = delete;
  ForeignConnectEvd& operator=(const ForeignConnectEvd&) = delete;

  // Null: the EVD belongs to the same IA, or takes no connection events.
  const std::shared_ptr<ForeignEvd>& held() const { return held_; }

 private:
  std::shared_ptr<ForeignEvd> held_;
};

} // namespace datum
