// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/report.h: an open IA as text, for dat-info -p: its endpoints, their paths, what they
// have moved and what is outstanding; the leniencies that were used; its EVDs.
// Not here:   which processes may ask, and how (inquiry.h).
// Threads:    the adapter's lock. The lock is free between two parts, so objects may come and go
//             meanwhile.
#pragma once

#include <string>
#include <string_view>

#include "core/adapter/interface_adapter.h"

namespace datum {

// A line for each object, with tabs between the fields. The first field names the kind of line:
//   ia   name
//   ep   number, state, path, address of the peer, port of the peer, requests posted, their octets,
//        Recvs completed, their octets, requests outstanding, the most of these, Recvs outstanding,
//        the most of these, stalls, reason of the path
//   leniency  name, uses: only leniencies that were used
//   evd  number, streams (DAT_EVD_FLAGS), events, the most of these, completions, waits
// Fields that do not apply are "-". Inquiry sends the number of this format first, since dat-info
// may be of another release. A new field: docs/design/inquiry.md, "A new counter".
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
