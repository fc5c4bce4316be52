// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v2/event_descriptor.h: the descriptor of a CNO made by dat_cno_fd_create.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include "base/unique_fd.h"
#include "core/notification_object.h"

namespace datum {

class EventDescriptor final : public DescriptorSignal {
 public:
  EventDescriptor() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  bool valid() const { return static_cast<bool>(fd_); }
  int descriptor() const override { return fd_.get(); }
  // Neither can fail but by the consumer's own doing.
  void raise() override { static_cast<void>(::eventfd_write(fd_.get(), 1)); }
  void lower() override {
    eventfd_t count = 0;
    static_cast<void>(::eventfd_read(fd_.get(), &count));
  }

 private:
  UniqueFd fd_;
};

} // namespace datum
