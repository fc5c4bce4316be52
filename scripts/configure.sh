#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Configures one preset: scripts/configure.sh PRESET [CMake option...]
# Only this script configures, so every caller builds the same.
#   CI=true         warnings are errors
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
options=(-DDATUM_WERROR="$([ "${CI-}" = true ] && echo ON || echo OFF)" "$@")
log=build/configure-$preset.log
mkdir -p build
if ! cmake --preset "$preset" "${options[@]}" >"$log" 2>&1; then
  cat "$log" >&2
  echo "cmake --preset $preset failed; if a package is missing: make deps" >&2
  exit 2
fi
