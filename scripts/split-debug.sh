#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# scripts/split-debug.sh STAGE PREFIX BUILD_DIR: moves the debug information out of all programs and
# libraries of a staged installation, to where debuggers search for it:
#   PREFIX/lib/debug/.build-id/XX/REST.debug   by the build id: where gdb looks if PREFIX is /usr
#   FOLDER/.debug/REST.debug                   beside the program or library, by the name that it says in .gnu_debuglink:
#                                              a link to that file, for any other PREFIX
set -euo pipefail
stage=$1 prefix=$2 build=$3

tool() { # the tool that CMake found for this build, which may be for another processor
  sed -n "s/^CMAKE_$1:FILEPATH=//p" "$build/CMakeCache.txt"
}
objcopy=$(tool OBJCOPY) readelf=$(tool READELF)

split() { # file
  local id debug link
  id=$("$readelf" -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p')
  if [ -z "$id" ]; then
    echo "install: ${1#"$stage"}: keeps its debug information, since it has no build id" >&2
    return
  fi
  debug=$stage$prefix/lib/debug/.build-id/${id:0:2}/${id:2}.debug
  mkdir -p "${debug%/*}"
  "$objcopy" --only-keep-debug --compress-debug-sections "$1" "$debug"
  chmod 644 "$debug"
  "$objcopy" --strip-unneeded --add-gnu-debuglink="$debug" "$1"
  if [ "$prefix" != /usr ]; then
    link=${1%/*}/.debug/${debug##*/}
    mkdir -p "${link%/*}"
    ln -sr "$debug" "$link"
  fi
}

jobs=()
while IFS= read -r -d '' file; do
  [ "$(head -c 4 "$file" | tr -d '\0')" = $'\x7fELF' ] || continue
  split "$file" &
  jobs+=($!)
done < <(find "$stage" -type f \( -perm -u+x -o -name '*.so*' \) -print0)
for job in "${jobs[@]}"; do wait "$job"; done
