#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Do the tests notice when the product is broken? scripts/mutants.sh [option...]; --help lists them.
set -euo pipefail
cd "$(dirname "$0")/.."
exec scripts/mutants.py "$@"
