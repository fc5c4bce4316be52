// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sim_node.h"

#include <cstdlib>

namespace datum::test {

void SimLock::acquire() {
  if (held_) std::abort(); // with another thread this would be a deadlock
  held_ = true;
}

void SimLock::relinquish() {
  if (!held_) std::abort();
  if (adapter != nullptr) adapter->destroy_retired();
  held_ = false;
}

SimNode::SimNode(SimWorld& world, VirtualTime& time, const LinkOptions& options)
    : stand(world, time, lock, options) {
  AdapterEnvironment environment;
  environment.handles = &handles;
  environment.progress = &stand.progress();
  environment.timers = &stand.timers();
  environment.random = &stand.random();
  environment.memory = &memory;
  adapter = std::make_unique<InterfaceAdapter>(environment, stand.transport());
  lock.adapter = adapter.get();
  stand.start();
}

SimNode::~SimNode() {
  stand.stop();
  lock.adapter = nullptr;
  adapter.reset();
}

void SimNode::kill() {
  dead_ = true;
  stand.kill();
}

} // namespace datum::test
