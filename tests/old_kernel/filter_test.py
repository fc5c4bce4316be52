#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How system calls end under old-kernel: filter_test.py OLD_KERNEL [unittest's arguments]."""

import ctypes
import errno
import os
import subprocess
import sys
import unittest

OLD_KERNEL = sys.argv.pop(1)
LIBC = ctypes.CDLL(None, use_errno=True)
SYSCALL = LIBC.syscall
SYSCALL.restype = ctypes.c_long

# These numbers are the same on every processor.
PIDFD_OPEN, CLOSE_RANGE, OPENAT2, EPOLL_PWAIT2 = 434, 436, 437, 441
SO_PEERCRED, SO_PEERPIDFD = 17, 77
MFD_ALLOW_SEALING, MFD_NOEXEC_SEAL = 2, 8


def error_of(call, *arguments):
    """The number of the error, or 0 if there is none."""
    ctypes.set_errno(0)
    return ctypes.get_errno() if call(*arguments) < 0 else 0


def call(number, *arguments):
    return error_of(SYSCALL, ctypes.c_long(number), *(ctypes.c_long(word) for word in arguments))


def socket_option(option):
    ends = (ctypes.c_int * 2)()
    LIBC.socketpair(1, 1, 0, ends)
    value, size = ctypes.create_string_buffer(16), ctypes.c_uint(16)
    return error_of(LIBC.getsockopt, ends[0], 1, option, value, ctypes.byref(size))


def memory_file(flags):
    return error_of(LIBC.memfd_create, b"test", flags)


def say():
    """Runs under the filter, and prints how the calls of interest end."""
    print(call(PIDFD_OPEN, os.getpid(), 0), call(CLOSE_RANGE, 1000, 1001, 0), call(OPENAT2, -100, 0, 0, 0),
          call(EPOLL_PWAIT2, -1, 0, 0, 0, 0, 0), memory_file(MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL),
          memory_file(MFD_ALLOW_SEALING), socket_option(SO_PEERPIDFD), socket_option(SO_PEERCRED))


class Filter(unittest.TestCase):
    def ask(self, version, *program):
        return subprocess.run([OLD_KERNEL, version, *program], capture_output=True, text=True, check=False)

    def under(self, version):
        done = self.ask(version, sys.executable, __file__, OLD_KERNEL, "say")
        if done.returncode == 4:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stderr)
        return [int(word) for word in done.stdout.split()]

    def test_linux_4_18_has_none_of_the_younger_calls_and_flags(self):
        self.assertEqual(self.under("4.18"), [
            errno.ENOSYS, errno.ENOSYS, errno.ENOSYS, errno.ENOSYS, errno.EINVAL, 0, errno.ENOPROTOOPT, 0])

    def test_linux_5_10_has_some_of_them(self):
        if call(PIDFD_OPEN, os.getpid(), 0) == errno.ENOSYS:
            self.skipTest("this kernel, or a filter in its place, is older")
        pidfd_open, close_range, openat2, epoll_pwait2, noexec, plain, peer_pidfd, peer = self.under("5.10")
        self.assertEqual([pidfd_open, close_range, epoll_pwait2], [0, 0, errno.ENOSYS])
        self.assertNotEqual(openat2, errno.ENOSYS)
        self.assertEqual([noexec, plain, peer_pidfd, peer], [errno.EINVAL, 0, errno.ENOPROTOOPT, 0])

    def test_the_status_of_the_program_is_passed_on(self):
        self.assertIn(self.ask("4.18", "sh", "-c", "exit 7").returncode, (4, 7))

    def test_what_is_no_version_is_refused(self):
        for word in ("4", "4.18x", "kernel", "4.4"):
            self.assertEqual(self.ask(word, "true").returncode, 2, word)


if __name__ == "__main__":
    if sys.argv[1:] == ["say"]:
        say()
    else:
        unittest.main()
