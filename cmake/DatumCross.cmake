# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A toolchain for another processor: Debian's cross compiler, with the packages that scripts/arch.sh
# unpacked into a folder.
#   DATUM_CROSS_TRIPLE  such as s390x-linux-gnu        DATUM_CROSS_ROOT  that folder
# Both may come from the environment, as presets set them: CMake reads this file again for each of
# its trial builds.
foreach(name DATUM_CROSS_TRIPLE DATUM_CROSS_ROOT)
  if(NOT ${name})
    set(${name} $ENV{${name}})
  endif()
  if(NOT ${name})
    message(FATAL_ERROR "DatumCross.cmake: ${name} is not set; scripts/arch.sh sets it")
  endif()
endforeach()
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES DATUM_CROSS_TRIPLE DATUM_CROSS_ROOT)

string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR ${DATUM_CROSS_TRIPLE})
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${DATUM_CROSS_TRIPLE}-gcc)
set(CMAKE_CXX_COMPILER ${DATUM_CROSS_TRIPLE}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${DATUM_CROSS_TRIPLE})
set(CMAKE_SYSROOT ${DATUM_CROSS_ROOT})
set(CMAKE_FIND_ROOT_PATH ${DATUM_CROSS_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${DATUM_CROSS_ROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    ${DATUM_CROSS_ROOT}/usr/lib/${DATUM_CROSS_TRIPLE}/pkgconfig:${DATUM_CROSS_ROOT}/usr/share/pkgconfig)

# For a root whose C++ library is younger than that compiler: Clang 19 takes all headers and
# libraries from the root, and LLD knows the relocations in them.
set(datum_younger ${DATUM_CROSS_ROOT}/usr/lib/gcc/${DATUM_CROSS_TRIPLE}/14)
if(EXISTS ${datum_younger})
  set(CMAKE_C_COMPILER clang-19)
  set(CMAKE_CXX_COMPILER clang++-19)
  foreach(language C CXX)
    set(CMAKE_${language}_COMPILER_TARGET ${DATUM_CROSS_TRIPLE})
    set(CMAKE_${language}_FLAGS_INIT --gcc-install-dir=${datum_younger})
  endforeach()
  foreach(kind EXE SHARED MODULE)
    set(CMAKE_${kind}_LINKER_FLAGS_INIT -fuse-ld=lld)
  endforeach()
endif()
