# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# git reads, compresses and starts programs of its own.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git init -q "$folder"
cd "$folder"
for number in 1 2 3; do
  seq "${number}0000" > file
  git add file
  git -c user.name=n -c user.email=e commit -q -m "change $number"
done
git gc -q
[ "$(git log --format=%s | head -1)" = "change 3" ]
[ "$(git show HEAD~2:file | tail -1)" = 10000 ]
