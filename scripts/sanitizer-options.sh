# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# To be sourced by a script that runs tests under sanitizers. Sets the sanitizers' options, before
# those of the caller. intercept_tls_get_addr=0: the runtimes before LLVM 17 take a thread-local
# block at certain addresses for a block with the header that glibc had before 2.25. They read the
# block's place and length from the octets before it, and at the end LeakSanitizer scans memory that
# does not exist ("Tracer caught signal 11"). Without this interception LeakSanitizer still finds
# such a block, because the thread's own vector points to it.
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
export ASAN_OPTIONS="detect_leaks=1:detect_stack_use_after_return=1:intercept_tls_get_addr=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
