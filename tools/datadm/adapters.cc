// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "datadm/adapters.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <optional>

#include "common/tool_error.h"
#include "registry/conf/interfaces.h"

namespace fs = std::filesystem;
using datum::tools::ExitCode;
using datum::tools::ToolError;

namespace datum::datadm {
namespace {

constexpr std::string_view kDriver = "driver_name=";
constexpr std::string_view kPci = "pci";

struct PciId {
  unsigned vendor = 0;
  unsigned device = 0;
  bool operator==(const PciId&) const = default;
};

std::optional<unsigned> hexadecimal(std::string_view text) {
  unsigned value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, 16);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

std::optional<PciId> pci_id(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (!text.starts_with(kPci) || comma == std::string_view::npos) return std::nullopt;
  const auto vendor = hexadecimal(text.substr(kPci.size(), comma - kPci.size()));
  const auto device = hexadecimal(text.substr(comma + 1));
  if (!vendor || !device) return std::nullopt;
  return PciId{*vendor, *device};
}

// The number in a file of /sys, which has one line such as 0x15b3.
std::optional<unsigned> number_in(const fs::path& file) {
  std::string line;
  std::ifstream in(file);
  if (!std::getline(in, line) || !line.starts_with("0x")) return std::nullopt;
  return hexadecimal(std::string_view(line).substr(2));
}

bool has_driver(const fs::path& interface, std::string_view driver) {
  std::error_code error;
  const fs::path link = fs::read_symlink(interface / "device" / "driver", error);
  return !error && link.filename() == driver;
}

bool has_pci_id(const fs::path& interface, const PciId& id) {
  const auto vendor = number_in(interface / "device" / "vendor");
  const auto device = number_in(interface / "device" / "device");
  return vendor && device && PciId{*vendor, *device} == id;
}

std::vector<std::string> interfaces_where(const fs::path& folder,
                                          const std::function<bool(const fs::path&)>& matches) {
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (matches(entry.path())) names.push_back(entry.path().filename().string());
  if (error)
    throw ToolError(ExitCode::Failed,
                    fmt::format("{}: {}; is /sys mounted?", folder.string(), error.message()));
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> datum_adapters() {
  const auto interfaces = conf::interfaces_with_address();
  if (!interfaces) throw ToolError(ExitCode::Failed, interfaces.error());
  return conf::datum_ia_names(*interfaces);
}

} // namespace

bool is_device(std::string_view text) {
  return (text.starts_with(kDriver) && text.size() > kDriver.size()) || pci_id(text).has_value();
}

Adapters adapters_of_this_host(fs::path sys_class_net) {
  return [folder = std::move(sys_class_net)](const std::string& device) {
    const std::string_view text = device;
    if (!is_device(text))
      throw ToolError(ExitCode::Failed,
                      fmt::format("device \"{}\" is neither driver_name=<driver> nor "
                                  "pci<vendor>,<device>; correct the first field",
                                  device));
    if (text == "driver_name=datum") return datum_adapters();
    if (const auto id = pci_id(text))
      return interfaces_where(folder, [&](const fs::path& i) { return has_pci_id(i, *id); });
    return interfaces_where(folder, [driver = text.substr(kDriver.size())](const fs::path& i) {
      return has_driver(i, driver);
    });
  };
}

} // namespace datum::datadm
