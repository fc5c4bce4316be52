# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# To be sourced by a script that runs tests under sanitizers: what they are told, before what the caller says.
# intercept_tls_get_addr=0: the runtimes before LLVM 17 take a thread-local block at certain addresses for one
# with the header that glibc had before 2.25, read its place and length out of what stands before it, and at
# the end LeakSanitizer scans memory that is none ("Tracer caught signal 11"). Such a block is found without it:
# the thread's own vector points there.
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
export ASAN_OPTIONS="detect_leaks=1:detect_stack_use_after_return=1:intercept_tls_get_addr=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
