// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/threads_factory.cc: what an IA of a real process stands on: threads, the kernel's clock
// and chance, links between the processes of this host.
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "base/log.h"
#include "base/random.h"
#include "facade/runtime.h"
#include "progress/threaded_progress.h"
#include "provider/ia_address.h"
#include "provider/memory_probe.h"
#include "transport/link/link_transport.h"
#include "transport/shm/shm_fabric.h"

namespace datum {
namespace {

// DATUM_RNR_TIMEOUT=ms: how long a message waits for a receive.
Duration receive_timeout() {
  constexpr Duration kDefault = kSecond;
  const char* text = std::getenv("DATUM_RNR_TIMEOUT");
  if (text == nullptr) return kDefault;
  std::uint32_t milliseconds = 0;
  const char* end = text + std::strlen(text);
  if (const auto [stop, error] = std::from_chars(text, end, milliseconds);
      error == std::errc{} && stop == end)
    return milliseconds * kMillisecond;
  log(LogLevel::Warn, "DATUM_RNR_TIMEOUT=\"{}\": expected milliseconds; using 1000", text);
  return kDefault;
}

// The kernel's answers, but for memory that was moved away from a stopped peer: its allocator may
// still say that it is the file's, which it no longer is (docs/design/shm.md).
class OfferedMemory final : public MemoryProbe {
 public:
  explicit OfferedMemory(const ShmFabric& fabric) : fabric_(fabric) {}
  bool usable(std::uint64_t address, std::uint64_t length, Access access) override {
    return kernel_.usable(address, length, access);
  }
  bool shared(std::uint64_t address, std::uint64_t length) override {
    return kernel_.shared(address, length);
  }
  bool backing(std::uint64_t address, std::uint64_t length, std::int32_t& fd,
               std::uint64_t& offset) override {
    return !fabric_.is_isolated(address, length) && kernel_.backing(address, length, fd, offset);
  }

 private:
  const ShmFabric& fabric_;
  KernelMemoryProbe kernel_;
};

class ThreadedRuntime final : public Runtime {
 public:
  ThreadedRuntime(std::string_view ia_name, std::unique_ptr<ThreadedProgress> progress,
                  std::unique_ptr<ShmFabric> fabric)
      : ia_name_(ia_name), progress_(std::move(progress)), fabric_(std::move(fabric)),
        transport_(*fabric_, options()) {
    progress_->bind(transport_, timers_);
  }

  Transport& transport() override { return transport_; }
  Progress& progress() override { return *progress_; }
  TimerQueue& timers() override { return timers_; }
  Random& random() override { return random_; }
  MemoryProbe& memory() override { return memory_; }
  Status start(InterfaceAdapter&) override { return progress_->start(ia_name_); }
  void stop() override { progress_->stop(); }

 private:
  static LinkOptions options() {
    LinkOptions options;
    options.receive_timeout = receive_timeout();
    return options;
  }

  const std::string ia_name_;
  KernelRandom random_;
  TimerQueue timers_;
  std::unique_ptr<ThreadedProgress> progress_;
  std::unique_ptr<ShmFabric> fabric_;
  OfferedMemory memory_{*fabric_};
  LinkTransport transport_;
};

class ThreadsFactory final : public RuntimeFactory {
 public:
  Result<std::unique_ptr<Runtime>> open(std::string_view ia_name, std::string_view instance_data,
                                        LockOwner& lock) override {
    const std::optional<IaAddress> place = find_ia_address(ia_name, instance_data);
    if (!place) {
      log(LogLevel::Warn,
          "ia \"{}\" (instance data \"{}\"): no such interface, or it is down or has no address; "
          "see `ip address`",
          ia_name, instance_data);
      return fail(Type::InsufficientResources, Detail::ResourceDevice);
    }
    Result<std::unique_ptr<ThreadedProgress>> progress = ThreadedProgress::open(lock);
    if (!progress) return fail(progress.error());
    ShmOptions options;
    options.every_address = place->every_address;
    Result<std::unique_ptr<ShmFabric>> fabric =
        ShmFabric::create(place->address, (*progress)->reactor(), options);
    if (!fabric) return fail(fabric.error());
    return std::make_unique<ThreadedRuntime>(ia_name, std::move(*progress), std::move(*fabric));
  }
  std::string_view provider_name() const override { return "Datum"; }
};

} // namespace

RuntimeFactory& runtime_factory() {
  static ThreadsFactory factory;
  return factory;
}

} // namespace datum
