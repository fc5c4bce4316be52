// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fake_libdat.h"

#include <cstring>
#include <map>
#include <utility>

namespace datum::test {
namespace {

std::map<std::string, const DAT_PROVIDER*> tables;
DAT_RETURN next_answer = DAT_SUCCESS;

} // namespace

const DAT_PROVIDER* registered(const std::string& ia_name) {
  const auto found = tables.find(ia_name);
  return found != tables.end() ? found->second : nullptr;
}
int registrations() {
  return static_cast<int>(tables.size());
}
void refuse_next(DAT_RETURN answer) {
  next_answer = answer;
}

DAT_PROVIDER_INFO provider_info(const std::string& ia_name, bool thread_safe) {
  DAT_PROVIDER_INFO info{};
  std::strncpy(info.ia_name, ia_name.c_str(), sizeof info.ia_name - 1);
  info.dapl_version_major = 1;
  info.dapl_version_minor = 2;
  info.is_thread_safe = thread_safe ? DAT_TRUE : DAT_FALSE;
  return info;
}

DAT_IA_HANDLE Provider::open(DAT_EVD_HANDLE* async_evd) const {
  DAT_EVD_HANDLE own = DAT_HANDLE_NULL;
  DAT_EVD_HANDLE* evd = async_evd != nullptr ? async_evd : &own;
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
  const DAT_RETURN opened = table_->ia_open_func(const_cast<char*>(info_.ia_name), 8, evd, &ia);
  return opened == DAT_SUCCESS ? ia : DAT_HANDLE_NULL;
}

} // namespace datum::test

// In this registry the consumer's handle of an IA is the object's address with the lowest bit set.
extern "C" DAT_RETURN dats_get_ia_handle(DAT_IA_HANDLE object, DAT_IA_HANDLE* handle);
extern "C" DAT_RETURN dats_get_ia_handle(DAT_IA_HANDLE object, DAT_IA_HANDLE* handle) {
  *handle = static_cast<char*>(object) + 1;
  return DAT_SUCCESS;
}
extern "C" DAT_RETURN dat_registry_add_provider(const DAT_PROVIDER* provider,
                                                const DAT_PROVIDER_INFO* info) {
  using namespace datum::test;
  if (const DAT_RETURN answer = std::exchange(next_answer, 0U); answer != DAT_SUCCESS)
    return answer;
  tables[info->ia_name] = provider;
  return DAT_SUCCESS;
}
extern "C" DAT_RETURN dat_registry_remove_provider(const DAT_PROVIDER*,
                                                   const DAT_PROVIDER_INFO* info) {
  datum::test::tables.erase(info->ia_name);
  return DAT_SUCCESS;
}
