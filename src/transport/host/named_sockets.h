// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/named_sockets.h: the UNIX sockets of this network namespace that have names.
// Lives here: going through all of them by the kernel's socket diagnostics.
// Not here:   which of them matters (name_holder, qualifier_holder).
#pragma once

#include <functional>
#include <string_view>
#include <sys/types.h>

#include "base/status.h"

namespace datum {

struct NamedSocket {
  // The likeliest holder of a name comes first. A connected socket may have its name from the
  // listener that accepted it, and that listener may have gone.
  enum class State : std::uint8_t { Listens, Rests, IsConnected };
  int type = 0; // such as SOCK_SEQPACKET
  State state = State::Rests;
  // In the abstract namespace, without the leading NUL; valid until the next socket
  std::string_view name;
  uid_t user = 0;
};

enum class Which : std::uint8_t { Listening, All };

// Calls `look` for each socket until `look` returns false. Returns false if the kernel does not
// answer, or not for all sockets (before Linux 5.3, without the module, or if a filter of system
// calls forbids the question). Fails for lack of descriptors.
OrErrno<bool> look_through_names(Which which, const std::function<bool(const NamedSocket&)>& look);

} // namespace datum
