// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "libc_caller.h"

#include <cstdlib>
#include <link.h>
#include <sys/auxv.h>

namespace datum::memory {
namespace {

struct Search {
  std::uintptr_t inside; // an address in the object that this search looks for
  std::uintptr_t begin = 0, length = 0;
};

int look_at(dl_phdr_info* object, std::size_t, void* context) {
  Search& search = *static_cast<Search*>(context);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    if (search.inside - begin >= part.p_memsz && object->dlpi_addr != search.inside) continue;
    search.begin = begin;
    search.length = part.p_memsz;
    return 1;
  }
  return 0;
}

} // namespace

void LibcCallers::find() {
  Search libc{reinterpret_cast<std::uintptr_t>(&std::abort)};
  dl_iterate_phdr(look_at, &libc);
  libc_ = {libc.begin, libc.length};
  Search loader{getauxval(AT_BASE)}; // the loader's load address
  if (loader.inside != 0) dl_iterate_phdr(look_at, &loader);
  loader_ = {loader.begin, loader.length};
}

} // namespace datum::memory
