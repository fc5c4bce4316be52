// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/locked.h: the only way from a handle to an object: check the handle, lock its IA, check
// again.
// Hot path: inlined into every call. Takes one lock and allocates nothing.
#pragma once

#include <sched.h>

#include "base/assertion.h"
#include "facade/bad_handle.h"
#include "facade/ia_control.h"

namespace datum {

template <ObjectKind K>
struct KindOf;
template <>
struct KindOf<ObjectKind::ConnectionRequest> {
  using type = ConnectionRequest;
};
template <>
struct KindOf<ObjectKind::Endpoint> {
  using type = Endpoint;
};
template <>
struct KindOf<ObjectKind::EventDispatcher> {
  using type = EventDispatcher;
};
template <>
struct KindOf<ObjectKind::InterfaceAdapter> {
  using type = InterfaceAdapter;
};
template <>
struct KindOf<ObjectKind::MemoryRegion> {
  using type = MemoryRegion;
};
template <>
struct KindOf<ObjectKind::PublicServicePoint> {
  using type = ServicePoint;
};
template <>
struct KindOf<ObjectKind::ProtectionZone> {
  using type = ProtectionZone;
};
template <>
struct KindOf<ObjectKind::MemoryWindow> {
  using type = MemoryWindow;
};
template <>
struct KindOf<ObjectKind::ReservedServicePoint> {
  using type = ServicePoint;
};
template <>
struct KindOf<ObjectKind::NotificationObject> {
  using type = NotificationObject;
};
template <>
struct KindOf<ObjectKind::SharedReceiveQueue> {
  using type = SharedReceiveQueue;
};
template <>
struct KindOf<ObjectKind::CommonServicePoint> {
  using type = ServicePoint;
};
// An object of any kind, for contexts and dat_get_handle_type().
template <>
struct KindOf<ObjectKind::None> {
  using type = Object;
};

// The object behind a handle, with the object's IA locked. Empty if the handle names no such
// object.
template <ObjectKind K>
class Locked {
 public:
  using T = typename KindOf<K>::type;

  [[gnu::always_inline]] explicit Locked(const void* handle) DATUM_NO_TSA {
    const HandleSlot* slot = HandleSpace::find(handle);
    if (slot == nullptr) [[unlikely]] {
      note_bad_handle(handle, K);
      return;
    }
    IaControl* control = slot->control.load(std::memory_order_acquire);
    if (control == nullptr) [[unlikely]] {
      note_bad_handle(slot, K);
      return;
    }
    control->enter();
    // An owned slot changes its owner only under the lock of the IA that its key names. So the
    // answer of this second check is final.
    const std::uint64_t key = slot->key.load(std::memory_order_relaxed);
    const bool matches = K == ObjectKind::None ? control->owns(key) : key == control->key_for(K);
    if (!matches) [[unlikely]] {
      turn_away(*control, slot);
      return;
    }
    control_ = control;
    object_ = static_cast<T*>(slot->object);
  }
  [[gnu::always_inline]] ~Locked() { release(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

  explicit operator bool() const { return control_ != nullptr; }
  T* operator->() const {
    DATUM_ASSERT(control_ != nullptr);
    return object_;
  }
  T& operator*() const {
    DATUM_ASSERT(control_ != nullptr);
    return *object_;
  }
  T* get() const { return object_; }
  IaControl& control() const { return *control_; }
  InterfaceAdapter& adapter() const { return control_->adapter(); }

  // Another object of the same IA. nullptr: the IA has no such handle, which is noted as the cause
  // of a refusal.
  template <ObjectKind Other>
  typename KindOf<Other>::type* find(const void* handle) const {
    const HandleSlot* slot = HandleSpace::find(handle);
    if (slot == nullptr || slot->key.load(std::memory_order_relaxed) != control_->key_for(Other)) {
      note_bad_handle(handle, Other);
      return nullptr;
    }
    return static_cast<typename KindOf<Other>::type*>(slot->object);
  }

  // Inlined at each point where a call may end, exceptions included. So the compiler keeps this
  // object in two registers.
  [[gnu::always_inline]] void release() DATUM_NO_TSA {
    if (control_ == nullptr) return;
    std::exchange(control_, nullptr)->leave();
  }
  // For a poll that found nothing: lets other threads run that want the lock, or a peer that shares
  // the only processor of this thread.
  void release_politely() DATUM_NO_TSA {
    const bool steps_aside = control_->steps_aside();
    release();
    if (steps_aside) ::sched_yield();
  }
  // Called after another component has taken over the lock.
  void forget() { control_ = nullptr; }

 private:
  [[gnu::cold, gnu::noinline]] static void turn_away(IaControl& control,
                                                     const void* handle) DATUM_NO_TSA {
    control.withdraw_entry();
    note_bad_handle(handle, K);
  }

  IaControl* control_ = nullptr;
  T* object_ = nullptr;
};

} // namespace datum
