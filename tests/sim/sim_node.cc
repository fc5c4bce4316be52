// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sim_node.h"

#include <cstdlib>
#include <utility>

namespace datum::test {

void SimLock::acquire() {
  if (held_) std::abort(); // with a second thread this would deadlock
  held_ = true;
}

void SimLock::relinquish() {
  if (!held_) std::abort();
  if (adapter != nullptr) adapter->destroy_retired();
  held_ = false;
}

SimNode::SimNode(SimWorld& world, VirtualTime& time, const LinkOptions& options,
                 bool reports_srq_left)
    : stand(world, time, lock, options) {
  AdapterEnvironment environment;
  environment.handles = &handles;
  environment.progress = &stand.progress();
  environment.timers = &stand.timers();
  environment.random = &stand.random();
  environment.memory = &memory;
  environment.reports_srq_left = reports_srq_left;
  adapter = std::make_unique<InterfaceAdapter>(environment, stand.transport());
  lock.adapter = adapter.get();
  stand.start();
}

SimNode::~SimNode() {
  close();
  adapter.reset();
}

void SimNode::close() {
  if (std::exchange(closed_, true)) return;
  stand.stop();
  lock.adapter = nullptr;
  adapter->close();
}

void SimNode::kill() {
  dead_ = true;
  stand.kill();
}

} // namespace datum::test
