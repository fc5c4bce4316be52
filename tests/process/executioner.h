// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/executioner.h: the process that forks victims and kills them at an exact point.
// Lives here: the life and the orders of that process, and the pipes between the survivor, the
//             executioner and the victim.
// Not here:   following a process (tracer.h), the operations of victims (victim.h).
#pragma once

#include <sys/types.h>

#include <functional>

#include "kill_protocol.h"

namespace datum::test {

// One end of two pipes, one for each direction. They carry records. get() fails once the other end
// is closed.
class Line {
 public:
  Line() = default;
  Line(int read_fd, int write_fd) : read_fd_(read_fd), write_fd_(write_fd) {}
  template <typename Record>
  void put(const Record& record) const {
    put_bytes(&record, sizeof record);
  }
  template <typename Record>
  bool get(Record& record) const {
    return get_bytes(&record, sizeof record);
  }
  bool readable() const; // without waiting

 private:
  void put_bytes(const void* bytes, std::size_t size) const;
  bool get_bytes(void* bytes, std::size_t size) const;
  int read_fd_ = -1;
  int write_fd_ = -1;
};

class Executioner {
 public:
  // What the victim runs. When it has prepared, it calls ready(), which waits for the survivor's
  // word. `survivor` is the victim's line to the test.
  using Victim = std::function<void(const Sentence&, const Line& survivor,
                                    const std::function<void()>& ready)>;

  // Forks, so it must be constructed before the program has threads. Children of victims end at
  // release_child().
  explicit Executioner(const Victim& victim);
  ~Executioner();
  Executioner(const Executioner&) = delete;
  Executioner& operator=(const Executioner&) = delete;

  // For each victim these are called in this order, each of them once. death_is_reported() may be
  // called more often, and release_child() only if the victim has a child.
  void begin(const Sentence& sentence) const { orders_.put(sentence); }
  Report await_ready() const { return report(); }
  void give_word() const { victim_.put(char{}); }
  bool death_is_reported() const { return orders_.readable(); }
  // Sets `steps` to the number of the ordered instructions that the victim made.
  Report await_death(std::uint32_t& steps) const;
  void release_child() const;

  const Line& victim() const { return victim_; }

 private:
  [[noreturn]] void serve(const Victim& victim, const Line& orders, const Line& survivor);
  Report report() const;

  pid_t pid_ = -1;
  Line orders_;
  Line victim_;
  int hold_[2]; // the children of dead victims sleep in a read of this pipe
};

} // namespace datum::test
