// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/squatter.h: a process of another user that holds socket names of service points.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "dat.h"

namespace datum::test {

struct SquattedName {
  std::string name; // in the abstract namespace, without the leading NUL
  int type = SOCK_SEQPACKET;
};

enum class Squatting {
  Listens,
  DoesNotListen,
  HasAFullQueue, // listens, but its queue is full
  IsConnected,   // is connected to another socket of its own
};

// Holds the names as that user, and reports whether a process has sent it something. Only sockets
// of type SOCK_SEQPACKET do what `how` says.
class Squatter {
 public:
  Squatter(std::vector<SquattedName> names, uid_t user, Squatting how = Squatting::Listens);
  Squatter(const std::string& name, uid_t user)
      : Squatter(std::vector<SquattedName>{{name}}, user) {}
  ~Squatter();
  Squatter(const Squatter&) = delete;
  Squatter& operator=(const Squatter&) = delete;

  bool holds() const { return holds_; } // whether it holds all of the names
  pid_t pid() const { return child_; }
  // Ends the process. Returns whether another process has sent it something.
  bool end();

 private:
  pid_t child_ = -1;
  int stop_ = -1;
  bool holds_ = false;
};

// The socket name for shared memory at an address, as "datum/1/127.0.0.1/5000".
std::string rendezvous_of(DAT_IA_ADDRESS_PTR address, DAT_CONN_QUAL qualifier);
// As "127.0.0.1".
std::string host_of(DAT_IA_ADDRESS_PTR address);

} // namespace datum::test
