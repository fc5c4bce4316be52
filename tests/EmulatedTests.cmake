# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# For another processor tests run under an emulator (scripts/arch.sh). What it cannot do stands, with its reason, in
# arch/not-emulated.txt.
file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/arch/not-emulated.txt datum_not_emulated REGEX "^[^#]")
set_property(DIRECTORY APPEND PROPERTY
  CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/arch/not-emulated.txt)
# Seconds for a whole program. One that hangs is ended long before, and says in which test (arch/watch.py).
set(datum_program_timeout 1800)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(datum_program_launcher Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/arch/watch.py 300)
set(datum_left_out)
set(datum_programs_left_out)
foreach(line IN LISTS datum_not_emulated)
  if(NOT line MATCHES "^([a-z0-9_]+) ([^ :]+): .")
    message(FATAL_ERROR "not-emulated.txt: expected `which pattern: reason`, found `${line}`")
  endif()
  set(which ${CMAKE_MATCH_1})
  set(pattern ${CMAKE_MATCH_2}) # the next match takes their place
  if(NOT which STREQUAL CMAKE_SYSTEM_PROCESSOR AND NOT which STREQUAL "all")
    continue()
  endif()
  if(pattern MATCHES "/datum-")
    list(APPEND datum_programs_left_out ${pattern})
  else()
    list(APPEND datum_left_out ${pattern})
  endif()
endforeach()
list(JOIN datum_left_out ":" datum_left_out)

# An emulator starts a process slowly.
set(datum_whole_programs ON)
