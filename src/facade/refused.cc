// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "facade/version.h"

#include "facade/refused.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace datum {
namespace {

// In the order of Type.
constexpr std::array kTypes{
    "DAT_SUCCESS",
    "DAT_ABORT",
    "DAT_CONN_QUAL_IN_USE",
    "DAT_INSUFFICIENT_RESOURCES",
    "DAT_INTERNAL_ERROR",
    "DAT_INVALID_HANDLE",
    "DAT_INVALID_PARAMETER",
    "DAT_INVALID_STATE",
    "DAT_LENGTH_ERROR",
    "DAT_MODEL_NOT_SUPPORTED",
    "DAT_PROVIDER_NOT_FOUND",
    "DAT_PRIVILEGES_VIOLATION",
    "DAT_PROTECTION_VIOLATION",
    "DAT_QUEUE_EMPTY",
    "DAT_QUEUE_FULL",
    "DAT_TIMEOUT_EXPIRED",
    "DAT_PROVIDER_ALREADY_REGISTERED",
    "DAT_PROVIDER_IN_USE",
    "DAT_INVALID_ADDRESS",
    "DAT_INTERRUPTED_CALL",
    "DAT_CONN_QUAL_UNAVAILABLE",
    "DAT_RESERVED_LMR",
    "DAT_PORT_IN_USE",
    "DAT_COMM_NOT_SUPPORTED",
};
static_assert(kTypes.size() == static_cast<std::size_t>(Type::CommNotSupported) + 1);

struct ArgumentText {
  std::string_view name;
  std::string_view allowed;
  std::string_view rule;
};

// Removes everything up to and including the first `mark` from `text`. Returns what was before the
// mark.
std::string_view take_until(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

// `position` counts from 0. If there is no such argument, the name is empty.
ArgumentText argument_at(const CallText& call, std::size_t position) {
  std::string_view rest = call.arguments;
  for (; position != 0; --position) take_until(rest, ',');
  std::string_view one = take_until(rest, ',');
  ArgumentText argument;
  argument.name = take_until(one, '=');
  argument.allowed = take_until(one, '=');
  argument.rule = one;
  return argument;
}

// The argument with the first of these names that the call has. If it has none of them, its first
// argument.
ArgumentText argument_named(const CallText& call, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    std::size_t at = 0;
    ArgumentText each = argument_at(call, at);
    while (!each.name.empty() && each.name != name) each = argument_at(call, ++at);
    if (!each.name.empty()) return each;
  }
  return argument_at(call, 0);
}

// The argument that INVALID_HANDLE with this subtype is about.
ArgumentText handle_argument(const CallText& call, Detail kind) {
  switch (kind) {
  case Detail::HandleIa: return argument_named(call, {"ia_handle"});
  case Detail::HandleEp: return argument_named(call, {"ep_handle"});
  case Detail::HandleLmr: return argument_named(call, {"lmr_handle"});
  case Detail::HandlePz: return argument_named(call, {"pz_handle"});
  case Detail::HandleCno: return argument_named(call, {"cno_handle"});
  case Detail::HandleSrq: return argument_named(call, {"srq_handle"});
  case Detail::HandleEvdRecv: return argument_named(call, {"recv_evd_handle"});
  case Detail::HandleEvdRequest: return argument_named(call, {"request_evd_handle", "evd_handle"});
  case Detail::HandleEvdConn: return argument_named(call, {"connect_evd_handle"});
  case Detail::HandleEvdAsync: return argument_named(call, {"async_evd_handle"});
  case Detail::HandleEvdCr: return argument_named(call, {"evd_handle"});
  default: return argument_at(call, 0);
  }
}

bool between(Detail detail, Detail first, Detail last) {
  return detail >= first && detail <= last;
}

// The state of the object that the subtype of INVALID_STATE names, in words.
std::string_view state_of(Detail detail) {
  switch (detail) {
  case Detail::EpUnconnected: return "unconnected";
  case Detail::EpActiveConnectionPending: return "connecting";
  case Detail::EpPassiveConnectionPending: return "in passive connection pending";
  case Detail::EpTentativeConnectionPending: return "in tentative connection pending";
  case Detail::EpConnected: return "connected";
  case Detail::EpDisconnected: return "disconnected";
  case Detail::EpReserved: return "reserved for a service point";
  case Detail::EpCompletionPending: return "in completion pending";
  case Detail::EpDisconnectPending: return "disconnecting";
  case Detail::EpEvdRequest: return "an EP whose request EVD does not fit";
  case Detail::EvdUnwaitable: return "unwaitable";
  case Detail::EvdWaiter: return "an EVD that a thread waits on";
  default: return {};
  }
}

// The argument to report if the return code does not name one.
ArgumentText subject_of(const CallText& call, Type type, Detail detail) {
  if (type == Type::InvalidAddress) return argument_named(call, {"remote_ia_address", "address"});
  const bool of_ep = between(detail, Detail::EpUnconnected, Detail::EpEvdConnect);
  ArgumentText object = of_ep ? argument_named(call, {"ep_handle"}) : argument_at(call, 0);
  object.allowed = type == Type::InvalidState ? std::string_view(call.states) : std::string_view();
  object.rule = {};
  return object;
}

ArgumentText argument_of(const CallText& call, Type type, Detail detail) {
  const auto number = static_cast<std::size_t>(detail);
  if (between(detail, Detail::Arg1, Detail::Arg10))
    return argument_at(call, number - static_cast<std::size_t>(Detail::Arg1));
  if (between(detail, Detail::HandleIa, Detail::HandleSrq) || detail == Detail::HandleCsp)
    return {handle_argument(call, detail).name, {}, {}};
  if (between(detail, Detail::Handle1, Detail::Handle10))
    return {argument_at(call, number - static_cast<std::size_t>(Detail::Handle1)).name, {}, {}};
  return subject_of(call, type, detail);
}

const subtypes::Subtype& subtype_of(DAT_RETURN answer) {
  const auto number = static_cast<DAT_RETURN>(DAT_GET_SUBTYPE(answer));
  const auto* found = std::find_if(std::begin(subtypes::kList), std::end(subtypes::kList),
                                   [&](const subtypes::Subtype& each) {
                                     return static_cast<DAT_RETURN>(each.number) == number;
                                   });
  return found != std::end(subtypes::kList) ? *found : subtypes::kList[0];
}

// The value to report if no value was noted. If the argument is a pointer that must not be null, it
// was null.
std::string_view value_of(const ArgumentText& argument) {
  constexpr std::string_view kPointer = "not null";
  const bool pointer = argument.allowed == kPointer || argument.allowed.starts_with("not null wh");
  return pointer ? "null" : "";
}

void tell(const CallText& call, DAT_RETURN answer) {
  const std::size_t type = DAT_GET_TYPE(answer) >> 16U;
  const subtypes::Subtype& subtype = subtype_of(answer);
  std::string names = type < kTypes.size() ? kTypes[type] : "DAT_NOT_IMPLEMENTED";
  if (subtype.detail != Detail::None) names += std::string(" ") + subtype.name;
  const ArgumentText argument = argument_of(call, static_cast<Type>(type), subtype.detail);
  const std::string rule =
      argument.rule.empty() ? std::string() : text("{}.{}", call.name, argument.rule);
  const std::string_view state = state_of(subtype.detail);
  tell_refusal(call.name, names,
               {argument.name, state.empty() ? value_of(argument) : state, argument.allowed, rule,
                static_cast<Type>(type)});
}

constinit thread_local const CallText* renamed = nullptr;

} // namespace

DAT_RETURN refused(const CallText& call, DAT_RETURN answer) noexcept {
  if (is_answer(answer) || !refusals_are_told()) return answer;
  const CallText* const other = renamed;
  renamed = nullptr;
  try {
    tell(other != nullptr ? *other : call, answer);
  } catch (const std::bad_alloc&) {
    log_out_of_memory();
  }
  return answer;
}

DAT_RETURN name_refused(const CallText& call, DAT_RETURN answer) noexcept {
  if (refusals_are_told()) renamed = &call;
  return answer;
}

} // namespace datum
