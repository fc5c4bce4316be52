// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/connected_peer.h: for test fixtures with one connection to a second process. That
// process has posted nothing.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "connection.h"
#include "two_processes.h"

namespace datum::test {

class ConnectedPeer {
 protected:
  // Returns after the accept. The test takes the events of both processes.
  void connect() {
    ia_ = open_ia();
    side_ = std::make_unique<Side>(ia_);
    listener_ = std::make_unique<Listener>(ia_);
    buffer_.emplace(side_->buffer(4096));
    process_.emplace(PeerProcess::of_this_program());
    ASSERT_EQ(process_->ask("connect " + std::to_string(listener_->qualifier())), "ok");
    Cr cr = listener_->expect_request();
    ASSERT_DAT_OK(accept(cr, side_->ep()));
  }

  Ia ia_;
  std::unique_ptr<Side> side_;
  std::unique_ptr<Listener> listener_;
  std::optional<Buffer> buffer_;
  std::optional<PeerProcess> process_;
};

} // namespace datum::test
