# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Under a sanitizer nearly every test program runs whole, since it starts a process more slowly still. What
# is left out stands, with its reason, in not-sanitized.txt.
file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/not-sanitized.txt datum_not_sanitized REGEX "^[^#]")
set_property(DIRECTORY APPEND PROPERTY
  CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/not-sanitized.txt)
set(datum_left_out)
foreach(line IN LISTS datum_not_sanitized)
  if(NOT line MATCHES "^(address|thread|both) ([^ :]+): .")
    message(FATAL_ERROR "not-sanitized.txt: expected `which pattern: reason`, found `${line}`")
  endif()
  if(CMAKE_MATCH_1 STREQUAL DATUM_SANITIZE OR CMAKE_MATCH_1 STREQUAL "both")
    list(APPEND datum_left_out ${CMAKE_MATCH_2})
  endif()
endforeach()
list(JOIN datum_left_out ":" datum_left_out)

# Each test of these wants its process to itself: it looks at what libdat has initialised so far, or
# at all the memory that the allocator holds.
set(datum_each_alone registry_libdat_test memory_test)

# In the place of GoogleTest's own, with what our tests say to it.
function(gtest_discover_tests target)
  if(target IN_LIST datum_each_alone)
    _gtest_discover_tests(${target} TEST_FILTER -${datum_left_out} ${ARGN})
    return()
  endif()
  datum_discover_whole(${target} ${ARGN})
endfunction()
