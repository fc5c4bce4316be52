// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/answer.h: turns the Status of a call of the provider table into a DAT_RETURN, and lets no
// exception out. Included after the traits of one DAT version (v1/traits.h), like every header that
// names DAT types.
#pragma once

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>

#include "base/no_canary.h"
#include "base/status.h"
#include "core/port/types.h"
#include "facade/bad_handle.h"
#include "facade/call_texts.h"

namespace datum {

// Makes a DAT_RETURN of class, type and subtype. The types have the same numbers in all versions;
// the subtypes differ.
template <class V>
constexpr DAT_RETURN encode(Status status) {
  if (status.ok()) return DAT_SUCCESS;
  return DAT_CLASS_ERROR | static_cast<DAT_RETURN>(status.type()) << 16U |
         V::subtype(status.detail());
}
template <class V>
constexpr DAT_RETURN invalid_handle(Detail detail) {
  return encode<V>({Type::InvalidHandle, detail});
}
// Refuses a bad handle in a further argument of a call. A bad handle of the object that the call is
// about is noted in locked.h.
template <class V>
DAT_RETURN invalid_handle(Detail detail, const void* handle, ObjectKind wanted) {
  note_bad_handle(handle, wanted);
  return invalid_handle<V>(detail);
}
template <class V>
constexpr DAT_RETURN invalid_argument(Detail position) {
  return encode<V>({Type::InvalidParameter, position});
}
// invalid_argument() that also notes the value of the argument.
template <class V, class T>
DAT_RETURN invalid_argument(Detail position, T value) {
  note_value(value);
  return invalid_argument<V>(position);
}

// The function in a slot of the provider table. It returns a DAT_RETURN, lets no exception out, and
// logs a refusal. If a call always succeeds, the compiler removes the logging.
template <class V, auto Call, const CallText* Text>
struct Shield;
template <class V, class... Arguments, DAT_RETURN (*Call)(Arguments...), const CallText* Text>
struct Shield<V, Call, Text> {
  static DAT_RETURN call(Arguments... arguments) noexcept { return told(arguments...); }
  [[gnu::always_inline]] static DAT_RETURN told(Arguments... arguments) noexcept {
    const DAT_RETURN answer = answer_of(arguments...);
    if (answer != DAT_SUCCESS && !is_answer(answer)) [[unlikely]]
      return refused(*Text, answer);
    return answer;
  }

 private:
  [[gnu::always_inline]] static DAT_RETURN answer_of(Arguments... arguments) noexcept {
    try {
      return Call(arguments...);
    } catch (const std::bad_alloc&) {
      return encode<V>({Type::InsufficientResources, Detail::ResourceMemory});
    } catch (const std::length_error&) {
      return encode<V>({Type::InsufficientResources, Detail::ResourceMemory});
    } catch (...) {
      return encode<V>({Type::InternalError});
    }
  }
};

// A Shield for calls that post and dequeue: it has no stack protector.
template <class V, auto Call, const CallText* Text>
struct HotShield;
template <class V, class... Arguments, DAT_RETURN (*Call)(Arguments...), const CallText* Text>
struct HotShield<V, Call, Text> {
  DATUM_NO_CANARY static DAT_RETURN call(Arguments... arguments) noexcept {
    return Shield<V, Call, Text>::told(arguments...);
  }
};

// Checks the mask and the structure of a query function (decisions 203, 204 and 286).
template <class Param>
Status check_query(std::uint64_t mask, std::uint64_t all_fields, const Param* param) {
  if ((mask & ~all_fields) != 0) {
    note_bits("", mask, "", "");
    return {Type::InvalidParameter, Detail::Arg2};
  }
  if (param == nullptr) return {Type::InvalidParameter, Detail::Arg3};
  return kOk;
}

[[gnu::cold, gnu::noinline]] inline void note_private_data(std::int32_t size, std::int32_t most) {
  if (refusals_are_told()) note_cause({"", std::to_string(size), text("0 to {}", most), ""});
}

// Checks private data: its size is argument number `size_position`, its pointer the next one
// (dat_ep_connect(3DAT), Parameters).
inline Status check_private_data(std::int32_t size, const void* data, std::int32_t most,
                                 Detail size_position, Detail data_position) {
  if (size < 0 || size > most) {
    note_private_data(size, most);
    return {Type::InvalidParameter, size_position};
  }
  if (size > 0 && data == nullptr) return {Type::InvalidParameter, data_position};
  return kOk;
}
inline PrivateData private_data(std::int32_t size, const void* data) {
  return {static_cast<const std::byte*>(data), size > 0 ? static_cast<std::size_t>(size) : 0};
}

template <class T>
Token token_of(const T* object) {
  return object != nullptr ? object->token() : nullptr;
}

} // namespace datum
