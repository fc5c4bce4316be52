#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs a command where ::1 exists: with_ipv6.sh COMMAND...
# Runs it on this host, or else in a new network namespace. A new namespace has IPv6 even if the
# host has switched it off. Where the kernel refuses a namespace, datum-net-test, which needs one
# too, says what helps.
set -eu
if grep -q '^00000000000000000000000000000001 ' /proc/net/if_inet6 2>/dev/null; then
  exec "$@"
fi
PATH=$PATH:/usr/sbin:/sbin
namespace=$(dirname "$0")/../own_network.sh
# ctest takes this line as the mark of a skipped test. In CI the test must run, so there a refusal
# fails it.
if [ -z "${CI-}" ] && ! refused=$("$namespace" 2>&1); then
  echo "this host has no ::1, and the kernel no network namespace for it: $refused"
  exit 0
fi
exec "$namespace" sh -c 'ip link set dev lo up && exec "$0" "$@"' "$@"
