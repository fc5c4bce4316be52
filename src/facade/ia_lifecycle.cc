// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/ia_lifecycle.cc: opening and closing an IA.
#include "base/assertion.h"
#include "base/futex.h"
#include "base/log.h"
#include "base/refusal.h"
#include "facade/ia_control.h"
#include "facade/locked.h"
#include "facade/open_ias.h"

namespace datum {
namespace {

// The number of the last open. It has 56 bits, so no value is used twice.
std::atomic<std::uint64_t> last_instance{0};

// Keeps the EVD that a consumer passes to dat_ia_open from being freed. 0: there is no such EVD.
std::uint64_t hold_async_evd(Token token) {
  const Locked<ObjectKind::EventDispatcher> evd(token);
  if (!evd || (evd->flags() & kEvdAsync) == 0) return 0;
  evd->hold();
  return evd.control().key_for(ObjectKind::EventDispatcher);
}

// The EVD's IA may have been closed meanwhile, and the EVD freed. So the key is compared.
void release_async_evd(const AsyncBinding& async) {
  const Locked<ObjectKind::EventDispatcher> evd(async.evd);
  if (evd && evd.control().key_for(ObjectKind::EventDispatcher) == async.key) evd->release();
}

} // namespace

Result<Token> IaControl::open(const Registration& registration, AsyncBinding& async) {
  IaControl& control = OpenIas::instance().take();
  try {
    Result<Token> opened = control.start(registration, async);
    if (!opened) control.dismantle();
    return opened;
  } catch (...) {
    control.dismantle();
    throw;
  }
}

Result<Token> IaControl::start(const Registration& registration, AsyncBinding& async) {
  registration_ = &registration;
  async_ = async;
  if (async.source == AsyncBinding::Origin::Given) {
    async.key = async_.key = hold_async_evd(async.evd);
    if (async.key == 0) return fail(Type::InvalidHandle, Detail::HandleEvdAsync);
  }
  Result<std::unique_ptr<Runtime>> runtime =
      runtime_factory().open(registration.ia_name, registration.instance_data, *this);
  if (!runtime) return fail(runtime.error());
  runtime_ = std::move(*runtime);
  Result<Token> built = [&] {
    const MutexLock lock(mutex_);
    return build(async);
  }();
  if (!built) return built;
  async_ = async;
  OpenIas::instance().add(*this);
  return built;
}

Result<Token> IaControl::build(AsyncBinding& async) {
  relaxed_ordering_ = false;
  may_step_aside_ = has_stepped_aside_ = false;
  instance_ = (last_instance.fetch_add(1, std::memory_order_relaxed) + 1) << 8U;
  AdapterEnvironment environment;
  environment.handles = this;
  environment.progress = &runtime_->progress();
  environment.timers = &runtime_->timers();
  environment.random = &runtime_->random();
  environment.memory = &runtime_->memory();
  environment.shared_names = &OpenIas::instance().shared_names();
  environment.connect_grace = runtime_->connect_grace();
  environment.strict = runtime_->strict();
  environment.drain_patience = std::max(
      runtime_->receive_timeout().value_or(environment.drain_patience), kLeastDrainPatience);
  environment.datagrams = environment.reports_srq_left = registration_->api_major >= 2;
  adapter_ = std::make_unique<InterfaceAdapter>(environment, runtime_->transport());
  name_attributes();
  if (!adapter_->issue_token(*this)) {
    log(LogLevel::Warn,
        "ia \"{}\": there is no address space for handles; look at `ulimit -v` and at what the "
        "sandbox of this process allows",
        registration_->ia_name);
    return fail(Type::InsufficientResources, Detail::ResourceMemory);
  }
  if (async.source == AsyncBinding::Origin::Created)
    if (const Status s = create_async_evd(async); !s.ok()) return fail(s);
  // Sends errors to the other openers of the IA, too. Their EVDs are looked up when an event
  // happens.
  adapter_->events().async.tell_openers_of(adapter_->token());
  if (const Status s = runtime_->start(*adapter_); !s.ok()) return fail(s);
  return adapter_->token();
}

Status IaControl::create_async_evd(AsyncBinding& async) {
  // Extra places in the EVD. Many EPs may leave their SRQs at once, and programs ask for few places
  // (dtestsrq: 8).
  constexpr std::int32_t kRoomForEnds = 1024;
  std::int32_t qlen = async.min_qlen;
  if (registration_->api_major >= 2 && qlen <= adapter_->limits().max_evd_qlen - kRoomForEnds)
    qlen += kRoomForEnds;
  const Result<EventDispatcher*> evd = adapter_->create_evd(qlen, nullptr, kEvdAsync);
  if (!evd) return evd.error();
  async.evd = (*evd)->token();
  async.key = key_for(ObjectKind::EventDispatcher);
  adapter_->events().async.set_evd(*evd, async.min_qlen);
  return kOk;
}

void IaControl::name_attributes() {
  attributes_ = runtime_->transport().attributes();
  attribute_pointers_ = pointers_into(attributes_);
}

Status IaControl::close(bool graceful) {
  DATUM_ASSERT(mutex_.held());
  if (graceful && !adapter_->idle()) {
    const std::int32_t objects = adapter_->objects();
    leave();
    if (refusals_are_told()) note_state(text("an IA with {} objects", objects));
    return {Type::InvalidState, Detail::IaInUse};
  }
  // From here on no handle names this IA, so no thread begins a wait that nothing would end.
  instance_ = kNoInstance;
  adapter_->abort_waiters();
  adapter_->wait_until_unblocked();
  adapter_->send_last_datagrams();
  adapter_->close();
  leave();
  runtime_->stop();
  OpenIas::instance().remove(*this);
  dismantle();
  return kOk;
}

void IaControl::dismantle() {
  for (std::uint32_t calls = calls_out_.load(std::memory_order_acquire); calls != 0;
       calls = calls_out_.load(std::memory_order_acquire))
    static_cast<void>(futex_wait(calls_out_, calls, kNever));
  {
    const MutexLock lock(mutex_);
    instance_ = kNoInstance;
    adapter_.reset();
  }
  runtime_.reset();
  if (async_.source == AsyncBinding::Origin::Given && async_.key != 0) release_async_evd(async_);
  OpenIas::instance().give_back(*this);
}

void IaControl::close_all(const Registration& registration) {
  while (IaControl* control = OpenIas::instance().find_closable(registration)) {
    control->enter();
    // Another thread may be closing this IA, or may have closed it.
    if (control->instance_ == kNoInstance || control->registration_ != &registration) {
      control->withdraw_entry();
      ::sched_yield();
      continue;
    }
    static_cast<void>(control->close(false));
  }
}

} // namespace datum
