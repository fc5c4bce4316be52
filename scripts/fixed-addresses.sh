# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# To be sourced first, with its own arguments, by a script that runs sanitized programs. Some
# kernels spread mappings into the place of the sanitizers' shadow memory. This makes the kernel use
# fixed addresses.
if [ -z "${FIXED_ADDRESSES-}" ] && setarch -R true 2>/dev/null; then
  FIXED_ADDRESSES=1 exec setarch -R "$0" "$@"
fi
