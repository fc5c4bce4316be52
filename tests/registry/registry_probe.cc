// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/registry_probe.cc: a consumer that the environment tests start.
//   registry_probe list            a line "name u1.2 threadsafe" for each entry
//   registry_probe list-of-8 N     asks N times with a list of 8, prints "0x00000000 8" each time,
//                                  then prints the entries of the last answer as `list` does
//   registry_probe thread-safety NAME   opens NAME for programs without and with threads, and
//                                       prints "asked 0 told 0" for each
//   registry_probe refusals NAME   calls that are refused, one of them an open of NAME
//   registry_probe open NAME...    a line "NAME 0x00000000" for each name; opened IAs are closed
//   registry_probe open-version-2 NAME...   the same as a program of DAT 2.0
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dat/udat.h>
#include <vector>

namespace {

void print(const DAT_PROVIDER_INFO& info) {
  std::printf("%s u%u.%u %s\n", info.ia_name, info.dapl_version_major, info.dapl_version_minor,
              info.is_thread_safe != DAT_FALSE ? "threadsafe" : "nonthreadsafe");
}

int list_of_8(int times) {
  DAT_PROVIDER_INFO infos[8];
  DAT_PROVIDER_INFO* pointers[8];
  for (int i = 0; i < 8; ++i) pointers[i] = &infos[i];
  DAT_RETURN ret = DAT_SUCCESS;
  DAT_COUNT number = 0;
  for (; times > 0; --times) {
    ret = dat_registry_list_providers(8, &number, pointers);
    std::printf("0x%08x %d\n", ret, number);
  }
  for (int i = 0; ret == DAT_SUCCESS && i < number; ++i) print(infos[i]);
  return 0;
}

int thread_safety(char* name) {
  for (const DAT_BOOLEAN asked : {DAT_FALSE, DAT_TRUE}) {
    DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
    DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
    if (dat_ia_openv(name, 8, &evd, &ia, 1, 2, asked) != DAT_SUCCESS) return 1;
    DAT_PROVIDER_ATTR attributes{};
    dat_ia_query(ia, nullptr, 0, nullptr, DAT_PROVIDER_FIELD_ALL, &attributes);
    std::printf("asked %d told %d\n", asked != DAT_FALSE, attributes.is_thread_safe != DAT_FALSE);
    dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG);
  }
  return 0;
}

int refusals(char* unknown) {
  DAT_COUNT number = 0;
  DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
  dat_ia_open(nullptr, 8, &evd, &ia);
  dat_ia_open(unknown, 8, &evd, &ia);
  dat_ia_close(DAT_HANDLE_NULL, DAT_CLOSE_DEFAULT);
  dat_pz_free(reinterpret_cast<DAT_PZ_HANDLE>(8));
  dat_registry_list_providers(-1, &number, nullptr);
  dat_ia_query(reinterpret_cast<DAT_IA_HANDLE>(77), nullptr, 0, nullptr, 0, nullptr);
  dat_ia_openv(const_cast<char*>("datum"), 8, &evd, &ia, 7, 3, DAT_FALSE);
  dat_strerror(DAT_SUCCESS, nullptr, nullptr);
  return 0;
}

int list() {
  DAT_COUNT number = 0;
  dat_registry_list_providers(0, &number, nullptr);
  std::vector<DAT_PROVIDER_INFO> infos(static_cast<std::size_t>(number));
  std::vector<DAT_PROVIDER_INFO*> pointers;
  for (DAT_PROVIDER_INFO& info : infos) pointers.push_back(&info);
  if (dat_registry_list_providers(number, &number, pointers.data()) != DAT_SUCCESS) return 1;
  for (const DAT_PROVIDER_INFO& info : infos) print(info);
  return 0;
}

void open(char* name, DAT_UINT32 major, DAT_UINT32 minor) {
  DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
  const DAT_RETURN ret = dat_ia_openv(name, 8, &evd, &ia, major, minor, DAT_FALSE);
  std::printf("%s 0x%08x\n", name, ret);
  if (ret == DAT_SUCCESS) dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG);
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "list") == 0) return list();
  if (argc < 3) return 2;
  if (std::strcmp(argv[1], "list-of-8") == 0) return list_of_8(std::atoi(argv[2]));
  if (std::strcmp(argv[1], "thread-safety") == 0) return thread_safety(argv[2]);
  if (std::strcmp(argv[1], "refusals") == 0) return refusals(argv[2]);
  const bool of_dat2 = std::strcmp(argv[1], "open-version-2") == 0;
  if (!of_dat2 && std::strcmp(argv[1], "open") != 0) return 2;
  for (int i = 2; i < argc; ++i) open(argv[i], of_dat2 ? 2 : 1, of_dat2 ? 0 : 2);
  return 0;
}
