// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/srq_calls.h: shared receive queues, except posting (ep_transfer_calls.h).
#pragma once

#include "facade/answer.h"
#include "facade/locked.h"
#include "facade/table.h"

namespace datum {

using LockedSrq = Locked<ObjectKind::SharedReceiveQueue>;

template <class V>
[[gnu::always_inline]] inline DAT_RETURN
srq_create(DAT_IA_HANDLE ia_handle, DAT_PZ_HANDLE pz_handle, DAT_SRQ_ATTR* attributes,
           DAT_SRQ_HANDLE* srq_handle) {
  const Locked<ObjectKind::InterfaceAdapter> ia(ia_handle);
  if (!ia) return invalid_handle<V>(Detail::HandleIa);
  ProtectionZone* zone = ia.find<ObjectKind::ProtectionZone>(pz_handle);
  if (zone == nullptr)
    return invalid_handle<V>(Detail::HandlePz, pz_handle, ObjectKind::ProtectionZone);
  if (srq_handle == nullptr) return invalid_argument<V>(Detail::Arg4);
  if (attributes == nullptr) return invalid_argument<V>(Detail::Arg3, attributes);
  // A low watermark other than 0 is refused: the new queue is empty, so the event would come at
  // once (decision 35).
  if (attributes->low_watermark != DAT_SRQ_LW_DEFAULT) {
    note_cause("low_watermark", attributes->low_watermark, "0 (DAT_SRQ_LW_DEFAULT)",
               "dat_srq_create.R11");
    return invalid_argument<V>(Detail::Arg3);
  }
  const Result<SharedReceiveQueue*> srq =
      ia->create_srq(*zone, {attributes->max_recv_dtos, attributes->max_recv_iov});
  if (!srq) return encode<V>(srq.error());
  *srq_handle = (*srq)->token();
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN srq_query(DAT_SRQ_HANDLE srq_handle,
                                                   DAT_SRQ_PARAM_MASK mask, DAT_SRQ_PARAM* param) {
  LockedSrq srq(srq_handle);
  if (!srq) return invalid_handle<V>(Detail::HandleSrq);
  if (const Status s = check_query(mask, DAT_SRQ_FIELD_ALL, param); !s.ok()) return encode<V>(s);
  param->srq_state = DAT_SRQ_STATE_OPERATIONAL;
  param->pz_handle = srq->zone().token();
  param->max_recv_dtos = srq->max_recv_dtos();
  param->max_recv_iov = srq->max_recv_iov();
  param->low_watermark = srq->low_watermark();
  param->available_dto_count = srq->available();
  param->outstanding_dto_count = srq->outstanding();
  const Token ia = srq.adapter().token();
  srq.release();
  param->ia_handle = V::consumer_ia(ia);
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN srq_set_lw(DAT_SRQ_HANDLE srq_handle,
                                                    DAT_COUNT low_watermark) {
  const LockedSrq srq(srq_handle);
  if (!srq) return invalid_handle<V>(Detail::HandleSrq);
  return encode<V>(srq->set_low_watermark(low_watermark));
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN srq_resize(DAT_SRQ_HANDLE srq_handle,
                                                    DAT_COUNT max_recv_dtos) {
  const LockedSrq srq(srq_handle);
  if (!srq) return invalid_handle<V>(Detail::HandleSrq);
  return encode<V>(srq->resize(max_recv_dtos));
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN srq_free(DAT_SRQ_HANDLE srq_handle) {
  const LockedSrq srq(srq_handle);
  if (!srq) return invalid_handle<V>(Detail::HandleSrq);
  return encode<V>(srq.adapter().free(*srq));
}

template <class V>
void enter_srq_calls(typename V::Table& table) {
  table.srq_create_func = &Shield<V, &srq_create<V>, &calls::kSrqCreate>::call;
  table.srq_query_func = &Shield<V, &srq_query<V>, &calls::kSrqQuery>::call;
  table.srq_set_lw_func = &Shield<V, &srq_set_lw<V>, &calls::kSrqSetLw>::call;
  table.srq_resize_func = &Shield<V, &srq_resize<V>, &calls::kSrqResize>::call;
  table.srq_free_func = &Shield<V, &srq_free<V>, &calls::kSrqFree>::call;
}

} // namespace datum
