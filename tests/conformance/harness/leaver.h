// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/leaver.h: one end of a connection whose IA is closed at once, with everything on it.
#pragma once

#include <list>

#include "connection.h"

namespace datum::test {

class Leaver {
 public:
  Leaver() : ia_(open_ia()), side_(ia_) {}

  DAT_IA_HANDLE ia() const { return ia_; }
  Side& side() { return side_; }
  Buffer& buffer(std::size_t size) { return buffers_.emplace_back(side_.buffer(size)); }
  // Closes the IA abruptly, whatever is under way.
  void leave() {
    EXPECT_DAT_OK(dat_ia_close(ia_.release(), DAT_CLOSE_ABRUPT_FLAG));
    for (Buffer& each : buffers_) each.lmr().release();
    side_.give_up();
  }

 private:
  Ia ia_;
  Side side_;
  std::list<Buffer> buffers_;
};

} // namespace datum::test
