// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/registry_probe.cc: a consumer that the environment tests start.
//   registry_probe list            a line "name u1.2 threadsafe" for each entry
//   registry_probe open NAME...    a line "NAME 0x00000000" for each name; opened IAs are closed
#include <cstdio>
#include <cstring>
#include <dat/udat.h>
#include <vector>

namespace {

int list() {
  DAT_COUNT number = 0;
  dat_registry_list_providers(0, &number, nullptr);
  std::vector<DAT_PROVIDER_INFO> infos(static_cast<std::size_t>(number));
  std::vector<DAT_PROVIDER_INFO*> pointers;
  for (DAT_PROVIDER_INFO& info : infos) pointers.push_back(&info);
  if (dat_registry_list_providers(number, &number, pointers.data()) != DAT_SUCCESS) return 1;
  for (const DAT_PROVIDER_INFO& info : infos)
    std::printf("%s u%u.%u %s\n", info.ia_name, info.dapl_version_major, info.dapl_version_minor,
                info.is_thread_safe != DAT_FALSE ? "threadsafe" : "nonthreadsafe");
  return 0;
}

void open(char* name) {
  DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
  const DAT_RETURN ret = dat_ia_open(name, 8, &evd, &ia);
  std::printf("%s 0x%08x\n", name, ret);
  if (ret == DAT_SUCCESS) dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG);
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "list") == 0) return list();
  if (argc < 3 || std::strcmp(argv[1], "open") != 0) return 2;
  for (int i = 2; i < argc; ++i) open(argv[i]);
  return 0;
}
