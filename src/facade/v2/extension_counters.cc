// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v2/extension_counters.cc: what the core has counted, as the counters of DAT 2.0.
// Lives here: which counter is which, setting to zero, starting and stopping, printing.
// Not here:   counting (core/object/tally.h), which never stops and never goes back.
#include "base/assertion.h"
#include "facade/v2/extension.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <span>

#include "facade/answer.h"
#include "facade/locked.h"

namespace datum {
namespace {

// The counters of one object, by number. An IA has the most, so an EP or EVD uses only the front.
using Counters = std::array<std::uint64_t, DCNT_IA_ALL_COUNTERS>;

// Some counters stay 0, since Datum has nothing to count for them: messages that only InfiniBand's
// connection manager sends, and ports and queues of hardware.
void read(InterfaceAdapter& ia, Counters& to) {
  const auto population = [&to](const Population& of, DAT_IA_COUNTERS created) {
    to[created] = of.made;
    to[static_cast<std::size_t>(created) + 1] = of.gone();
  };
  const InterfaceAdapter::Counts& counts = ia.counts();
  population(counts.zones, DCNT_IA_PZ_CREATE);
  population(counts.regions, DCNT_IA_LMR_CREATE);
  population(counts.windows, DCNT_IA_RMR_CREATE);
  population(counts.evds, DCNT_IA_EVD_CREATE);
  population(counts.endpoints, DCNT_IA_EP_CREATE);
  population(counts.srqs, DCNT_IA_SRQ_CREATE);

  const AdapterTally& tally = ia.tally();
  const auto alive = [&ia](ObjectKind kind) {
    return static_cast<std::uint64_t>(ia.count_points(kind));
  };
  to[DCNT_IA_PSP_CREATE] = tally.psps;
  to[DCNT_IA_PSP_CREATE_ANY] = tally.psps_anywhere;
  to[DCNT_IA_PSP_FREE] = tally.psps + tally.psps_anywhere - alive(ObjectKind::PublicServicePoint);
  to[DCNT_IA_RSP_CREATE] = tally.rsps;
  to[DCNT_IA_RSP_FREE] = tally.rsps - alive(ObjectKind::ReservedServicePoint);
  to[DCNT_IA_SP_CR] = tally.requests_presented;
  to[DCNT_IA_SP_CR_ACCEPTED] = tally.accepted;
  to[DCNT_IA_SP_CR_REJECTED] = tally.rejected;
  to[DCNT_IA_ASYNC_ERROR] = tally.async_events;
  to[DCNT_IA_ASYNC_CQ_ERROR] = tally.async_overflows;
  to[DCNT_IA_ASYNC_QP_ERROR] = tally.async_endpoints;

  to[DCNT_IA_CM_LISTEN] = tally.psps + tally.psps_anywhere + tally.rsps;
  to[DCNT_IA_CM_REQ_TX] = tally.requests_sent;
  to[DCNT_IA_CM_REQ_RX] = tally.requests_arrived;
  to[DCNT_IA_CM_REP_TX] = tally.accepted;
  to[DCNT_IA_CM_REP_RX] = to[DCNT_IA_CM_RTU_TX] = to[DCNT_IA_CM_ACTIVE_EST] = tally.established;
  to[DCNT_IA_CM_RTU_RX] = to[DCNT_IA_CM_PASSIVE_EST] = tally.established_passive;
  to[DCNT_IA_CM_USER_REJ_TX] = tally.rejected;
  to[DCNT_IA_CM_USER_REJ_RX] = tally.rejected_by_peer;
  to[DCNT_IA_CM_AH_REQ_TX] = tally.datagram_requests_sent;
  to[DCNT_IA_CM_AH_REQ_RX] = tally.datagram_requests_arrived;
  to[DCNT_IA_CM_AH_RESOLVED] = tally.datagram_addresses;
  to[DCNT_IA_CM_DREQ_TX] = tally.ended;
  to[DCNT_IA_CM_DREQ_RX] = tally.ended_by_peer;
  to[DCNT_IA_CM_ERR] =
      tally.refused + tally.broken + tally.timed_out + tally.failed + tally.requests_without_room;
  to[DCNT_IA_CM_ERR_REQ_FULLQ] = tally.requests_without_room;
  to[DCNT_IA_CM_ERR_REFUSED] = tally.refused;
  to[DCNT_IA_CM_ERR_RESET] = tally.broken;
  to[DCNT_IA_CM_ERR_TIMEOUT] = tally.timed_out;

  to[DCNT_IA_LNK_ERR_XMT_DISCARDS] = tally.datagrams_lost;
  to[DCNT_IA_DIAG_ERR_RQ_RAE] = tally.access_faults;
  to[DCNT_IA_DIAG_ERR_RQ_UDSDPRD] = tally.datagrams_dropped;
  to[DCNT_IA_DIAG_ERR_SQ_RAE] = tally.own_access_faults;
}

void read(const Endpoint& ep, Counters& to) {
  const auto both = [&to](DAT_EP_COUNTERS counter, const Tally& tally) {
    to[counter] += tally.count;
    to[static_cast<std::size_t>(counter) + 1] += tally.bytes;
  };
  const EndpointTally& tally = ep.tally();
  to[DCNT_EP_CONNECT] = tally.connects;
  to[DCNT_EP_DISCONNECT] = tally.disconnects;
  both(DCNT_EP_POST_SEND, tally.posted[Opcode::Send]);
  both(DCNT_EP_POST_SEND, tally.posted[Opcode::SendInvalidate]);
  both(DCNT_EP_POST_SEND_UD, tally.posted[Opcode::Datagram]);
  both(DCNT_EP_POST_RECV, tally.recvs_posted);
  both(DCNT_EP_POST_WRITE, tally.posted[Opcode::RdmaWrite]);
  both(DCNT_EP_POST_WRITE_IMM, tally.posted[Opcode::WriteImmediate]);
  both(DCNT_EP_POST_READ, tally.posted[Opcode::RdmaRead]);
  to[DCNT_EP_POST_CMP_SWAP] = tally.posted[Opcode::CompareSwap].count;
  to[DCNT_EP_POST_FETCH_ADD] = tally.posted[Opcode::FetchAdd].count;
  const bool datagrams = ep.datagrams() != nullptr;
  both(datagrams ? DCNT_EP_RECV_UD : DCNT_EP_RECV, tally.received[Opcode::Send]);
  both(DCNT_EP_RECV, tally.received[Opcode::SendInvalidate]);
  both(DCNT_EP_RECV_RDMA_IMM, tally.received[Opcode::WriteImmediate]);
}

void read(const EventDispatcher& evd, Counters& to) {
  const DispatcherTally& tally = evd.tally();
  to[DCNT_EVD_WAIT] = tally.waits;
  to[DCNT_EVD_WAIT_BLOCKED] = tally.blocked;
  to[DCNT_EVD_WAIT_NOTIFY] = tally.notified;
  to[DCNT_EVD_DEQUEUE] = tally.found + tally.empty;
  to[DCNT_EVD_DEQUEUE_FOUND] = tally.found;
  to[DCNT_EVD_DEQUEUE_NOT_FOUND] = tally.empty;
  to[DCNT_EVD_DEQUEUE_POLL] = tally.drives;
  to[DCNT_EVD_DEQUEUE_POLL_FOUND] = tally.driven_in;
  to[DCNT_EVD_CONN_CALLBACK] = tally.connection_events;
  to[DCNT_EVD_DTO_CALLBACK] = tally.completions;
}

// Reads the counters of the object. Returns how many it has.
std::size_t read(Object& object, Counters& to) {
  switch (object.kind()) {
  case ObjectKind::InterfaceAdapter: read(static_cast<InterfaceAdapter&>(object), to); break;
  case ObjectKind::Endpoint: read(static_cast<const Endpoint&>(object), to); break;
  case ObjectKind::EventDispatcher: read(static_cast<const EventDispatcher&>(object), to); break;
  default: break;
  }
  return counter_names(object.kind()).size();
}

// Counters `first` to `last - 1` of one object, as the consumer sees them.
class View {
 public:
  View(Object& object, int counter) : object_(object), size_(read(object, now_)) {
    const auto one = static_cast<std::size_t>(counter);
    if (size_ == 0) {
      status_ = {Type::InvalidHandle, Detail::Handle1};
      return;
    }
    if (counter < 0 || one > size_) {
      note_value(counter);
      status_ = {Type::InvalidParameter, Detail::Arg3};
      return;
    }
    first_ = one == size_ ? 0 : one;
    last_ = one == size_ ? size_ : one + 1;
  }
  // An error: the object has no counters, or no counter with this number.
  Status status() const { return status_; }
  std::size_t first() const { return first_; }
  std::size_t last() const { return last_; }

  std::uint64_t value(std::size_t at) const {
    const CounterMarks* marks = object_.counter_marks();
    if (marks == nullptr) return now_[at];
    const std::uint64_t from = marks->from.empty() ? 0 : marks->from[at];
    return until(*marks, at) - from;
  }
  // set_to_zero(), stop() and start() may throw std::bad_alloc. Then the counters are unchanged.
  void set_to_zero() {
    CounterMarks& marks = object_.make_counter_marks();
    if (marks.from.empty()) marks.from.resize(size_);
    for (std::size_t at = first_; at != last_; ++at) marks.from[at] = until(marks, at);
  }
  void stop() {
    CounterMarks& marks = object_.make_counter_marks();
    if (marks.until.empty()) marks.until.assign(size_, kGoesOn);
    for (std::size_t at = first_; at != last_; ++at)
      if (marks.until[at] == kGoesOn) marks.until[at] = now_[at];
  }
  // Leaves out what was counted while the counters were stopped.
  void start() {
    CounterMarks& marks = object_.make_counter_marks();
    if (marks.until.empty()) return;
    if (marks.from.empty()) marks.from.resize(size_);
    for (std::size_t at = first_; at != last_; ++at) {
      marks.from[at] += now_[at] - until(marks, at);
      marks.until[at] = kGoesOn;
    }
  }
  void narrow(std::size_t first, std::size_t last) {
    DATUM_ASSERT(first_ <= first && first <= last && last <= last_);
    first_ = first;
    last_ = last;
  }

 private:
  static constexpr std::uint64_t kGoesOn = ~std::uint64_t{0};
  std::uint64_t until(const CounterMarks& marks, std::size_t at) const {
    return marks.until.empty() || marks.until[at] == kGoesOn ? now_[at] : marks.until[at];
  }

  Object& object_;
  Counters now_{};
  std::size_t size_;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
  Status status_ = kOk;
};

using LockedAny = Locked<ObjectKind::None>;

DAT_RETURN query(DAT_HANDLE handle, va_list& arguments) {
  const int counter = va_arg(arguments, int);
  auto* out = va_arg(arguments, DAT_UINT64*);
  const bool reset = va_arg(arguments, int) != 0;
  const LockedAny object(handle);
  if (!object) return invalid_handle<V2>(Detail::Handle1);
  View view(*object, counter);
  if (!view.status().ok()) return encode<V2>(view.status());
  if (out == nullptr) return invalid_argument<V2>(Detail::Arg4);
  for (std::size_t at = view.first(); at != view.last(); ++at)
    out[at - view.first()] = view.value(at);
  if (reset) view.set_to_zero();
  return DAT_SUCCESS;
}

// Prints one counter with any value, or all counters that are not 0. Writes without the lock, since
// standard output may block.
DAT_RETURN print(DAT_HANDLE handle, va_list& arguments) {
  const int counter = va_arg(arguments, int);
  const bool reset = va_arg(arguments, int) != 0;
  LockedAny object(handle);
  if (!object) return invalid_handle<V2>(Detail::Handle1);
  View view(*object, counter);
  if (!view.status().ok()) return encode<V2>(view.status());
  const std::span<const std::string_view> names = counter_names(object->kind());
  Counters values{};
  for (std::size_t at = view.first(); at != view.last(); ++at) values[at] = view.value(at);
  if (reset) view.set_to_zero();
  object.release();
  const bool all = view.last() - view.first() > 1;
  for (std::size_t at = view.first(); at != view.last(); ++at)
    if (!all || values[at] != 0) std::printf("%s %" PRIu64 "\n", names[at].data(), values[at]);
  std::fflush(stdout);
  return DAT_SUCCESS;
}

struct Range {
  std::size_t first;
  std::size_t last;
};
// In the order of DAT_IA_COUNTER_TYPE.
constexpr std::array kGroups = {Range{DCNT_IA_CM_LISTEN, DCNT_IA_LNK_ERR_RCV},
                                Range{DCNT_IA_LNK_ERR_RCV, DCNT_IA_DIAG_ERR_RQ_RAE},
                                Range{DCNT_IA_DIAG_ERR_RQ_RAE, DCNT_IA_ALL_COUNTERS}};

DAT_RETURN start_or_stop(DAT_HANDLE handle, bool start, va_list& arguments) {
  const auto group = va_arg(arguments, unsigned);
  const Locked<ObjectKind::InterfaceAdapter> ia(handle);
  if (!ia) return invalid_handle<V2>(Detail::HandleIa);
  if (group >= kGroups.size()) return invalid_argument<V2>(Detail::Arg3, group);
  View view(*ia, DCNT_IA_ALL_COUNTERS);
  view.narrow(kGroups[group].first, kGroups[group].last);
  if (start)
    view.start();
  else
    view.stop();
  return DAT_SUCCESS;
}

} // namespace

bool is_about_counters(DAT_EXTENDED_OP operation) {
  switch (operation) {
  case DAT_IB_QUERY_COUNTERS_OP:
  case DAT_IB_PRINT_COUNTERS_OP:
  case DAT_IB_START_COUNTERS_OP:
  case DAT_IB_STOP_COUNTERS_OP: return true;
  default: return false;
  }
}

DAT_RETURN count(DAT_HANDLE handle, DAT_EXTENDED_OP operation, va_list& arguments) {
  switch (operation) {
  case DAT_IB_QUERY_COUNTERS_OP: return query(handle, arguments);
  case DAT_IB_PRINT_COUNTERS_OP: return print(handle, arguments);
  default: return start_or_stop(handle, operation == DAT_IB_START_COUNTERS_OP, arguments);
  }
}

} // namespace datum
