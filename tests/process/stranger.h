// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/stranger.h: a second process whose memory the first must not, or cannot, access.
// Lives here: the ways to restrict the process, and a small interpreter. It reads commands of one
//             line on stdin, and writes one answer line for each to stdout. After "->" is the
//             answer if the command succeeds. A command that fails answers with its error.
//               hello               -> hello, or why the process cannot be restricted so
//               listen              opens the IA, makes a service point -> its qualifier
//               listen_at QUALIFIER opens the IA, tries to make that service point -> ok, and the
//                                   lines written to stderr
//               accept              takes the request, accepts it, then continues as wait
//               connect QUALIFIER   opens the IA, connects an EP to QUALIFIER at this host -> ok
//               wait                -> the number of the event on the connect EVD, in hex, or
//                                   "none" after a second
//               path                -> the path of the connection, and why it is not a faster path
//               buffer SIZE         registers a buffer of zeroes -> CONTEXT ADDRESS
//               fill SEED           fills the whole buffer -> ok
//               holds SEED          compares the whole buffer -> ok, or no
//               share FILE SIZE     maps the beginning of FILE, registers it under the shared name
//                                   -> CONTEXT ADDRESS
//               recv                posts the buffer as a Recv -> ok
//               received            -> the length that came, or "lost" if the Recv was flushed
//               send                sends the whole buffer -> ok
//               write CONTEXT ADDRESS, read CONTEXT ADDRESS
//                                   an RDMA Write or Read of the whole buffer -> ok
//               disconnect          -> ok; the event is still on the connect EVD
//               close               frees everything, closes the IA -> ok
// Not here:   assertions. The test judges the answers.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "registration.h"

namespace datum::test {

struct Estrangement {
  bool other_user = false;    // needs root
  bool pid_namespace = false; // in a pid namespace of its own
  bool no_vm_calls = false;   // process_vm_readv and process_vm_writev are forbidden
  bool undumpable = false;
};

// The name of the memory that a stranger and its test share.
SharedId shared_name();

std::vector<std::string> stranger_command(const Estrangement& how);
bool is_stranger(int argc, char** argv);
int stranger_main(char** argv);
// From now on the calling thread and its children cannot copy to or from another process.
void forbid_vm_calls();

} // namespace datum::test
