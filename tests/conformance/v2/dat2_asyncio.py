#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Rules: DAT2.74
"""An asyncio loop that waits for two IAs and for a socket at once.

    dat2_asyncio.py LIBDAT2 IA

The descriptors of dat_cno_fd_create() are readers of the loop, as any other descriptors. They alone
report that a connection comes up, messages in both directions, and the end of the connection. Nothing
here blocks.
"""
import asyncio
import ctypes
import socket
import sys

PATIENCE = 60  # s: a healthy library never needs it
ROUNDS = 300

# Values of <dat2/dat.h> and <dat2/udat.h>.
CONNECTION_REQUEST, DTO_COMPLETION = 0x02001, 0x00001
ESTABLISHED, DISCONNECTED = 0x04001, 0x04005
EVERY_STREAM = 0x010 | 0x020 | 0x040  # CR, DTO, connection
PSP_CONSUMER, CLOSE_GRACEFUL, TIMEOUT_INFINITE = 0, 1, 0xFFFFFFFF
ALL_IA_FIELDS = 0x3FFFFFFFFF
QUEUE_EMPTY = 0x000D0000

handle = ctypes.c_void_p


class Event(ctypes.Structure):
    """DAT_EVENT, with the parts of its union that are read here."""

    class Data(ctypes.Union):
        class Request(ctypes.Structure):
            _fields_ = [("sp", handle), ("address", handle), ("qualifier", ctypes.c_uint64),
                        ("cr", handle), ("truncated", ctypes.c_int)]

        class Dto(ctypes.Structure):
            _fields_ = [("ep", handle), ("cookie", ctypes.c_uint64), ("status", ctypes.c_int),
                        ("length", ctypes.c_uint32), ("operation", ctypes.c_int),
                        ("context", ctypes.c_uint32)]

        _fields_ = [("request", Request), ("dto", Dto)]

    _fields_ = [("number", ctypes.c_int), ("evd", handle), ("data", Data),
                ("extension", ctypes.c_uint64 * 8)]


assert ctypes.sizeof(Event) == 120


class IaAttributes(ctypes.Structure):
    _fields_ = [("names", ctypes.c_char * 512), ("versions", ctypes.c_uint32 * 4),
                ("address", handle), ("rest", ctypes.c_char * 152)]


assert ctypes.sizeof(IaAttributes) == 688


class Dat:
    """The calls of libdat2. A call that fails ends the test."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def status(self, name, *arguments):
        call = getattr(self.library, name)
        call.restype = ctypes.c_uint32
        return call(*arguments)

    def __getattr__(self, name):
        def call(*arguments):
            status = self.status("dat_" + name, *arguments)
            if status != 0:
                raise AssertionError(f"dat_{name}: {status:#010x}")
        return call


class Side:
    """An IA with an endpoint, a CNO whose descriptor the loop watches, and its events in order."""

    def __init__(self, dat, loop, name):
        self.dat, self.loop = dat, loop
        self.events = asyncio.Queue()
        self.ia, self.cno, self.evd, self.pz, self.ep = (handle() for _ in range(5))
        self.descriptor = ctypes.c_int(-1)
        asynchronous = handle()
        dat.ia_openv(name.encode(), 8, ctypes.byref(asynchronous), ctypes.byref(self.ia), 2, 0, 0)
        dat.cno_fd_create(self.ia, ctypes.byref(self.descriptor), ctypes.byref(self.cno))
        dat.evd_create(self.ia, 64, self.cno, EVERY_STREAM, ctypes.byref(self.evd))
        dat.pz_create(self.ia, ctypes.byref(self.pz))
        dat.ep_create(self.ia, self.pz, self.evd, self.evd, self.evd, None, ctypes.byref(self.ep))
        loop.add_reader(self.descriptor.value, self.on_readable)

    def on_readable(self):
        which = handle()
        self.dat.cno_trigger(self.cno, ctypes.byref(which))
        assert which.value == self.evd.value
        while True:
            event = Event()
            status = self.dat.status("dat_evd_dequeue", self.evd, ctypes.byref(event))
            if status != 0:
                assert status & 0x3FFF0000 == QUEUE_EMPTY, hex(status)
                return
            self.events.put_nowait(event)

    async def next(self, number):
        event = await asyncio.wait_for(self.events.get(), PATIENCE)
        assert event.number == number, f"{event.number:#x} instead of {number:#x}"
        return event.data

    async def completed(self, *cookies):
        """Expects these completions, in any order: requests and Recvs complete on the same EVD."""
        dtos = [(await self.next(DTO_COMPLETION)).dto for _ in cookies]
        assert sorted(dto.cookie for dto in dtos) == sorted(cookies), [dto.cookie for dto in dtos]
        assert all(dto.status == 0 for dto in dtos), [dto.status for dto in dtos]

    def post_recv(self, cookie):
        self.dat.ep_post_recv(self.ep, 0, None, ctypes.c_uint64(cookie), 0)

    def post_send(self, cookie):
        self.dat.ep_post_send(self.ep, 0, None, ctypes.c_uint64(cookie), 0)

    def close(self):
        self.loop.remove_reader(self.descriptor.value)
        self.dat.ep_free(self.ep)
        self.dat.pz_free(self.pz)
        self.dat.evd_free(self.evd)
        self.dat.cno_free(self.cno)
        self.dat.ia_close(self.ia, CLOSE_GRACEFUL)
        assert self.events.empty()


async def connect(dat, client, server):
    qualifier, point, attributes = ctypes.c_uint64(), handle(), IaAttributes()
    dat.psp_create_any(server.ia, ctypes.byref(qualifier), server.evd, PSP_CONSUMER,
                       ctypes.byref(point))
    dat.ia_query(client.ia, None, ctypes.c_uint64(ALL_IA_FIELDS), ctypes.byref(attributes),
                 ctypes.c_uint64(0), None)
    dat.ep_connect(client.ep, handle(attributes.address), qualifier,
                   ctypes.c_uint32(TIMEOUT_INFINITE), 0, None, 0, 0)
    request = (await server.next(CONNECTION_REQUEST)).request
    dat.cr_accept(handle(request.cr), server.ep, 0, None)
    await client.next(ESTABLISHED)
    await server.next(ESTABLISHED)
    dat.psp_free(point)


async def exchange(client, server):
    for i in range(ROUNDS):
        client.post_recv(i)
        server.post_recv(i)
        client.post_send(1000 + i)
        await server.completed(i)
        server.post_send(1000 + i)
        await client.completed(1000 + i, i)
        await server.completed(1000 + i)


async def echo_beside(stop):
    """A socket in the same loop gets its turns meanwhile. Returns how many."""
    near, far = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=near)
    other_reader, other_writer = await asyncio.open_connection(sock=far)
    turns = 0
    while not stop.is_set():
        writer.write(b"?")
        assert await other_reader.readexactly(1) == b"?"
        other_writer.write(b"!")
        assert await reader.readexactly(1) == b"!"
        turns += 1
    writer.close()
    other_writer.close()
    return turns


async def main(library, ia):
    dat, loop = Dat(library), asyncio.get_running_loop()
    # An exception that a reader raises reaches only the loop, so it is collected here.
    raised = []
    loop.set_exception_handler(lambda _, context: raised.append(context))
    server, client = Side(dat, loop, ia), Side(dat, loop, ia)
    stop = asyncio.Event()
    beside = asyncio.create_task(echo_beside(stop))
    await connect(dat, client, server)
    await exchange(client, server)
    dat.ep_disconnect(client.ep, CLOSE_GRACEFUL)
    await client.next(DISCONNECTED)
    await server.next(DISCONNECTED)
    stop.set()
    turns = await beside
    assert turns > 1, turns
    client.close()
    server.close()
    assert not raised, raised
    print(f"{ROUNDS} messages each way, beside {turns} turns of a socket")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
