// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Limits within a host: cache lines, futexes, and copies by the kernel. See ends.h.
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "limits/two.h"
#include "waiting/ends.h"
#include "waiting/linger.h"

namespace waiting {
namespace {

// A request and its answer, each in a cache line of its own.
struct Lines {
  // The number of the request. A target sleeps on this word.
  alignas(64) std::atomic<std::uint32_t> request{0};
  std::uint64_t payload = 0;
  // True: a target sleeps, or is about to.
  std::atomic<bool> asleep{false};
  // The number of the last request that was carried out.
  alignas(64) std::atomic<std::uint32_t> answer{0};
};
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

class SharedLines {
 public:
  SharedLines() : lines_(new (limits::shared_memory(sizeof(Lines))) Lines) {}
  ~SharedLines() { munmap(lines_, sizeof(Lines)); }
  SharedLines(const SharedLines&) = delete;
  SharedLines& operator=(const SharedLines&) = delete;
  Lines& get() const { return *lines_; }

 private:
  Lines* lines_;
};

void futex(std::atomic<std::uint32_t>& word, int what, std::uint32_t value) {
  syscall(SYS_futex, &word, what, value, nullptr, nullptr, 0);
}

class LineInitiator final : public InitiatorEnd {
 public:
  LineInitiator(Place& place, Lines& lines) : lines_(lines), polls_(place.control.polls) {}
  void post(std::uint64_t number) override {
    number_ = static_cast<std::uint32_t>(number);
    lines_.payload = number;
    lines_.request.store(number_, std::memory_order_seq_cst);
    if (!polls_.load(std::memory_order_seq_cst) && lines_.asleep.load(std::memory_order_seq_cst))
      futex(lines_.request, FUTEX_WAKE, 1);
  }
  bool completed() override { return lines_.answer.load(std::memory_order_acquire) == number_; }
  void wake_target() override {
    post(number_ + 1);
    futex(lines_.request, FUTEX_WAKE, 1);
  }

 private:
  Lines& lines_;
  const std::atomic<bool>& polls_;
  std::uint32_t number_ = 0;
};

// The memory of a process, opened as a file.
class ProcessMemory {
 public:
  explicit ProcessMemory(pid_t pid) {
    const std::string name = "/proc/" + std::to_string(pid) + "/mem";
    file_ = open(name.c_str(), O_RDWR | O_CLOEXEC);
    if (file_ < 0) throw std::runtime_error(name + ": " + std::strerror(errno));
  }
  ~ProcessMemory() { close(file_); }
  ProcessMemory(const ProcessMemory&) = delete;
  ProcessMemory& operator=(const ProcessMemory&) = delete;
  void write(std::uint64_t address, const void* from, std::size_t size) const {
    expect(size, pwrite(file_, from, size, static_cast<off_t>(address)));
  }
  void read(std::uint64_t address, void* to, std::size_t size) const {
    expect(size, pread(file_, to, size, static_cast<off_t>(address)));
  }

 private:
  static void expect(std::size_t size, ssize_t moved) {
    if (moved != static_cast<ssize_t>(size)) throw std::runtime_error("/proc/PID/mem");
  }
  int file_;
};

// Uses a line for a Write while the target polls on another core, because the target then answers
// sooner than the kernel copies.
class CopyInitiator final : public InitiatorEnd {
 public:
  CopyInitiator(Place& place, Lines& lines, const Cell& cell)
      : line_(place, lines), there_(place.peer().pid), address_(place.peer().address),
        polls_(place.control.polls), reads_(cell.operation == Operation::Read),
        may_go_by_line_(!reads_ && cell.cores == Cores::Two) {}
  void post(std::uint64_t number) override {
    by_line_ = may_go_by_line_ && polls_.load(std::memory_order_seq_cst);
    if (by_line_)
      line_.post(number);
    else if (reads_)
      there_.read(address_, &word_, sizeof word_);
    else
      there_.write(address_, &number, sizeof number);
  }
  bool completed() override { return !by_line_ || line_.completed(); }
  void wake_target() override { line_.wake_target(); }

 private:
  LineInitiator line_;
  ProcessMemory there_;
  const std::uint64_t address_;
  const std::atomic<bool>& polls_;
  const bool reads_;
  const bool may_go_by_line_;
  bool by_line_ = false;
  std::uint64_t word_ = 0;
};

class LineTarget final : public TargetEnd {
 public:
  LineTarget(Place& place, Lines& lines, const Cell& cell)
      : lines_(lines), control_(place.control), own_core_(cell.cores == Cores::Two) {
    place.own().address = reinterpret_cast<std::uint64_t>(&word_);
    const Target habit = cell.target;
    const bool sleeps = habit == Target::Block || habit == Target::Cno;
    if (habit == Target::SameEvd || habit == Target::OtherEvd) polls_again();
    // The thread ends with the process.
    if (!sleeps) std::thread([this] { answer_asleep(); }).detach();
  }
  void poll() override {
    const std::uint32_t request = lines_.request.load(std::memory_order_seq_cst);
    if (request == lines_.answer.load(std::memory_order_relaxed)) return;
    __atomic_store_n(&word_, lines_.payload, __ATOMIC_RELEASE);
    lines_.answer.store(request, std::memory_order_release);
  }
  void poll_elsewhere() override { poll(); }
  void sleep() override {
    const std::uint32_t done = lines_.answer.load(std::memory_order_relaxed);
    const auto has_come = [&] { return lines_.request.load(std::memory_order_seq_cst) != done; };
    if (!has_come() && !linger_.poll(has_come)) {
      lines_.asleep.store(true, std::memory_order_seq_cst);
      if (!has_come()) futex(lines_.request, FUTEX_WAIT, done);
      lines_.asleep.store(false, std::memory_order_relaxed);
    }
    poll();
  }
  void sleep_by_cno() override { sleep(); }
  std::uint64_t word() const override { return __atomic_load_n(&word_, __ATOMIC_ACQUIRE); }
  std::uint64_t polled() const override { return word(); }
  void polls_again() override { control_.polls.store(own_core_, std::memory_order_seq_cst); }
  // If an initiator still reads the old value, it has stored its request before that. Then the poll
  // below finds the request.
  void stops_polling() override {
    control_.polls.store(false, std::memory_order_seq_cst);
    poll();
  }

 private:
  [[noreturn]] void answer_asleep() {
    for (;;) sleep();
  }

  Lines& lines_;
  Control& control_;
  const bool own_core_;
  Linger linger_;
  alignas(64) std::uint64_t word_ = 0;
};

// Makes two copies in each round. They need no thread of the peer, whatever the peer does.
class CopyTwoWords final : public TwoWordsEnd {
 public:
  explicit CopyTwoWords(Place& place) {
    place.own().address = reinterpret_cast<std::uint64_t>(&words_);
    place.meet();
    there_ = std::make_unique<ProcessMemory>(place.peer().pid);
    address_ = place.peer().address;
  }
  void write_first(std::uint64_t round) override { write(offsetof(Words, first), round); }
  void write_second(std::uint32_t round) override { write(offsetof(Words, second), round); }
  unsigned poll() override { return std::exchange(ended_, 0); }
  std::uint64_t first() override { return __atomic_load_n(&words_.first, __ATOMIC_ACQUIRE); }
  std::uint32_t second() override { return __atomic_load_n(&words_.second, __ATOMIC_ACQUIRE); }

 private:
  struct Words {
    alignas(64) std::uint64_t first = 0;
    alignas(64) std::uint32_t second = 0;
  };
  template <typename Value>
  void write(std::size_t offset, Value value) {
    there_->write(address_ + offset, &value, sizeof value);
    ++ended_;
  }

  Words words_;
  std::unique_ptr<ProcessMemory> there_;
  std::uint64_t address_ = 0;
  unsigned ended_ = 0;
};

class MemoryContest final : public Contest {
 public:
  explicit MemoryContest(const Cell& cell) : cell_(cell) {}
  std::string name() const override { return is_send() ? "line" : "copy"; }
  std::unique_ptr<InitiatorEnd> initiator(Place& place) override {
    place.meet();
    if (is_send()) return std::make_unique<LineInitiator>(place, lines_.get());
    return std::make_unique<CopyInitiator>(place, lines_.get(), cell_);
  }
  std::unique_ptr<TargetEnd> target(Place& place) override {
    auto end = std::make_unique<LineTarget>(place, lines_.get(), cell_);
    place.meet();
    return end;
  }
  std::unique_ptr<TwoWordsEnd> two_words(Place& place) override {
    return std::make_unique<CopyTwoWords>(place);
  }

 private:
  bool is_send() const { return cell_.operation == Operation::Send; }

  const Cell cell_;
  SharedLines lines_;
};

} // namespace

std::unique_ptr<Contest> memory_contest(const Cell& cell) {
  return std::make_unique<MemoryContest>(cell);
}

} // namespace waiting
