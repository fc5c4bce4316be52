// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/foreign_connect_evd.h: the connect EVD that a consumer gives an EP, held in case that it
// belongs to another open IA than the EP.
// Threads: made before the lock of the EP's IA is taken and gone after that was given back: the
//          locks of two IAs are never held together.
#pragma once

#include <memory>

#include "core/events/foreign_evd.h"

namespace datum {

class ForeignConnectEvd {
 public:
  // `beside`: the handle of the EP, or of its IA to be.
  ForeignConnectEvd(const void* beside, const void* evd);
  ~ForeignConnectEvd();
  ForeignConnectEvd(const ForeignConnectEvd&) = delete;
  ForeignConnectEvd& operator=(const ForeignConnectEvd&) = delete;

  // Null: it is of the same IA, or none that takes connection events.
  const std::shared_ptr<ForeignEvd>& held() const { return held_; }

 private:
  std::shared_ptr<ForeignEvd> held_;
};

} // namespace datum
