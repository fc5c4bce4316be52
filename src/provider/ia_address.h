// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/ia_address.h: which address of this host an IA name stands for.
#pragma once

#include <optional>
#include <string_view>

#include "core/port/types.h"

namespace datum {

struct IaAddress {
  Address address;            // a concrete one, also when the IA answers for every address
  bool every_address = false; // IA `datum`
  bool given = false;         // by itself: whether anything here has it was not looked at
};

// The first word of the instance data: an interface, an address, or nothing. With nothing the name
// decides: `datum-<interface>`, anything else stands for the host, by 127.0.0.1 where no interface
// is up. Nothing returned: there is no such interface, or it has no address (errno 0), or the
// kernel would not tell (errno says why).
std::optional<IaAddress> find_ia_address(std::string_view ia_name, std::string_view instance_data);

} // namespace datum
