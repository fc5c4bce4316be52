// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datum-net-relay: a wire with faults, between two network interfaces of its network namespace:
//   datum-net-relay LEFT RIGHT   carries each frame to the other interface
//   datum-net-relay MIRROR       turns each IP packet back to where it came from
// It obeys lines on stdin, each answered by one on stdout, and ends with its stdin:
//   faults NAME=VALUE...   seed, delay (us), loss, reorder, duplicate, corrupt (of 10,000): ok
//   cut | mend             nothing enters the wire; it does again: ok
//   counts                 what has happened to frames so far, NAME=VALUE...
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "line.h"

using namespace datum::net;

namespace {

constexpr std::size_t kLongest = 65536 + 64; // a frame of the largest MTU
constexpr int kBurst = 64;                   // frames of one interface before the others get a turn

[[noreturn]] void die(const char* what) {
  std::fprintf(stderr, "datum-net-relay: %s: %s\n", what, std::strerror(errno));
  _exit(1);
}

// Asks for large buffers. A frame that does not fit in them is lost, although no test has asked for
// that.
void want_room(int socket, int forced, int usual) {
  constexpr int kRoom = 32 << 20;
  if (::setsockopt(socket, SOL_SOCKET, forced, &kRoom, sizeof kRoom) != 0)
    ::setsockopt(socket, SOL_SOCKET, usual, &kRoom, sizeof kRoom);
}

int open_interface(const char* name) {
  const int socket = ::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) die("socket");
  constexpr int kOn = 1;
  if (::setsockopt(socket, SOL_PACKET, PACKET_IGNORE_OUTGOING, &kOn, sizeof kOn) != 0)
    die("PACKET_IGNORE_OUTGOING");
  want_room(socket, SO_RCVBUFFORCE, SO_RCVBUF);
  want_room(socket, SO_SNDBUFFORCE, SO_SNDBUF);
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(::if_nametoindex(name));
  if (address.sll_ifindex == 0) die(name);
  if (::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) die("bind");
  return socket;
}

// Frames that arrive at `from` leave at `to`.
struct Direction {
  int from;
  int to;
  bool mirror;
  Line line;

  void receive() {
    static std::array<std::uint8_t, kLongest> room;
    for (int i = 0; i < kBurst; ++i) {
      const ssize_t got = ::recv(from, room.data(), room.size(), 0);
      if (got < 0 && (errno == EAGAIN || errno == ENETDOWN)) return;
      if (got < 0) die("recv");
      Frame frame(room.begin(), room.begin() + got);
      if (mirror && !turn_back(frame)) continue;
      line.offer(std::move(frame), std::chrono::steady_clock::now());
    }
  }

  // If an interface is down or full, its frames are lost, as on a wire.
  void deliver() {
    while (const auto frame = line.take(std::chrono::steady_clock::now()))
      static_cast<void>(::send(to, frame->data(), frame->size(), 0));
  }
};

class Relay {
 public:
  explicit Relay(const std::vector<const char*>& interfaces) {
    std::vector<int> sockets;
    for (const char* name : interfaces) sockets.push_back(open_interface(name));
    const bool mirror = sockets.size() == 1;
    directions_.push_back({sockets.front(), sockets.back(), mirror, Line({}, 0)});
    if (!mirror) directions_.push_back({sockets.back(), sockets.front(), mirror, Line({}, 1)});
  }

  void run() {
    while (serve_once()) {
    }
  }

 private:
  bool serve_once() {
    std::vector<pollfd> wanted{{STDIN_FILENO, POLLIN, 0}};
    for (const Direction& each : directions_) wanted.push_back({each.from, POLLIN, 0});
    const auto wait = until_next();
    if (::ppoll(wanted.data(), wanted.size(), wait ? &*wait : nullptr, nullptr) < 0 &&
        errno != EINTR)
      die("ppoll");
    for (Direction& each : directions_) {
      each.receive();
      each.deliver();
    }
    return wanted.front().revents == 0 || obey();
  }

  std::optional<timespec> until_next() const {
    std::optional<Time> next;
    for (const Direction& each : directions_)
      if (const auto due = each.line.next_due(); due && (!next || *due < *next)) next = due;
    if (!next) return std::nullopt;
    const auto left = std::max(*next - std::chrono::steady_clock::now(), Time::duration::zero());
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    return timespec{seconds.count(), (left - seconds).count()};
  }

  bool obey() {
    char part[256];
    const ssize_t got = ::read(STDIN_FILENO, part, sizeof part);
    if (got <= 0) return false;
    pending_.append(part, static_cast<std::size_t>(got));
    for (std::size_t end = pending_.find('\n'); end != std::string::npos;
         end = pending_.find('\n')) {
      std::cout << carry_out(pending_.substr(0, end)) << std::endl;
      pending_.erase(0, end + 1);
    }
    return true;
  }

  std::string carry_out(const std::string& line) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "faults") return set_faults(words);
    if (verb == "cut" || verb == "mend") {
      for (Direction& each : directions_) each.line.set_cut(verb == "cut");
      return "ok";
    }
    if (verb == "counts") return counts();
    return "unknown command";
  }

  std::string set_faults(std::istringstream& words) {
    Faults faults;
    std::string word;
    while (words >> word) {
      const std::size_t equals = std::min(word.find('='), word.size());
      std::uint64_t value = 0;
      const char* end = word.data() + word.size();
      if (equals == word.size() ||
          std::from_chars(word.data() + equals + 1, end, value).ptr != end ||
          !set_fault(faults, word.substr(0, equals), value))
        return "unknown fault " + word;
    }
    for (Direction& each : directions_) each.line.set_faults(faults);
    return "ok";
  }

  static bool set_fault(Faults& faults, const std::string& name, std::uint64_t value) {
    const auto of_10000 = static_cast<std::uint32_t>(value);
    if (name == "seed")
      faults.seed = value;
    else if (name == "delay")
      faults.delay = std::chrono::microseconds(value);
    else if (name == "loss")
      faults.loss = of_10000;
    else if (name == "reorder")
      faults.reorder = of_10000;
    else if (name == "duplicate")
      faults.duplicate = of_10000;
    else if (name == "corrupt")
      faults.corrupt = of_10000;
    else
      return false;
    return true;
  }

  std::string counts() const {
    Counts sum;
    for (const Direction& each : directions_) {
      const Counts& some = each.line.counts();
      sum.offered += some.offered;
      sum.lost += some.lost;
      sum.held_back += some.held_back;
      sum.duplicated += some.duplicated;
      sum.corrupted += some.corrupted;
      sum.cut += some.cut;
    }
    std::ostringstream text;
    text << "offered=" << sum.offered << " lost=" << sum.lost << " held_back=" << sum.held_back
         << " duplicated=" << sum.duplicated << " corrupted=" << sum.corrupted
         << " cut=" << sum.cut;
    return text.str();
  }

  std::vector<Direction> directions_;
  std::string pending_;
};

} // namespace

int main(int count, char** words) {
  if (count != 2 && count != 3) {
    std::fprintf(stderr, "usage: %s LEFT RIGHT | MIRROR\n", words[0]);
    return 2;
  }
  Relay relay({words + 1, words + count});
  std::cout << "ready" << std::endl;
  relay.run();
  return 0;
}
