// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datadm/adapters.h: the adapters of a device that this host has.
// Lives here: the meaning of the device field of service_provider.conf on Linux.
//
//   driver_name=datum       Datum's IAs: "datum", and "datum-<netdev>" for each interface with an
//                           address
//   driver_name=<driver>    network interfaces whose kernel driver has this name
//   pci<vendor>,<device>    network interfaces of this PCI device, numbers in hexadecimal
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace datum::datadm {

// Adapter names for a device; throws ToolError if they cannot be listed.
using Adapters = std::function<std::vector<std::string>(const std::string& device)>;

// True: the text has one of the three forms above.
bool is_device(std::string_view text);

// sys_class_net: /sys/class/net.
Adapters adapters_of_this_host(std::filesystem::path sys_class_net);

} // namespace datum::datadm
