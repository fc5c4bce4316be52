# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The defaults of a build that names no preset: a build type, a compiler cache if there is one, and
# DATUM_LTO.
get_property(datum_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT datum_multi_config AND NOT CMAKE_BUILD_TYPE)
  message(STATUS "No build type given: RelWithDebInfo")
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
# Only Debug has assertions. Packagers name a build type that CMake does not know (None, Plain),
# give their own flags and leave out -DNDEBUG.
if(NOT datum_multi_config AND NOT CMAKE_BUILD_TYPE MATCHES "^(Debug|Release|RelWithDebInfo|MinSizeRel)$")
  message(STATUS "Build type ${CMAKE_BUILD_TYPE}: with the compiler flags of the caller, without assertions")
endif()
add_compile_definitions($<$<NOT:$<CONFIG:Debug>>:NDEBUG>)
# Turns on DATUM_ASSERT (src/base/assertion.h), which Debug has anyway.
option(DATUM_ASSERTIONS "Check what our own code promises to itself, whatever the build type" OFF)
add_compile_definitions($<$<OR:$<CONFIG:Debug>,$<BOOL:${DATUM_ASSERTIONS}>>:DATUM_ASSERTIONS>)

find_program(DATUM_CCACHE ccache DOC "Compiler cache, used when present")
mark_as_advanced(DATUM_CCACHE)
if(DATUM_CCACHE)
  foreach(language C CXX)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${DATUM_CCACHE})
    endif()
  endforeach()
endif()

option(DATUM_LTO "Optimise across source files at link time, if the compiler can" OFF)
if(DATUM_LTO)
  include(CheckIPOSupported)
  check_ipo_supported(RESULT datum_lto_works OUTPUT datum_lto_reason LANGUAGES C CXX)
  if(datum_lto_works)
    set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
  else()
    message(WARNING "DATUM_LTO is on, but this compiler cannot do it: ${datum_lto_reason}")
  endif()
endif()
