// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/threads_factory.cc: the runtime of an IA of a real process: threads, the kernel's clock
// and random numbers, links between the processes of this host, or TCP.
#include <cerrno>
#include <cstring>
#include <string>
#include <sys/resource.h>
#include <utility>

#include "base/futex.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/random.h"
#include "base/refused_calls.h"
#include "facade/runtime.h"
#include "progress/threaded_progress.h"
#include "provider/environment.h"
#include "provider/ia_address.h"
#include "provider/inquiry.h"
#include "provider/memory_probe.h"
#include "provider/usable_paths.h"
#include "transport/host/host_address.h"
#include "transport/link/link_transport.h"
#include "transport/paths/path_transport.h"
#include "transport/shm/shm_fabric.h"
#include "transport/tcp/tcp_transport.h"

namespace datum {
namespace {

// Gives the kernel's answers, except for memory that was moved away from a stopped peer. The
// program's allocator may still name the file to which that memory no longer belongs
// (docs/design/shm.md).
class OfferedMemory final : public MemoryProbe {
 public:
  explicit OfferedMemory(const ShmFabric& fabric) : fabric_(fabric) {}
  Found usable(std::uint64_t address, std::uint64_t length, Access access) override {
    return kernel_.usable(address, length, access);
  }
  Found shared(std::uint64_t address, std::uint64_t length) override {
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

// The C library makes a thread with clone only where clone3 gives ENOSYS.
const char* call_for_threads() {
  return refusal_of(SystemCall::Clone) != 0
             ? "clone"
             : "clone3, or answer ENOSYS, for the C library to take clone";
}

// The part of a runtime that does not depend on the path.
class ThreadedRuntime : public Runtime {
 public:
  ThreadedRuntime(std::string_view ia_name, const IaEnvironment& environment,
                  std::unique_ptr<ThreadedProgress> progress)
      : ia_name_(ia_name), connect_grace_(environment.connect_grace), strict_(environment.strict),
        receive_timeout_(environment.receive_timeout), progress_(std::move(progress)) {}

  Progress& progress() final { return *progress_; }
  TimerQueue& timers() final { return timers_; }
  Random& random() final { return random_; }
  Duration connect_grace() const final { return connect_grace_; }
  bool strict() const final { return strict_; }
  std::optional<Duration> receive_timeout() const final { return receive_timeout_; }
  Status start(InterfaceAdapter& adapter) final {
    inquiry_ = Inquiry::open(progress_->reactor(), adapter, ia_name_, random_);
    const Status started = progress_->start(ia_name_);
    if (!started.ok() && is_refusal_of_call(errno))
      log(LogLevel::Warn,
          "ia \"{}\": its thread cannot be created: {}; the sandbox of this process (seccomp) has "
          "to allow {}",
          ia_name_, std::strerror(errno), call_for_threads());
    else if (!started.ok())
      log(LogLevel::Warn,
          "ia \"{}\": its thread cannot be created: {}; the user may have {} processes and threads "
          "(`ulimit -u`), the control group has a limit, too (pids.max), and it needs memory for a "
          "stack (`ulimit -v`)",
          ia_name_, std::strerror(errno), process_limit());
    return started;
  }
  void stop() final { progress_->stop(); }

 protected:
  void bind(Transport& transport) { progress_->bind(transport, timers_); }

 private:
  const std::string ia_name_;
  const Duration connect_grace_;
  const bool strict_;
  const std::optional<Duration> receive_timeout_;
  KernelRandom random_;
  TimerQueue timers_;
  std::unique_ptr<ThreadedProgress> progress_;
  std::unique_ptr<Inquiry> inquiry_;
};

LinkOptions link_options(const IaEnvironment& environment) {
  LinkOptions options;
  options.receive_timeout = environment.receive_timeout;
  return options;
}

// A runtime with links to processes of this host. T: its transport, over links alone or over TCP,
// too.
template <class T>
class FabricRuntime final : public ThreadedRuntime {
 public:
  template <class... Beside>
  FabricRuntime(std::string_view ia_name, const IaEnvironment& environment,
                std::unique_ptr<ThreadedProgress> progress, std::unique_ptr<ShmFabric> fabric,
                Beside... beside)
      : ThreadedRuntime(ia_name, environment, std::move(progress)), fabric_(std::move(fabric)),
        transport_(*fabric_, link_options(environment), std::move(beside)...) {
    bind(transport_);
  }
  Transport& transport() override { return transport_; }
  MemoryProbe& memory() override { return memory_; }

 private:
  std::unique_ptr<ShmFabric> fabric_;
  OfferedMemory memory_{*fabric_};
  T transport_;
};
using SameHostRuntime = FabricRuntime<LinkTransport>;
using EveryPathRuntime = FabricRuntime<PathTransport>;

class TcpRuntime final : public ThreadedRuntime {
 public:
  TcpRuntime(std::string_view ia_name, const IaEnvironment& environment,
             std::unique_ptr<ThreadedProgress> progress, std::unique_ptr<TcpTransport> transport)
      : ThreadedRuntime(ia_name, environment, std::move(progress)),
        transport_(std::move(transport)) {
    bind(*transport_);
  }
  Transport& transport() override { return *transport_; }
  MemoryProbe& memory() override { return memory_; }

 private:
  KernelMemoryProbe memory_;
  std::unique_ptr<TcpTransport> transport_;
};

// Nothing: there is no such address, and the log says why.
std::optional<IaAddress> find_place(std::string_view ia_name, std::string_view instance_data,
                                    AllowedPaths paths) {
  const std::optional<IaAddress> place = find_ia_address(ia_name, instance_data);
  const int error = errno;
  if (place) {
    const std::optional<HostAddress> host = read_address(place->address);
    if (place->every_address && host && host->is_loopback() && has_no_network())
      log(paths == AllowedPaths::OtherHosts ? LogLevel::Warn : LogLevel::Info,
          "ia \"{}\": {}, so it reaches nobody over TCP{}; see `ip address`", ia_name, kNoNetwork,
          paths == AllowedPaths::OtherHosts ? ", and DATUM_TRANSPORT=tcp leaves no other way" : "");
    if (!place->given || !host || may_bind(*host)) return place;
    log(LogLevel::Warn,
        "ia \"{}\" (instance data \"{}\"): no interface of this host has that address; see "
        "`ip address`",
        ia_name, instance_data);
    return std::nullopt;
  }
  if (const int refusal = error == 0 ? 0 : refusal_of(SystemCall::Socket); refusal != 0)
    log(LogLevel::Warn,
        "ia \"{}\": the system call {} is refused: {}; the interfaces of this host cannot be "
        "listed "
        "without it: the sandbox of this process (seccomp) has to allow it",
        ia_name, name_of(SystemCall::Socket), std::strerror(refusal));
  else if (error != 0)
    log(LogLevel::Warn,
        "ia \"{}\": the interfaces of this host cannot be listed: {}; look at "
        "`ulimit -n` and at what the sandbox of this process allows",
        ia_name, std::strerror(error));
  else
    log(LogLevel::Warn,
        "ia \"{}\" (instance data \"{}\"): no such interface, or it is down or has no address; "
        "see `ip address`",
        ia_name, instance_data);
  return std::nullopt;
}

class ThreadsFactory final : public RuntimeFactory {
 public:
  Result<std::unique_ptr<Runtime>> open(std::string_view ia_name, std::string_view instance_data,
                                        LockOwner& lock) override {
    if (const int error = why_no_futex(); error != 0) {
      log(LogLevel::Warn,
          "ia \"{}\": the system call futex is refused: {}; no thread can wait for another one "
          "without it: the sandbox of this process (seccomp) has to allow it",
          ia_name, std::strerror(error));
      return fail(Type::InsufficientResources, Detail::ResourceDevice);
    }
    IaEnvironment environment = read_environment();
    const std::optional<IaAddress> place = find_place(ia_name, instance_data, environment.paths);
    if (!place) return fail(Type::InsufficientResources, Detail::ResourceDevice);
    Result<std::unique_ptr<ThreadedProgress>> progress = ThreadedProgress::open(ia_name, lock);
    if (!progress) return fail(progress.error());
    choose_paths(environment);
    return open_on(ia_name, *place, environment, std::move(*progress));
  }
  // An IA for every address is another adapter than an IA for one address, even if both report the
  // same address.
  Result<bool> same_adapter(const Registration& one, const Registration& other) override {
    const auto place = find_ia_address(one.ia_name, one.instance_data);
    const auto other_place = find_ia_address(other.ia_name, other.instance_data);
    if (!place || !other_place) return fail(Type::InsufficientResources, Detail::ResourceDevice);
    return place->address == other_place->address &&
           place->every_address == other_place->every_address;
  }
  std::string_view provider_name() const override { return "Datum"; }

 private:
  // Without shared memory, `auto` means TCP. That is logged once in a process, and again when the
  // reason changes. With DATUM_TRANSPORT=shm each connect reports what is missing.
  void choose_paths(IaEnvironment& environment) {
    if (environment.paths != AllowedPaths::Every) return;
    std::optional<NoSharedMemory> found = find_lack_of_shared_memory();
    if (!found) return;
    {
      const MutexLock lock(mutex_);
      if (found->lack != told_lack_)
        log(LogLevel::Warn, "{}; connections go over TCP alone", found->why);
      told_lack_ = std::move(found->lack);
    }
    environment.paths = AllowedPaths::OtherHosts;
    environment.tcp.no_shared_memory = std::move(found->why);
  }

  static Result<std::unique_ptr<Runtime>> open_on(std::string_view ia_name, const IaAddress& place,
                                                  const IaEnvironment& environment,
                                                  std::unique_ptr<ThreadedProgress> progress) {
    std::unique_ptr<ShmFabric> fabric;
    std::unique_ptr<TcpTransport> tcp;
    if (environment.paths != AllowedPaths::OtherHosts) {
      auto made =
          ShmFabric::create(place.address, progress->reactor(), shm_options(place, environment));
      if (!made) return fail(made.error());
      fabric = std::move(*made);
    }
    if (environment.paths != AllowedPaths::SameHost) {
      auto made =
          TcpTransport::create(place.address, progress->reactor(), tcp_options(place, environment));
      if (!made) return fail(made.error());
      tcp = std::move(*made);
    }
    if (!fabric)
      return std::make_unique<TcpRuntime>(ia_name, environment, std::move(progress),
                                          std::move(tcp));
    if (!tcp)
      return std::make_unique<SameHostRuntime>(ia_name, environment, std::move(progress),
                                               std::move(fabric));
    return std::make_unique<EveryPathRuntime>(ia_name, environment, std::move(progress),
                                              std::move(fabric), std::move(tcp));
  }

  static ShmOptions shm_options(const IaAddress& place, const IaEnvironment& environment) {
    ShmOptions options;
    options.every_address = place.every_address;
    options.any_ports = environment.ports;
    options.ports_are_claimed = environment.paths == AllowedPaths::Every;
    return options;
  }
  static TcpOptions tcp_options(const IaAddress& place, const IaEnvironment& environment) {
    TcpOptions options = environment.tcp;
    options.every_address = place.every_address;
    options.ports = environment.ports;
    options.only_way = environment.paths == AllowedPaths::OtherHosts;
    options.receive_timeout = environment.receive_timeout;
    return options;
  }

  Mutex mutex_;
  std::string told_lack_ DATUM_GUARDED_BY(mutex_);
};

} // namespace

RuntimeFactory& runtime_factory() {
  static ThreadsFactory factory;
  return factory;
}

} // namespace datum
