// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v2/event_descriptor.h: the descriptor of a CNO made by dat_cno_fd_create. The consumer
// gets a second descriptor for the same eventfd, which Datum never writes to. The consumer may
// close that descriptor, as event loops and languages that own descriptors do, and another file may
// then get its number. So Datum closes the number only if it still refers to that eventfd.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/event_counter.h"
#include "base/unique_fd.h"
#include "core/events/notification_object.h"

namespace datum {

class EventDescriptor final : public DescriptorSignal {
 public:
  EventDescriptor()
      : own_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
        consumers_(own_ ? ::fcntl(own_.get(), F_DUPFD_CLOEXEC, 0) : -1), error_(errno) {}
  ~EventDescriptor() override {
    if (valid() && is_same_eventfd()) ::close(consumers_);
  }
  EventDescriptor(const EventDescriptor&) = delete;
  EventDescriptor& operator=(const EventDescriptor&) = delete;

  bool valid() const { return consumers_ >= 0; }
  int error() const { return error_; } // why it is not valid: the errno of eventfd2 or fcntl
  int descriptor() const override { return consumers_; }
  // Neither fails unless the consumer interferes.
  void raise() override { raise_counter(own_.get()); }
  void lower() override { lower_counter(own_.get()); }

 private:
  bool readable() const {
    pollfd one{consumers_, POLLIN, 0};
    return ::poll(&one, 1, 0) == 1 && (one.revents & POLLIN) != 0;
  }
  // True: the consumer's descriptor becomes readable when own_ is raised, and unreadable when own_
  // is lowered. So it still refers to the same eventfd.
  bool is_same_eventfd() {
    raise();
    const bool follows = readable();
    lower();
    return follows && !readable();
  }

  UniqueFd own_;
  const int consumers_;
  const int error_;
};

} // namespace datum
