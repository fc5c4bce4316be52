// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/report.h: an open IA in words, for dat-info -p: its endpoints, their paths and the
// reasons for these, what the endpoints have moved and hold.
// Not here:   which processes may ask, and how (inquiry.h).
// Threads:    the adapter's lock. It is free between two parts, so objects may come and go
//             meanwhile.
#pragma once

#include <string>
#include <string_view>

#include "core/adapter/interface_adapter.h"

namespace datum {

// A line for each object, with tabs between the fields. The first field names the kind of line:
//   ia   name
//   ep   number, state, path, peer, its port, requests posted and their octets, Recvs completed and
//        theirs, requests outstanding, of at most, Recvs outstanding, of at most, stalls, why
//   leniency  name, uses: one that the default lets pass; only those that were used
//   evd  number, streams (DAT_EVD_FLAGS), events, of at most, completions, waits
// Fields that do not apply are "-". Inquiry sends the number of this format first, since dat-info
// may be of another release.
class Report {
 public:
  // An endpoint takes about a microsecond. So a part holds the lock for a small share of the
  // millisecond that other threads may have to wait (docs/design/inquiry.md).
  static constexpr int kObjectsInAPart = 64;

  Report(InterfaceAdapter& adapter, std::string_view ia_name)
      : adapter_(adapter), ia_name_(ia_name), endpoints_(adapter.walk_endpoints()),
        dispatchers_(adapter.walk_dispatchers()) {}
  // The lines of at most kObjectsInAPart further objects. Empty: there are no more.
  std::string next_part();

 private:
  InterfaceAdapter& adapter_;
  std::string ia_name_; // empty: it has been reported
  ObjectWalk endpoints_;
  ObjectWalk dispatchers_;
  unsigned dispatchers_told_ = 0;
};

} // namespace datum
