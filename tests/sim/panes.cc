// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "panes.h"

#include <algorithm>
#include <cstring>

#include "failure.h"

namespace datum::test {
namespace {

constexpr std::size_t kRemembered = 8; // openings; requests use no older opening

} // namespace

Panes::Panes(const std::byte* memory, std::uint64_t at) : memory_(memory), at_(at) {
  watch_shut_panes();
}

void Panes::post(const Opening& opening) {
  if (opening.stag != 0 && opening.write) as_shut_[pane_of(opening.at)].clear();
  openings_.push_back(opening);
  const bool oldest_is_shut = openings_.front().state == Opening::State::Shut;
  if (openings_.size() > kRemembered && oldest_is_shut) openings_.pop_front();
}

void Panes::carried_out(std::uint64_t bind) {
  for (Opening& each : openings_) {
    if (each.bind < bind) each.state = Opening::State::Shut;
    if (each.bind == bind && each.state == Opening::State::Posted)
      each.state = each.stag != 0 ? Opening::State::Open : Opening::State::Shut;
  }
  watch_shut_panes();
}

void Panes::shut_until(std::uint64_t bind) {
  for (Opening& each : openings_)
    if (each.bind <= bind) each.state = Opening::State::Shut;
  watch_shut_panes();
}

void Panes::shut_all() {
  shut_until(UINT64_MAX);
}

const Opening* Panes::newest() const {
  if (openings_.empty()) return nullptr;
  const Opening& last = openings_.back();
  return last.stag != 0 && last.state != Opening::State::Shut ? &last : nullptr;
}

const Opening* Panes::stale(std::uint64_t choice) const {
  if (openings_.empty()) return nullptr;
  const Opening& chosen = openings_[choice % openings_.size()];
  return chosen.stag != 0 && chosen.state == Opening::State::Shut ? &chosen : nullptr;
}

void Panes::watch_shut_panes() {
  for (std::size_t i = 0; i < kPanes; ++i) {
    const bool open = std::ranges::any_of(openings_, [&](const Opening& each) {
      return each.stag != 0 && each.write && pane_of(each.at) == i &&
             each.state != Opening::State::Shut;
    });
    if (!open && as_shut_[i].empty()) as_shut_[i].assign(pane(i), pane(i) + kPaneBytes);
  }
}

void Panes::check(std::uint32_t party) const {
  static const std::vector<std::byte> kUntouched(kPaneUnused);
  for (std::size_t i = 0; i < kPanes; ++i) {
    const std::vector<std::byte>& then = as_shut_[i];
    require(then.empty() || std::memcmp(pane(i), then.data(), then.size()) == 0,
            "party {}: memory changed that no RMR opens", party);
    require(std::memcmp(pane(i) + kPaneBytes - kPaneUnused, kUntouched.data(), kPaneUnused) == 0,
            "party {}: memory changed behind the bounds of an RMR", party);
  }
}

} // namespace datum::test
