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

set(datum_whole_programs ON)
# Each test of these wants its process to itself: it looks at what libdat has initialised so far, or
# at all the memory that the allocator holds.
set(datum_each_alone registry_libdat_test memory_test)
