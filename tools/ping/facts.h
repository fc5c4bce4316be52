// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ping/facts.h: what -v prints about a connection: its path and the reason for it, both ends,
// private data, limits.
// Lives here: the queries and the text.
// Not here:   which side asks for them, and when (client.h, server.h).
#pragma once

#include <string>
#include <vector>

#include "common/dat_objects.h"

namespace datum::ping {

struct Way {
  // Empty path: the provider does not tell the path. Empty reason: there is no faster path.
  std::string path, reason;
  bool operator==(const Way&) const = default;
};

struct End {
  std::string address;
  DAT_CONN_QUAL port = 0;
};

struct Facts {
  Way way;
  End local, peer;
  // How many RDMA Reads at a time. Empty: the provider does not tell the number.
  std::string reads_in, reads_out;
  DAT_COUNT requests = 0, receives = 0;
  std::vector<std::string> attributes; // "name=value"; filled only if the provider tells no path
};
Facts facts_of(const tools::Ep& ep);

// Limits of every connection of an IA.
struct Bounds {
  DAT_VLEN message = 0;
  DAT_COUNT private_data = 0;
};
Bounds bounds_of(const tools::Interface& ia);

// "tcp, because DATUM_TRANSPORT=tcp"
std::string text_of(const Way& way);
// `10 bytes "dat-ping 1"`. The peer's bytes are made printable.
std::string private_data_text(const std::string& data);
std::string text_of(const Facts& facts, const Bounds& bounds, const std::string& sent,
                    const std::string& came);

} // namespace datum::ping
