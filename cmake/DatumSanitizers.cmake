# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# DATUM_SANITIZE: empty, "address" (with undefined behaviour) or "thread". The presets set it.
set(DATUM_SANITIZE "" CACHE STRING "address, thread or empty")

if(DATUM_SANITIZE STREQUAL "address")
  # A C program may put any number into an enum of the DAT headers. Datum reads it and answers with
  # DAT_INVALID_PARAMETER, but the enum check would end the program at that read.
  # The vptr check reads memory through a pipe that it opens. If no descriptor is left, as in the
  # tests of that shortage, it takes a good object for a bad one (IsAccessibleMemoryRange in
  # libsanitizer).
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=enum,vptr -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  # A C program loads C++ libraries, and has to bring along the run-time library for their checks.
  add_link_options($<$<LINK_LANG_AND_ID:C,Clang>:-fsanitize-link-c++-runtime>)
  link_libraries($<$<LINK_LANG_AND_ID:C,Clang>:stdc++>)
elseif(DATUM_SANITIZE STREQUAL "thread")
  # GCC warns that ThreadSanitizer does not model fences. The ring hands records over by acquire and
  # release.
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer
                      $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  add_link_options(-fsanitize=thread)
elseif(DATUM_SANITIZE)
  message(FATAL_ERROR "DATUM_SANITIZE=${DATUM_SANITIZE}: expected address, thread or nothing")
endif()

if(DATUM_FUZZ)
  # Coverage of the product guides the fuzzer. Only the fuzzer's targets are linked with its main().
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()
