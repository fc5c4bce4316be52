// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/runtime.h: what an open IA is built on: a transport, progress, timers, random numbers.
// Lives here: the interface between a facade and the module that chose the transports (provider/).
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "core/adapter/interface_adapter.h"
#include "core/port/progress.h"
#include "facade/registration.h"

namespace datum {

class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual Transport& transport() = 0;
  virtual Progress& progress() = 0;
  virtual TimerQueue& timers() = 0;
  virtual Random& random() = 0;
  virtual MemoryProbe& memory() = 0;
  // How long a connect waits for a peer to listen.
  virtual Duration connect_grace() const { return 0; }
  // True: strict mode (DATUM_STRICT).
  virtual bool strict() const { return false; }
  // How long a message waits for its Recv (DATUM_RNR_TIMEOUT); empty: not set.
  virtual std::optional<Duration> receive_timeout() const { return std::nullopt; }
  // Starts background work. Called once, after the adapter exists and with its lock held.
  virtual Status start(InterfaceAdapter& adapter) = 0;
  // Ends background work and joins its thread. The caller does not hold the adapter's lock. Does
  // nothing if start() failed or was not called.
  virtual void stop() = 0;
};

class RuntimeFactory {
 public:
  virtual ~RuntimeFactory() = default;
  virtual Result<std::unique_ptr<Runtime>>
  open(std::string_view ia_name, std::string_view instance_data, LockOwner& lock) = 0;
  // True: the IAs of the two registrations are the same adapter. Fails if that is not known.
  virtual Result<bool> same_adapter(const Registration& /*one*/, const Registration& /*other*/) {
    return false;
  }
  // The name of the provider in DAT_PROVIDER_ATTR.
  virtual std::string_view provider_name() const = 0;
};

// Defined by each module (provider/).
RuntimeFactory& runtime_factory();

} // namespace datum
