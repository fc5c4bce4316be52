// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// interop/siw/siw_peer.h: the verbs program on the other side, as a process that takes orders.
// Lives here: the start of that process in siw's network namespace, the orders and their answers.
// Not here:   what the orders do (peer/orders.cc).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace datum::siw {

// The address of siw, from the environment that scripts/siw.sh sets up.
std::string siw_address();

// A port of siw that no earlier test has used.
std::uint16_t free_port();

struct Remote {
  std::uint32_t stag = 0;
  std::uint64_t address = 0;
};

class SiwPeer {
 public:
  SiwPeer();
  ~SiwPeer();
  SiwPeer(const SiwPeer&) = delete;
  SiwPeer& operator=(const SiwPeer&) = delete;

  // Sends an order, and returns the answer. If no answer comes, the test fails.
  std::string ask(const std::string& order);
  // The two halves of ask(), for tests that do something in between.
  void begin(const std::string& order);
  std::string answer();
  // Sends an order, whose answer must be `answer`.
  void expect(const std::string& order, const std::string& answer);
  void must(const std::string& order) { expect(order, "ok"); }
  // siw's next event must have this name. Returns the private data that came with it.
  std::string expect_event(const std::string& name);
  // siw's next completion must have this cookie, length and success.
  void expect_done(std::uint64_t cookie, std::size_t length);
  void expect_failed(std::uint64_t cookie, const std::string& status);
  void expect_flushed(std::uint64_t cookie) { expect_failed(cookie, "Work Request Flushed Error"); }
  Remote memory(const std::string& order = "memory");
  void die();
  // Ends the connection by the order `way`. Returns how many Sends siw had reported as done by
  // then. Takes all completions.
  std::uint64_t end_by(const std::string& way);

 private:
  pid_t process_ = -1;
  FILE* orders_ = nullptr;
  FILE* answers_ = nullptr;
  std::string last_order_;
};

// The octets in the form that orders take.
std::string hexadecimal(std::string_view octets);

} // namespace datum::siw
