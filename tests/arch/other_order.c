// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// other_order.c: /proc/net/tcp and /proc/net/tcp6 as a big-endian kernel prints them, for a
// big-endian process that qemu-user runs on a little-endian kernel. The kernel prints each 32-bit
// word of an address as a number, and qemu-user does not change the text. Test programs are linked
// with this file.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int (*next_open)(const char*, int, ...);
static int (*next_open64)(const char*, int, ...);

// Runs before main(), because a child of a process with several threads could not use dlsym().
__attribute__((constructor)) static void begin(void) {
  *(void**)&next_open = dlsym(RTLD_NEXT, "open"); // as dlsym(3) casts
  *(void**)&next_open64 = dlsym(RTLD_NEXT, "open64");
}

static void turn(char* at, size_t size) {
  for (size_t i = 0; i < size / 2; ++i) {
    const char octet = at[i];
    at[i] = at[size - 1 - i];
    at[size - 1 - i] = octet;
  }
}

static size_t hexadecimal(const char* text) {
  return strspn(text, "0123456789ABCDEF");
}

// Reverses the octets in the words of each address, which is 8 or 32 digits before a colon.
static void turn_addresses(char* text) {
  while (*text != 0) {
    const size_t digits = hexadecimal(text);
    if ((digits == 8 || digits == 32) && text[digits] == ':' && hexadecimal(text + digits + 1) == 4)
      for (size_t word = 0; word < digits; word += 8) {
        turn(text + word, 8);
        for (size_t octet = 0; octet < 8; octet += 2) turn(text + word + octet, 2);
      }
    text += digits == 0 ? 1 : digits;
  }
}

// Returns a file with the turned text of `file`, and closes `file`. Fails as open(2) does.
static int turned_copy(int file) {
  enum { kStep = 1 << 16 };
  char* text = NULL;
  size_t length = 0;
  ssize_t got = 0;
  do {
    text = realloc(text, length + kStep + 1);
    if (text == NULL) abort();
    got = read(file, text + length, kStep);
    length += got > 0 ? (size_t)got : 0;
  } while (got > 0);
  close(file);
  text[length] = 0;
  turn_addresses(text);
  const int copy = memfd_create("turned", MFD_CLOEXEC);
  if (copy >= 0 && (write(copy, text, length) != (ssize_t)length || lseek(copy, 0, SEEK_SET) != 0))
    abort();
  free(text);
  return copy;
}

static int as_list(const char* path, int file) {
  const int is_list = strcmp(path, "/proc/net/tcp") == 0 || strcmp(path, "/proc/net/tcp6") == 0;
  return file >= 0 && is_list ? turned_copy(file) : file;
}

#define MODE_BEHIND(flags)                                                                         \
  mode_t mode = 0;                                                                                 \
  if (((flags) & (O_CREAT | O_TMPFILE)) != 0) {                                                    \
    va_list more;                                                                                  \
    va_start(more, flags);                                                                         \
    mode = (mode_t)va_arg(more, unsigned);                                                         \
    va_end(more);                                                                                  \
  }

int open(const char* path, int flags, ...) {
  MODE_BEHIND(flags)
  if (next_open == NULL) begin();
  return as_list(path, next_open(path, flags, mode));
}
int open64(const char* path, int flags, ...) {
  MODE_BEHIND(flags)
  if (next_open64 == NULL) begin();
  return as_list(path, next_open64(path, flags, mode));
}
