// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/net/two_hosts.h: two hosts and the wire between them.
// Lives here: the hosts' namespaces, interfaces and addresses; the relay that is the wire
//             (relay_main.cc).
// Not here:   what runs on them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "namespace.h"
#include "two_processes.h"

namespace datum::net {

struct Wiring {
  int mtu = 1500;
  bool ipv6 = false; // false: IPv4
  bool slow = false; // 100 Mbit/s (tbf)
  // TCP retransmits after 20 ms instead of 200: more losses in the same time
  bool impatient = false;
};

class Wire {
 public:
  Wire(const Namespace& where, const std::vector<std::string>& interfaces);

  // NAME=VALUE..., as in relay_main.cc. The seed is that of the run.
  void set_faults(const std::string& faults);
  void cut() { tell("cut"); }
  void mend() { tell("mend"); }
  std::uint64_t count(const std::string& name);

 private:
  void tell(const std::string& line);

  test::PeerProcess relay_;
};

// While an object of this class exists, the calling thread and the processes that it starts are on
// the host `here`.
class TwoHosts {
 public:
  explicit TwoHosts(const Wiring& wiring = {});
  ~TwoHosts() { home_.enter(); }
  TwoHosts(const TwoHosts&) = delete;
  TwoHosts& operator=(const TwoHosts&) = delete;

  static constexpr const char* kHere = "10.87.0.1";
  static constexpr const char* kThere = "10.87.0.2";

  Wire& wire() { return *wire_; }
  const Namespace& here() const { return here_; }
  const Namespace& there() const { return there_; }

 private:
  Namespace home_ = Namespace::current();
  Namespace here_ = Namespace::create();
  Namespace there_ = Namespace::create();
  Namespace between_ = Namespace::create();
  std::unique_ptr<Wire> wire_;
};

// One host, and a wire that returns each packet to `kMirror`, as if the packet came from there. A
// connect to that address reaches this host over the wire.
class HostAndMirror {
 public:
  explicit HostAndMirror(const Wiring& wiring = {});

  static constexpr const char* kMirror = "10.87.0.2";
  static constexpr const char* kMirror6 = "fd00:87::2";

  Wire& wire() { return *wire_; }
  const Namespace& host() const { return host_; }

 private:
  Namespace host_ = Namespace::create();
  Namespace between_ = Namespace::create();
  std::unique_ptr<Wire> wire_;
};

} // namespace datum::net
