// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/tcp_context.h"

#include "transport/tcp/tcp_connection.h"

namespace datum {

void TcpContext::schedule(TcpConnection& connection) {
  PendingHook& hook = connection;
  if (!hook.linked()) pending.push_back(connection);
  lent.progress->wake();
}

void TcpContext::continue_later(TcpConnection& connection) {
  PendingHook& hook = connection;
  if (!hook.linked()) continuing.push_back(connection);
  lent.progress->wake();
}

bool TcpContext::others_wait(const TcpConnection& connection) const {
  return pending.holds_others(connection) || continuing.holds_others(connection);
}

void TcpContext::tell_later(TcpConnection& connection) {
  untold.push_back(connection);
  lent.progress->wake();
}

void TcpContext::arm(Timer& timer, Instant when) {
  lent.arm(timer, when);
}

bool TcpContext::give_up_oldest() {
  TcpConnection* oldest = ending.pop_front();
  if (oldest == nullptr) return false;
  oldest->leave();
  delete oldest;
  return true;
}

} // namespace datum
