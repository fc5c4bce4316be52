#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs a command in the root of another system, in /datum there; needs root:
#   scripts/inside-root.sh FOLDER network|no-network COMMAND...
#   no-network   it gets a network of its own with nothing but the loopback interface, whose ports no other process has
# What the command leaves running ends with it. Of the environment it sees DATUM_JOBS.
set -euo pipefail
case "${1-}" in
  -h | --help) sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
[ $# -ge 3 ] || { "$0" --help >&2; exit 2; }
folder=$(realpath "$1")
network=$2
shift 2
options=(--mount --pid --fork --kill-child)
[ "$network" = network ] || options+=(--net)
exec unshare "${options[@]}" bash -euc '
  folder=$1
  [ "$2" = network ] || ip link set lo up
  shift 2
  mount --bind "$folder" "$folder"
  mount -t proc proc "$folder/proc"
  mount -t sysfs sysfs "$folder/sys"
  mount -t tmpfs tmpfs "$folder/tmp"
  mount --rbind /dev "$folder/dev"
  exec chroot "$folder" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    ${DATUM_JOBS:+DATUM_JOBS="$DATUM_JOBS"} sh -euc "cd /datum; exec \"\$@\"" - "$@"' - "$folder" "$network" "$@"
