# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# DATUM_SANITIZE: empty, "address" (with undefined behaviour) or "thread". The presets set it.
set(DATUM_SANITIZE "" CACHE STRING "address, thread or empty")

if(DATUM_SANITIZE STREQUAL "address")
  # A C program may put any number into an enum of the DAT headers: it is read and answered with
  # DAT_INVALID_PARAMETER, and that read is what the enum check would end the program for.
  # The vptr check reads through a pipe that it opens: where no descriptor is left, as in the tests of
  # that shortage, it takes a good object for a bad one (IsAccessibleMemoryRange in libsanitizer).
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=enum,vptr -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  # A program in C loads libraries in C++, whose checks it has to bring along.
  add_link_options($<$<LINK_LANG_AND_ID:C,Clang>:-fsanitize-link-c++-runtime>)
  link_libraries($<$<LINK_LANG_AND_ID:C,Clang>:stdc++>)
elseif(DATUM_SANITIZE STREQUAL "thread")
  # GCC warns that it does not model fences; the hand-over through the ring is acquire and release.
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer
                      $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  add_link_options(-fsanitize=thread)
elseif(DATUM_SANITIZE)
  message(FATAL_ERROR "DATUM_SANITIZE=${DATUM_SANITIZE}: expected address, thread or nothing")
endif()

if(DATUM_FUZZ)
  # Coverage of the product guides the fuzzer; only its targets are linked with its main().
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()
