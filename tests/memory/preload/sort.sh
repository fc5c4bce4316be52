# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# sort is multithreaded and merges through temporary files.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
seq 300000 > "$folder/wanted"
sort -R "$folder/wanted" | sort -n --parallel=2 -S 1M > "$folder/sorted"
cmp "$folder/wanted" "$folder/sorted"
