#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs a command in a network namespace of its own: own_network.sh [--mount] COMMAND...
# A user namespace with that in it needs no privilege. Inside a chroot the kernel gives none, and then
# root makes the network namespace alone. --mount: a mount namespace, too. Without a command: exit 0
# where there is a way, else 1 and what the kernel said.
set -eu
more=--net
if [ "${1-}" = --mount ]; then
  more='--net --mount'
  shift
fi
user='--user --map-root-user'
# $user and $more are words.
# shellcheck disable=SC2086
if ! said=$(unshare $user $more true 2>&1); then
  unshare $more true 2>/dev/null || {
    echo "$said" >&2
    exit 1
  }
  user=
fi
[ $# -gt 0 ] || exit 0
# shellcheck disable=SC2086
exec unshare $user $more "$@"
