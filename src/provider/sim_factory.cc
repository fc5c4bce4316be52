// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/sim_factory.cc: what an IA of the test module stands on: a simulated network among the
// threads of this process. The instance data says what kind of network (transport/sim).
#include <optional>

#include "facade/runtime.h"
#include "provider/memory_probe.h"
#include "transport/sim/sim_adapter.h"

// Each module has one, and the loader takes that of the first for all: so DAT 1.2 and DAT 2.0 of
// one process meet in one network.
extern "C" {
[[gnu::visibility("default")]] extern datum::SimWorldPlace datum_sim_world;
constinit datum::SimWorldPlace datum_sim_world;
}

namespace datum {
namespace {

class SimRuntime final : public Runtime {
 public:
  SimRuntime(const SimOptions& options, LockOwner& lock)
      : adapter_(shared_sim_world(datum_sim_world, options), lock, LinkOptions{}) {}

  Transport& transport() override { return adapter_.transport(); }
  Progress& progress() override { return adapter_.progress(); }
  TimerQueue& timers() override { return adapter_.timers(); }
  Random& random() override { return adapter_.random(); }
  MemoryProbe& memory() override { return memory_; }
  Status start(InterfaceAdapter&) override {
    adapter_.start();
    return kOk;
  }
  void stop() override { adapter_.stop(); }

 private:
  KernelMemoryProbe memory_;
  SimAdapter adapter_;
};

class SimFactory final : public RuntimeFactory {
 public:
  Result<std::unique_ptr<Runtime>> open(std::string_view, std::string_view instance_data,
                                        LockOwner& lock) override {
    const std::optional<SimOptions> options = parse_sim_options(instance_data);
    // What was not understood has been said already.
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
