# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# DATUM_HARDEN: options that make a fault in our code harder to exploit, for all installed files.
# docs/lab/2026-11-26-hardening.md says why these were chosen and what they cost.
# scripts/check-elf.py finds an installed file without them.
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)
include(CheckPIESupported)
check_pie_supported()

option(DATUM_HARDEN "Stack protector, checked library calls, read-only relocations, marked jump targets" ON)

# The newest level that compiler and C library know. glibc's headers show which level results from
# the macro.
set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
check_cxx_source_compiles("#include <features.h>
#if __USE_FORTIFY_LEVEL < 3
#error
#endif
int main() {}" datum_has_fortify_3)
unset(CMAKE_REQUIRED_FLAGS)
check_cxx_compiler_flag(-fcf-protection=full datum_has_cf_protection) # x86 only

# datum_harden(): hardens the targets of this folder and those below.
macro(datum_harden)
  if(DATUM_HARDEN)
    add_compile_options(-fstack-protector-strong)
    if(datum_has_cf_protection)
      add_compile_options(-fcf-protection=full)
    endif()
    add_link_options(LINKER:-z,relro LINKER:-z,now)
    # Fortification needs optimisation, which Debug may lack, and it hides calls from the
    # sanitizers. A distribution may have set another level.
    if(NOT DATUM_SANITIZE)
      add_compile_options("$<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>"
                          "$<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=$<IF:$<BOOL:${datum_has_fortify_3}>,3,2>>")
    endif()
  endif()
endmacro()
