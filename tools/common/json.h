// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/json.h: writing JSON, one object at a time. There is no reader here.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace datum::tools {

// "text" with quotes. Bytes that are not UTF-8 become U+FFFD. Control characters become \u escapes,
// and so do the other characters that base/printable.h keeps from terminals.
std::string json_string(std::string_view text);

// The value of a member that is unknown or absent.
inline constexpr const char* kJsonNull = "null";

// digits, if they are a number without a sign; else null.
std::string json_number(std::string_view digits);

// JsonObject().add("bytes", 7).add("name", "x").text() is {"bytes": 7, "name": "x"}.
class JsonObject {
 public:
  JsonObject& add(std::string_view key, std::string_view value) {
    return add_raw(key, json_string(value));
  }
  JsonObject& add(std::string_view key, const char* value) {
    return add(key, std::string_view(value));
  }
  JsonObject& add(std::string_view key, bool value) {
    return add_raw(key, value ? "true" : "false");
  }
  // Always with a point or an exponent: many readers give 7 and 7.5 different types.
  JsonObject& add(std::string_view key, double value);
  template <std::integral T>
  requires(!std::same_as<T, bool>) JsonObject& add(std::string_view key, T value) {
    return add_raw(key, std::to_string(value));
  }
  // value is JSON already: a nested object or an array.
  JsonObject& add_raw(std::string_view key, std::string_view value);

  [[nodiscard]] std::string text() const { return "{" + body_ + "}"; }

 private:
  std::string body_;
};

} // namespace datum::tools
