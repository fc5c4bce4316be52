// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/ia_obstacle.h"

#include <fmt/format.h>

#include "common/dat_error.h"
#include "common/interface.h"

namespace datum::tools {
namespace {

Obstacle missing(DAT_RETURN ret, const IaOrigin& origin) {
  if (DAT_GET_SUBTYPE(ret) != DAT_NAME_NOT_REGISTERED) return Obstacle::Version;
  return origin.known ? Obstacle::Library : Obstacle::Unknown;
}

} // namespace

Refusal why_refused(DAT_RETURN ret, const std::string& ia, const IaOrigin& origin) {
  std::string text = fmt::format("dat_ia_open({}): {}", ia.empty() ? "\"\"" : ia, dat_text(ret));
  if (is_type(ret, DAT_PROVIDER_NOT_FOUND)) return {missing(ret, origin), std::move(text)};
  if (!origin.place || !is_type(ret, DAT_INSUFFICIENT_RESOURCES))
    return {Obstacle::Other, std::move(text)};
  const std::string cause = why_unusable(*origin.place);
  if (cause.empty()) return {Obstacle::Other, std::move(text)};
  return {Obstacle::Interface, fmt::format("{}: {}", text, cause)};
}

std::string step_for(Obstacle obstacle, const IaOrigin& origin) {
  switch (obstacle) {
  case Obstacle::Name: return fmt::format("choose another name in {}", origin.text);
  case Obstacle::Unknown:
    return "dat-info lists the names; dat-info --check looks for mistakes in dat.conf";
  case Obstacle::Version:
    return fmt::format("dat-info lists the adapters with their versions; this program is one of "
                       "DAT {}.{} without threads",
                       DAT_VERSION_MAJOR, DAT_VERSION_MINOR);
  case Obstacle::Interface:
    return "`ip address` shows the interfaces, their state and addresses" +
           (origin.is_built_in ? "" : fmt::format("; {} may name another one", origin.text));
  case Obstacle::Library:
    return fmt::format("is \"{}\" installed, and where the loader looks? LD_DEBUG=libs shows its "
                       "search; the log line above says why",
                       origin.library);
  default: return "if no line of the log above tells what is missing, DATUM_LOG=debug does";
  }
}

std::string explain_open(DAT_RETURN ret, const std::string& name) {
  const ConfFile file = read_conf_file();
  const std::string ia = asked_for(file, name);
  const IaOrigin origin = Origins(file).of(ia, DAT_VERSION_MAJOR, DAT_VERSION_MINOR);
  const auto [obstacle, text] = why_refused(ret, ia, origin);
  const std::string_view known = obstacle == Obstacle::Other ? next_step(ret) : std::string_view();
  const std::string asked = ia == name ? "" : fmt::format("{} stands for {}: ", name, ia);
  return fmt::format("{}{} ({})", asked, text, known.empty() ? step_for(obstacle, origin) : known);
}

} // namespace datum::tools
