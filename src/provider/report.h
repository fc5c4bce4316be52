// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/report.h: an open IA in words, for dat-info -p: its endpoints, their paths and why, what
// they have moved and hold. Not here: who may ask, and how (inquiry.h).
#pragma once

#include <string>
#include <string_view>

#include "core/interface_adapter.h"

namespace datum {

// A line for each object, fields between tabs, the first of them what it is:
//   ia   name
//   ep   number, state, path, peer, its port, requests posted and their octets, Recvs completed and
//        theirs, requests outstanding, of at most, Recvs outstanding, of at most, stalls, why
//   evd  number, streams (DAT_EVD_FLAGS), events, of at most, completions, waits
// Fields that do not apply are "-". The adapter's lock is held.
std::string report_on(InterfaceAdapter& adapter, std::string_view ia_name);

} // namespace datum
