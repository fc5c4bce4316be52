// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/refused.h"

#include "base/text.h"
#include "registry/log.h"

namespace datum::registry {

DAT_RETURN refused(std::string_view call, DAT_RETURN answer, const Cause& cause) noexcept {
  if (!refusals_are_told()) return answer;
  const char* type = "";
  const char* subtype = "";
  if (dat_strerror(answer, &type, &subtype) != DAT_SUCCESS) return answer;
  try {
    const bool has_subtype = DAT_GET_SUBTYPE(answer) != DAT_NO_SUBTYPE;
    tell_refusal(call, has_subtype ? text("{} [{}]", type, subtype) : type, cause);
  } catch (const std::bad_alloc&) {
    log_out_of_memory();
  }
  return answer;
}

DAT_RETURN refused_handle(std::string_view call, DAT_RETURN answer, std::string_view argument,
                          const void* handle) noexcept {
  if (!refusals_are_told()) return answer;
  try {
    const std::string value = handle == nullptr ? "null" : text("{}", handle);
    return refused(call, answer, {argument, value, "the handle of an object that is open", {}});
  } catch (const std::bad_alloc&) {
    log_out_of_memory();
  }
  return answer;
}

} // namespace datum::registry
