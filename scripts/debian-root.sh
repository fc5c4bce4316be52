#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Makes the root of a Debian suite in a folder, from the mirror that this machine's apt uses:
#   scripts/debian-root.sh SUITE FOLDER [debootstrap option...]
#   scripts/debian-root.sh --mirror              only says that mirror
#   scripts/debian-root.sh --release SUITE       only what it says of a suite
# Exit 4: the mirror does not have the suite.
set -euo pipefail

# The first source of Debian's own main packages. Updates and security fixes come from other
# sources.
mirror() {
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(REPO_URI)' 'Created-By: Packages' |
    awk -F '|' '$1 == "Debian" && $2 == "Debian" && $3 == "main" && !seen++ {print $4}'
}

# What the mirror says about a suite. apt asks, because it knows this machine's proxies. Exit 4: the
# mirror has no suite of that name; 1: the mirror cannot be reached.
release() {
  local uri file said status=0
  uri=$(mirror)
  [ -n "$uri" ] || {
    echo "debian-root.sh: apt knows no source of Debian's main packages; write one into /etc/apt, then: apt-get update" >&2
    return 2
  }
  file=$(mktemp -u)
  if said=$(/usr/lib/apt/apt-helper download-file "${uri%/}/dists/$1/Release" "$file" 2>&1); then
    cat "$file"
  elif grep -q ' 404 ' <<<"$said"; then
    echo "absent: $1 is not on this machine's Debian mirror" >&2
    status=4
  else
    echo "debian-root.sh: this machine's Debian mirror cannot be asked for $1: $(tail -n 1 <<<"$said")" >&2
    status=1
  fi
  rm -f "$file"
  return "$status"
}

case "${1-}" in
  -h | --help) sed -n '3,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
  --mirror) mirror; exit 0 ;;
  --release) release "$2"; exit ;;
esac
[ $# -ge 2 ] || { "$0" --help >&2; exit 2; }
suite=$1
folder=$2
shift 2
release "$suite" >/dev/null
exec debootstrap --variant=minbase "$@" "$suite" "$folder" "$(mirror)"
