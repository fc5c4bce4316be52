# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# datum_for_each_target(FOLDER FUNCTION ARGUMENT...): calls FUNCTION(TARGET ARGUMENT...) for all targets of this folder
# and those below.
include_guard()

function(datum_for_each_target folder apply)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    cmake_language(CALL ${apply} ${target} ${ARGN})
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    datum_for_each_target(${below} ${apply} ${ARGN})
  endforeach()
endfunction()
