// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/ep_parts.h: the EVDs of an EP, each with the kind of events it has to accept
// (decision 205).
#pragma once

#include "base/refusal.h"
#include "core/endpoint/endpoint.h"
#include "facade/bad_handle.h"
#include "facade/locked.h"

namespace datum {

// Notes that the EVD takes no events of the kind that its role needs.
[[gnu::cold, gnu::noinline]] inline void note_evd_without(const EventDispatcher& evd,
                                                          EvdFlags flag) {
  if (refusals_are_told())
    note_cause({"", text("an EVD with evd_flags {:#x}", evd.flags()),
                text("an EVD with flag {:#x}", flag), ""});
}

// Finds the EVDs of a call whose main object is locked already. Remembers the first failure.
template <class Held>
class EvdFinder {
 public:
  explicit EvdFinder(const Held& held) : held_(held) {}

  // A null handle is valid and means no EVD.
  EventDispatcher* optional(const void* handle, EvdFlags flag, Detail kind) {
    return handle != nullptr ? required(handle, flag, kind) : nullptr;
  }
  EventDispatcher* required(const void* handle, EvdFlags flag, Detail kind) {
    if (!status_.ok()) return nullptr; // the call reports its first failure
    auto* evd = held_.template find<ObjectKind::EventDispatcher>(handle);
    if (evd != nullptr && (evd->flags() & flag) != 0) return evd;
    if (evd != nullptr)
      note_evd_without(*evd, flag);
    else
      note_bad_handle(handle, ObjectKind::EventDispatcher);
    status_ = {Type::InvalidHandle, kind};
    return nullptr;
  }
  // `foreign`: the EVD if it belongs to another IA, otherwise null.
  ConnectEvd::Choice optional_connect(const void* handle,
                                      const std::shared_ptr<ForeignEvd>& foreign) {
    if (foreign) return {nullptr, foreign};
    return {optional(handle, kEvdConnection, Detail::HandleEvdConn), nullptr};
  }
  ProtectionZone* optional_zone(const void* handle) {
    if (handle == nullptr || !status_.ok()) return nullptr;
    auto* zone = held_.template find<ObjectKind::ProtectionZone>(handle);
    if (zone != nullptr) return zone;
    note_bad_handle(handle, ObjectKind::ProtectionZone);
    status_ = {Type::InvalidHandle, Detail::HandlePz};
    return nullptr;
  }
  Status status() const { return status_; }

 private:
  const Held& held_;
  Status status_;
};

} // namespace datum
