// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/requests.h: the connection requests that reach a server, distinguished by their greeting.
// Lives here: which client is next. A client that connects while another is served waits for its
//             turn.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "common/dat_events.h"
#include "common/dat_objects.h"
#include "perf/control.h"

namespace datum::perf {

class Requests {
 public:
  Requests(const tools::Interface& ia, bool quiet);
  [[nodiscard]] const tools::Evd& evd() const { return evd_; }

  tools::Cr next_client(); // blocks
  // The next request of the client that is being served. Throws PeerLost when that client ends.
  tools::Cr next_data(std::string_view greeting, Control& control, tools::Deadline deadline);
  tools::Cr poll_data(std::string_view greeting); // does not block; empty: no such request has come

 private:
  tools::Cr sort(const DAT_EVENT& event, std::string_view wanted);

  tools::Evd evd_;
  bool quiet_; // refused requests are not logged
  std::deque<tools::Cr> clients_;
};

} // namespace datum::perf
