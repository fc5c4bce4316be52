/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * datum/memory.h: memory that a peer process of the same host can map.
 * Lives here: the allocator (libdatum.so.1) and the lookup of the file that backs a range.
 * Not here:   DAT calls; memory from here is registered with dat_lmr_create like any other.
 * Manual:     datum_memory(3). Every function is thread-safe.
 */
#ifndef DATUM_MEMORY_H
#define DATUM_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define DATUM_MEMORY_API __attribute__((visibility("default")))
#else
#define DATUM_MEMORY_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The pages of a block, as far as the kernel tells. */
enum datum_memory_pages {
  DATUM_MEMORY_PAGES_BASE = 0,        /* ordinary pages */
  DATUM_MEMORY_PAGES_ADVISED = 1,     /* huge pages asked for and allowed, but not confirmed */
  DATUM_MEMORY_PAGES_TRANSPARENT = 2, /* transparent huge pages, confirmed for the whole block */
  DATUM_MEMORY_PAGES_HUGETLB = 3      /* pages of the hugetlb pool */
};

/* A bit in datum_memory_backing.flags: the file can neither shrink nor grow. So an access to a
   mapping of it never raises SIGBUS because of a truncation. */
#define DATUM_MEMORY_SEALED 0x1u

struct datum_memory_backing {
  int fd;          /* a descriptor of the library in this process: never close it */
  uint32_t flags;  /* DATUM_MEMORY_SEALED */
  uint64_t offset; /* offset of the range's first byte in the file */
  uint64_t length; /* bytes from offset to the end of the file; >= the size asked */
  /* st_dev and st_ino of the file: a process that opens it through /proc/PID/fd can check them. */
  uint64_t device;
  uint64_t inode;
  enum datum_memory_pages pages; /* the pages of the file that backs the range */
};

/* The allocating functions return NULL with errno (ENOMEM, EMFILE, ENFILE, EFBIG, EINVAL, ...) if
   no shareable memory can be had, and never memory of another kind. */
DATUM_MEMORY_API void* datum_memory_alloc(size_t size);
DATUM_MEMORY_API void* datum_memory_calloc(size_t count, size_t size);
DATUM_MEMORY_API void* datum_memory_realloc(void* block, size_t size);
DATUM_MEMORY_API void* datum_memory_aligned(size_t alignment, size_t size);
DATUM_MEMORY_API void datum_memory_free(void* block);
DATUM_MEMORY_API size_t datum_memory_usable_size(const void* block);

/* Returns a block in a file of its own, on the largest pages that can be had now. 'obtained', which
   may be NULL, gets their kind. The memory is zero and present at once. */
DATUM_MEMORY_API void* datum_memory_alloc_huge(size_t size, enum datum_memory_pages* obtained);

/* Gives free memory back to the kernel now instead of a few seconds later. */
DATUM_MEMORY_API void datum_memory_trim(void);

/* Returns 0 and fills *backing, or EINVAL (no range), ENOENT (no single file of this library has
   the whole range), EBADF (a file has it, but the program has closed its descriptor, or there was
   none after fork). Takes no lock, does not change errno, may be called from a signal handler. */
DATUM_MEMORY_API int datum_memory_lookup(const void* address, size_t size,
                                         struct datum_memory_backing* backing);

#ifdef __cplusplus
}
#endif

#endif
