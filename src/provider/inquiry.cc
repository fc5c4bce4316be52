// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "provider/inquiry.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <utility>

#include "base/log.h"
#include "base/memory_file.h"
#include "base/refused_calls.h"
#include "base/text.h"
#include "provider/report.h"
#include "transport/host/abstract_name.h"
#include "transport/host/same_user.h"
#include "transport/shm/message_socket.h"

namespace datum {
namespace {

// How many askers the kernel queues. Further askers wait, or are refused by the kernel.
constexpr int kBacklog = 4;
// The pause between two answers. dat-info waits for an answer for two seconds.
constexpr Duration kRest = 20 * kMillisecond;
// The pause between two parts of an answer. It is not 0: a timer for later than now is not due in
// the poll that arms it, so the thread gives up the adapter's lock before the next part.
constexpr Duration kBreath = 50 * kMicrosecond;

// GuardedFd::make() is not used here. It waits until no fork is under way, and while an IA is
// opened a fork may be waiting for this thread (base/fork_gate.h). So a child that is forked at
// this moment has a copy of the socket. The only harm is that dat-info waits for an answer in vain
// if the parent has ended.
GuardedFd listen_at(std::uint64_t number) {
  GuardedFd socket(UniqueFd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)));
  if (!socket || take_name(socket.get(), text("datum-info/{:016x}", number)) != 0 ||
      ::listen(socket.get(), kBacklog) != 0)
    return {};
  return socket;
}

bool may_ask(int socket) {
  const auto asker = peer_credentials(socket);
  return asker && (asker->uid == 0 || is_same_user(asker->uid, ::geteuid()).value_or(false));
}

} // namespace

std::unique_ptr<Inquiry> Inquiry::open(Reactor& reactor, InterfaceAdapter& adapter,
                                       std::string_view ia_name, Random& random) {
  std::unique_ptr<Inquiry> made;
  int error = 0;
  try {
    GuardedFd socket = listen_at(random.next());
    error = errno;
    if (socket) made.reset(new Inquiry(reactor, adapter, ia_name, std::move(socket)));
  } catch (const std::bad_alloc&) {
    log_out_of_memory();
    return nullptr;
  }
  if (made) {
    FdHandler& handler = *made;
    made->watched_ = reactor.add(made->socket_.get(), EPOLLIN, handler).ok();
  }
  if (made && made->watched_) return made;
  log(LogLevel::Info, "ia \"{}\": `dat-info -p` will not be told of it: no socket for that: {}",
      ia_name, std::strerror(error));
  return nullptr;
}

Inquiry::~Inquiry() {
  stop_watching();
}

void Inquiry::stop_watching() {
  FdHandler& self = *this;
  if (std::exchange(watched_, false)) reactor_.remove(socket_.get(), self);
}

// False: a sandbox that came up later refuses the change. Then nobody can ask any more: the socket
// is closed, since an asker that must wait would be reported again and again.
bool Inquiry::watch_for(std::uint32_t events) {
  FdHandler& self = *this;
  const int error = reactor_.change(socket_.get(), events, self);
  if (error == 0) return true;
  stop_watching();
  socket_.reset();
  log(LogLevel::Info,
      "ia \"{}\": `dat-info -p` will not be told of it any more: {} refuses epoll_ctl: {}",
      ia_name_, kSandbox, std::strerror(error));
  return false;
}

void Inquiry::wake_in(Duration time) {
  adapter_.timers().arm(*this, adapter_.progress().now() + time);
}

// Without a free descriptor the asker cannot even be accepted, and stays in the queue. So the pause
// comes in any case: without it, this function would be called again at once.
void Inquiry::on_ready(std::uint32_t /*events*/) {
  if (!watch_for(0)) return;
  wake_in(kRest);
  adapter_.progress().wake();
  UniqueFd asker(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (asker && may_ask(asker.get())) begin(std::move(asker));
}

void Inquiry::on_expired(Instant) {
  if (answer_) return go_on();
  watch_for(EPOLLIN);
}

void Inquiry::begin(UniqueFd asker) {
  UniqueFd file = make_memory_file("datum-info");
  if (!file) return;
  answer_.reset(new Answer{std::move(asker), std::move(file), Report(adapter_, ia_name_)});
  wake_in(0);
}

// Writes one more part. If memory or descriptors are lacking, the asker is dropped without an
// answer.
void Inquiry::go_on() {
  std::unique_ptr<Answer> answer = std::move(answer_);
  wake_in(kRest);
  const std::string part = answer->report.next_part();
  if (!append(answer->file, part)) {
    if (errno == EFBIG) refuse(*answer);
    return;
  }
  if (part.empty()) return send(*answer);
  answer_ = std::move(answer);
  wake_in(kBreath);
}

void Inquiry::send(const Answer& answer) {
  const std::array fds{answer.file.get()};
  // The number of the report's format (report.h), which changes with the format. 1 was the format
  // of the first release, without leniencies. 2 is the message of refuse().
  constexpr std::array kReport{std::byte{3}};
  static_cast<void>(send_message(answer.asker.get(), kReport, fds));
}

void Inquiry::refuse(const Answer& answer) {
  constexpr std::array kTooLong{std::byte{2}};
  static_cast<void>(send_message(answer.asker.get(), kTooLong));
}

} // namespace datum
