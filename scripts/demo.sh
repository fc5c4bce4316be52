#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The main job on real input: scripts/demo.sh [BIN] (default: build/release/bin)
# Two processes copy this machine's shared libraries by RDMA Write, and back by RDMA Read; diff(1)
# compares every byte with the original. Needs no root, no RDMA hardware, no configuration file.
#   TMPDIR=DIR        where the copies go (about 900 MB); they are removed at the end
#   DEMO_SECONDS=N    give up after N seconds (default 58)
# Exit: 0 verified; 1 something failed; 2 not built, or no room.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${1:-build/release/bin}
deadline=${DEMO_SECONDS:-58}
wanted=$((200 * 1000 * 1000))
server_pid=
work=

fail() { # STATUS MESSAGE...
  local status=$1
  shift
  echo "demo: $*" >&2
  exit "$status"
}

cleanup() {
  local status=$?
  trap - EXIT
  if [ -n "$server_pid" ]; then
    kill "$server_pid" 2>/dev/null || true
    wait "$server_pid" 2>/dev/null || true
  fi
  if [ -n "$work" ]; then
    chmod -R u+rwX "$work" 2>/dev/null || true
    rm -rf "$work"
  fi
  exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Runs a command within the time that is left.
within() {
  local left=$((deadline - SECONDS)) status=0
  [ "$left" -gt 0 ] || fail 1 "out of time after $SECONDS s, before: $* (DEMO_SECONDS=N allows more)"
  timeout -k 2 "$left" "$@" || status=$?
  [ "$status" -ne 124 ] || fail 1 "out of time after $SECONDS s, during: $* (DEMO_SECONDS=N allows more)"
  return "$status"
}

now() { date +%s%N; }
megabytes() { awk -v b="$1" 'BEGIN { printf "%.0f MB", b / 1e6 }'; }
rate() { awk -v b="$1" -v s="$2" 'BEGIN { printf "%.2f GB/s", (s > 0 ? b / s / 1e9 : 0) }'; }
seconds() { awk -v s="$1" 'BEGIN { printf "%.2f s", s }'; }
json_field() { sed -n "s/.*\"$2\": \"\{0,1\}\([^\",}]*\).*/\1/p" <<<"$1"; }

gather() { # lists shared libraries, then whatever else there is, until $wanted bytes
  local arch list=$work/list
  arch=$(dpkg-architecture -q DEB_HOST_MULTIARCH 2>/dev/null || gcc -print-multiarch 2>/dev/null || true)
  {
    [ -z "$arch" ] || find "/usr/lib/$arch" -xdev -name '*.so*' -readable \( -type f -o -type l \) -printf '%s\t%P\n' |
      sed "s|\t|\tusr/lib/$arch/|"
    find /usr/lib /usr/bin /usr/share -xdev -readable ! -name $'*\n*' \( -type f -o -type l \) -printf '%s\t%h/%f\n' |
      sed 's|\t/|\t|'
  } >"$list.all" 2>/dev/null || true
  awk -F '\t' -v wanted="$wanted" '
    total < wanted && !seen[$2]++ { total += $1; print $2 }' "$list.all" >"$list"
  mkdir "$work/original"
  # A link counts only the size of its text, so the sum is of real bytes.
  (cd / && tar -cf - --no-recursion -T "$list") 2>"$work/tar.err" | tar -xf - -C "$work/original" ||
    fail 1 "gathering files of /usr failed: $(head -n 3 "$work/tar.err")"
}

start_server() {
  mkdir "$work/served"
  "$bin/dat-cp" serve --port 0 "$work/served" >"$work/server.out" 2>"$work/server.err" &
  server_pid=$!
  while ! grep -q '^token: ' "$work/server.out"; do
    kill -0 "$server_pid" 2>/dev/null ||
      fail 1 "the server ended at once: $(cat "$work/server.err")"
    [ "$SECONDS" -lt "$deadline" ] || fail 1 "the server printed no token: $(cat "$work/server.err")"
    sleep 0.05
  done
  port=$(sed -n 's/.*, port \([0-9]*\), process.*/\1/p' "$work/server.out")
}

token() { # the N-th one
  while [ "$(grep -c '^token: ' "$work/server.out")" -lt "$1" ]; do
    kill -0 "$server_pid" 2>/dev/null || fail 1 "the server died: $(cat "$work/server.err")"
    [ "$SECONDS" -lt "$deadline" ] || fail 1 "the server printed no further token"
    sleep 0.05
  done
  sed -n 's/^token: //p' "$work/server.out" | sed -n "$1p"
}

say_once() { # FILE: prints its lines, except those that another process has printed already
  grep -vxFf "$work/said" "$1" | tee -a "$work/said" >&2 || true
}

copy() { # N put|get FROM TO write|read: runs the client; the result is in $moved, $took, $route
  local json status=0
  json=$(DAT_CP_TOKEN=$(token "$1") within "$bin/dat-cp" "$2" --json --method "$5" "$3" "$4" 2>"$work/client.err") ||
    status=$?
  say_once "$work/client.err"
  [ "$status" -eq 0 ] ||
    fail 1 "dat-cp $2 failed (exit $status): ${json-}; server: $(cat "$work/server.err")"
  moved=$(json_field "$json" bytes_moved)
  took=$(json_field "$json" seconds)
  route=$(json_field "$json" route)
}

compare() { # NAME FOLDER: contents and link targets by diff, kinds and permissions by find
  local list='%P %y %m %l\n'
  within diff -r --no-dereference "$work/original" "$2" >"$work/diff" ||
    fail 1 "$1 differs from the original: $(head -n 5 "$work/diff")"
  cmp -s <(cd "$work/original" && find . -printf "$list" | sort) <(cd "$2" && find . -printf "$list" | sort) ||
    fail 1 "$1 has other names, kinds or permissions than the original"
}

[ -x "$bin/dat-cp" ] || fail 2 "$bin/dat-cp is not built; run: make"

echo "Datum demo: two ordinary processes of this machine copy files by RDMA, without RDMA hardware."
devices=$(ls /sys/class/infiniband 2>/dev/null | tr '\n' ' ' || true)
echo "RDMA devices here: ${devices:-none}; user: $(id -un); root is not needed."
echo "What to believe: the processes share nothing but DAT connections, and what they copied is"
echo "compared with the original by diff(1), byte for byte, not by our own code."
echo

work=$(mktemp -d "${TMPDIR:-/tmp}/datum-demo-XXXXXX") || fail 2 "no temporary folder; set TMPDIR"
free=$(df -Pk "$work" | awk 'NR == 2 { print $4 }')
[ "$free" -gt $((1000 * 1000)) ] ||
  fail 2 "$work has $((free / 1000)) MB free, 1000 MB are needed; set TMPDIR to a larger place"

gather
entries=$(find "$work/original" ! -type d | wc -l)
bytes=$(find "$work/original" -type f -printf '%s\n' | awk '{ s += $1 } END { printf "%.0f", s }')
echo "Real input: $entries files and links of this machine's /usr, $(megabytes "$bytes"), copied to"
echo "$work/original"
[ "$bytes" -ge "$wanted" ] || echo "(all that /usr has; $(megabytes "$wanted") were wanted)"

start_server
: >"$work/said"
say_once "$work/server.err"
echo "Server: process $server_pid, serving $work/served on port $port"

copy 1 put "$work/original" "127.0.0.1:$port:copy" write
put_moved=$moved put_took=$took
echo "There:  $route: $(megabytes "$moved") by RDMA Write in $(seconds "$took")"
copy 2 get "127.0.0.1:$port:copy" "$work/back" read
get_moved=$moved get_took=$took
echo "Back:   $route: $(megabytes "$moved") by RDMA Read in $(seconds "$took")"
[ "$put_moved" -gt 0 ] && [ "$get_moved" -gt 0 ] || fail 1 "no byte was moved by RDMA"

compare "the copy" "$work/served/copy"
compare "the copy of the copy" "$work/back"
echo "verified: both trees equal the original, $entries files and links, $(megabytes "$bytes") each"
echo

begin=$(now)
within cp -r "$work/original" "$work/cp-r" || fail 1 "cp -r failed"
cp_took=$(awk -v a="$begin" -v b="$(now)" 'BEGIN { printf "%.3f", (b - a) / 1e9 }')
memcpy_rate=$(within "$bin/memcpy-limit") || fail 1 "$bin/memcpy-limit failed"
echo "Throughput, same run, same files:"
printf '  %-36s %s\n' "dat-cp put, RDMA Write, checksummed" "$(rate "$put_moved" "$put_took")"
printf '  %-36s %s\n' "dat-cp get, RDMA Read, checksummed" "$(rate "$get_moved" "$get_took")"
printf '  %-36s %s\n' "cp -r, one process, no checksum" "$(rate "$bytes" "$cp_took")"
printf '  %-36s %s\n' "memcpy, 1 MiB blocks, no files" "$(rate "$memcpy_rate" 1)"
echo

if [ -x "$bin/dat-perf" ]; then
  echo "The connection alone, without files (dat-perf --local --quick):"
  status=0
  if [ -s "$work/said" ]; then # without the progress line, which needs the terminal itself
    within "$bin/dat-perf" --local --quick 2>"$work/client.err" || status=$?
    say_once "$work/client.err"
  else
    within "$bin/dat-perf" --local --quick || status=$?
  fi
  [ "$status" -eq 0 ] || fail 1 "dat-perf --local --quick failed (exit $status)"
else
  fail 1 "$bin/dat-perf is not built; run: make"
fi
