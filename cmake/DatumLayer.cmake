# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# datum_layer(<target> <folder>): the target exports an include path in which only its own folder
# exists. So an include of a layer that a target does not link to fails to compile.
# DATUM_LAYER_PATHS=OFF: exports the path of all sources instead. Then an editor opens a header in
# src/, not through the link to it in the build folder.
option(DATUM_LAYER_PATHS "Give each layer an include path that holds nothing else" ON)
mark_as_advanced(DATUM_LAYER_PATHS)

function(datum_layer target folder)
  target_link_libraries(${target} PRIVATE datum_warnings)
  if(NOT DATUM_LAYER_PATHS)
    target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    return()
  endif()
  string(REPLACE "/" "_" view "${folder}")
  set(root ${CMAKE_BINARY_DIR}/layers/${view})
  get_filename_component(parent "${root}/${folder}" DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${folder} ${root}/${folder} SYMBOLIC)
  target_include_directories(${target} PUBLIC ${root})
endfunction()
