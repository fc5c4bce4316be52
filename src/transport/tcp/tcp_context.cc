// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/tcp_context.h"

#include "base/log.h"
#include "transport/tcp/tcp_connection.h"

namespace datum {

void TcpContext::schedule(TcpConnection& connection) {
  PendingHook& hook = connection;
  if (!hook.linked()) pending.push_back(connection);
  lent.progress->kick();
}

void TcpContext::arm(Timer& timer, Instant when) {
  const bool sooner = when < lent.timers->next();
  lent.timers->arm(timer, when);
  if (sooner) lent.progress->kick();
}

void TcpContext::warn_no_descriptors() {
  if (warned_) return;
  warned_ = true;
  log(LogLevel::Warn, "{}: no descriptor for another connection; look at `ulimit -n`",
      to_text(host));
}

} // namespace datum
