// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// older_glibc.c: functions that GCC's run-time libraries need from glibc 2.35 and 2.36, for systems
// with an older glibc (DATUM_STATIC_RUNTIME). These libraries were built on this machine's glibc.
// Linked into our programs and libraries, they would make these need it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

struct search {
  uintptr_t address;
  struct dl_find_object* result;
};

static int look_at(struct dl_phdr_info* object, size_t size, void* argument) {
  (void)size;
  const struct search* const search = argument;
  struct dl_find_object* const result = search->result;
  uintptr_t start = UINTPTR_MAX, end = 0, table = 0;
  int found = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const segment = &object->dlpi_phdr[i];
    const uintptr_t first = object->dlpi_addr + segment->p_vaddr;
    const uintptr_t last = first + segment->p_memsz;
    if (segment->p_type == PT_GNU_EH_FRAME) table = first;
    if (segment->p_type != PT_LOAD) continue;
    if (first < start) start = first;
    if (last > end) end = last;
    if (search->address >= first && search->address < last) found = 1;
  }
  if (!found || table == 0) return 0;
  *result = (struct dl_find_object){
      .dlfo_map_start = (void*)start, .dlfo_map_end = (void*)end, .dlfo_eh_frame = (void*)table};
  return 1;
}

// glibc 2.35. The unwinder calls this function to find the unwinding table for the code at an
// address. Older glibc gives the same by dl_iterate_phdr, which is slower, but only exceptions wait
// for it.
int _dl_find_object(void* address, struct dl_find_object* result) {
  struct search search = {(uintptr_t)address, result};
  return dl_iterate_phdr(look_at, &search) == 1 ? 0 : -1;
}

// glibc 2.36. std::random_device would call this function, but no code of ours uses
// std::random_device.
uint32_t arc4random(void) {
  uint32_t value = 0;
  if (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value) abort();
  return value;
}
