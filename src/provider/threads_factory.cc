// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/threads_factory.cc: what an IA of a real process stands on: threads, the kernel's clock
// and chance, links between the processes of this host.
#include <cerrno>
#include <cstring>
#include <string>
#include <sys/resource.h>

#include "base/log.h"
#include "base/random.h"
#include "facade/runtime.h"
#include "progress/threaded_progress.h"
#include "provider/environment.h"
#include "provider/ia_address.h"
#include "provider/memory_probe.h"
#include "transport/link/link_transport.h"
#include "transport/shm/shm_fabric.h"

namespace datum {
namespace {

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

std::string process_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NPROC, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return "any number of";
  return std::to_string(limit.rlim_cur);
}

class ThreadedRuntime final : public Runtime {
 public:
  ThreadedRuntime(std::string_view ia_name, std::unique_ptr<ThreadedProgress> progress,
                  std::unique_ptr<ShmFabric> fabric, const LinkOptions& options)
      : ia_name_(ia_name), progress_(std::move(progress)), fabric_(std::move(fabric)),
        transport_(*fabric_, options) {
    progress_->bind(transport_, timers_);
  }

  Transport& transport() override { return transport_; }
  Progress& progress() override { return *progress_; }
  TimerQueue& timers() override { return timers_; }
  Random& random() override { return random_; }
  MemoryProbe& memory() override { return memory_; }
  Status start(InterfaceAdapter&) override {
    const Status started = progress_->start(ia_name_);
    if (!started.ok())
      log(LogLevel::Warn,
          "ia \"{}\": its thread cannot be created: {}; the user may have {} processes and threads "
          "(`ulimit -u`), and the control group has a limit, too (pids.max)",
          ia_name_, std::strerror(errno), process_limit());
    return started;
  }
  void stop() override { progress_->stop(); }

 private:
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
    const IaEnvironment environment = read_environment();
    if (environment.paths == AllowedPaths::OtherHosts) {
      log(LogLevel::Warn,
          "ia \"{}\": DATUM_TRANSPORT=tcp: this version has no TCP transport; unset the variable, "
          "or set it to auto or shm",
          ia_name);
      return fail(Type::InsufficientResources, Detail::ResourceDevice);
    }
    const std::optional<IaAddress> place = find_ia_address(ia_name, instance_data);
    if (!place) {
      if (const int error = errno; error != 0)
        log(LogLevel::Warn,
            "ia \"{}\": the interfaces of this host cannot be listed (netlink): {}; look at "
            "`ulimit -n` and at what the sandbox of this process allows",
            ia_name, std::strerror(error));
      else
        log(LogLevel::Warn,
            "ia \"{}\" (instance data \"{}\"): no such interface, or it is down or has no address; "
            "see `ip address`",
            ia_name, instance_data);
      return fail(Type::InsufficientResources, Detail::ResourceDevice);
    }
    Result<std::unique_ptr<ThreadedProgress>> progress = ThreadedProgress::open(lock);
    if (!progress) {
      log(LogLevel::Warn,
          "ia \"{}\": its epoll or eventfd cannot be had; look at `ulimit -n` and at what the "
          "sandbox of this process allows",
          ia_name);
      return fail(progress.error());
    }
    ShmOptions options;
    options.every_address = place->every_address;
    options.any_ports = environment.ports;
    LinkOptions link;
    link.receive_timeout = environment.receive_timeout;
    Result<std::unique_ptr<ShmFabric>> fabric =
        ShmFabric::create(place->address, (*progress)->reactor(), options);
    if (!fabric) return fail(fabric.error());
    return std::make_unique<ThreadedRuntime>(ia_name, std::move(*progress), std::move(*fabric),
                                             link);
  }
  std::string_view provider_name() const override { return "Datum"; }
};

} // namespace

RuntimeFactory& runtime_factory() {
  static ThreadsFactory factory;
  return factory;
}

} // namespace datum
