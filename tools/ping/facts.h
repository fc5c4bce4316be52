// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ping/facts.h: what -v tells of a connection: its way and why, its ends, private data, limits.
// Lives here: asking for them, and the text. Not here: which side asks, and when (client, server).
#pragma once

#include <string>
#include <vector>

#include "common/dat_objects.h"

namespace datum::ping {

struct Way {
  std::string path, reason; // empty: the provider does not tell; nothing is faster
  bool operator==(const Way&) const = default;
};

struct End {
  std::string address;
  DAT_CONN_QUAL port = 0;
};

struct Facts {
  Way way;
  End local, peer;
  std::string reads_in, reads_out; // RDMA Reads at a time; empty: the provider does not tell
  DAT_COUNT requests = 0, receives = 0;
  std::vector<std::string> attributes; // "name=value", all of a provider that tells no path
};
Facts facts_of(const tools::Ep& ep);

// Of any connection of an IA.
struct Bounds {
  DAT_VLEN message = 0;
  DAT_COUNT private_data = 0;
};
Bounds bounds_of(const tools::Interface& ia);

// "tcp, because DATUM_TRANSPORT=tcp"
std::string text_of(const Way& way);
// `10 bytes "dat-ping 1"`: nothing that a peer says moves the cursor.
std::string private_data_text(const std::string& data);
std::string text_of(const Facts& facts, const Bounds& bounds, const std::string& sent,
                    const std::string& came);

} // namespace datum::ping
