#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# provider_folder.sh SOURCE_DIR: the providers must be installed beside libdat. This must hold also
# after the prefix was changed, which may change the folder for libraries.
set -euo pipefail
source=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

destination() {
  sed -n "s|.*file(INSTALL DESTINATION \"\([^\"]*\)\".*/lib/$2\".*|\1|p" "$place/build/src/$1/cmake_install.cmake"
}

for prefix in /usr/local /usr; do
  cmake -S "$source" -B "$place/build" -G Ninja -DCMAKE_INSTALL_PREFIX=$prefix -DDATUM_TESTS=OFF \
    -DDATUM_BENCH=OFF -DDATUM_EXAMPLES=OFF -DDATUM_TOOLS=OFF >"$place/log" 2>&1 || {
    tail -n 20 "$place/log"
    exit 1
  }
  registry=$(destination registry 'libdat\.so')
  provider=$(destination provider 'libdatum1\.so')
  if [ -z "$registry" ] || [ "$registry" != "$provider" ]; then
    echo "prefix $prefix: libdat goes to \"$registry\", libdatum1 to \"$provider\""
    exit 1
  fi
done
echo "provider folder: that of libdat, below /usr/local and below /usr"
