// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/inquiry.h: answers dat-info -p about an open IA.
// Lives here: an abstract UNIX socket "datum-info/NUMBER". Askers need not know the number, since
//             they find the socket by the descriptors of the process. A process of the same user,
//             or of root, connects and gets a message with a file, the report; or a message that
//             there is no room for the file. Then the connection is closed. Askers are answered one
//             at a time, in parts between which other threads have the IA, and then a pause
//             follows. So an endless asker gets little of the IA's time.
// Not here:   the content of the report (report.h).
// Threads:    the adapter's lock. The thread that drives the IA answers: in an idle process the
//             background thread. Without askers it costs one descriptor.
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

  Reactor& reactor_;
  InterfaceAdapter& adapter_;
  const std::string ia_name_;
  GuardedFd socket_; // a child would be asked in place of this process, and never answer
  bool watched_ = false;
  std::unique_ptr<Answer> answer_; // nullptr: no answer is being written
};

} // namespace datum
