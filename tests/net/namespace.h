// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/net/namespace.h: network namespaces of this test's own.
// Lives here: getting the right to make them, making them, being in one for a moment.
// Not here:   what is in them (two_hosts.h).
#pragma once

#include <string>
#include <vector>

namespace datum::net {

// Begins the program anew in a network namespace of its own, unless that has been done. Needs no
// privilege where there are user namespaces. Namespaces and interfaces vanish with the last process
// in them, and every process of the test dies with the one that began it. Where the kernel refuses,
// the program ends: skipped, or failed in CI.
void enter_own_namespaces(char** words);

class Namespace {
 public:
  static Namespace current();
  static Namespace create(); // the caller stays where it is
  Namespace(Namespace&& other) noexcept;
  Namespace(const Namespace&) = delete;
  Namespace& operator=(const Namespace&) = delete;
  Namespace& operator=(Namespace&&) = delete;
  ~Namespace();

  void enter() const; // the calling thread
  std::string path() const;
  // The command that runs `words` in it.
  std::vector<std::string> command(const std::vector<std::string>& words) const;
  // A script, which must succeed; or several at the same time.
  void run(const std::string& script) const { run_together({script}); }
  void run_together(const std::vector<std::string>& scripts) const;
  // Frames leave the interface as they would on a wire: cut to its MTU, with their checksums.
  void leave_nothing_to_hardware(const std::string& interface) const;

 private:
  explicit Namespace(int file) : file_(file) {}
  int file_; // inherited, so that path() has a meaning in children
};

// The calling thread is in `where` for a moment: sockets that it makes belong there for ever.
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
