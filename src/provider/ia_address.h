// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/ia_address.h: which address of this host an IA name stands for.
#pragma once

#include <optional>
#include <string_view>

#include "core/port/types.h"

namespace datum {

struct IaAddress {
  Address address;            // a concrete address, even if the IA answers for every address
  bool every_address = false; // IA `datum`
  // True: the instance data give the address, and nothing has checked that this host has it
  bool given = false;
};

// The first word of the instance data is an interface, an address, or missing. If it is missing,
// the IA name decides: `datum-<interface>` names an interface, and any other name stands for the
// host. A host on which no interface is up gets 127.0.0.1. Nothing is returned if there is no such
// interface or it has no address (errno 0), or if the kernel did not answer (errno says why).
std::optional<IaAddress> find_ia_address(std::string_view ia_name, std::string_view instance_data);

} // namespace datum
