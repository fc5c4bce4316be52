# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# datum_layer(<target> <folder>): the target exports an include path in which only its own folder
# exists, so that including a layer one does not link to fails to compile.
function(datum_layer target folder)
  string(REPLACE "/" "_" view "${folder}")
  set(root ${CMAKE_BINARY_DIR}/layers/${view})
  get_filename_component(parent "${root}/${folder}" DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${folder} ${root}/${folder} SYMBOLIC)
  target_include_directories(${target} PUBLIC ${root})
  target_link_libraries(${target} PRIVATE datum_warnings)
endfunction()
