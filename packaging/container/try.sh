#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Two containers that speak over shared memory, as in one pod, and two that speak over TCP, as on two
# hosts: packaging/container/try.sh [IMAGE]. Builds the image first if none is named. Needs podman or
# docker; leaves no container and no network behind.
# Exit 0: both worked, each over the way it should; 1: not; 2: no engine.
set -euo pipefail
cd "$(dirname "$0")/../.."

engine=$(command -v podman || command -v docker) || {
  echo "try.sh: neither podman nor docker is installed" >&2
  exit 2
}
image=${1-datum}
[ $# -gt 0 ] || "$engine" build -t "$image" -f packaging/container/Containerfile .

name=datum-try-$$
cleanup() {
  "$engine" rm -f "$name" >/dev/null 2>&1 || true
  "$engine" network rm "$name" >/dev/null 2>&1 || true
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# ping WAY NETWORK HOST: three pings from a container in that network must go that way.
ping() {
  local said
  said=$("$engine" run --rm --network "$2" "$image" dat-ping -c 3 "$3") || {
    echo "$said"
    echo "try.sh: no answer from $3 by way of $1" >&2
    return 1
  }
  echo "$said"
  grep -q "path $1" <<<"$said" || {
    echo "try.sh: expected the path $1" >&2
    return 1
  }
}

"$engine" network create "$name" >/dev/null
"$engine" run -d --name "$name" --network "$name" "$image" dat-ping --serve >/dev/null
for _ in $(seq 50); do # until it listens, 10 s at most
  "$engine" logs "$name" 2>&1 | grep -q answering && break
  sleep 0.2
done

echo "== the same network namespace, as in one pod: shared memory"
ping shm "container:$name" 127.0.0.1
echo "== another one, as on another host: TCP"
ping tcp "$name" "$name"
