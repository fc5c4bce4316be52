// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/link/link.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/assertion.h"
#include "base/log.h"
#include "base/no_canary.h"
#include "base/scoped_flag.h"
#include "core/port/waiting.h"
#include "transport/link/link_channel.h"
#include "transport/link/link_incoming.h"
#include "transport/link/link_transport.h"

namespace datum {
namespace {

// How many records a link handles before other links get their turn.
constexpr int kRecordBudget = 64;
// After this many records of such a turn the peer is told what has been placed. The peer may have
// posted all its requests and wait for that, while the consumer here first reaps all completions.
constexpr int kAckEvery = 16;

// The most controls that wait for room. All connections of an adapter together have fewer, so only
// a peer that keeps asking and reads no answer reaches this limit.
constexpr std::size_t kMaxControls = 1U << 17U;

void write_record(RecordHeader* to, const RecordHeader& header) {
  constexpr std::size_t kWord = sizeof(std::uint32_t);
  std::memcpy(reinterpret_cast<std::byte*>(to) + kWord,
              reinterpret_cast<const std::byte*>(&header) + kWord, sizeof header - kWord);
}

} // namespace

Link::Link(LinkTransport& transport, LinkPort& port)
    : transport_(transport), port_(port), own_(port.segment().side[port.side()]),
      peer_(port.segment().side[1 - port.side()]),
      out_(port.segment().ring[port.side()], peer_.tail),
      in_(port.segment().ring[1 - port.side()], own_.tail),
      light_(transport.fabric().fences_everywhere()) {
  own_.fences.store(light_ ? 1 : 0, std::memory_order_relaxed);
}

Link::~Link() = default;

// Each new slot reserves a place on every list, so that later steps need no memory.
bool Link::make_slot() {
  try {
    slots_.emplace_back();
    free_slots_.reserve(slots_.capacity());
    ack_list_.reserve(slots_.capacity());
    for (auto* list : {&work_list_, &working_, &room_waiters_}) list->reserve(slots_.capacity());
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

std::uint32_t Link::add(LinkChannel& channel) {
  std::uint32_t at = 0;
  if (!free_slots_.empty()) {
    at = free_slots_.back();
    free_slots_.pop_back();
  } else if (slots_.size() < kMaxSlots && make_slot()) {
    at = static_cast<std::uint32_t>(slots_.size() - 1);
  } else {
    return 0;
  }
  DATUM_ASSERT(slots_[at].channel == nullptr);
  slots_[at].channel = &channel;
  slots_[at].generation = (slots_[at].generation + 1) & ((1U << (32 - kSlotBits)) - 1);
  if (slots_[at].generation == 0) slots_[at].generation = 1; // so that no number is 0
  ++channels_;
  return slots_[at].generation << kSlotBits | at;
}

void Link::remove(LinkChannel& channel) {
  const std::uint32_t at = channel.number() & (kMaxSlots - 1);
  DATUM_ASSERT(find(channel.number()) == &channel && channels_ != 0);
  slots_[at].channel = nullptr;
  forget_requester(channel.peer().number, channel);
  DATUM_ASSERT(free_slots_.size() < free_slots_.capacity());
  free_slots_.push_back(at);
  --channels_;
  if (channel.listed_for_ack) std::erase(ack_list_, &channel);
  // If the channel's work() is running, the channel is in working_, not in work_list_.
  std::erase(work_list_, &channel);
  std::replace(working_.begin(), working_.end(), &channel, static_cast<LinkChannel*>(nullptr));
  std::erase(room_waiters_, &channel);
  channel.listed_for_ack = channel.listed_for_work = false;
}

void Link::list_for_work(LinkChannel& channel) {
  if (channel.listed_for_work) return;
  DATUM_ASSERT(work_list_.size() < work_list_.capacity());
  channel.listed_for_work = busy_ = true;
  work_list_.push_back(&channel);
}

void Link::send_control(const RecordHeader& header, std::span<const std::byte> payload) {
  const auto size = static_cast<std::uint32_t>(payload.size());
  if (RecordHeader* to = reserve(lines_for(size, 0))) {
    write_record(to, header);
    if (!payload.empty()) std::memcpy(out_.payload(), payload.data(), payload.size());
    publish();
    return;
  }
  if (controls_.size() == kMaxControls) return break_off("more than it reads answers for");
  try {
    controls_.push_back({header, {payload.begin(), payload.end()}});
  } catch (const std::bad_alloc&) {
    return break_off("more than there is memory to keep an answer for");
  }
  ask_for_room();
}

void Link::wait_for_room(LinkChannel& channel) {
  if (std::find(room_waiters_.begin(), room_waiters_.end(), &channel) == room_waiters_.end()) {
    DATUM_ASSERT(room_waiters_.size() < room_waiters_.capacity());
    room_waiters_.push_back(&channel);
  }
  ask_for_room();
}

void Link::ask_for_room() {
  if (!waits_for_room_) transport_.host().progress->wake_promptly();
  waits_for_room_ = busy_ = true;
  own_.wants_room.store(1, std::memory_order_relaxed);
}

// If the ring has room again, lists every channel that waited for room.
bool Link::end_wait_for_room() {
  if (!out_.has_room()) return false;
  waits_for_room_ = false;
  own_.wants_room.store(0, std::memory_order_relaxed);
  for (LinkChannel* channel : room_waiters_) list_for_work(*channel);
  room_waiters_.clear();
  return true;
}

// The peer found this side's incoming ring full, so it is told at once how far this side has read.
void Link::tell_peer_of_room() {
  in_.tell();
  published_ = busy_ = true;
}

bool Link::flush_controls() {
  bool any = false;
  while (!controls_.empty()) {
    const Control& control = controls_.front();
    const auto size = static_cast<std::uint32_t>(control.payload.size());
    auto* to = reinterpret_cast<RecordHeader*>(out_.reserve(lines_for(size, 0)));
    if (to == nullptr) break;
    write_record(to, control.header);
    if (size != 0) std::memcpy(out_.payload(), control.payload.data(), size);
    publish();
    controls_.pop_front();
    any = true;
  }
  return any;
}

void Link::set_attention(Attention attention) {
  const std::uint32_t epoch = own_.sleep_epoch.load(std::memory_order_relaxed);
  const bool asleep = (epoch & 1U) != 0;
  if (asleep != (attention == Attention::Asleep))
    own_.sleep_epoch.store(epoch + 1, std::memory_order_relaxed);
}

bool Link::must_look() {
  if (waits_for_room_) return in_.ready() || out_.has_room();
  return in_.ready() || !work_list_.empty() || !ack_list_.empty();
}

void Link::on_doorbell() {
  const std::uint32_t epoch = own_.sleep_epoch.load(std::memory_order_relaxed);
  if ((epoch & 1U) != 0) {
    own_.sleep_epoch.store(epoch + 2, std::memory_order_relaxed);
    // A peer that reads the old value here believes that it has rung for this epoch. Before it
    // relies on that, it fences and reads again (ring_sleeper()).
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  progress();
}

// Rings once for each epoch of the peer's sleep.
void Link::ring_sleeper() {
  std::uint32_t epoch = peer_.sleep_epoch.load(std::memory_order_relaxed);
  if (epoch == rung_epoch_) {
    // The peer may just be beginning another epoch. For that the peer fences on its own processor
    // only.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    epoch = peer_.sleep_epoch.load(std::memory_order_relaxed);
  }
  if ((epoch & 1U) == 0 || epoch == rung_epoch_) return;
  rung_epoch_ = epoch;
  port_.ring_doorbell();
}

// A peer whose sleep epoch says that it polls is not rung. If its consumer has stopped polling, the
// epoch may change late. So this side checks whether the peer takes what was published, and rings
// if not. It rings once, since a doorbell stays pending until the peer reads its ring.
Instant Link::watch(Instant now) {
  in_.tell_if_behind();
  const std::uint64_t taken = out_.taken();
  if (broken_ || !peer_polls() || taken == out_.published() || rung_for_ == out_.published())
    return patient_until_ = kNever;
  if (patient_until_ == kNever || taken != watched_taken_) {
    watched_taken_ = taken;
    patient_until_ = now + waiting::kPatience;
  } else if (now >= patient_until_) {
    rung_for_ = out_.published();
    patient_until_ = kNever;
    habit_.left_lying(rung_for_);
    port_.ring_doorbell();
  }
  return patient_until_;
}

bool Link::progress_now() {
  if (broken_) return false;
  try {
    return move();
  } catch (const std::bad_alloc&) {
    // The step that lacked memory has changed nothing, and its record is still in the ring.
    busy_ = true;
    transport_.try_again_soon();
    return false;
  }
}

bool Link::move() {
  const ScopedFlag turn(in_turn_); // is reset, too, if memory is lacking
  busy_ = false;
  bool any = false;
  if (waits_for_room_) any = end_wait_for_room();
  if (!controls_.empty()) any = flush_controls() || any;
  if (!ack_list_.empty()) any = flush_acks() || any;
  any = poll_ring() || any;
  if (!work_list_.empty()) any = run_work() || any;
  flush_doorbell();
  busy_ = waits_for_room_ || !controls_.empty() || !ack_list_.empty() || !work_list_.empty();
  return any;
}

// If the previous poll found nothing, only one record is taken. To check for a second record costs
// a cache line that the peer may hold, and the consumer would wait for that line before it gets the
// first record.
DATUM_NO_CANARY bool Link::poll_ring() {
  int left = kRecordBudget;
  for (const RingSlot* slot = in_.front(); slot != nullptr; slot = in_.front()) {
    if (streaming_) in_.look_ahead();
    // Copied before it is checked, because the peer may change the slot meanwhile.
    RecordHeader header;
    std::memcpy(&header, slot, sizeof header);
    const std::uint32_t lines = lines_of(header);
    const std::byte* payload = lines == 0 ? slot->rest : in_.payload(lines);
    const bool good = payload != nullptr && handle(header, payload);
    if (broken_) return true; // also if the handler ended the link
    if (!good) {
      break_off("a record that makes no sense");
      return true;
    }
    in_.pop(lines);
    if (--left % kAckEvery == 0) {
      if (!ack_list_.empty()) flush_acks();
      if (left == 0) break;
    }
    if (!streaming_) break;
  }
  streaming_ = left != kRecordBudget;
  if (streaming_) {
    // A peer that waits for room stores that in wants_room, fences, and then checks how far this
    // side has read. This side does the reverse, so one of the two sees the other.
    fence();
    if (peer_.wants_room.load(std::memory_order_relaxed) != 0) tell_peer_of_room();
  }
  if (out_.peer_misbehaved()) break_off("ring positions that cannot be");
  return streaming_;
}

bool Link::handle(const RecordHeader& header, const std::byte* payload) {
  if (header.type == RecordType::Connect) return on_connect(header, payload);
  // A peer that takes its request back before the answer does not know this side's number yet.
  LinkChannel* channel = nullptr;
  if (header.type == RecordType::Close && header.connection == 0) {
    const auto requester = requesters_.find(header.connect.number);
    if (requester != requesters_.end()) channel = requester->second;
  } else {
    channel = find(header.connection);
  }
  // The connection was closed here while the record was on its way.
  if (channel == nullptr) return true;
  return channel->handle(header, payload);
}

void Link::forget_requester(std::uint32_t peer_number, const ChannelFrame& channel) {
  const auto found = requesters_.find(peer_number);
  if (found != requesters_.end() && found->second == &channel) requesters_.erase(found);
}

bool Link::retire() {
  // The peer reads this word when the link has ended.
  own_.retired.store(1, std::memory_order_relaxed);
  if (!in_.ready()) return true;
  own_.retired.store(0, std::memory_order_relaxed);
  return false;
}

bool Link::on_connect(const RecordHeader& header, const std::byte* payload) {
  const ConnectFields& fields = header.connect;
  if (fields.private_data_size != header.length || fields.number == 0 || fields.reads_in < 0 ||
      header.length > transport_.most_private_data() || requesters_.contains(fields.number))
    return false;
  auto channel =
      std::make_unique<LinkChannel>(transport_, *this, header, PrivateData{payload, header.length});
  const std::uint32_t number = add(*channel);
  channel->set_number(number);
  try {
    if (number != 0) requesters_.emplace(fields.number, channel.get());
    auto incoming = std::make_unique<LinkIncoming>(std::move(channel));
    ListenerEvents* listener = transport_.find_listener(fields.qualifier);
    // If there is no listener or no number is left, the destructor of `incoming` refuses the
    // request.
    if (listener != nullptr && number != 0) listener->on_request(std::move(incoming));
  } catch (const std::bad_alloc&) {
    log_of_peer(LogLevel::Warn, "link over {}: no memory for a connection request: refused",
                port_.path());
  }
  return true;
}

bool Link::flush_acks() {
  bool any = false;
  while (!ack_list_.empty()) {
    ChannelFrame* channel = ack_list_.back();
    if (!channel->flush_ack()) {
      ask_for_room();
      break;
    }
    channel->listed_for_ack = false;
    ack_list_.pop_back();
    any = true;
  }
  return any;
}

bool Link::run_work() {
  bool any = false;
  working_.swap(work_list_);
  for (std::size_t i = 0; i < working_.size(); ++i) {
    LinkChannel* channel = working_[i];
    if (channel == nullptr) continue;
    channel->listed_for_work = false;
    any = channel->work() || any;
    // The channel may have been removed while it worked.
    if (working_[i] == nullptr || !channel->waits_for_turn()) continue;
    list_for_work(*channel);
    working_[i] = nullptr;
  }
  // A channel whose work() ran goes behind the channels that still wait for a turn.
  for (LinkChannel* channel : working_)
    if (channel != nullptr && channel->has_work()) list_for_work(*channel);
  working_.clear();
  return any;
}

// Handles every record that was in the ring at the start. A copy that waits for its turn, or an
// acknowledgement without room, is left to the next progress().
void Link::catch_up() {
  streaming_ = true; // each round takes up to kRecordBudget records
  for (std::uint32_t rounds = kRingSlots / kRecordBudget; rounds != 0 && in_.ready(); --rounds)
    progress_now();
  if (progress(); busy_) transport_.host().progress->wake();
}

void Link::break_off(const char* reason) {
  if (broken_) return;
  broken_ = true;
  log_of_peer(LogLevel::Warn, "link over {}: the peer sent {}; its connections are broken",
              port_.path(), reason);
  port_.condemn(reason);
}

void Link::lost() {
  ending_ = true;
  // Records that the peer wrote before the link ended still count: a last message may be among
  // them. The number of rounds is bounded, since a peer that still lives may go on writing. If this
  // side has given the link up, no records are read here, and the peer repeats them on a new link.
  const bool retired = own_.retired.load(std::memory_order_relaxed) != 0;
  streaming_ = true; // each round takes up to kRecordBudget records
  try {
    for (std::uint32_t rounds = kRingSlots / kRecordBudget; rounds != 0 && !broken_ && !retired;
         --rounds)
      if (!poll_ring()) break;
  } catch (const std::bad_alloc&) {
    // Unread records are lost with the link.
  }
  broken_ = true;
  // The loop goes by index, since a connection that is told may remove itself or others.
  for (std::size_t at = 0; at < slots_.size(); ++at)
    if (LinkChannel* channel = slots_[at].channel) channel->on_link_lost();
}

} // namespace datum
