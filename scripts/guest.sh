#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Starts a virtual machine and prints what it writes to its serial line, until it ends:
#   scripts/guest.sh NAME FOLDER KERNEL CONSOLE LIMIT QEMU [ARGUMENT...]
#   FOLDER   has its initrd, gets its guest.log
#   LIMIT    seconds that it may take
# Exit 0 if the guest has written "NAME: exit 0". No privileges, no network for the guest.
set -euo pipefail
[ $# -ge 6 ] || { sed -n '3,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
name=$1 folder=$2 kernel=$3 console=$4 limit=$5
shift 5
log=$folder/guest.log
: >"$log"
# If one of these two processes is killed, the machine ends with it.
setpriv --pdeathsig TERM timeout --foreground -k 10 "$limit" \
  setpriv --pdeathsig KILL "$@" -nodefaults -no-user-config -display none -no-reboot \
  -kernel "$kernel" -initrd "$folder/initrd" -serial "file:$log" \
  -append "console=$console no_timer_check quiet panic=-1 mitigations=off audit=0 random.trust_cpu=on rdinit=/init" &
guest=$!
trap 'kill "$guest" 2>/dev/null || true' EXIT
tail -f --pid="$guest" "$log" | tr -d '\r'
wait "$guest" || {
  echo "$name.sh: the virtual machine was ended, by a signal or after $limit s" >&2
  exit 1
}
grep -q "^$name: exit 0" "$log"
