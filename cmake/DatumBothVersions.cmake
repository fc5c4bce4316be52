# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# datum_add_for_both_versions(PREFIX SOURCE INCLUDE): compiles SOURCE once for each DAT version,
# into two shared libraries: PREFIX1, which is linked with libdat alone, and PREFIX2, with libdat2.
# Both libdats have the same names, so a program that uses both versions in one process does so
# through two such libraries. INCLUDE is for their users, too.
function(datum_add_for_both_versions prefix source include)
  foreach(major 1 2)
    set(library ${prefix}${major})
    string(REPLACE 1 "" suffix ${major})
    add_library(${library} SHARED ${source})
    target_compile_definitions(${library} PRIVATE DATUM_DAT_MAJOR=${major})
    target_include_directories(${library} PUBLIC ${include}
      PRIVATE ${CMAKE_SOURCE_DIR}/tests/conformance/harness)
    target_link_libraries(${library} PRIVATE dat${suffix} datum_warnings)
    add_dependencies(${library} datum${major})
    # The library is not put among the libraries that are installed.
    set_target_properties(${library} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endforeach()
endfunction()
