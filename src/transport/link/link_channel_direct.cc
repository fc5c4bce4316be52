// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/link_channel_direct.cc: touching the peer's memory ourselves, under a mark.
// Hot path: no allocation, no logging.
#include <algorithm>
#include <array>
#include <cstring>

#include "base/no_canary.h"
#include "core/port/copy.h"
#include "transport/link/link.h"
#include "transport/link/link_channel.h"
#include "transport/link/link_transport.h"

namespace datum {
namespace {

// Below this a polling peer places a Write from its ring sooner than one system call takes.
constexpr std::uint64_t kRingWriteBelow = kMaxPiece;

// Copying so much takes as long as many polls do.
constexpr std::uint64_t kTakesAWhile = 16 * 1024;

const RegionEntry* entry_of(DirectAccess& direct, Stag stag) {
  const std::span<const RegionEntry> regions = direct.regions();
  const std::size_t index = stag >> 8U;
  return index < regions.size() ? &regions[index] : nullptr;
}

static_assert(kMaxFetchSegments >= Limits{}.max_iov,
              "a copy takes the segments of any request, and of any Recv");

struct Pieces {
  std::array<Segment, kMaxFetchSegments> items;
  std::size_t count = 0;
  std::span<const Segment> all() const { return {items.data(), count}; }
};

Pieces slice(std::span<const LocalTriplet> local, std::uint64_t offset, std::uint64_t length) {
  Pieces pieces;
  for_each_piece(local, offset, length, [&](std::byte* at, std::uint64_t size) {
    pieces.items[pieces.count++] = {at, size};
  });
  return pieces;
}

bool copy_by_call(DirectAccess& direct, bool write, std::uint64_t remote,
                  std::span<const Segment> pieces) {
  return write ? direct.write(remote, pieces) : direct.read(remote, pieces);
}

} // namespace

// Who only writes and looks at its own memory polls nothing, and would not learn that what it sent
// through the ring has long been placed: every Write would go through the ring then.
bool LinkChannel::should_look_first(const WorkRequest& request) const {
  return state_ == LinkState::Open && unplaced() != 0 && suits_direct(request);
}

bool LinkChannel::suits_direct(const WorkRequest& request) const {
  DirectAccess* direct = link_->direct();
  if (direct == nullptr || request.length == 0 || request.local.size() > kMaxFetchSegments)
    return false;
  // Reads end in posting order: none may overtake one that the peer still serves.
  if (request.opcode == Opcode::RdmaRead) return reads_.empty();
  const RegionEntry* entry = entry_of(*direct, request.remote.stag);
  const bool mapped = entry != nullptr && entry->backing_fd >= 0;
  return mapped || request.length >= kRingWriteBelow || !link_->peer_polls();
}

std::uint64_t LinkChannel::next_turn() const {
  std::uint64_t octets = 0;
  if (direct_ != nullptr) octets += direct_->length - direct_done_;
  if (fetching_) octets += fetch_length_ - fetch_done_;
  return std::min(octets, kDirectTurn);
}

// A call of the consumer's takes its own time. Nobody overtakes one that waits for its turn.
bool LinkChannel::may_copy_now(std::uint64_t octets) {
  return !link_->in_turn() || (!link_->somebody_waits() && transport_.take_turn(octets));
}

StartResult LinkChannel::start_direct(const WorkRequest& request) {
  direct_ = &request;
  direct_done_ = 0;
  // Many requests may have waited for this moment; others wait, too.
  if (!may_copy_now(request.length)) {
    want_work();
    return StartResult::Started;
  }
  if (!direct_turn()) {
    direct_ = nullptr;
    return StartResult::Started; // failure_ is reported from work()
  }
  if (direct_done_ == request.length) {
    direct_ = nullptr;
    return StartResult::Finished;
  }
  want_work();
  transport_.host().progress->hurry();
  return StartResult::Started;
}

DATUM_NO_CANARY bool LinkChannel::direct_turn() {
  const WorkRequest& request = *direct_;
  const bool read = request.opcode == Opcode::RdmaRead;
  const RequestClass kind = read ? RequestClass::Read : RequestClass::Placed;
  const std::uint64_t size = std::min(request.length - direct_done_, kDirectTurn);
  RemoteTriplet remote = request.remote;
  if (direct_done_ == 0) {
    // The whole range at once: nothing is written when the end is out of bounds.
    remote.length = request.length;
  } else {
    remote.address += direct_done_;
    remote.length = size;
  }
  const DtoStatus status =
      copy_direct(remote, read ? kRemoteRead : kRemoteWrite, request.local, direct_done_, size);
  if (status != DtoStatus::Success) {
    fail_later(kind, status);
    return false;
  }
  direct_done_ += size;
  return true;
}

// `remote.length` is what is checked, `length` what is copied.
DtoStatus LinkChannel::copy_direct(const RemoteTriplet& remote, Access right,
                                   std::span<const LocalTriplet> local, std::uint64_t offset,
                                   std::uint64_t length) {
  if (length < kTakesAWhile) return copy_marked(remote, right, local, offset, length);
  Progress& progress = *transport_.host().progress;
  progress.copying();
  const DtoStatus status = copy_marked(remote, right, local, offset, length);
  progress.copied(length);
  return status;
}

DtoStatus LinkChannel::copy_marked(const RemoteTriplet& remote, Access right,
                                   std::span<const LocalTriplet> local, std::uint64_t offset,
                                   std::uint64_t length) {
  // A copy made in turns may outlive the way to the peer's memory.
  DirectAccess* const way = link_->direct();
  if (way == nullptr) return DtoStatus::Transport;
  DirectAccess& direct = *way;
  const RegionEntry* shared = entry_of(direct, remote.stag);
  if (shared == nullptr) return DtoStatus::RemoteAccess;
  const bool write = right == kRemoteWrite;
  link_->mark(remote.stag);
  RegionEntry entry;
  load_once(*shared, entry);
  DtoStatus status = DtoStatus::Success;
  const AccessFault fault = check_access(entry, remote.stag, remote.address, remote.length, right,
                                         peer_zone_, peer_endpoint_);
  if (fault != AccessFault::None) {
    status = DtoStatus::RemoteAccess;
  } else if (std::byte* base = direct.map(entry, remote.stag, write)) {
    std::byte* at = base + (remote.address - entry.origin);
    if (write) {
      gather_visible(at, local, offset, length);
    } else {
      scatter(local, offset, at, length);
    }
  } else if (local.size() == 1) {
    const Segment piece{pointer(local[0].address + offset), length};
    if (!copy_by_call(direct, write, remote.address + entry.shift(), {&piece, 1}))
      status = DtoStatus::Transport;
  } else {
    const Pieces pieces = slice(local, offset, length);
    if (!copy_by_call(direct, write, remote.address + entry.shift(), pieces.all()))
      status = DtoStatus::Transport;
  }
  link_->unmark();
  return status;
}

bool LinkChannel::continue_direct() {
  const bool read = direct_->opcode == Opcode::RdmaRead;
  const std::uint64_t length = direct_->length;
  // Its memory may have gone since the last turn.
  if (!events_->recheck_local(*direct_, read ? kLocalWrite : kLocalRead)) {
    fail_later(read ? RequestClass::Read : RequestClass::Placed, DtoStatus::LocalProtection);
    direct_ = nullptr;
    return true;
  }
  if (!direct_turn()) {
    direct_ = nullptr;
    return true;
  }
  if (direct_done_ != length) return true;
  direct_ = nullptr;
  if (read)
    events_->on_read_done();
  else
    events_->on_placed(1);
  return true;
}

bool LinkChannel::on_fetch(const RecordHeader& header, const std::byte* payload) {
  if (link_->direct() == nullptr) return link_->ending(); // a dead peer's memory has gone with it
  if (header.fetch.segments > kMaxFetchSegments ||
      header.length != header.fetch.segments * sizeof(FetchSegment) || message_under_way())
    return false;
  const MessageNote note = note_;
  if (!staged_.empty() || !start_fetch(header, payload, note)) {
    if (state_ == LinkState::Open) stage(header, payload, note);
  }
  note_ = {};
  return true;
}

bool LinkChannel::start_fetch(const RecordHeader& header, const std::byte* payload,
                              const MessageNote& note) {
  std::span<const LocalTriplet> into;
  std::uint64_t capacity = 0;
  switch (events_->take_receive(into, capacity)) {
  case TakeResult::NoReceive: return false;
  case TakeResult::Protection:
    if (state_ == LinkState::Open) terminate(RequestClass::Placed, DtoStatus::RemoteResponder);
    return true;
  case TakeResult::Taken: break;
  }
  if (header.fetch.length > capacity) {
    events_->fail_receive(DtoStatus::LocalLength);
    if (state_ == LinkState::Open) terminate(RequestClass::Placed, DtoStatus::RemoteResponder);
    return true;
  }
  if (refuses(note)) return true;
  fetch_note_ = note;
  fetch_.resize(header.fetch.segments);
  std::memcpy(fetch_.data(), payload, header.fetch.segments * sizeof(FetchSegment));
  fetch_length_ = header.fetch.length;
  fetch_done_ = 0;
  fetch_solicited_ = (header.flags & record_flag::kSolicited) != 0;
  fetching_ = true;
  if (may_copy_now(next_turn())) fetch_turn();
  if (state_ != LinkState::Open || !fetching_) return true;
  // It takes several turns: the sender can tell it from a message that waits for its Recv.
  RecordHeader word = this->header(RecordType::Ack);
  word.flags = record_flag::kFetching;
  link_->send_control(word);
  want_work();
  return true;
}

bool LinkChannel::fetch_turn() {
  std::span<const LocalTriplet> into;
  std::uint64_t capacity = 0;
  // The message is open: this only checks again that its memory is still there.
  if (events_->take_receive(into, capacity) != TakeResult::Taken) {
    fetching_ = false;
    if (state_ == LinkState::Open) terminate(RequestClass::Placed, DtoStatus::RemoteResponder);
    return true;
  }
  std::uint64_t left = std::min(fetch_length_ - fetch_done_, kDirectTurn);
  std::uint64_t skip = fetch_done_;
  for (const FetchSegment& segment : fetch_) {
    if (left == 0) break;
    if (skip >= segment.length) {
      skip -= segment.length;
      continue;
    }
    const std::uint64_t size = std::min(segment.length - skip, left);
    const RemoteTriplet remote{segment.stag, segment.address + skip, size};
    if (copy_direct(remote, kLocalRead, into, fetch_done_, size) != DtoStatus::Success) {
      fetching_ = false;
      terminate(RequestClass::Placed, DtoStatus::LocalProtection);
      return true;
    }
    fetch_done_ += size;
    left -= size;
    skip = 0;
  }
  // The segments add up to less than the length they came with.
  if (left != 0) {
    fetching_ = false;
    terminate(RequestClass::Placed, DtoStatus::RemoteResponder);
    return true;
  }
  if (fetch_done_ == fetch_length_) finish_fetch();
  return true;
}

void LinkChannel::finish_fetch() {
  fetching_ = false;
  count_placed(1, 0);
  complete_message(fetch_length_, fetch_solicited_, fetch_note_);
}

} // namespace datum
