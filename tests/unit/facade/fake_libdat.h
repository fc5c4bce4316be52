// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The functions that a provider imports from libdat, and a consumer that calls the provider's table
// directly.
#pragma once

#include <cstring>
#include <string>

#include "facade/provider.h"

namespace datum::test {

inline constexpr DAT_RETURN kQueueEmpty = 0x800d0000;

// The table registered under the name, or nullptr.
const DAT_PROVIDER* registered(const std::string& ia_name);
int registrations();
// The registry answers the next registration with `answer`.
void refuse_next(DAT_RETURN answer);

DAT_PROVIDER_INFO provider_info(const std::string& ia_name, bool thread_safe = false);

// Registers an IA name for as long as it lives.
class Provider {
 public:
  explicit Provider(const std::string& ia_name, const char* instance_data = "")
      : info_(provider_info(ia_name)) {
    provider_init(info_, instance_data);
    table_ = registered(ia_name);
  }
  ~Provider() { provider_fini(info_); }
  Provider(const Provider&) = delete;
  Provider& operator=(const Provider&) = delete;
  const DAT_PROVIDER* operator->() const { return table_; }
  const DAT_PROVIDER& table() const { return *table_; }
  const DAT_PROVIDER_INFO& info() const { return info_; }
  // Opens an IA with an asynchronous EVD of its own.
  DAT_IA_HANDLE open(DAT_EVD_HANDLE* async_evd = nullptr) const;

 private:
  DAT_PROVIDER_INFO info_;
  const DAT_PROVIDER* table_;
};

// A value that a C program can pass although the enumeration does not have it.
template <class E>
E any_value(std::uint32_t bits) {
  E value;
  static_assert(sizeof value == sizeof bits);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

} // namespace datum::test
