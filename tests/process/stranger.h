// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/stranger.h: a second process whose memory the first must not, or cannot, access.
// Lives here: the ways to restrict it, and a small interpreter of one-line commands on stdin, one
//             answer line each on stdout.
//               hello               hello; or why the process cannot be restricted so
//               listen              opens the IA and a service point: its qualifier
//               listen_at QUALIFIER  opens the IA and tries to make that service point: ok, and
//                                   what was said to stderr
//               accept              takes the request and accepts it, then as wait
//               connect QUALIFIER   opens the IA, connects an EP to QUALIFIER at this host: ok
//               wait                the number of the event on the connect EVD, in hex; "none"
//                                   after a second
//               path                the path of the connection, and why it is not a faster one
//               buffer SIZE         registers zeroes, CONTEXT ADDRESS
//               fill SEED, holds SEED   of the whole buffer: ok, or no
//               share FILE SIZE     maps and registers the beginning of FILE under the shared name:
//                                   CONTEXT ADDRESS
//               recv                posts the buffer as a Recv: ok
//               received            the length that came; "lost", if the Recv was flushed
//               send, write CONTEXT ADDRESS, read CONTEXT ADDRESS   of the whole buffer: ok
//               disconnect          ok; the event is still to come
//               close               frees everything and closes the IA: ok
//             A command that fails answers with its error.
// Not here:   assertions; the test judges the answers.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "registration.h"

namespace datum::test {

struct Estrangement {
  bool other_user = false;    // needs root
  bool pid_namespace = false; // in a pid namespace of its own
  bool no_vm_calls = false;   // may not call process_vm_readv and process_vm_writev
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
