// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "status.h"

#include <cstdio>

namespace datum::test {

namespace {

testing::AssertionResult wrong(const char* call, const std::string& wanted, DAT_RETURN status) {
  return testing::AssertionFailure()
         << call << "\n  returned " << status_name(status) << "\n  expected " << wanted;
}

bool is_error_of_type(DAT_RETURN status, DAT_RETURN type) {
  return (status & (DAT_CLASS_ERROR | DAT_CLASS_WARNING)) == DAT_CLASS_ERROR &&
         DAT_GET_TYPE(status) == type;
}

} // namespace

std::string status_name(DAT_RETURN status) {
  const char* major = nullptr;
  const char* minor = nullptr;
  std::string name = "a status without a name";
  if (dat_strerror(status, &major, &minor) == DAT_SUCCESS && major != nullptr) {
    name = major;
    if (minor != nullptr && DAT_GET_SUBTYPE(status) != 0) name += std::string("/") + minor;
  }
  char number[32];
  std::snprintf(number, sizeof number, " (0x%08x)", status);
  if (status != DAT_SUCCESS && (status & DAT_CLASS_ERROR) == 0) name += " without the error class";
  return name + number;
}

testing::AssertionResult is_dat_ok(const char* call, DAT_RETURN status) {
  if (status == DAT_SUCCESS) return testing::AssertionSuccess();
  return wrong(call, "DAT_SUCCESS", status);
}

testing::AssertionResult is_dat_type(const char* call, const char* type_text, DAT_RETURN status,
                                     DAT_RETURN type) {
  if (is_error_of_type(status, type)) return testing::AssertionSuccess();
  return wrong(call, type_text, status);
}

testing::AssertionResult is_dat_error(const char* call, const char* type_text,
                                      const char* subtype_text, DAT_RETURN status, DAT_RETURN type,
                                      DAT_RETURN subtype) {
  if (is_error_of_type(status, type) && DAT_GET_SUBTYPE(status) == subtype) {
    return testing::AssertionSuccess();
  }
  return wrong(call, std::string(type_text) + "/" + subtype_text, status);
}

} // namespace datum::test
