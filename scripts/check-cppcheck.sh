#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs cppcheck over the product's own sources. This script lists what is suppressed, and why.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(git ls-files 'src/*.cc' 'src/*.c' 'tools/*.cc' 'examples/*.c' 'bench/*.cc')
if [ ${#files[@]} -eq 0 ]; then
  echo "absent: no source to check"
  exit 4
fi
mkdir -p build/cppcheck
options=(
  --enable=warning,performance,portability --inline-suppr --error-exitcode=1 --quiet
  --std=c++20 --cppcheck-build-dir=build/cppcheck -j "${DATUM_JOBS:-$(nproc)}"
  -Iinclude -Isrc -Itools
  # System and library headers are left out on purpose: they are not ours to check.
  --suppress=missingInclude --suppress=missingIncludeSystem
  # cppcheck 2.10 does not know anonymous or fixed mappings, nor that munmap may take a part of a
  # mapping.
  --suppress=invalidFunctionArg --suppress=leakReturnValNotUsed --suppress=deallocret
  # It takes captures by reference in lambdas for copies, std::byte for a class with a constructor,
  # moves out of parameters and placement new for mistakes, and an array of pointers for integers.
  --suppress=legacyUninitvar --suppress=CastIntegerToAddressAtReturn
  --suppress=uselessAssignmentPtrArg --suppress=memsetClass --suppress=passedByValue
  # It takes a name that a test may define (base/shared_atomic.h) for the header itself.
  --suppress=preprocessorErrorDirective:src/base/shared_atomic.h
  # The headers of DAT 1.2 and 2.0 define the same names, but no library includes both.
  --suppress=ctuOneDefinitionRuleViolation:include/dat/*
  --suppress=ctuOneDefinitionRuleViolation:include/dat2/*
  # It cannot parse some C++20, which the compilers and clang-tidy check.
  --suppress=internalAstError --suppress=syntaxError
)
cppcheck "${options[@]}" "${files[@]}"
echo "cppcheck: ${#files[@]} files"
