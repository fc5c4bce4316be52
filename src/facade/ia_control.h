// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/ia_control.h: what stays when an open IA ends: its lock, and the way from a handle to its
// object.
// Lives here: the lock, the handles of one open IA, opening and closing the IA, the work that is
//             deferred until the lock is free.
// Not here:   DAT types (v1/), objects and their rules (core/).
// Threads:    any. A control is never freed, and is reused late. So a call on a stale handle finds
//             a lock, and under the lock it finds that the object is gone.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/assertion.h"
#include "base/biased_mutex.h"
#include "base/intrusive_list.h"
#include "base/mutex.h"
#include "base/status.h"
#include "core/adapter/interface_adapter.h"
#include "facade/handle_space.h"
#include "facade/named_attributes.h"
#include "facade/registration.h"
#include "facade/runtime.h"

namespace datum {

// The EVD that takes the asynchronous events of an IA (dat_ia_open).
struct AsyncBinding {
  enum class Origin : std::uint8_t { Created, Elsewhere, Given };
  Origin source = Origin::Created;
  std::int32_t min_qlen = 0; // Created
  Token evd = nullptr;       // Created: set by open(); Given: the handle that was passed in
  // The key of the EVD's slot. It tells the EVD from a later EVD with the same handle, since the
  // EVD's IA may be closed before this one.
  std::uint64_t key = 0;
};

class IaControl final : public LockOwner, public HandleSource {
 public:
  IaControl() = default;

  // --- from handles to objects ---------------------------------------------------------------
  // The key that a slot has while its object is alive and of `kind`.
  std::uint64_t key_for(ObjectKind kind) const {
    DATUM_ASSERT(mutex_.held());
    return instance_ | static_cast<std::uint64_t>(kind);
  }
  bool owns(std::uint64_t key) const { return (key & ~kKindMask) == instance_; }
  [[gnu::always_inline]] void enter() DATUM_ACQUIRE(mutex_) { mutex_.lock(); }
  // Releases the lock without checking the adapter for deferred work. For callers that have not
  // used the adapter.
  void withdraw_entry() DATUM_RELEASE(mutex_) { mutex_.unlock(); }
  // Releases the lock after work on the adapter, and then does the deferred work.
  [[gnu::always_inline]] void leave() DATUM_RELEASE(mutex_) {
    DATUM_ASSERT(mutex_.held());
    if (adapter_->has_deferred()) [[unlikely]]
      leave_slowly();
    else
      mutex_.unlock();
  }
  // True: the caller, which has polled in vain, lets others run once it has released the lock: they
  // want the lock or the processor.
  bool steps_aside() {
    if (!may_step_aside_) return mutex_.contended();
    may_step_aside_ = false;
    has_stepped_aside_ = true;
    return true;
  }

  // --- LockOwner, HandleSource -----------------------------------------------------------------
  void acquire() override DATUM_NO_TSA { mutex_.lock(); }
  void relinquish() override DATUM_NO_TSA { leave(); }
  void let_in() override DATUM_NO_TSA;
  bool held() const override { return mutex_.held(); }
  bool has_deferred() const override { return adapter_->has_deferred(); }
  void let_step_aside(bool may) override { may_step_aside_ = may; }
  bool has_stepped_aside() override { return std::exchange(has_stepped_aside_, false); }
  Token issue(ObjectKind kind, Object& object) override;
  void withdraw(Token token) override;

  // Delivers the events that wait in `to`, whose EVD may belong to any IA. If the connection of an
  // EP cannot be reported, returns early with that EP. The caller holds no lock of an IA.
  static ForeignEvd::Unreported deliver(ForeignEvd& to) noexcept;

  // --- life ------------------------------------------------------------------------------------
  // Opens an IA; the result is its handle.
  static Result<Token> open(const Registration& registration, AsyncBinding& async);
  // Called with the lock held, and returns without it. If it fails, nothing has changed.
  Status close(bool graceful) DATUM_RELEASE(mutex_);
  // True: this thread is inside an agent that it calls for this IA. Closing the IA here would wait
  // for that agent, and so for this thread itself.
  bool calls_out_here();
  // dat_provider_fini: closes all IAs that are open under this key. A process may end from within
  // an agent, so an IA for which this thread calls an agent stays open.
  static void close_all(const Registration& registration) DATUM_NO_TSA;

  InterfaceAdapter& adapter() const { return *adapter_; }
  const Registration& registration() const { return *registration_; }
  const AsyncBinding& async() const { return async_; }
  // True: the program copes with relaxed ordering, so a query reports VIRTUAL memory as VIRTUAL
  // (decision 34).
  bool relaxed_ordering() const { return relaxed_ordering_; }
  void set_relaxed_ordering() { relaxed_ordering_ = true; }
  const std::vector<NamedAttribute>& attributes() const { return attribute_pointers_; }

 private:
  static constexpr std::uint64_t kKindMask = 0xff;
  static constexpr std::uint64_t kNoInstance = ~kKindMask;

  Result<Token> start(const Registration& registration, AsyncBinding& async);
  Result<Token> build(AsyncBinding& async) DATUM_REQUIRES(mutex_);
  Status create_async_evd(AsyncBinding& async) DATUM_REQUIRES(mutex_);
  void name_attributes();
  void dismantle();
  void leave_slowly() noexcept DATUM_RELEASE(mutex_);
  // True: more work is deferred.
  bool do_deferred() noexcept DATUM_RELEASE(mutex_);
  void deliver(const ForeignEvds::Deliveries& deliveries) noexcept;
  void deliver(const std::vector<AsyncEvents::ForOpeners>& events) noexcept;

  struct CallOutTag;
  struct CallOut;

  BiasedMutex mutex_;
  std::uint64_t instance_ = kNoInstance; // unique to each open, above the bits of a kind
  std::unique_ptr<InterfaceAdapter> adapter_;
  std::unique_ptr<Runtime> runtime_;
  const Registration* registration_ = nullptr;
  AsyncBinding async_;
  bool relaxed_ordering_ = false;
  bool may_step_aside_ = false; // see LockOwner
  bool has_stepped_aside_ = false;
  NamedAttributes attributes_;
  std::vector<NamedAttribute> attribute_pointers_;
  std::atomic<std::uint32_t> calls_out_{0}; // threads that call agents for this IA
  Mutex calling_mutex_;                     // no other lock is taken while this one is held
  IntrusiveList<CallOut, CallOutTag> calling_ DATUM_GUARDED_BY(calling_mutex_);
};

} // namespace datum
