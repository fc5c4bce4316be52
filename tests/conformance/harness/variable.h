// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/variable.h: variables of the environment while an IA is opened, and the named attributes
// of an EP.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

#include "events.h"

namespace datum::test {

// Sets the variable. Its destructor restores the old value, which the caller of the test program
// may have set.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// Unsets the variable while it lives.
class NoVariable : public Variable {
 public:
  explicit NoVariable(const char* name) : Variable(name, "") { unsetenv(name); }
};

// The value of a named attribute of an EP; "" if it has none of that name.
inline std::string told_of(DAT_EP_HANDLE ep, const std::string& name) {
  DAT_EP_PARAM param{};
  EXPECT_DAT_OK(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param));
  for (int i = 0; i < param.ep_attr.ep_provider_specific_count; ++i) {
    const DAT_NAMED_ATTR& each = param.ep_attr.ep_provider_specific[i];
    if (each.name == name) return each.value;
  }
  return "";
}

} // namespace datum::test
