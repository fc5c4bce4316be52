#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs a command where ::1 exists: with_ipv6.sh COMMAND...
# That is this host, or else a network namespace of the command's own: a new one has IPv6 though it
# is switched off outside. Where the kernel refuses it, datum-net-test, which needs the same, says what
# helps.
set -eu
if grep -q '^00000000000000000000000000000001 ' /proc/net/if_inet6 2>/dev/null; then
  exec "$@"
fi
PATH=$PATH:/usr/sbin:/sbin
namespace=$(dirname "$0")/../own_network.sh
# ctest takes this line for a skipped test; in CI it is to run, and fails.
if [ -z "${CI-}" ] && ! refused=$("$namespace" 2>&1); then
  echo "this host has no ::1, and the kernel no network namespace for it: $refused"
  exit 0
fi
exec "$namespace" sh -c 'ip link set dev lo up && exec "$0" "$@"' "$@"
