# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Where programs and libraries search for our libraries: relative to themselves, because an
# installation may be anywhere and may be moved. Everything that is installed is linked with that
# path from the beginning (CMAKE_BUILD_WITH_INSTALL_RPATH in src and tools). Otherwise CMake would
# rewrite the path at installation. For that it would reserve room in the build tree by appending at
# least one `:` to the path. Each `:` makes an empty element, which the loader takes for the current
# folder. scripts/check-elf.py checks all files of a build and of an installation.
file(RELATIVE_PATH datum_libraries_from_programs ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set(CMAKE_INSTALL_RPATH "$ORIGIN/${datum_libraries_from_programs}")

# In the build tree, programs are in bin and libraries in lib. If the installation has another
# layout, a link leads from where the programs search to lib.
cmake_path(SET datum_searched NORMALIZE ${CMAKE_BINARY_DIR}/bin/${datum_libraries_from_programs})
if(NOT datum_searched STREQUAL "${CMAKE_BINARY_DIR}/lib" AND NOT EXISTS ${datum_searched})
  get_filename_component(datum_searched_parent ${datum_searched} DIRECTORY)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/lib ${datum_searched_parent})
  file(CREATE_LINK ${CMAKE_BINARY_DIR}/lib ${datum_searched} SYMBOLIC)
endif()
