// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/dat_error.h"

#include <datum/names.h>
#include <fmt/format.h>

namespace datum::tools {
namespace {

constexpr DAT_RETURN kTypeMask = 0x3fff0000;

struct Advice {
  DAT_RETURN type;
  std::string_view text;
};

// Advice for a person, by return type.
constexpr Advice kAdvice[] = {
    {DAT_PROVIDER_NOT_FOUND, "dat-info lists the interface adapters; dat-info --check says why "
                             "one is missing"},
    {DAT_INSUFFICIENT_RESOURCES, "if no line of the log above tells what is short, look at "
                                 "'ulimit -n' and 'ulimit -v'; dat-info --check says what is "
                                 "needed"},
    {DAT_CONN_QUAL_IN_USE, "another process listens there; choose another port"},
    {DAT_CONN_QUAL_UNAVAILABLE, "no port is free, or this process may not have it, as the log "
                                "says; name another"},
    {DAT_INVALID_ADDRESS, "use an address of a machine that this one can reach"},
    {DAT_MODEL_NOT_SUPPORTED, "this provider lacks an optional feature; dat-info -a shows "
                              "which it has"},
    {DAT_INTERNAL_ERROR, "DATUM_LOG=debug shows what the library did; please report it"},
};

} // namespace

std::string dat_text(DAT_RETURN ret) {
  const char* major = nullptr;
  const char* minor = nullptr;
  if (dat_strerror(ret, &major, &minor) != DAT_SUCCESS || major == nullptr)
    return fmt::format("unknown DAT_RETURN {:#010x}", ret);
  if (minor == nullptr || (ret & 0xffff) == 0) return major;
  return fmt::format("{}: {}", major, minor);
}

bool is_type(DAT_RETURN ret, DAT_RETURN type) {
  return (ret & kTypeMask) == (type & kTypeMask);
}

std::string_view next_step(DAT_RETURN ret) {
  for (const Advice& advice : kAdvice)
    if (is_type(ret, advice.type)) return advice.text;
  return {};
}

std::string describe(DAT_RETURN ret, std::string_view call, std::string_view object) {
  std::string text = object.empty() ? fmt::format("{}: {}", call, dat_text(ret))
                                    : fmt::format("{}({}): {}", call, object, dat_text(ret));
  if (std::string_view step = next_step(ret); !step.empty()) text += fmt::format(" ({})", step);
  return text;
}

void check(DAT_RETURN ret, std::string_view call, std::string_view object, ExitCode code) {
  if (ret != DAT_SUCCESS) throw ToolError(code, describe(ret, call, object));
}

std::string_view dto_status_text(DAT_DTO_COMPLETION_STATUS status) {
  return datum_dto_status_name(status);
}

std::string_view event_text(DAT_EVENT_NUMBER number) {
  return datum_event_name(number);
}

} // namespace datum::tools
