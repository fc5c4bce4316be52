// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/evd_calls.h: event dispatchers.
#pragma once

#include "base/cancellation.h"
#include "facade/answer.h"
#include "facade/ep_parts.h"
#include "facade/locked.h"
#include "facade/table.h"
#include "facade/wait_shield.h"

namespace datum {

// DAT has no subtype for a bad EVD handle. Other libraries return this subtype.
inline constexpr Detail kBadEvd = Detail::HandleEvdRequest;

using LockedEvd = Locked<ObjectKind::EventDispatcher>;

// A length above the limit is a shortage, not a bad argument (decision 206).
inline Status check_qlen(std::int32_t qlen, const Limits& limits) {
  if (qlen <= 0) {
    note_value(qlen);
    return {Type::InvalidParameter, Detail::Arg2};
  }
  if (qlen > limits.max_evd_qlen) {
    note_limit("evd_min_qlen", qlen, limits.max_evd_qlen);
    return {Type::InsufficientResources, Detail::ResourceTevd};
  }
  return kOk;
}

[[gnu::cold, gnu::noinline]] inline void note_evd_flags(EvdFlags flags, EvdFlags known) {
  if (refusals_are_told())
    note_cause(
        {"", text("{:#x}", flags), text("at least one of {:#x} and nothing else", known), ""});
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN evd_create(DAT_IA_HANDLE ia_handle, DAT_COUNT min_qlen,
                                                    DAT_CNO_HANDLE cno_handle, DAT_EVD_FLAGS flags,
                                                    DAT_EVD_HANDLE* evd_handle) {
  const Locked<ObjectKind::InterfaceAdapter> ia(ia_handle);
  if (!ia) return invalid_handle<V>(Detail::HandleIa);
  NotificationObject* cno = ia.find<ObjectKind::NotificationObject>(cno_handle);
  if (cno == nullptr && cno_handle != DAT_HANDLE_NULL)
    return invalid_handle<V>(Detail::HandleCno, cno_handle, ObjectKind::NotificationObject);
  if (evd_handle == nullptr) return invalid_argument<V>(Detail::Arg5);
  if (min_qlen <= 0) return invalid_argument<V>(Detail::Arg2, min_qlen);
  const EvdFlags streams = flags;
  if (streams == 0 || (streams & ~V::kEvdFlags) != 0) {
    note_evd_flags(streams, V::kEvdFlags);
    return invalid_argument<V>(Detail::Arg4);
  }
  const Result<EventDispatcher*> evd = ia->create_evd(min_qlen, cno, streams);
  if (!evd) return encode<V>(evd.error());
  *evd_handle = (*evd)->token();
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN evd_query(DAT_EVD_HANDLE evd_handle,
                                                   DAT_EVD_PARAM_MASK mask, DAT_EVD_PARAM* param) {
  LockedEvd evd(evd_handle);
  if (!evd) return invalid_handle<V>(kBadEvd);
  if (const Status s = check_query(mask, DAT_EVD_FIELD_ALL, param); !s.ok()) return encode<V>(s);
  param->evd_qlen = evd->qlen();
  param->evd_state = static_cast<DAT_EVD_STATE>(evd->state_bits());
  param->cno_handle = token_of(evd->cno());
  param->evd_flags = static_cast<DAT_EVD_FLAGS>(evd->flags());
  const Token ia = evd.adapter().token();
  evd.release();
  param->ia_handle = V::consumer_ia(ia);
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN evd_modify_cno(DAT_EVD_HANDLE evd_handle,
                                                        DAT_CNO_HANDLE cno_handle) {
  const LockedEvd evd(evd_handle);
  if (!evd) return invalid_handle<V>(kBadEvd);
  NotificationObject* cno = evd.find<ObjectKind::NotificationObject>(cno_handle);
  if (cno == nullptr && cno_handle != DAT_HANDLE_NULL)
    return invalid_handle<V>(Detail::HandleCno, cno_handle, ObjectKind::NotificationObject);
  evd->set_cno(cno);
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN evd_enable(DAT_EVD_HANDLE evd_handle) {
  const LockedEvd evd(evd_handle);
  if (!evd) return invalid_handle<V>(kBadEvd);
  evd->set_enabled(true);
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN evd_disable(DAT_EVD_HANDLE evd_handle) {
  const LockedEvd evd(evd_handle);
  if (!evd) return invalid_handle<V>(kBadEvd);
  evd->set_enabled(false);
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN evd_set_unwaitable(DAT_EVD_HANDLE evd_handle) {
  const LockedEvd evd(evd_handle);
  if (!evd) return invalid_handle<V>(kBadEvd);
  evd->set_unwaitable();
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN evd_clear_unwaitable(DAT_EVD_HANDLE evd_handle) {
  const LockedEvd evd(evd_handle);
  if (!evd) return invalid_handle<V>(kBadEvd);
  evd->clear_unwaitable();
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN evd_wait(DAT_EVD_HANDLE evd_handle, DAT_TIMEOUT timeout,
                                                  DAT_COUNT threshold, DAT_EVENT* event,
                                                  DAT_COUNT* nmore) {
  CancellableWait cancellable;
  LockedEvd evd(evd_handle);
  if (!evd) return invalid_handle<V>(kBadEvd);
  if (event == nullptr) return invalid_argument<V>(Detail::Arg4);
  if (nmore == nullptr) return invalid_argument<V>(Detail::Arg5);
  if (timeout != 0 && evd->count() < threshold) cancellable.begin();
  Event taken;
  const Status s = evd->wait(timeout, threshold, taken, *nmore);
  if (s.ok())
    write_event<V>(taken, evd_handle, evd.adapter(), *event);
  else if (s.type() == Type::TimeoutExpired && timeout == 0)
    evd.release_politely();
  return encode<V>(s);
}

// Programs of DAT 2.0 poll for completions until the whole status differs from DAT_QUEUE_EMPTY. The
// providers that these programs were written for return that status without the class bits on EVDs
// of completions, and with the class bits on other EVDs.
template <class V>
[[gnu::always_inline]] inline DAT_RETURN dequeue_failed(Status s, EvdFlags flags) {
  if constexpr (V::kBareQueueEmpty) {
    if (s.type() == Type::QueueEmpty && (flags & (kEvdDto | kEvdRmrBind)) != 0)
      return DAT_QUEUE_EMPTY;
  }
  return encode<V>(s);
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN evd_dequeue(DAT_EVD_HANDLE evd_handle, DAT_EVENT* event) {
  LockedEvd evd(evd_handle);
  if (!evd) return invalid_handle<V>(kBadEvd);
  if (event == nullptr) return invalid_argument<V>(Detail::Arg2);
  if (evd->should_drive(1)) evd->drive();
  const Status s = evd->check_dequeue();
  if (s.ok()) [[likely]] {
    write_event<V>(evd->front(), evd_handle, evd.adapter(), *event);
    evd->pop();
    return DAT_SUCCESS;
  }
  const EvdFlags flags = evd->flags();
  evd.release_politely();
  return dequeue_failed<V>(s, flags);
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN evd_post_se(DAT_EVD_HANDLE evd_handle,
                                                     const DAT_EVENT* event) {
  const LockedEvd evd(evd_handle);
  if (!evd) return invalid_handle<V>(kBadEvd);
  if (event == nullptr) return invalid_argument<V>(Detail::Arg2, event);
  if (event->event_number != DAT_SOFTWARE_EVENT) {
    note_bits("event_number", static_cast<std::uint64_t>(event->event_number),
              "DAT_SOFTWARE_EVENT 0x10001", "dat_evd_post_se.R5");
    return invalid_argument<V>(Detail::Arg2);
  }
  if ((evd->flags() & kEvdSoftware) == 0) {
    note_evd_without(*evd, kEvdSoftware);
    return invalid_argument<V>(Detail::Arg1);
  }
  DAT_CONTEXT pointer = to_context(0);
  pointer.as_ptr = event->event_data.software_event_data.pointer;
  return encode<V>(evd->post_software(bits(pointer)));
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN evd_resize(DAT_EVD_HANDLE evd_handle, DAT_COUNT min_qlen) {
  const LockedEvd evd(evd_handle);
  if (!evd) return invalid_handle<V>(kBadEvd);
  if (const Status s = check_qlen(min_qlen, evd.adapter().limits()); !s.ok()) return encode<V>(s);
  return encode<V>(evd->resize(min_qlen));
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN evd_free(DAT_EVD_HANDLE evd_handle) {
  const LockedEvd evd(evd_handle);
  if (!evd) return invalid_handle<V>(kBadEvd);
  return encode<V>(evd.adapter().free(*evd));
}

template <class V>
void enter_evd_calls(typename V::Table& table) {
  table.evd_create_func = &Shield<V, &evd_create<V>, &calls::kEvdCreate>::call;
  table.evd_query_func = &Shield<V, &evd_query<V>, &calls::kEvdQuery>::call;
  table.evd_modify_cno_func = &Shield<V, &evd_modify_cno<V>, &calls::kEvdModifyCno>::call;
  table.evd_enable_func = &Shield<V, &evd_enable<V>, &calls::kEvdEnable>::call;
  table.evd_disable_func = &Shield<V, &evd_disable<V>, &calls::kEvdDisable>::call;
  table.evd_set_unwaitable_func =
      &Shield<V, &evd_set_unwaitable<V>, &calls::kEvdSetUnwaitable>::call;
  table.evd_clear_unwaitable_func =
      &Shield<V, &evd_clear_unwaitable<V>, &calls::kEvdClearUnwaitable>::call;
  table.evd_wait_func = &WaitShield<V, &evd_wait<V>, &calls::kEvdWait>::call;
  table.evd_dequeue_func = &HotShield<V, &evd_dequeue<V>, &calls::kEvdDequeue>::call;
  table.evd_post_se_func = &HotShield<V, &evd_post_se<V>, &calls::kEvdPostSe>::call;
  table.evd_resize_func = &Shield<V, &evd_resize<V>, &calls::kEvdResize>::call;
  table.evd_free_func = &Shield<V, &evd_free<V>, &calls::kEvdFree>::call;
}

} // namespace datum
