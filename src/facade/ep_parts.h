// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/ep_parts.h: the EVDs of an EP, each with the kind of events it has to accept (api 3.2).
#pragma once

#include "core/endpoint.h"
#include "facade/locked.h"

namespace datum {

// Finds EVDs beside an object that is locked already; remembers the first failure.
template <class Held>
class EvdFinder {
 public:
  explicit EvdFinder(const Held& held) : held_(held) {}

  // A null handle is fine: no EVD.
  EventDispatcher* optional(const void* handle, EvdFlags flag, Detail kind) {
    return handle != nullptr ? required(handle, flag, kind) : nullptr;
  }
  EventDispatcher* required(const void* handle, EvdFlags flag, Detail kind) {
    auto* evd = held_.template find<ObjectKind::EventDispatcher>(handle);
    if (evd != nullptr && (evd->flags() & flag) != 0) return evd;
    if (status_.ok()) status_ = {Type::InvalidHandle, kind};
    return nullptr;
  }
  // `foreign`: held already in case that it belongs to another IA.
  ConnectEvd::Choice optional_connect(const void* handle,
                                      const std::shared_ptr<ForeignEvd>& foreign) {
    if (foreign) return {nullptr, foreign};
    return {optional(handle, kEvdConnection, Detail::HandleEvdConn), nullptr};
  }
  ProtectionZone* optional_zone(const void* handle) {
    if (handle == nullptr) return nullptr;
    auto* zone = held_.template find<ObjectKind::ProtectionZone>(handle);
    if (zone == nullptr && status_.ok()) status_ = {Type::InvalidHandle, Detail::HandlePz};
    return zone;
  }
  Status status() const { return status_; }

 private:
  const Held& held_;
  Status status_;
};

} // namespace datum
