// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/wait_shield.h: the shield (answer.h) of the two calls in which a thread sleeps. If
// pthread_cancel(3) ends a thread in its sleep, the unwinding passes through this function. So the
// function is not noexcept, and does not stop that unwinding.
#pragma once

#include <cxxabi.h>

#include "base/no_canary.h"
#include "facade/answer.h"

namespace datum {

template <class V, auto Call, const CallText* Text>
struct WaitShield;
template <class V, class... Arguments, DAT_RETURN (*Call)(Arguments...), const CallText* Text>
struct WaitShield<V, Call, Text> {
  DATUM_NO_CANARY static DAT_RETURN call(Arguments... arguments) {
    const DAT_RETURN answer = answer_of(arguments...);
    if (answer != DAT_SUCCESS && !is_answer(answer)) [[unlikely]]
      return refused(*Text, answer);
    return answer;
  }

 private:
  [[gnu::always_inline]] static DAT_RETURN answer_of(Arguments... arguments) {
    try {
      return Call(arguments...);
    } catch (const abi::__forced_unwind&) {
      throw;
    } catch (const std::bad_alloc&) {
      return encode<V>({Type::InsufficientResources, Detail::ResourceMemory});
    } catch (...) {
      return encode<V>({Type::InternalError});
    }
  }
};

} // namespace datum
