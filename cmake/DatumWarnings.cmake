# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# One set of warnings for everything that we compile. DATUM_WERROR turns warnings into errors, as CI
# does.
option(DATUM_WERROR "Treat warnings as errors" OFF)

add_library(datum_warnings INTERFACE)
target_compile_options(datum_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef -Wcast-align
  -Wwrite-strings -Wpointer-arith -Wformat=2 -Wmissing-declarations
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Wextra-semi>
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wduplicated-cond -Wlogical-op>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:Clang>>:-Wthread-safety>
  $<$<BOOL:${DATUM_WERROR}>:-Werror>)
