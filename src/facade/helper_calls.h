// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/helper_calls.h: consumer contexts and the kind of a handle, for every object.
#pragma once

#include "facade/answer.h"
#include "facade/locked.h"
#include "facade/table.h"

namespace datum {

template <class V>
[[gnu::always_inline]] inline DAT_RETURN set_consumer_context(DAT_HANDLE handle,
                                                              DAT_CONTEXT context) {
  const Locked<ObjectKind::None> object(handle);
  if (!object) return invalid_handle<V>(Detail::Handle1);
  object->set_context(bits(context));
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN get_consumer_context(DAT_HANDLE handle,
                                                              DAT_CONTEXT* context) {
  const Locked<ObjectKind::None> object(handle);
  if (!object) return invalid_handle<V>(Detail::Handle1);
  if (context == nullptr) return invalid_argument<V>(Detail::Arg2);
  *context = to_context(object->context());
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN get_handle_type(DAT_HANDLE handle, DAT_HANDLE_TYPE* type) {
  const Locked<ObjectKind::None> object(handle);
  if (!object) return invalid_handle<V>(Detail::Handle1);
  if (type == nullptr) return invalid_argument<V>(Detail::Arg2);
  *type = static_cast<DAT_HANDLE_TYPE>(object->kind());
  return DAT_SUCCESS;
}

template <class V>
void enter_helper_calls(typename V::Table& table) {
  table.set_consumer_context_func =
      &Shield<V, &set_consumer_context<V>, &calls::kSetConsumerContext>::call;
  table.get_consumer_context_func =
      &Shield<V, &get_consumer_context<V>, &calls::kGetConsumerContext>::call;
  table.get_handle_type_func = &Shield<V, &get_handle_type<V>, &calls::kGetHandleType>::call;
}

} // namespace datum
