// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/peer_main.h: what the second process of a test does.
// Lives here: a small interpreter of one-line commands on stdin, one answer line each on stdout:
//               connect QUALIFIER [ADDRESS]   opens the IA, connects an EP to QUALIFIER at this
//                                   host, or at an IPv4 address: ok
//               datagrams QUALIFIER the same with an EP of datagrams (DAT 2.0)
//               wait                the number of the next event on the connect EVD, in hex
//               send TEXT           one word as a message; when it has been placed: sent
//               listen              opens the IA and a service point: its qualifier
//               accept              the next request, with an EP: ok
//               receive             posts a Recv of 4096 octets: the length that came
//               fork                forked; a child that does nothing, and may live longer
//               exec                becomes another program; no answer
//               close               frees everything and closes the IA
//             A closed stdin ends the process.
// Not here:   assertions; the parent judges the answers.
#pragma once

namespace datum::test {

int peer_main();

} // namespace datum::test
