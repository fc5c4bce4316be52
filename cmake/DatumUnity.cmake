# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# DATUM_UNITY: several sources of a target are compiled as one, which takes a whole build half the time and a changed
# file longer. All presets but `clang` set it: that one finds a source that does not include what it uses.
option(DATUM_UNITY "Compile several source files at a time" OFF)
set(CMAKE_UNITY_BUILD ${DATUM_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)
# A source that wants a name which another source of its target has puts it into `namespace { namespace DATUM_SOURCE {`
# and calls it DATUM_SOURCE::name. CMake gives DATUM_SOURCE another value in each source; without DATUM_UNITY it is the
# name of a namespace like any other.
set(CMAKE_UNITY_BUILD_UNIQUE_ID DATUM_SOURCE)
if(DATUM_UNITY)
  # It is about headers, for which GCC takes the sources.
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()
