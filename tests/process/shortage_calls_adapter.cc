// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Calls on IAs, and those of the registry that need none.
#include <cstring>

#include "objects.h"
#include "shortage_tables.h"

namespace datum::test {

namespace {

constexpr const char* kProvider = "made-by-hand";

DAT_RETURN opens_nothing(const DAT_NAME_PTR, DAT_COUNT, DAT_EVD_HANDLE*, DAT_IA_HANDLE*) {
  return DAT_CLASS_ERROR | DAT_INTERNAL_ERROR;
}

DAT_RETURN closes_nothing(DAT_IA_HANDLE, DAT_CLOSE_FLAGS) {
  return DAT_CLASS_ERROR | DAT_INTERNAL_ERROR;
}

DAT_RETURN close(Stage& s, DAT_CLOSE_FLAGS flags) {
  const DAT_RETURN answer = dat_ia_close(s.active.ia, flags);
  if (answer == DAT_SUCCESS) s.active = {};
  return answer;
}

constexpr ShortCall kIaCalls[] = {
    {"ia_open", Answers::kShortage, nullptr,
     [](Stage& s) {
       DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
       return made(
           s,
           [&](DAT_HANDLE* ia) {
             return dat_ia_open(const_cast<char*>(ia_name().c_str()), 8, &async, ia);
           },
           &close_abruptly);
     },
     nullptr},
    {"ia_query", Answers::kSuccess, nullptr,
     [](Stage& s) {
       DAT_IA_ATTR ia{};
       DAT_PROVIDER_ATTR provider{};
       return dat_ia_query(s.active.ia, nullptr, DAT_IA_FIELD_ALL, &ia, DAT_PROVIDER_FIELD_ALL,
                           &provider);
     },
     nullptr},
    {"ia_close_abrupt", Answers::kSuccess, &Stage::bind,
     [](Stage& s) { return close(s, DAT_CLOSE_ABRUPT_FLAG); }, nullptr},
    {"ia_close_abrupt_with_a_request", Answers::kSuccess, &Stage::request,
     [](Stage& s) { return close(s, DAT_CLOSE_ABRUPT_FLAG); }, nullptr},
    {"ia_close_graceful_in_use", Answers::kSuccess, &Stage::connect,
     [](Stage& s) {
       const DAT_RETURN answer = dat_ia_close(s.active.ia, DAT_CLOSE_GRACEFUL_FLAG);
       return DAT_GET_TYPE(answer) == DAT_INVALID_STATE ? DAT_RETURN{DAT_SUCCESS} : answer;
     },
     nullptr},
    {"registry_list_providers", Answers::kShortage, nullptr,
     [](Stage&) {
       static std::array<DAT_PROVIDER_INFO, 32> found;
       std::array<DAT_PROVIDER_INFO*, 32> places{};
       for (std::size_t i = 0; i < found.size(); ++i) places[i] = &found[i];
       DAT_COUNT count = 0;
       return dat_registry_list_providers(32, &count, places.data());
     },
     nullptr},
    {"registry_add_and_remove_provider", Answers::kShortage, nullptr,
     [](Stage&) {
       static DAT_PROVIDER table{};
       table.device_name = kProvider;
       table.ia_open_func = &opens_nothing;
       table.ia_close_func = &closes_nothing;
       DAT_PROVIDER_INFO info{};
       std::strncpy(info.ia_name, kProvider, sizeof info.ia_name - 1);
       info.dapl_version_major = kApiMajor;
       info.dapl_version_minor = kApiMinor;
       const DAT_RETURN added = dat_registry_add_provider(&table, &info);
       return added == DAT_SUCCESS ? dat_registry_remove_provider(&table, &info) : added;
     },
     nullptr},
    {"consumer_context", Answers::kSuccess, nullptr,
     [](Stage& s) {
       DAT_CONTEXT context{};
       const DAT_RETURN answer = dat_set_consumer_context(s.active.ep, context);
       return answer == DAT_SUCCESS ? dat_get_consumer_context(s.active.ep, &context) : answer;
     },
     nullptr},
    {"get_handle_type", Answers::kSuccess, nullptr,
     [](Stage& s) {
       DAT_HANDLE_TYPE type{};
       return dat_get_handle_type(s.active.ep, &type);
     },
     nullptr},
    {"strerror", Answers::kSuccess, nullptr,
     [](Stage&) {
       const char* major = nullptr;
       const char* minor = nullptr;
       return dat_strerror(DAT_CLASS_ERROR | DAT_INVALID_STATE, &major, &minor);
     },
     nullptr},
};

} // namespace

std::span<const ShortCall> short_calls_of_adapters() {
  return kIaCalls;
}

} // namespace datum::test
