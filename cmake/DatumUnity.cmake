# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# DATUM_UNITY: several sources of a target are compiled as one, which takes a whole build half the time and a changed
# file longer. All presets but `clang` set it: that one finds a source that does not include what it uses.
option(DATUM_UNITY "Compile several source files at a time" OFF)
set(CMAKE_UNITY_BUILD ${DATUM_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)
if(DATUM_UNITY)
  # It is about headers, for which GCC takes the sources.
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()
