// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "two_hosts.h"

#include <gtest/gtest.h>

#include <sstream>

#include "run.h"

namespace datum::net {
namespace {

// A host has one interface. Its other end is `plug`, in the relay's namespace.
void set_up(const Namespace& host, const Namespace& relay, const std::string& plug, char number,
            const Wiring& wiring) {
  const std::string mtu = std::to_string(wiring.mtu);
  std::string net = "10.87.0.0/24";
  std::string address = std::string("10.87.0.") + number + "/24";
  if (wiring.ipv6) {
    net = "fd00:87::/64";
    address = std::string("fd00:87::") + number + "/64 nodad";
  }
  std::string script = "ip link set dev lo up\n"
                       "ip link add name wire mtu " +
                       mtu + " type veth peer name " + plug + " mtu " + mtu + " netns " +
                       relay.path() +
                       "\nip link set dev wire up\n"
                       "ip address add " +
                       address + " dev wire\n";
  if (wiring.slow)
    script += "tc qdisc add dev wire root tbf rate 100mbit burst 32kb latency 50ms\n";
  if (wiring.impatient) script += "ip route change " + net + " dev wire rto_min 20ms\n";
  host.run(script);
  host.leave_nothing_to_hardware("wire");
  relay.run("ip link set dev " + plug + " up");
}

} // namespace

Wire::Wire(const Namespace& where, const std::vector<std::string>& interfaces)
    : relay_([&] {
        std::vector<std::string> words{DATUM_NET_RELAY};
        words.insert(words.end(), interfaces.begin(), interfaces.end());
        return where.command(words);
      }()) {
  EXPECT_EQ(relay_.receive(), "ready");
}

void Wire::set_faults(const std::string& faults) {
  tell("faults seed=" + std::to_string(first_seed()) + " " + faults);
}

void Wire::tell(const std::string& line) {
  EXPECT_EQ(relay_.ask(line), "ok") << line;
}

std::uint64_t Wire::count(const std::string& name) {
  std::istringstream words(relay_.ask("counts"));
  std::string word;
  while (words >> word)
    if (word.starts_with(name + "=")) return std::stoull(word.substr(name.size() + 1));
  ADD_FAILURE() << "the relay does not count " << name;
  return 0;
}

TwoHosts::TwoHosts(const Wiring& wiring) {
  set_up(here_, between_, "left", '1', wiring);
  set_up(there_, between_, "right", '2', wiring);
  wire_ = std::make_unique<Wire>(between_, std::vector<std::string>{"left", "right"});
  here_.enter();
}

HostAndMirror::HostAndMirror(const Wiring& wiring) {
  set_up(host_, between_, "mirror", '1', wiring);
  // No host would answer an ARP request for this address.
  host_.run(std::string("ip neighbour add ") + (wiring.ipv6 ? kMirror6 : kMirror) +
            " lladdr 02:00:00:00:00:02 dev wire nud permanent\n");
  wire_ = std::make_unique<Wire>(between_, std::vector<std::string>{"mirror"});
}

} // namespace datum::net
