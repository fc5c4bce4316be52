// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/net/namespace.h: network namespaces for the tests.
// Lives here: checking for the right to make namespaces, making them, and entering one for a while.
// Not here:   the hosts in them (two_hosts.h).
#pragma once

#include <string>
#include <vector>

namespace datum::net {

// Executes the program again in a network namespace of its own, unless that has been done. This
// needs no privilege if the kernel has user namespaces. Namespaces and interfaces end with the last
// process in them. Every process of the test ends with the process that started it. If the kernel
// refuses, the tests are skipped, or fail in CI.
void enter_own_namespaces(char** words);

class Namespace {
 public:
  static Namespace current();
  static Namespace create(); // the caller stays in its namespace
  Namespace(Namespace&& other) noexcept;
  Namespace(const Namespace&) = delete;
  Namespace& operator=(const Namespace&) = delete;
  Namespace& operator=(Namespace&&) = delete;
  ~Namespace();

  void enter() const; // moves the calling thread
  std::string path() const;
  // The command that runs `words` in the namespace.
  std::vector<std::string> command(const std::vector<std::string>& words) const;
  // Runs a shell script, or several at the same time. Each must succeed.
  void run(const std::string& script) const { run_together({script}); }
  void run_together(const std::vector<std::string>& scripts) const;
  // Makes frames leave the interface as on a wire: no larger than its MTU, with their checksums.
  void leave_nothing_to_hardware(const std::string& interface) const;

 private:
  explicit Namespace(int file) : file_(file) {}
  int file_; // children inherit it, so that path() is valid in them
};

// Moves the calling thread into `where` while an object of this class exists. A socket stays in the
// namespace in which it was made.
class Visit {
 public:
  explicit Visit(const Namespace& where) : home_(Namespace::current()) { where.enter(); }
  ~Visit() { home_.enter(); }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  Namespace home_;
};

} // namespace datum::net
