// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fake_runtime.h"

#include <atomic>
#include <chrono>
#include <netinet/in.h>
#include <new>

#include "base/futex.h"
#include "base/random.h"
#include "core/adapter/interface_adapter.h"

namespace datum::test {
namespace {

RuntimeCounts counts;
Fault next_fault = Fault::None;
std::string instance_data_given;
LockOwner* lock_given = nullptr;

Address loopback() {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Address address;
  std::memcpy(address.bytes, &v4, sizeof v4);
  return address;
}

// Only a poll drives the transport; a sleeping thread does not.
class FakeProgress final : public Progress {
 public:
  FakeProgress(LockOwner& lock, Transport& transport) : lock_(lock), transport_(transport) {}
  bool poll() override { return transport_.progress(); }
  WaitResult wait(WaitPoint& point, Instant deadline) override {
    while (!point.signalled) {
      const std::uint32_t seen = signals_.load();
      const Instant left = deadline == kNever ? kNever : deadline - now();
      if (left <= 0) return WaitResult::TimedOut;
      lock_.relinquish();
      static_cast<void>(futex_wait(signals_, seen, left));
      lock_.acquire();
    }
    return WaitResult::Signalled;
  }
  void signal(WaitPoint& point) override {
    point.signalled = true;
    signals_.fetch_add(1);
    futex_wake(signals_, 1 << 20);
  }
  void wake() override {}
  Instant now() override {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

 private:
  LockOwner& lock_;
  Transport& transport_;
  std::atomic<std::uint32_t> signals_{0};
};

class FakeMemory final : public MemoryProbe {
 public:
  Found usable(std::uint64_t, std::uint64_t, Access) override { return Found::Yes; }
  Found shared(std::uint64_t, std::uint64_t) override { return Found::Yes; }
  bool backing(std::uint64_t, std::uint64_t, std::int32_t&, std::uint64_t&) override {
    return false;
  }
};

class FakeChannel final : public Channel {
 public:
  explicit FakeChannel(const FakeTransport& transport) : transport_(transport) {
    ++counts.channels;
  }
  ~FakeChannel() override { --counts.channels; }
  StartResult start(const WorkRequest&) override {
    return transport_.stalled() ? StartResult::Later : StartResult::Started;
  }
  StartResult start_now(const WorkRequest& request) override { return start(request); }
  void on_receive_posted() override {}
  void catch_up() override {}
  bool waits_for_receive(bool) override { return false; }
  void close(CloseMode) override {}
  ConnQual local_port() const override { return 0; }
  ConnQual remote_port() const override { return 0; }
  Address remote_address() const override { return loopback(); }
  const char* path() const override { return "none"; }
  std::string path_reason() const override { return {}; }

 private:
  const FakeTransport& transport_;
};

class FakeRequest final : public IncomingConnection {
 public:
  FakeRequest(FakeTransport& transport, const std::string& data)
      : transport_(transport), data_(data) {}
  Address remote_address() const override { return loopback(); }
  ConnQual remote_port() const override { return 4711; }
  PrivateData private_data() const override {
    return std::as_bytes(std::span(data_.data(), data_.size()));
  }
  std::unique_ptr<Channel> accept(PrivateData, ChannelEvents& events,
                                  const ChannelOptions&) override {
    transport_.set_accepted(events);
    return std::make_unique<FakeChannel>(transport_);
  }
  void reject_by_consumer(PrivateData) override {}

 private:
  FakeTransport& transport_;
  std::string data_;
};

class FakeRuntime final : public Runtime {
 public:
  explicit FakeRuntime(LockOwner& owner) : lock(owner), progress_(owner, transport_) {
    ++counts.opened;
  }
  ~FakeRuntime() override;
  Transport& transport() override { return transport_; }
  Progress& progress() override { return progress_; }
  TimerQueue& timers() override { return timers_; }
  Random& random() override { return random_; }
  MemoryProbe& memory() override { return memory_; }
  Status start(InterfaceAdapter&) override {
    if (std::exchange(next_fault, Fault::None) == Fault::Start)
      return {Type::InsufficientResources, Detail::ResourceDevice};
    ++counts.started;
    return kOk;
  }
  void stop() override { ++counts.stopped; }

  LockOwner& lock;

 private:
  SeededRandom random_{1};
  FakeMemory memory_;
  TimerQueue timers_;
  FakeTransport transport_;
  FakeProgress progress_;
};

FakeRuntime* last = nullptr;

FakeRuntime::~FakeRuntime() {
  ++counts.destroyed;
  if (last == this) last = nullptr;
}

class FakeFactory final : public RuntimeFactory {
 public:
  Result<std::unique_ptr<Runtime>> open(std::string_view, std::string_view instance_data,
                                        LockOwner& lock) override {
    if (next_fault == Fault::Open) {
      next_fault = Fault::None;
      return fail(Type::InsufficientResources, Detail::ResourceDevice);
    }
    instance_data_given = instance_data;
    lock_given = &lock;
    auto runtime = std::make_unique<FakeRuntime>(lock);
    last = runtime.get();
    return runtime;
  }
  std::string_view provider_name() const override { return "Fake"; }
};

} // namespace

class FakeTransport::FakeListener final : public Listener {
 public:
  FakeListener(FakeTransport& transport, ConnQual qualifier)
      : transport_(transport), qualifier_(qualifier) {}
  ~FakeListener() override { transport_.listeners_.erase(qualifier_); }
  ConnQual qualifier() const override { return qualifier_; }

 private:
  FakeTransport& transport_;
  ConnQual qualifier_;
};

FakeTransport::FakeTransport()
    : address_(loopback()), regions_(std::make_unique<RegionEntry[]>(RegionTable::kCapacity)) {}

Result<std::unique_ptr<Listener>> FakeTransport::listen(ConnQual qualifier,
                                                        ListenerEvents& events) {
  if (!listeners_.emplace(qualifier, &events).second) return fail(Type::ConnQualInUse);
  return std::make_unique<FakeListener>(*this, qualifier);
}

Result<std::unique_ptr<Listener>> FakeTransport::listen_any(ListenerEvents& events) {
  ConnQual free = 5000;
  while (listeners_.count(free) != 0) ++free;
  return listen(free, events);
}

Result<std::unique_ptr<Channel>> FakeTransport::connect(const Address& address, ConnQual,
                                                        PrivateData, ChannelEvents&,
                                                        const ChannelOptions&) {
  dialled_ = address;
  return fail(Type::InsufficientResources, Detail::ResourceDevice);
}

bool FakeTransport::progress() {
  if (next_fault == Fault::Poll) {
    next_fault = Fault::None;
    throw std::bad_alloc();
  }
  if (!coming_) return false;
  const auto [qualifier, data] = *std::exchange(coming_, std::nullopt);
  arrive(qualifier, data);
  return true;
}

void FakeTransport::arrive(ConnQual qualifier, const std::string& data) {
  listeners_.at(qualifier)->on_request(std::make_unique<FakeRequest>(*this, data));
}

RuntimeCounts& runtime_counts() {
  return counts;
}
void provoke(Fault fault) {
  next_fault = fault;
}
FakeTransport& last_transport() {
  return static_cast<FakeTransport&>(last->transport());
}
const std::string& last_instance_data() {
  return instance_data_given;
}
LockOwner& last_lock() {
  return *lock_given;
}

void arrive(ConnQual qualifier, const std::string& data) {
  last->lock.acquire();
  last_transport().arrive(qualifier, data);
  last->lock.relinquish();
}

void tell_accepted(const std::function<void(ChannelEvents&)>& what) {
  last->lock.acquire();
  what(last_transport().accepted());
  last->lock.relinquish();
}

void arrive_at_next_poll(ConnQual qualifier, const std::string& data) {
  last->lock.acquire();
  last_transport().arrive_at_next_poll(qualifier, data);
  last->lock.relinquish();
}

} // namespace datum::test

datum::RuntimeFactory& datum::runtime_factory() {
  static test::FakeFactory factory;
  return factory;
}
