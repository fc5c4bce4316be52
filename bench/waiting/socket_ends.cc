// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Limits over TCP: bare sockets over loopback. See ends.h.
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <thread>
#include <utility>

#include "limits/limits.h"
#include "limits/loopback.h"
#include "waiting/ends.h"
#include "waiting/linger.h"

namespace waiting {
namespace {

// The lengths of iWARP's frames for 8 octets, with MPA's CRC: the request, its acknowledgement, and
// the response to a Read.
constexpr std::size_t kSend = 32;
constexpr std::size_t kWrite = 28;
constexpr std::size_t kShortWrite = 24; // 4 octets
constexpr std::size_t kReadRequest = 52;
constexpr std::size_t kDone = 20;
constexpr std::size_t kMost = 64;

struct Lengths {
  std::size_t there = 0;
  std::size_t back = 0;
};

Lengths lengths_of(Operation operation) {
  switch (operation) {
  case Operation::Send: return {kSend, kDone};
  case Operation::Read: return {kReadRequest, kWrite};
  case Operation::Write:
  case Operation::TwoWords: break;
  }
  return {kWrite, kDone};
}

void let_block(int socket) {
  const int flags = fcntl(socket, F_GETFL);
  limits::check(flags, "F_GETFL");
  limits::check(fcntl(socket, F_SETFL, flags & ~O_NONBLOCK), "F_SETFL");
}

// Frames of one length through one socket. Over loopback a frame mostly comes whole, but nothing
// ensures that.
class Frames {
 public:
  Frames(int socket, std::size_t in) : socket_(socket), in_(in) {}
  void send(std::uint64_t word, std::size_t size) {
    std::array<char, kMost> frame{};
    std::memcpy(frame.data(), &word, sizeof word);
    limits::send_all(socket_, frame.data(), size);
  }
  // True: a whole frame has come.
  bool receive(int flags) {
    got_ += limits::moved(recv(socket_, frame_.data() + got_, in_ - got_, flags));
    if (got_ < in_) return false;
    got_ = 0;
    return true;
  }
  std::uint64_t word() const {
    std::uint64_t word = 0;
    std::memcpy(&word, frame_.data(), sizeof word);
    return word;
  }

 private:
  int socket_;
  std::size_t in_;
  std::size_t got_ = 0;
  std::array<char, kMost> frame_{};
};

// The target's own thread reads `watched`, and its second thread reads `guarded`.
struct Connections {
  limits::Connection watched;
  limits::Connection guarded;
};

// Tells the second thread that the first thread has stopped polling, so a frame may wait in
// `watched`.
constexpr std::uint64_t kLookThere = ~std::uint64_t{0};

class SocketInitiator final : public InitiatorEnd {
 public:
  SocketInitiator(Place& place, Connections& connections, Lengths lengths)
      : polls_(place.control.polls), lengths_(lengths),
        watched_(connections.watched.end(0), lengths.back),
        guarded_(connections.guarded.end(0), lengths.back) {}
  void post(std::uint64_t number) override {
    const bool polls = polls_.load(std::memory_order_seq_cst);
    used_ = polls ? &watched_ : &guarded_;
    used_->send(number, lengths_.there);
    if (polls && !polls_.load(std::memory_order_seq_cst)) guarded_.send(kLookThere, lengths_.there);
    number_ = number;
  }
  bool completed() override { return used_->receive(MSG_DONTWAIT); }
  void wake_target() override { post(number_ + 1); }

 private:
  const std::atomic<bool>& polls_;
  const Lengths lengths_;
  Frames watched_;
  Frames guarded_;
  Frames* used_ = &watched_;
  std::uint64_t number_ = 0;
};

// True: the target's own thread answers all the time.
bool answers_itself(const Cell& cell) {
  switch (cell.target) {
  case Target::SameEvd:
  case Target::OtherEvd: return cell.cores == Cores::Two;
  case Target::Block:
  case Target::Cno: return true;
  case Target::Spin:
  case Target::SpinYield:
  case Target::Compute:
  case Target::Turns:
  case Target::Alternate: break;
  }
  return false;
}

class SocketTarget final : public TargetEnd {
 public:
  SocketTarget(Place& place, Connections& connections, const Cell& cell)
      : control_(place.control), own_core_(cell.cores == Cores::Two),
        lengths_(lengths_of(cell.operation)), watched_(connections.watched.end(1), lengths_.there),
        guarded_(connections.guarded.end(1), lengths_.there) {
    let_block(connections.watched.end(1));
    let_block(connections.guarded.end(1));
    if (answers_itself(cell))
      control_.polls.store(true, std::memory_order_seq_cst);
    else // the thread ends with the process
      std::thread([this] { answer_asleep(); }).detach();
  }
  void poll() override {
    if (watched_.receive(MSG_DONTWAIT)) carry_out(watched_);
  }
  void poll_elsewhere() override { poll(); }
  void sleep() override {
    if (receive_or_sleep(watched_)) carry_out(watched_);
  }
  void sleep_by_cno() override { sleep(); }
  std::uint64_t word() const override { return __atomic_load_n(&word_, __ATOMIC_ACQUIRE); }
  std::uint64_t polled() const override { return word(); }
  void polls_again() override { control_.polls.store(own_core_, std::memory_order_seq_cst); }
  void stops_polling() override {
    control_.polls.store(false, std::memory_order_seq_cst);
    poll();
  }

 private:
  bool receive_or_sleep(Frames& frames) {
    return linger_.poll([&] { return frames.receive(MSG_DONTWAIT); }) || frames.receive(0);
  }
  void carry_out(Frames& frames) {
    __atomic_store_n(&word_, frames.word(), __ATOMIC_RELEASE);
    frames.send(frames.word(), lengths_.back);
  }
  [[noreturn]] void answer_asleep() {
    for (;;) {
      if (!receive_or_sleep(guarded_)) continue;
      if (guarded_.word() != kLookThere)
        carry_out(guarded_);
      else
        poll();
    }
  }

  Control& control_;
  const bool own_core_;
  const Lengths lengths_;
  Frames watched_;
  Frames guarded_;
  Linger linger_; // of the thread that sleeps
  alignas(64) std::uint64_t word_ = 0;
};

// Both words leave together, and one answer comes for both. Each side polls the socket wherever it
// waits, even where a program would poll its memory. So no thread has to be woken, and a change of
// habit costs nothing. On one core, each poll in vain lets the other side run.
class SocketTwoWords final : public TwoWordsEnd {
 public:
  SocketTwoWords(Place& place, const limits::Connection& connection, Cores cores)
      : socket_(connection.end(static_cast<int>(place.side))), yields_(cores == Cores::One) {}
  void write_first(std::uint64_t round) override { round_ = round; }
  void write_second(std::uint32_t) override { send(round_, kThere); }
  unsigned poll() override {
    look();
    return std::exchange(ended_, 0U);
  }
  std::uint64_t first() override { return word_; }
  std::uint32_t second() override {
    look();
    return static_cast<std::uint32_t>(word_);
  }

 private:
  static constexpr std::size_t kThere = kWrite + kShortWrite;
  static constexpr std::size_t kBack = 2 * kDone;
  static constexpr std::uint64_t kIsDone = std::uint64_t{1} << 63U;

  void send(std::uint64_t word, std::size_t size) const {
    std::array<char, kMost> frame{};
    std::memcpy(frame.data(), &word, sizeof word);
    limits::send_all(socket_, frame.data(), size);
  }
  void look() {
    char* const begin = buffer_.data();
    const std::size_t got =
        limits::moved(recv(socket_, begin + got_, buffer_.size() - got_, MSG_DONTWAIT));
    if (got == 0 && yields_) sched_yield();
    got_ += got;
    std::uint64_t word = 0;
    while (got_ >= sizeof word) {
      std::memcpy(&word, begin, sizeof word);
      const std::size_t size = word == kIsDone ? kBack : kThere;
      if (got_ < size) return;
      got_ -= size;
      std::memmove(begin, begin + size, got_);
      take(word);
    }
  }
  void take(std::uint64_t word) {
    if (word == kIsDone) {
      ended_ += 2;
      return;
    }
    word_ = word;
    send(kIsDone, kBack);
  }

  const int socket_;
  const bool yields_;
  std::array<char, 256> buffer_{};
  std::size_t got_ = 0;
  unsigned ended_ = 0;
  std::uint64_t round_ = 0; // the round of this side
  std::uint64_t word_ = 0;  // the last word of the peer
};

class SocketContest final : public Contest {
 public:
  explicit SocketContest(const Cell& cell) : cell_(cell) {}
  std::string name() const override { return "sockets"; }
  std::unique_ptr<InitiatorEnd> initiator(Place& place) override {
    return std::make_unique<SocketInitiator>(place, connections_, lengths_of(cell_.operation));
  }
  std::unique_ptr<TargetEnd> target(Place& place) override {
    return std::make_unique<SocketTarget>(place, connections_, cell_);
  }
  std::unique_ptr<TwoWordsEnd> two_words(Place& place) override {
    return std::make_unique<SocketTwoWords>(place, connections_.watched, cell_.cores);
  }

 private:
  const Cell cell_;
  Connections connections_;
};

} // namespace

std::unique_ptr<Contest> socket_contest(const Cell& cell) {
  return std::make_unique<SocketContest>(cell);
}

} // namespace waiting
