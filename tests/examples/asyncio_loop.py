#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A CNO with a descriptor in a loop of Python's asyncio: asyncio_loop.py LIBDAT2

What event_loop.c shows for epoll: the descriptor is given to the loop, which calls back when there is
something to take, and not again when it has been taken.
"""
import asyncio
import ctypes
import sys

SOFTWARE_FLAG, CONNECTION_FLAG = 0x001, 0x040
SOFTWARE_EVENT, NON_PEER_REJECTED = 0x10001, 0x4003
ADDRESS_FIELD, ADDRESS_AT = 0x40, 528  # ia_address_ptr of DAT_IA_ATTR
PATIENCE = 10  # seconds

dat = ctypes.CDLL(sys.argv[1])


class Event(ctypes.Structure):
    """DAT_EVENT, of which only the number matters here."""
    _fields_ = [("number", ctypes.c_int), ("evd", ctypes.c_void_p), ("data", ctypes.c_char * 104)]


def check(result):
    if result != 0:
        raise RuntimeError(f"DAT returned {result & 0xffffffff:#x}")


def made(call, *arguments):
    """The handle that a call stores in its last argument."""
    handle = ctypes.c_void_p()
    check(call(*arguments, ctypes.byref(handle)))
    return handle


class Loop:
    def __init__(self):
        self.ia, self.cno, self.descriptor = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int(-1)
        asynchronous = ctypes.c_void_p()
        check(dat.dat_ia_openv(b"datum", 8, ctypes.byref(asynchronous), ctypes.byref(self.ia), 2, 0,
                               0))
        check(dat.dat_cno_fd_create(self.ia, ctypes.byref(self.descriptor), ctypes.byref(self.cno)))
        self.evds = [made(dat.dat_evd_create, self.ia, 8, self.cno, flags)
                     for flags in (SOFTWARE_FLAG, CONNECTION_FLAG)]
        self.calls = 0
        self.events = asyncio.Queue()

    def on_readable(self):
        self.calls += 1
        fired = ctypes.c_void_p()
        check(dat.dat_cno_trigger(self.cno, ctypes.byref(fired)))
        event = Event()
        for evd in self.evds:
            while dat.dat_evd_dequeue(evd, ctypes.byref(event)) == 0:
                self.events.put_nowait(event.number)

    async def expect(self, number):
        found = await asyncio.wait_for(self.events.get(), PATIENCE)
        if found != number:
            raise RuntimeError(f"event {found:#x} instead of {number:#x}")

    def post(self):
        event = Event(number=SOFTWARE_EVENT)
        check(dat.dat_evd_post_se(self.evds[0], ctypes.byref(event)))

    def connect_to_nobody(self):
        attributes = ctypes.create_string_buffer(2048)
        check(dat.dat_ia_query(self.ia, None, ctypes.c_uint64(ADDRESS_FIELD), attributes,
                               ctypes.c_uint64(0), None))
        address = ctypes.c_void_p.from_buffer(attributes, ADDRESS_AT)
        zone = made(dat.dat_pz_create, self.ia)
        ep = made(dat.dat_ep_create, self.ia, zone, None, None, self.evds[1], None)
        # Below 1024: nobody listens there without being privileged.
        check(dat.dat_ep_connect(ep, address, ctypes.c_uint64(1), PATIENCE * 1000000, 0, None, 0, 0))

    async def run(self):
        loop = asyncio.get_running_loop()
        loop.add_reader(self.descriptor.value, self.on_readable)
        self.post()  # an event of this thread
        await self.expect(SOFTWARE_EVENT)
        self.connect_to_nobody()  # one that DAT's own thread finds
        await self.expect(NON_PEER_REJECTED)
        for _ in range(100):  # turns of the loop, with nothing to take
            await asyncio.sleep(0)
        loop.remove_reader(self.descriptor.value)
        check(dat.dat_ia_close(self.ia, 0))
        print(f"asyncio: 2 events, {self.calls} calls")


asyncio.run(Loop().run())
