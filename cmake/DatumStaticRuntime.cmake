# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# DATUM_STATIC_RUNTIME: programs and libraries that need only the C library, for the tarball of
# `make portable`. A distribution's packages share the C++ run-time library instead. Both ways work,
# because the interfaces of our libraries are C, and no exception crosses them.
include(CheckSymbolExists)

option(DATUM_STATIC_RUNTIME "Link the run-time libraries of C++ and GCC, and xxhash, statically" OFF)

if(DATUM_STATIC_RUNTIME)
  set(CMAKE_REQUIRED_DEFINITIONS -D_GNU_SOURCE)
  check_symbol_exists(_dl_find_object dlfcn.h datum_has_dl_find_object)
  unset(CMAKE_REQUIRED_DEFINITIONS)
  if(datum_has_dl_find_object)
    add_library(datum_older_glibc STATIC ${CMAKE_SOURCE_DIR}/cmake/older_glibc.c)
    # Hidden (CMAKE_C_VISIBILITY_PRESET): each library and program calls its own copy.
    set_target_properties(datum_older_glibc PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
  endif()
endif()

# datum_static_runtime(): applies this to the targets of this folder and those below.
macro(datum_static_runtime)
  if(DATUM_STATIC_RUNTIME)
    add_link_options(-static-libgcc $<$<LINK_LANGUAGE:CXX>:-static-libstdc++>)
    if(TARGET datum_older_glibc)
      # Demanded at once, because the libraries that need it come last on the command line.
      add_link_options(LINKER:--undefined=_dl_find_object)
      link_libraries(datum_older_glibc)
    endif()
  endif()
endmacro()
