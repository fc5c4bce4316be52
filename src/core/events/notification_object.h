// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/events/notification_object.h: a CNO: a one-bit latch that EVDs trigger and threads wait for.
#pragma once

#include <memory>

#include "base/assertion.h"
#include "base/status.h"
#include "core/object/object.h"
#include "core/port/progress.h"

namespace datum {

class AdapterContext;
class EventDispatcher;
struct EventServices;

// A proxy agent: called once, with no lock held, when its CNO is triggered.
struct ProxyAgent {
  void* instance = nullptr;
  void (*call)(void* instance, Token evd) = nullptr;
  bool armed() const { return call != nullptr; }
};

// An agent and its one call. The memory is allocated when the agent is armed, so that no trigger is
// lost.
struct AgentCall {
  ProxyAgent agent;
  Token evd = nullptr;
  std::unique_ptr<AgentCall> next;
};

// Agents to be called once no lock is held, in the order of their triggers.
class AgentCalls {
 public:
  explicit AgentCalls(AdapterContext& adapter) : adapter_(adapter) {}
  void defer(std::unique_ptr<AgentCall> call);
  // Takes all calls, linked by `next`.
  std::unique_ptr<AgentCall> take() {
    last_ = nullptr;
    return std::move(first_);
  }

 private:
  AdapterContext& adapter_;
  std::unique_ptr<AgentCall> first_;
  AgentCall* last_ = nullptr;
};

// A descriptor that is readable while a trigger is latched (DAT 2.0: dat_cno_fd_create).
class DescriptorSignal {
 public:
  virtual ~DescriptorSignal() = default;
  virtual int descriptor() const = 0;
  virtual void raise() = 0;
  virtual void lower() = 0;
};

class NotificationObject final : public Object {
 public:
  NotificationObject(EventServices& events, ProxyAgent agent);
  ~NotificationObject() override;

  ProxyAgent agent() const { return armed_ ? armed_->agent : ProxyAgent{}; }
  void set_agent(ProxyAgent agent) { armed_ = arm(agent); }
  const DescriptorSignal* signal() const { return signal_.get(); }
  void set_signal(std::unique_ptr<DescriptorSignal> signal) {
    DATUM_ASSERT(!signal_ && !triggered_);
    signal_ = std::move(signal);
  }

  void trigger(EventDispatcher& evd);
  // QueueEmpty with a null `evd` when the time is over (not TimeoutExpired).
  Status wait(std::uint32_t timeout_us, Token& evd);
  // Wakes every waiter and calls the agent, both without an EVD: the IA closes, or the last EVD was
  // freed.
  void release_all();
  // True: a trigger is latched, and stands for `evd`.
  bool remembers(Token evd) const { return triggered_ && remembered_ == evd; }
  // The EVD that the trigger stands for was freed. From now on the trigger stands for `other`, an
  // EVD of this CNO that has events. nullptr: no EVD has events, and the trigger is dropped.
  void remember_instead(const EventDispatcher* other);

  void hold() { ++evds_; }
  void release() {
    DATUM_ASSERT(evds_ != 0);
    --evds_;
  }
  bool in_use() const { return evds_ != 0 || waiters_ != 0; }
  bool has_evds() const { return evds_ != 0; }
  std::uint32_t evds() const { return evds_; }
  std::uint32_t waiters() const { return waiters_; }

 private:
  struct WaiterTag;
  struct Waiter;
  static std::unique_ptr<AgentCall> arm(ProxyAgent agent);
  class Waiting;
  WaitResult wait_as(Waiter& waiter, Instant deadline);
  void pass_on(Token evd);
  void call_agent(Token evd);
  void latch(bool triggered);
  void wake_first(Token evd);

  AgentCalls& agents_;
  IntrusiveList<Waiter, WaiterTag> waiting_;
  std::unique_ptr<AgentCall> armed_;
  std::unique_ptr<DescriptorSignal> signal_;
  bool triggered_ = false;
  Token remembered_ = nullptr;
  std::uint32_t waiters_ = 0;
  std::uint32_t evds_ = 0;
};

} // namespace datum
