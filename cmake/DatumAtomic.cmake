# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Some compilers call functions for atomics of one octet, as GCC 12 does on riscv64. libatomic has
# these functions.
include(CheckCXXSourceCompiles)

set(datum_exchanges_an_octet "
#include <atomic>
std::atomic<bool> told{false};
int main() { return told.exchange(true) ? 1 : 0; }")
check_cxx_source_compiles("${datum_exchanges_an_octet}" datum_atomics_are_inline)
if(NOT datum_atomics_are_inline)
  link_libraries(-latomic)
endif()
