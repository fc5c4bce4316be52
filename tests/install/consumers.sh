#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# consumers.sh PREFIX WORK_DIR: builds and runs C programs against an installation that pkg-config
# or CMake finds. The installation may have been moved after it was made. The programs must find
# their libraries by their run path alone, also if CMake has installed the programs.
set -euo pipefail
prefix=$1 work=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work"
pc=$(find "$prefix" -name dat.pc -printf '%h' -quit)
[ -n "$pc" ] || { echo "no dat.pc below $prefix" >&2; exit 1; }

export PKG_CONFIG_PATH=$pc
unset LD_LIBRARY_PATH
for standard in c99 c11; do
  ${CC:-cc} -std=$standard -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags dat) \
    "$here/consumer.c" $(pkg-config --libs dat) -o "$work/by-pkg-config"
  "$work/by-pkg-config"
  ${CC:-cc} -std=$standard -Wall -Wextra -Wpedantic -Werror -DCONSUMER_OF_DAT2 \
    $(pkg-config --cflags dat2) "$here/consumer.c" $(pkg-config --libs dat2) \
    -o "$work/2.0-by-pkg-config"
  "$work/2.0-by-pkg-config"
done
programs="consumer consumer_2.0"
if [ -e "$pc/datum.pc" ]; then # absent if Datum was built without it
  ${CC:-cc} -std=c99 -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags datum) \
    "$here/memory_consumer.c" $(pkg-config --libs datum) -o "$work/memory-by-pkg-config"
  "$work/memory-by-pkg-config"
  programs="$programs memory_consumer"
fi
echo "pkg-config: built and run"

cmake -S "$here/consumer-cmake" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" ||
  { cat "$work/log"; exit 1; }
cmake --build "$work/cmake" >"$work/log" || { cat "$work/log"; exit 1; }
cmake --install "$work/cmake" --prefix "$work/installed" >"$work/log" || { cat "$work/log"; exit 1; }
for built in "$work/cmake" "$work/installed/bin"; do
  for program in $programs; do "$built/$program"; done
done
echo "CMake: built and run"
