// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/leniency.h"

#include "base/log.h"
#include "base/refusal.h"

namespace datum {
namespace {

struct Row {
  std::string_view name;
  std::string_view rule; // what the letter of the manual says
  // True: peers can cause the use as often as they like, with another object each time.
  bool is_brought_by_peers = false;
};

constexpr std::array<Row, kLeniencies> kRows{{
    {"short_provider_list",
     "dat_registry_list_providers.R2: max_to_return is at least the number of providers"},
    {"mixed_completion_flags",
     "SHARE.5: completions of different notification flags do not share an EVD"},
    {"suppress_in_attributes",
     "dat_ep_create.R32: request_completion_flags of an endpoint do not contain SUPPRESS"},
    {"long_wait_for_recv", "ERR.3: a message finds its Recv posted within DATUM_RNR_TIMEOUT", true},
}};

const Row& row_of(Leniency leniency) {
  return kRows[static_cast<std::size_t>(leniency)];
}

void tell_refused(const Row& row, std::string_view what) {
  try {
    if (row.is_brought_by_peers && !may_log_of_peer()) return;
    tell_now_and_then(LogLevel::Warn,
                      text("{}: refused, since DATUM_STRICT=on: {}", what, row.rule));
  } catch (const std::bad_alloc&) {
    log_out_of_memory();
  }
}

} // namespace

std::string_view name_of(Leniency leniency) {
  return row_of(leniency).name;
}

bool Leniencies::permit(Leniency leniency, std::string_view what) {
  const Row& row = row_of(leniency);
  if (strict_) {
    tell_refused(row, what);
    return false;
  }
  std::atomic<std::uint64_t>& uses = uses_[static_cast<std::size_t>(leniency)];
  if (uses.fetch_add(1, std::memory_order_relaxed) == 0)
    log(LogLevel::Info, "{}: let pass; DATUM_STRICT=on refuses it: {}", what, row.rule);
  return true;
}

} // namespace datum
