# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# DATUM_UNITY: compiles several sources of a target as one. That halves the time of a whole build, but
# a changed file takes longer. `dev` and `release` set it, and so the presets that inherit from them,
# except `clang` and `editor`: a build with `clang` finds a source that does not include what it uses.
option(DATUM_UNITY "Compile several source files at a time" OFF)
set(CMAKE_UNITY_BUILD ${DATUM_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)
# A source that wants a name which another source of its target has puts it into `namespace { namespace DATUM_SOURCE {`
# and calls it DATUM_SOURCE::name. CMake gives DATUM_SOURCE another value in each source; without DATUM_UNITY it is the
# name of a namespace like any other.
set(CMAKE_UNITY_BUILD_UNIQUE_ID DATUM_SOURCE)
if(DATUM_UNITY)
  # This warning is meant for headers, and GCC takes the joined sources for headers.
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  # Joined sources take up to 0.7 GB. GCC would look for what it can free from 128 MB on, which takes a
  # tenth of the time and frees a sixth. In KiB.
  add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,GNU>:SHELL:--param ggc-min-heapsize=524288>")
endif()
