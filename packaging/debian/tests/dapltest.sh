# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Sourced: dapltest_over NAME [COMMAND...] runs the server and a client of dapltest (package dapl2-utils) for that
# adapter, under the command if there is one. The server is named by its address, since dapltest takes the first address
# of a name and knows no IPv6. Their exit status does not tell: what they say does.
dapltest_over() {
  local name=$1 work server
  shift
  work=$(mktemp -d -p "${AUTOPKGTEST_TMP:-/tmp}")
  mkfifo "$work/server"
  "$@" dapltest -T S -D "$name" >"$work/server" 2>&1 &
  server=$!
  exec 3<"$work/server"
  until [[ ${line-} == *"Service Point Ready"* ]]; do
    read -r line <&3 || { echo "the server of dapltest has ended"; return 1; }
    echo "server: $line"
  done
  "$@" dapltest -T T -D "$name" -s 127.0.0.1 -i 100 client SR 4096 server SR 4096 >"$work/client" 2>&1 || true
  cat "$work/client"
  grep -q 'End of Work -- Client Exiting' "$work/client" && grep -q 'WQE/Sec' "$work/client" || return 1
  "$@" dapltest -T Q -D "$name" -s 127.0.0.1 >"$work/quit" 2>&1 || true
  sed 's/^/server: /' <&3
  exec 3<&-
  wait "$server" || echo "the server ended with $?"
}
