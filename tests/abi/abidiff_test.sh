#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Tests that scripts/check-abidiff.sh finds what is lost or changed and lets additions pass: it
# compares the recorded libdat.so.1 with copies that were changed on purpose. Without abidiff the
# exit status is 77, which means skipped.
# Rules: VERSION.14
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v abidiff >/dev/null || { echo "skipped: abidiff is missing (make deps GROUPS=check)"; exit 77; }
first=tests/abi/0.1/libdat.so.1.abi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
# expect STATUS TITLE SED_SCRIPT [reversed]: compares the record with what the script makes of it.
expect() {
  local old=$first new=$work/new.abi
  if [ "${4-}" = reversed ]; then old=$work/new.abi new=$first; fi
  sed "$3" "$first" >"$work/new.abi"
  if [ -n "$3" ] && cmp -s "$first" "$work/new.abi"; then
    echo "FAILED: $2: the script changes nothing"
    failed=1
    return
  fi
  local status=0
  scripts/check-abidiff.sh --compare "$old" "$new" >"$work/said" 2>&1 || status=$?
  if [ "$status" != "$1" ]; then
    echo "FAILED: $2: status $status"
    cat "$work/said"
    failed=1
  fi
}
function_of='<function-decl name=.dat_psp_free. '
expect 0 "nothing changed" ''
without="/elf-symbol name='dat_psp_free'/d; /$function_of/,/<\/function-decl>/d"
expect 1 "a function is lost" "$without"
expect 0 "a function is added" "$without" reversed
expect 1 "a function has another result" "/$function_of/,/<\/function-decl>/s/<return type-id='[^']*'/<return type-id='type-id-1'/"
expect 1 "a structure is larger" "s/\(<class-decl name='dat_ep_attr' size-in-bits='\)[0-9]*/\19984/"
expect 1 "an enumerator has another value" "s/\(<enumerator name='DAT_TRUE' value='\)[^']*/\177/"
[ "$failed" -eq 0 ] && echo "passed"
exit "$failed"
