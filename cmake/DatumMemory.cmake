# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Whether the memory extension is built: libdatum.so.1, libdatum-malloc.so and their tests. It needs
# a jemalloc that can be linked into a shared library, which not every distribution has. Without
# one, jemalloc is built from a folder with its source. Nothing is downloaded.
set(DATUM_MEMORY auto CACHE STRING "The memory extension (datum/memory.h): auto (if there is a jemalloc), off")
set_property(CACHE DATUM_MEMORY PROPERTY STRINGS auto off)
set(DATUM_JEMALLOC_SOURCE "" CACHE PATH "Folder with the source of jemalloc 5.3, instead of the installed archive")
set(DATUM_HAVE_MEMORY 0)
set(datum_jemalloc "")
set(datum_jemalloc_include "")

# What ${build} holds, or gets when jemalloc is built: the archive, and the header that configure
# makes.
function(datum_build_jemalloc source build)
  set(flags "-O2 -g -fPIC -fstack-protector-strong -ffile-prefix-map=${source}=jemalloc -ffile-prefix-map=${build}=jemalloc")
  # The largest page size that the library can run with. It works on machines with smaller pages,
  # not with larger ones.
  set(lg_page 16)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i.86)$")
    set(lg_page 12)
  endif()
  set(host "")
  if(CMAKE_CROSSCOMPILING)
    set(host --host=${CMAKE_LIBRARY_ARCHITECTURE})
  endif()
  find_program(DATUM_MAKE NAMES gmake make REQUIRED DOC "make, by which jemalloc is built")
  mark_as_advanced(DATUM_MAKE)
  # initial-exec is jemalloc's default, and src/memory/CMakeLists.txt relies on it. C++ and the
  # profiler's statistics are left out, because no code of ours uses them.
  add_custom_command(
    OUTPUT ${build}/lib/libjemalloc_pic.a ${build}/include/jemalloc/jemalloc.h
    COMMAND ${CMAKE_COMMAND} -E make_directory ${build}
    COMMAND ${CMAKE_COMMAND} -E chdir ${build}
            ${source}/configure ${host} --with-lg-page=${lg_page} --with-lg-hugepage=21 --disable-cxx --disable-doc
            "CC=${CMAKE_C_COMPILER} ${CMAKE_C_COMPILER_ARG1}" "AR=${CMAKE_AR}" "RANLIB=${CMAKE_RANLIB}" "CFLAGS=${flags}"
            > ${build}.log
    COMMAND ${DATUM_MAKE} -C ${build} lib/libjemalloc_pic.a >> ${build}.log
    DEPENDS ${source}/configure
    COMMENT "Building jemalloc from ${source}"
    VERBATIM)
endfunction()

if(NOT DATUM_MEMORY STREQUAL "off")
  if(DATUM_JEMALLOC_SOURCE)
    if(NOT EXISTS ${DATUM_JEMALLOC_SOURCE}/configure)
      message(FATAL_ERROR "DATUM_JEMALLOC_SOURCE=${DATUM_JEMALLOC_SOURCE}: no configure in there; it takes a released "
        "source, as \"apt-get source jemalloc\" unpacks it, or one where autogen.sh was run")
    endif()
    get_filename_component(datum_jemalloc_source ${DATUM_JEMALLOC_SOURCE} REALPATH)
    set(datum_jemalloc ${CMAKE_BINARY_DIR}/jemalloc/lib/libjemalloc_pic.a)
    set(datum_jemalloc_include ${CMAKE_BINARY_DIR}/jemalloc/include)
    set(datum_jemalloc_origin "jemalloc built from ${datum_jemalloc_source}")
  else()
    find_library(DATUM_JEMALLOC NAMES libjemalloc_pic.a DOC "jemalloc, for shared libraries")
    mark_as_advanced(DATUM_JEMALLOC)
    if(DATUM_JEMALLOC)
      set(datum_jemalloc ${DATUM_JEMALLOC})
      set(datum_jemalloc_origin ${DATUM_JEMALLOC})
    endif()
  endif()
endif()
if(datum_jemalloc)
  set(DATUM_HAVE_MEMORY 1)
  message(STATUS "Memory extension: on, with ${datum_jemalloc_origin}")
elseif(DATUM_MEMORY STREQUAL "off")
  message(STATUS "Memory extension: off (DATUM_MEMORY=off)")
else()
  message(STATUS "Memory extension: off (no libjemalloc_pic.a; Debian's is in libjemalloc-dev, or DATUM_JEMALLOC_SOURCE=DIR)")
endif()
