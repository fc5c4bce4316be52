// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/endpoint_waiting.cc: messages that have waited for a Recv for long, and what the
// log says.
#include <new>
#include <string>

#include "base/log.h"
#include "base/text.h"
#include "core/adapter/interface_adapter.h"
#include "core/endpoint/endpoint.h"

namespace datum {
namespace {

std::string waiting_message(std::uint32_t endpoint) {
  try {
    return text("endpoint {}: a message that has found no Recv in time", endpoint);
  } catch (const std::bad_alloc&) {
    return "no Recv in time"; // short enough to need no memory
  }
}

} // namespace

// In the default each message counts for itself, in count_long_waits().
bool Endpoint::may_wait_on() {
  Leniencies& leniencies = adapter().leniencies();
  return !leniencies.strict() ||
         leniencies.permit(Leniency::LongWaitForRecv, waiting_message(number_));
}

void Endpoint::count_long_waits(std::size_t messages) {
  Leniencies& leniencies = adapter().leniencies();
  if (leniencies.strict() || messages == 0) return;
  const std::string what = waiting_message(number_);
  for (std::size_t i = 0; i < messages; ++i) leniencies.permit(Leniency::LongWaitForRecv, what);
}

// What the consumer has set holds in both modes. A peer may connect and send as often as it likes.
void Endpoint::on_wait_over(Duration limit) {
  log_of_peer(LogLevel::Warn,
              "endpoint {}: a message has found no Recv, and DATUM_RNR_TIMEOUT={} ms is over: the "
              "connection breaks; post Recvs before the peer sends, or set a longer time",
              number_, limit / kMillisecond);
}

} // namespace datum
