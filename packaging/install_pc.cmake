# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Run by `cmake --install`: chooses among the pkg-config files of packaging/CMakeLists.txt. Only now the prefix is known,
# which --prefix may give.
# Set by the caller: datum_pc_rpath (AUTO, ON, OFF), datum_pc_build_dir, datum_pc_packages, datum_libdir, datum_pkgconfig_dir.
cmake_minimum_required(VERSION 3.22)

# The loader's own folders: those in every configuration, and what this machine's /etc/ld.so.conf adds.
function(datum_loader_folders result)
  set(folders /lib /usr/lib /lib64 /usr/lib64)
  find_program(ldconfig ldconfig PATHS /sbin /usr/sbin NO_CACHE)
  if(ldconfig)
    # Changes nothing, needs no privilege; a line "FOLDER: (from FILE:LINE)" each, and one for each library.
    execute_process(COMMAND ${ldconfig} -N -X -v OUTPUT_VARIABLE said ERROR_QUIET)
    string(REGEX MATCHALL "(^|\n)/[^:\n]*:" lines "${said}")
    string(REGEX REPLACE "[\n:]" "" configured "${lines}")
    list(APPEND folders ${configured})
  endif()
  set(${result} ${folders} PARENT_SCOPE)
endfunction()

function(datum_loader_searches result folder)
  set(${result} OFF PARENT_SCOPE)
  get_filename_component(folder ${folder} REALPATH)
  datum_loader_folders(searched)
  foreach(candidate IN LISTS searched)
    get_filename_component(candidate ${candidate} REALPATH)
    if(candidate STREQUAL folder)
      set(${result} ON PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

set(variant with-rpath)
if(datum_pc_rpath STREQUAL "AUTO")
  datum_loader_searches(found "${CMAKE_INSTALL_PREFIX}/${datum_libdir}")
  if(found)
    set(variant without-rpath)
  endif()
elseif(NOT datum_pc_rpath)
  set(variant without-rpath)
endif()
foreach(package IN LISTS datum_pc_packages)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/${datum_pkgconfig_dir}" TYPE FILE
       FILES "${datum_pc_build_dir}/${variant}/${package}.pc")
endforeach()
