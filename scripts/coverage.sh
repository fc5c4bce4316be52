#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs the tests of the coverage build and prints the share of covered lines for each folder.
# build/coverage/report/index.html has the details of each line.
set -euo pipefail
cd "$(dirname "$0")/.."
find build/coverage -name '*.gcda' -delete
scripts/test.sh coverage "$@"
mkdir -p build/coverage/report
# Parallel tests write the same counters. A damaged counter must not end the report.
gcovr --root . --object-directory build/coverage --filter 'src/' --filter 'tools/' --filter 'build/coverage/layers/' \
  --exclude-unreachable-branches --gcov-ignore-parse-errors -j "${DATUM_JOBS:-$(nproc)}" \
  --csv build/coverage/report/lines.csv --html-details build/coverage/report/index.html

# CSV columns: filename, line_total, line_covered, ...
awk -F, '
  NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
  {
    # gcovr finds headers through the views of cmake/DatumLayer.cmake.
    folder = $column["filename"]
    sub("^build/coverage/layers/[^/]*/", "src/", folder)
    sub("/[^/]*$", "", folder)
    total[folder] += $column["line_total"]; covered[folder] += $column["line_covered"]
    all += $column["line_total"]; all_covered += $column["line_covered"]
  }
  END {
    printf "%-28s %8s %8s %7s\n", "folder", "lines", "covered", "share"
    for (folder in total)
      if (total[folder])
        printf "%-28s %8d %8d %6.1f%%\n", folder, total[folder], covered[folder], \
          100 * covered[folder] / total[folder] | "sort"
    close("sort")
    if (all) printf "%-28s %8d %8d %6.1f%%\n", "all", all, all_covered, 100 * all_covered / all
  }' build/coverage/report/lines.csv
