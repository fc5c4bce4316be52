// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// memory/jemalloc_private.h: a private copy of jemalloc, under names that clash with no other.
// Lives here: declarations of the functions that jemalloc_names.txt renames in the static library.
#pragma once

#include <cstddef>
#include <jemalloc/jemalloc.h>

extern "C" {
extern const char* datum_je_malloc_conf;
void* datum_je_malloc(std::size_t size);
void* datum_je_calloc(std::size_t count, std::size_t size);
void* datum_je_realloc(void* block, std::size_t size);
void datum_je_free(void* block);
int datum_je_posix_memalign(void** block, std::size_t alignment, std::size_t size);
std::size_t datum_je_malloc_usable_size(void* block);
void* datum_je_mallocx(std::size_t size, int flags);
void* datum_je_rallocx(void* block, std::size_t size, int flags);
void datum_je_dallocx(void* block, int flags);
int datum_je_mallctl(const char* name, void* old_value, std::size_t* old_length, void* new_value,
                     std::size_t new_length);
}
