// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/interface.h: whether Datum can use an interface of the network.
#pragma once

#include <string>

namespace datum::info {

// "there is no interface eth7 here", "eth7 is down", "eth7 has no IP address"; empty: it can be
// used, or this host does not tell. An empty name stands for any interface.
std::string why_unusable(const std::string& interface);

} // namespace datum::info
