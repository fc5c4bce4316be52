#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Lays out every C and C++ file of the repository with clang-format; --check only reports.
set -euo pipefail
cd "$(dirname "$0")/.."
action=(-i)
[ "${1-}" = --check ] && action=(--dry-run -Werror)
if ! command -v clang-format >/dev/null; then
  echo "clang-format is missing; install it with: make deps GROUPS=check" >&2
  exit 2
fi
git ls-files -z '*.c' '*.cc' '*.h' | xargs -0 -r clang-format "${action[@]}" --
