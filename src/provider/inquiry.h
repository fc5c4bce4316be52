// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/inquiry.h: answers dat-info -p about an open IA.
// Lives here: an abstract UNIX socket "datum-info/NUMBER" that nobody has to know the number of (it
//             is found by the descriptors of the process); whoever of the same user, or root,
//             connects gets a message with a file, the report, or one that there is no room
//             for it, and is let go. One at a time, in parts between
//             which others have the IA, and then not for a while: whoever asks without end has
//             little of the IA's time.
// Not here:   what the report says (report.h).
// Threads:    the adapter's lock. Whoever drives the IA answers: in an idle process the background
//             thread. Where nobody asks it costs one descriptor.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/random.h"
#include "base/unique_fd.h"
#include "core/adapter/interface_adapter.h"
#include "core/port/timer.h"
#include "progress/reactor.h"
#include "provider/report.h"
#include "transport/host/fork_guard.h"

namespace datum {

class Inquiry final : private FdHandler, private Timer {
 public:
  // nullptr: there is no descriptor, or no memory, for it; the IA does without.
  static std::unique_ptr<Inquiry> open(Reactor& reactor, InterfaceAdapter& adapter,
                                       std::string_view ia_name, Random& random);
  ~Inquiry();
  Inquiry(const Inquiry&) = delete;
  Inquiry& operator=(const Inquiry&) = delete;

 private:
  Inquiry(Reactor& reactor, InterfaceAdapter& adapter, std::string_view ia_name, GuardedFd socket)
      : reactor_(reactor), adapter_(adapter), ia_name_(ia_name), socket_(std::move(socket)) {}
  void on_ready(std::uint32_t events) override;
  void on_expired(Instant now) override;
  // An answer that is being written.
  struct Answer {
    UniqueFd asker;
    UniqueFd file;
    Report report;
  };
  void begin(UniqueFd asker);
  void go_on();
  static void send(const Answer& answer);
  // The report is longer than a file of this process may be (RLIMIT_FSIZE).
  static void refuse(const Answer& answer);
  void wake_in(Duration time);

  Reactor& reactor_;
  InterfaceAdapter& adapter_;
  const std::string ia_name_;
  GuardedFd socket_; // a child would be asked in our place, and never answer
  bool watched_ = false;
  std::unique_ptr<Answer> answer_; // nullptr: at rest, or nobody asks
};

} // namespace datum
