# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# GoogleTest is most of what the compiler reads in a test: read once, for all test programs of the
# folders below. This program holds no test; a library would be compiled with other options.
include(EachTarget)

file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/test_headers.cc CONTENT "// Only the header.\n")
add_executable(datum_test_headers EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/test_headers.cc)
target_link_libraries(datum_test_headers PRIVATE GTest::gtest_main datum_warnings)
target_precompile_headers(datum_test_headers PRIVATE <gtest/gtest.h>)

function(datum_precompile_test_headers_in target)
  get_target_property(type ${target} TYPE)
  get_target_property(own ${target} PRECOMPILE_HEADERS)
  if(own OR NOT type STREQUAL "EXECUTABLE" OR target STREQUAL "datum_test_headers")
    return()
  endif()
  get_target_property(libraries ${target} LINK_LIBRARIES)
  if(libraries MATCHES "GTest::|datum_conformance_harness|datum_sim_world")
    target_precompile_headers(${target} REUSE_FROM datum_test_headers)
  endif()
endfunction()

function(datum_precompile_test_headers)
  datum_for_each_target(${CMAKE_CURRENT_SOURCE_DIR} datum_precompile_test_headers_in)
endfunction()
