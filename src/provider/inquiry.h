// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/inquiry.h: answers dat-info -p about an open IA.
// Lives here: an abstract UNIX socket "datum-info/NUMBER". Askers need not know the number, since
//             they find the socket by the descriptors of the process. A process of the same user,
//             or of root, connects. It gets a message with the report as a file, or a message that
//             the report is too long for a file. Then the connection is closed. Askers are answered
//             one at a time. A report is made in parts, and the adapter's lock is free between two
//             parts. After each answer follows a pause. So even endless questions take little of
//             the IA's time.
// Not here:   the content of the report (report.h).
// Threads:    the adapter's lock. The thread that drives the IA answers: in an idle process the
//             background thread. Without askers an Inquiry costs one descriptor.
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
  // nullptr: no descriptor or no memory is left for the socket, and the IA works without an
  // Inquiry.
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
  // Tells the asker that the report is longer than a file of this process may be (RLIMIT_FSIZE).
  static void refuse(const Answer& answer);
  void wake_in(Duration time);
  bool watch_for(std::uint32_t events);
  void stop_watching();

  Reactor& reactor_;
  InterfaceAdapter& adapter_;
  const std::string ia_name_;
  GuardedFd socket_; // a child with a copy would be asked, and never answer
  bool watched_ = false;
  std::unique_ptr<Answer> answer_; // nullptr: no answer is being written
};

} // namespace datum
