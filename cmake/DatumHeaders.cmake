# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# DATUM_PRECOMPILE: the standard library's headers are most of what the compiler reads. With this
# option they are read only once for all of src and tools. Builds of the tests set it. Builds to be
# installed do not, so they find a source that does not include a header that it uses.
# That no target uses them shows only in the time that a build takes. So it is an error.
include(EachTarget)

option(DATUM_PRECOMPILE "Read the standard library's headers once" OFF)

# The headers that take longest to read, and those that nearly every source includes.
set(datum_common_headers
  <algorithm> <array> <atomic> <charconv> <chrono> <deque> <functional> <memory> <optional> <span> <string> <string_view>
  <system_error> <vector>)

function(datum_precompile_headers_in target programs libraries)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set(holder ${programs})
  elseif(type MATCHES "^(STATIC|SHARED|MODULE)_LIBRARY$")
    set(holder ${libraries})
  else()
    return()
  endif()
  # A compiler takes a precompiled header only with the options that it was compiled with.
  get_target_property(options ${target} COMPILE_OPTIONS)
  get_target_property(options_of_holder ${holder} COMPILE_OPTIONS)
  if(options STREQUAL options_of_holder AND NOT target STREQUAL holder)
    target_precompile_headers(${target} REUSE_FROM ${holder})
    set_property(TARGET ${holder} PROPERTY DATUM_IS_REUSED ON)
  endif()
endfunction()

# datum_precompile_headers(): for the C++ targets of this folder and those below, which are compiled
# with the same options.
function(datum_precompile_headers)
  if(NOT DATUM_PRECOMPILE)
    return()
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/common_headers.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Only the headers count.\nint main() { return 0; }\n")
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  # The code of programs and that of libraries are compiled with different options.
  set(programs datum_${folder}_headers_of_programs)
  set(libraries datum_${folder}_headers_of_libraries)
  add_executable(${programs} EXCLUDE_FROM_ALL ${source})
  add_library(${libraries} STATIC EXCLUDE_FROM_ALL ${source})
  foreach(target IN ITEMS ${programs} ${libraries})
    target_link_libraries(${target} PRIVATE datum_warnings)
    target_precompile_headers(${target} PRIVATE ${datum_common_headers})
  endforeach()
  datum_for_each_target(${CMAKE_CURRENT_SOURCE_DIR} datum_precompile_headers_in ${programs} ${libraries})
  get_target_property(reused ${libraries} DATUM_IS_REUSED)
  if(NOT reused)
    message(FATAL_ERROR "no library in ${folder} uses the precompiled headers: their options differ")
  endif()
endfunction()
