// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/cno_calls.h: consumer notification objects.
#pragma once

#include "base/cancellation.h"
#include "facade/answer.h"
#include "facade/locked.h"
#include "facade/table.h"
#include "facade/wait_shield.h"

namespace datum {

template <class V>
ProxyAgent to_agent(const DAT_OS_WAIT_PROXY_AGENT& agent) {
  return {agent.instance_data, agent.proxy_agent_func};
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN
cno_create(DAT_IA_HANDLE ia_handle, DAT_OS_WAIT_PROXY_AGENT agent, DAT_CNO_HANDLE* cno_handle) {
  const Locked<ObjectKind::InterfaceAdapter> ia(ia_handle);
  if (!ia) return invalid_handle<V>(Detail::HandleIa);
  if (cno_handle == nullptr) return invalid_argument<V>(Detail::Arg3);
  const Result<NotificationObject*> cno = ia->create_cno(to_agent<V>(agent));
  if (!cno) return encode<V>(cno.error());
  *cno_handle = (*cno)->token();
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN cno_modify_agent(DAT_CNO_HANDLE cno_handle,
                                                          DAT_OS_WAIT_PROXY_AGENT agent) {
  const Locked<ObjectKind::NotificationObject> cno(cno_handle);
  if (!cno) return invalid_handle<V>(Detail::HandleCno);
  cno->set_agent(to_agent<V>(agent));
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN cno_query(DAT_CNO_HANDLE cno_handle,
                                                   DAT_CNO_PARAM_MASK mask, DAT_CNO_PARAM* param) {
  Locked<ObjectKind::NotificationObject> cno(cno_handle);
  if (!cno) return invalid_handle<V>(Detail::HandleCno);
  if (const Status s = check_query(mask, V::kCnoFields, param); !s.ok()) return encode<V>(s);
  V::describe(*cno, *param);
  const Token ia = cno.adapter().token();
  cno.release();
  param->ia_handle = V::consumer_ia(ia);
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN cno_wait(DAT_CNO_HANDLE cno_handle, DAT_TIMEOUT timeout,
                                                  DAT_EVD_HANDLE* evd_handle) {
  CancellableWait cancellable;
  const Locked<ObjectKind::NotificationObject> cno(cno_handle);
  if (!cno) return invalid_handle<V>(Detail::HandleCno);
  if (evd_handle == nullptr) return invalid_argument<V>(Detail::Arg3);
  if (timeout != 0) cancellable.begin();
  return encode<V>(cno->wait(timeout, *evd_handle));
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN cno_free(DAT_CNO_HANDLE cno_handle) {
  const Locked<ObjectKind::NotificationObject> cno(cno_handle);
  if (!cno) return invalid_handle<V>(Detail::HandleCno);
  return encode<V>(cno.adapter().free(*cno));
}

template <class V>
void enter_cno_calls(typename V::Table& table) {
  table.cno_create_func = &Shield<V, &cno_create<V>, &calls::kCnoCreate>::call;
  table.cno_modify_agent_func = &Shield<V, &cno_modify_agent<V>, &calls::kCnoModifyAgent>::call;
  table.cno_query_func = &Shield<V, &cno_query<V>, &calls::kCnoQuery>::call;
  table.cno_wait_func = &WaitShield<V, &cno_wait<V>, &calls::kCnoWait>::call;
  table.cno_free_func = &Shield<V, &cno_free<V>, &calls::kCnoFree>::call;
}

} // namespace datum
