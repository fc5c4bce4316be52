# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# To be sourced first by a script that runs sanitized programs, with its own arguments.
# Some kernels spread mappings into the place of the sanitizers' shadow memory: ask them not to.
if [ -z "${FIXED_ADDRESSES-}" ] && setarch -R true 2>/dev/null; then
  FIXED_ADDRESSES=1 exec setarch -R "$0" "$@"
fi
