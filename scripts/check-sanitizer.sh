#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The whole suite under a sanitizer: scripts/check-sanitizer.sh asan|tsan
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh "$1"
scripts/test.sh "$1"
