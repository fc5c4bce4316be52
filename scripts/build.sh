#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Configures and builds one preset: scripts/build.sh PRESET [CMake option...]
#   CI=true         warnings are errors
#   DATUM_JOBS=N    parallel jobs (default: one per core)
#   DATUM_TARGETS=  these alone, separated by blanks (default: what the preset builds)
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
scripts/configure.sh "$@"
# Unattended, the build reports all errors at once; otherwise it stops at the first error.
keep_going=()
[ "${CI-}" = true ] && keep_going=(-- -k 0)
targets=()
[ -n "${DATUM_TARGETS-}" ] && targets=(--target ${DATUM_TARGETS})
cmake --build --preset "$preset" --parallel "${DATUM_JOBS:-$(nproc)}" "${targets[@]}" "${keep_going[@]}"
