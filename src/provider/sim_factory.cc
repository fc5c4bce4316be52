// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/sim_factory.cc: the runtime of an IA of the test module: a simulated network among the
// threads of this process. The instance data say what kind of network (transport/sim).
#include <dlfcn.h>

#include <optional>

#include "base/strict.h"
#include "facade/runtime.h"
#include "provider/environment.h"
#include "provider/memory_probe.h"
#include "transport/sim/sim_adapter.h"

// The place of this module's network.
extern "C" [[gnu::visibility("default")]] datum::SimWorldPlace* datum_sim_world();
datum::SimWorldPlace* datum_sim_world() {
  static constinit datum::SimWorldPlace place;
  return &place;
}

namespace datum {
namespace {

// All modules of the process take the network of the first one, so that DAT 1.2 and DAT 2.0 meet in
// one network. A direct call would not leave this module (-Bsymbolic-functions).
SimWorldPlace& place_for_all() {
  using Place = SimWorldPlace* (*)();
  const auto first = reinterpret_cast<Place>(::dlsym(RTLD_DEFAULT, "datum_sim_world"));
  return first != nullptr ? *first() : *datum_sim_world();
}

class SimRuntime final : public Runtime {
 public:
  SimRuntime(const SimOptions& options, LockOwner& lock)
      : adapter_(shared_sim_world(place_for_all(), options), lock, link_options(receive_timeout_)) {
  }

  Transport& transport() override { return adapter_.transport(); }
  Progress& progress() override { return adapter_.progress(); }
  TimerQueue& timers() override { return adapter_.timers(); }
  Random& random() override { return adapter_.random(); }
  MemoryProbe& memory() override { return memory_; }
  bool strict() const override { return strict_; }
  std::optional<Duration> receive_timeout() const override { return receive_timeout_; }
  Status start(InterfaceAdapter&) override {
    adapter_.start();
    return kOk;
  }
  void stop() override { adapter_.stop(); }

 private:
  static LinkOptions link_options(std::optional<Duration> receive_timeout) {
    LinkOptions options;
    options.receive_timeout = receive_timeout;
    return options;
  }

  const bool strict_ = strict_mode();
  const std::optional<Duration> receive_timeout_ = read_receive_timeout();
  KernelMemoryProbe memory_;
  SimAdapter adapter_;
};

class SimFactory final : public RuntimeFactory {
 public:
  Result<std::unique_ptr<Runtime>> open(std::string_view, std::string_view instance_data,
                                        LockOwner& lock) override {
    const std::optional<SimOptions> options = parse_sim_options(instance_data);
    // Mistakes in the options have been reported already.
    if (!options) return fail(Type::InvalidParameter, Detail::Arg1);
    return std::make_unique<SimRuntime>(*options, lock);
  }
  std::string_view provider_name() const override { return "Datum, simulated network"; }
};

} // namespace

RuntimeFactory& runtime_factory() {
  static SimFactory factory;
  return factory;
}

} // namespace datum
