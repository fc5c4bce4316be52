#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# scripts/check-fuzz.sh [SECONDS]: each fuzz target replays its kept corpus and then runs for
# SECONDS (default: 10) on new input. The long run is `make fuzz`.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ ! -f tests/fuzz/CMakeLists.txt ]; then
  echo "absent: no tests/fuzz in this tree"
  exit 4
fi
scripts/build.sh fuzz
scripts/fuzz.sh --fresh --seconds "${1:-10}"
