// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "facade/foreign_connect_evd.h"

#include "facade/locked.h"

namespace datum {
namespace {

// The IA that the handle belongs to, as far as can be seen without the lock. The final check needs
// the lock.
const IaControl* seeming_owner(const void* handle) {
  const HandleSlot* slot = HandleSpace::find(handle);
  return slot != nullptr ? slot->control.load(std::memory_order_acquire) : nullptr;
}

} // namespace

ForeignConnectEvd::ForeignConnectEvd(const void* beside, const void* evd) {
  const IaControl* owner = seeming_owner(beside);
  if (evd == nullptr || owner == nullptr || seeming_owner(evd) == owner) return;
  const Locked<ObjectKind::EventDispatcher> found(evd);
  if (!found || &found.control() == owner || (found->flags() & kEvdConnection) == 0) return;
  held_ =
      std::make_shared<ForeignEvd>(*found, found.control().key_for(ObjectKind::EventDispatcher));
}

// Releases the EVD, unless an EP has taken it.
ForeignConnectEvd::~ForeignConnectEvd() {
  if (held_ && held_->release_by_maker()) static_cast<void>(IaControl::deliver(*held_));
}

} // namespace datum
