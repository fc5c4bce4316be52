// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/endpoint_datapath.cc: what each post checks before it hands the request on.
// Posts are half of the work for a short message, so their checks are inline here. The texts for a
// failed post are in causes.h.
// Hot path: no allocation, no logging, no lock beyond the adapter's.
#include <algorithm>

#include "base/no_canary.h"
#include "base/refusal.h"
#include "core/endpoint/endpoint.h"
#include "core/memory/local_memory.h"
#include "core/object/causes.h"

namespace datum {
namespace {

constexpr CompletionFlags kFlagsOfMessages =
    kSuppress | kSolicitedWait | kUnsignalled | kBarrierFence;
constexpr CompletionFlags kFlagsOfRequests = kSuppress | kUnsignalled | kBarrierFence;

// Only an EP that is configured for UNSIGNALLED accepts it (dat_ep_post_send(3DAT), Description).
// `configured` is a reference: a refusal loads the value again, so no register has to keep it.
[[gnu::always_inline]] inline Status check_flags(CompletionFlags flags, CompletionFlags allowed,
                                                 const CompletionFlags& configured) {
  if ((flags & ~(allowed & (configured | ~kUnsignalled))) == 0) [[likely]]
    return kOk;
  causes::note_flags(flags, allowed, configured);
  return {Type::InvalidParameter, Detail::Arg5};
}

} // namespace

// Inline, since the arguments do not fit into registers.
[[gnu::always_inline]] inline Status Endpoint::check_local(std::span<const LocalTriplet> local,
                                                           std::int32_t max_iov, Access right,
                                                           std::uint64_t max_length,
                                                           std::uint64_t& length) const {
  if (local.size() > static_cast<std::size_t>(max_iov))
    return causes::too_many_segments(local.size(), max_iov);
  // An EP without a zone was never connected, so its state refuses requests. A Recv never gets here
  // without a zone: post_recv() has checked that.
  if (zone() == nullptr) return invalid_state(state());
  return check_local_memory(adapter().regions(), local, right, zone()->id(), max_length, length);
}

[[gnu::always_inline]] inline Status Endpoint::check_state_for_request() {
  if (state() == EpState::Connected || state() == EpState::Disconnected) [[likely]]
    return kOk;
  return check_state_again();
}

[[gnu::always_inline]] inline Status Endpoint::submit(const WorkRequest& work, std::uint64_t cookie,
                                                      CompletionFlags flags) {
  if (requests_.full() && !has_room_again()) return causes::no_place_for_request(requests_.held());
  requests_.submit(work, cookie, flags);
  return kOk;
}

DATUM_NO_CANARY Status Endpoint::post_send(std::span<const LocalTriplet> local,
                                           std::uint64_t cookie, CompletionFlags flags) {
  if (Channel* channel = connection_.channel(); channel != nullptr) channel->prefetch(nullptr);
  if (const Status s = check_flags(flags, kFlagsOfMessages, attributes().request_completion_flags);
      !s.ok())
    return s;
  std::uint64_t length = 0;
  if (const Status s = check_local(local, attributes().max_request_iov, kLocalRead,
                                   attributes().max_message_size, length);
      !s.ok())
    return s;
  if (const Status s = check_state_for_request(); !s.ok()) return s;
  WorkRequest work;
  work.opcode = Opcode::Send;
  work.solicited = (flags & kSolicitedWait) != 0;
  work.length = length;
  work.local = local;
  return counted(Opcode::Send, length, submit(work, cookie, flags));
}

DATUM_NO_CANARY Status Endpoint::post_rdma(Opcode opcode, std::span<const LocalTriplet> local,
                                           std::uint64_t cookie, const RemoteTriplet& remote,
                                           CompletionFlags flags) {
  const bool read = opcode == Opcode::RdmaRead;
  Channel* const channel = connection_.channel();
  if (!read && channel != nullptr) channel->prefetch(&remote);
  if (!check_flags(flags, kFlagsOfRequests, attributes().request_completion_flags).ok())
    return {Type::InvalidParameter, Detail::Arg6};
  const std::int32_t own_iov =
      read ? attributes().max_rdma_read_iov : attributes().max_rdma_write_iov;
  const std::int32_t max_iov = own_iov != 0 ? own_iov : attributes().max_request_iov;
  std::uint64_t length = 0;
  if (const Status s =
          check_local(local, max_iov, read ? kLocalWrite : kLocalRead,
                      read ? adapter().limits().max_rdma_size : attributes().rdma_bound, length);
      !s.ok())
    return s;
  if (read) {
    // A Read moves as much as the remote triplet names. The local side may be larger.
    if (length < remote.length) return causes::too_short(length, remote.length);
    length = remote.length;
    if (length > attributes().rdma_bound) {
      note_limit("remote_buffer.segment_length", static_cast<std::int64_t>(length),
                 static_cast<std::int64_t>(attributes().rdma_bound));
      return {Type::InvalidParameter, Detail::Arg5};
    }
    if (attributes().max_rdma_read_out == 0) return causes::no_reads(); // decision 32
  } else if (remote.length < length) {
    return causes::too_short(remote.length, length);
  }
  WorkRequest work;
  work.opcode = opcode;
  work.length = length;
  work.local = local;
  work.remote = remote;
  if (channel != nullptr && channel->should_look_first(work)) adapter().progress().poll();
  if (const Status s = check_state_for_request(); !s.ok()) return s;
  return counted(opcode, length, submit(work, cookie, flags));
}

Status Endpoint::post_recv(std::span<const LocalTriplet> local, std::uint64_t cookie,
                           CompletionFlags flags) {
  if (const Status s = check_flags(flags, kUnsignalled, attributes().recv_completion_flags);
      !s.ok())
    return s;
  // An EP with an SRQ takes its Recvs from the SRQ (decision 36).
  if (srq() != nullptr) return causes::recvs_are_of_srq();
  if (zone() == nullptr) return causes::no_zone();
  // In the Recv of a datagram the message begins after the room for a header.
  const std::uint64_t most =
      attributes().max_message_size + (attributes().datagrams ? kDatagramOffset : 0);
  std::uint64_t capacity = 0;
  if (const Status s = check_local(local, attributes().max_recv_iov, kLocalWrite, most, capacity);
      !s.ok())
    return s;
  if (inbox_.full() && !has_room_for_recv_again()) return causes::no_place_for_recv(inbox_.count());
  if (state() == EpState::Disconnected) [[unlikely]]
    inbox_.post_flushed(cookie, flags, capacity);
  else
    inbox_.post(local, cookie, flags, capacity);
  return kOk;
}

void Endpoint::on_receive_posted() {
  if (Channel* channel = connection_.channel(); channel != nullptr) channel->on_receive_posted();
}

// --- the last checks before a post is refused; a post that succeeds at once never gets here ------

// An accepter may see the peer's data in its memory before its own process has run any code that
// could report the connection. So a post may come before the event.
Status Endpoint::check_state_again() {
  if (state() == EpState::CompletionPending) connection_.catch_up();
  if (state() == EpState::Connected || state() == EpState::Disconnected) return kOk;
  return invalid_state(state());
}

// A consumer that suppresses completions, or reaps only other EVDs, may fill the queue while the
// acknowledgements of its requests are still unread.
bool Endpoint::has_room_again() {
  connection_.catch_up();
  return !requests_.full();
}

bool Endpoint::has_room_for_recv_again() {
  connection_.catch_up();
  return !inbox_.full();
}

// --- what DAT 2.0 and its extensions post -------------------------------------------------------

Status Endpoint::post_send_invalidate(std::span<const LocalTriplet> local, std::uint64_t cookie,
                                      CompletionFlags flags, Stag stag) {
  if (const Status s = check_flags(flags, kFlagsOfMessages, attributes().request_completion_flags);
      !s.ok())
    return s;
  if (stag == 0) {
    note_cause({"", "0", "not 0", ""});
    return {Type::InvalidParameter, Detail::Arg7};
  }
  WorkRequest work;
  if (const Status s = check_local(local, attributes().max_request_iov, kLocalRead,
                                   attributes().max_message_size, work.length);
      !s.ok())
    return s;
  if (const Status s = check_state_for_request(); !s.ok()) return s;
  work.opcode = Opcode::SendInvalidate;
  work.solicited = (flags & kSolicitedWait) != 0;
  work.local = local;
  work.extra.note = {Opcode::SendInvalidate, stag, 0};
  return counted(Opcode::SendInvalidate, work.length, submit(work, cookie, flags));
}

// Two requests in one: the Write, then an empty message that carries the number.
Status Endpoint::post_write_immediate(std::span<const LocalTriplet> local, std::uint64_t cookie,
                                      const RemoteTriplet& remote, CompletionFlags flags,
                                      std::uint32_t number) {
  if (!check_flags(flags, kFlagsOfMessages, attributes().request_completion_flags).ok())
    return {Type::InvalidParameter, Detail::Arg8};
  const std::int32_t max_iov = attributes().max_rdma_write_iov != 0
                                   ? attributes().max_rdma_write_iov
                                   : attributes().max_request_iov;
  WorkRequest write;
  if (const Status s =
          check_local(local, max_iov, kLocalRead, attributes().rdma_bound, write.length);
      !s.ok())
    return s;
  if (remote.length < write.length) return causes::too_short(remote.length, write.length);
  if (const Status s = check_state_for_request(); !s.ok()) return s;
  if (requests_.full() && !has_room_again()) return causes::no_place_for_request(requests_.held());
  requests_.begin_pair();
  write.opcode = Opcode::RdmaWrite;
  write.local = local;
  write.remote = remote;
  requests_.submit(write, cookie, flags | kHalf);
  WorkRequest message;
  message.opcode = Opcode::WriteImmediate;
  message.solicited = (flags & kSolicitedWait) != 0;
  message.extra.note = {Opcode::WriteImmediate, number, write.length};
  requests_.submit(message, cookie, flags | kHalf);
  return counted(Opcode::WriteImmediate, write.length, kOk);
}

Status Endpoint::post_atomic(Opcode opcode, const LocalTriplet& local, std::uint64_t cookie,
                             const RemoteTriplet& remote, CompletionFlags flags,
                             const AtomicOperands& operands) {
  if (!check_flags(flags, kFlagsOfRequests, attributes().request_completion_flags).ok())
    return {Type::InvalidParameter, opcode == Opcode::CompareSwap ? Detail::Arg8 : Detail::Arg7};
  LocalTriplet sink = local;
  WorkRequest work;
  if (sink.length < sizeof(std::uint64_t) || remote.length < sizeof(std::uint64_t))
    return causes::too_short(std::min(sink.length, remote.length), sizeof(std::uint64_t));
  sink.length = sizeof(std::uint64_t);
  if (const Status s = check_local({&sink, 1}, attributes().max_request_iov, kLocalWrite,
                                   attributes().rdma_bound, work.length);
      !s.ok())
    return s;
  if (attributes().max_rdma_read_out == 0) return causes::no_reads();
  if (const Status s = check_state_for_request(); !s.ok()) return s;
  work.opcode = opcode;
  work.local = {&sink, 1};
  work.remote = remote;
  work.extra.atomic = operands;
  return counted(opcode, work.length, submit(work, cookie, flags));
}

Status Endpoint::post_bind(MemoryWindow& window, const LocalTriplet& range, Access access,
                           std::uint64_t cookie, CompletionFlags flags, Stag& stag,
                           bool zero_based) {
  if (!check_flags(flags, kFlagsOfRequests, attributes().request_completion_flags).ok())
    return {Type::InvalidParameter, Detail::Arg6};
  if (zone() == nullptr) return invalid_state(state());
  if (&window.zone() != zone()) return {Type::ProtectionViolation, Detail::ProtectionRdmaWrite};
  BindRequest bind;
  if (const Status s = bind.make(*this, window, range, access, zero_based); !s.ok()) return s;
  if (const Status s = check_state_for_request(); !s.ok()) return s;
  // The completion is a bind event, so the request EVD must accept bind events (decision 11).
  if (request_evd() != nullptr && (request_evd()->flags() & kEvdRmrBind) == 0)
    return {Type::InvalidState, Detail::EpEvdRequest};
  if (requests_.full() && !has_room_again())
    return {Type::InsufficientResources, Detail::ResourceMemory};
  if (!bind.reserve(adapter().regions()))
    return {Type::InsufficientResources, Detail::ResourceMemoryRegion};
  stag = bind.binding.stag;
  requests_.submit_bind(std::move(bind), cookie, flags);
  return kOk;
}

Status Endpoint::check_datagram(std::span<const LocalTriplet> local, CompletionFlags flags,
                                std::uint64_t& length) const {
  if (!check_flags(flags, kFlagsOfMessages, attributes().request_completion_flags).ok())
    return {Type::InvalidParameter, Detail::Arg7};
  return check_local(local, attributes().max_request_iov, kLocalRead, kMaxDatagram, length);
}

Status Endpoint::post_datagram(std::span<const LocalTriplet> local, DatagramAddress to,
                               std::uint32_t number, std::uint64_t cookie, CompletionFlags flags) {
  if (datagrams() == nullptr) return {Type::InvalidHandle, Detail::HandleEp};
  return datagrams()->post(local, to, number, cookie, flags);
}

} // namespace datum
