// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/channel.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "common/dat_error.h"
#include "cp/channel_layout.h"
#include "cp/session.h"
#include "cp/wire.h"

namespace datum::cp {

using tools::check;
using tools::ExitCode;
using tools::ToolError;
namespace {

// Sends, and an RDMA Write or Read for each slot
constexpr DAT_COUNT kRequests = kSends + 2 * kMaxDepth;
constexpr DAT_COUNT kEvents = kRecvs + kRequests + 16;
constexpr std::size_t kCongested = 32; // frames in the outbox
// A source queues offers up to kCongested frames. Then it queues a Chunk, a Hole and an End for
// each file of its window, and an End's text is the longest of these. A sink answers with a text. A
// frame is followed by another one only if it has no room for one more message. So a peer that
// keeps to its window and slots never makes more frames wait than this.
constexpr std::size_t kLongestAnswer = 2 * kLength + kMaxString + 256;
constexpr std::size_t kLeastFilled = kFrame - kCredits - kLength - kMaxMessage;
constexpr std::size_t kMostWaiting = kCongested + kMaxWindow * kLongestAnswer / kLeastFilled + 64;

DAT_EP_ATTR endpoint_attributes(const tools::Interface& ia) {
  DAT_IA_ATTR limits = {};
  check(dat_ia_query(ia.get(), nullptr,
                     DAT_IA_FIELD_IA_MAX_RDMA_READ_PER_EP_IN |
                         DAT_IA_FIELD_IA_MAX_RDMA_READ_PER_EP_OUT,
                     &limits, 0, nullptr),
        "dat_ia_query", ia.name());
  DAT_EP_ATTR attr = {};
  attr.service_type = DAT_SERVICE_TYPE_RC;
  attr.max_message_size = kFrame;
  attr.max_rdma_size = kMaxChunk;
  attr.qos = DAT_QOS_BEST_EFFORT;
  attr.recv_completion_flags = DAT_COMPLETION_DEFAULT_FLAG;
  attr.request_completion_flags = DAT_COMPLETION_DEFAULT_FLAG;
  attr.max_recv_dtos = kRecvs;
  attr.max_request_dtos = kRequests;
  attr.max_recv_iov = attr.max_request_iov = 1;
  attr.max_rdma_read_iov = attr.max_rdma_write_iov = 1;
  attr.max_rdma_read_in = std::min(limits.max_rdma_read_per_ep_in, 4);
  attr.max_rdma_read_out = std::min(limits.max_rdma_read_per_ep_out, 4);
  return attr;
}

// False: the peer does not decide how many of these messages there are. The user of this side named
// the paths of a get, and all of them wait before the peer answers anything.
bool depends_on_the_peer(const Message& message) {
  return !std::holds_alternative<Path>(message) && !std::holds_alternative<PathsEnd>(message) &&
         !std::holds_alternative<Abort>(message);
}

} // namespace

Channel::Channel(const tools::Interface& ia, std::chrono::milliseconds silence)
    : ia_(ia), silence_(silence), pz_(make_pz(ia)),
      evd_(make_evd(ia, kEvents,
                    DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG | DAT_EVD_SOFTWARE_FLAG)),
      message_memory_((kRecvs + kSends) * kFrame),
      messages_(ia, pz_, message_memory_.bytes(),
                DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG) {
  const DAT_EP_ATTR attr = endpoint_attributes(ia);
  ep_ = make_ep(ia, pz_, evd_, &attr);
  for (std::uint32_t i = 0; i < kSends; ++i) free_sends_.push_back(kRecvs + i);
  for (std::uint32_t i = 0; i < kRecvs; ++i) post_recv(i);
  credits_ = kRecvs; // the peer's constructor posts as many Recvs
}

std::string Channel::connect(const tools::Address& address, DAT_CONN_QUAL port,
                             const std::string& private_data, const std::string& peer) {
  peer_ = peer;
  std::string answer = tools::connect(ep_, evd_, address, port, private_data, silence_, peer);
  connected_ = true;
  return answer;
}

void Channel::answer(tools::Cr request, const std::string& private_data, const std::string& peer) {
  peer_ = peer;
  tools::accept(std::move(request), ep_.get(), peer, private_data);
}

void Channel::accept(tools::Cr request, const std::string& private_data, const std::string& peer) {
  answer(std::move(request), private_data, peer);
  const tools::Deadline deadline = tools::after(silence_);
  while (!connected_) {
    const auto event = tools::wait_event(evd_, deadline);
    if (!event) lost("it connected, but the connection was never completed");
    handle(*event);
    if (ending_ != DAT_EVENT_NUMBER{})
      throw ToolError(ExitCode::PeerLost, tools::connection_failure(ending_, peer_));
  }
}

Slots Channel::make_slots(std::uint32_t chunk_size, std::uint32_t depth, int rights) {
  slot_memory_ = SharedBuffer(std::size_t{chunk_size} * depth);
  slots_ = tools::Region(ia_, pz_, slot_memory_.bytes(),
                         DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG | rights);
  own_slots_ = {slots_.rmr_context(), slots_.address(), chunk_size, depth};
  return own_slots_;
}

void Channel::post_recv(std::uint32_t index) {
  DAT_LMR_TRIPLET iov = messages_.local(index * kFrame, kFrame);
  check(
      dat_ep_post_recv(ep_.get(), 1, &iov, cookie(Work::Recv, index), DAT_COMPLETION_DEFAULT_FLAG),
      "dat_ep_post_recv", peer_);
}

void Channel::send(const Message& message) {
  if (outbox_.size() >= kMostWaiting && depends_on_the_peer(message)) {
    outbox_.clear(); // otherwise the Abort with the reason would have to wait, too
    protocol_error("requests, and too few credits for the answers to them");
  }
  encoded_.clear();
  append_to(encoded_, message);
  if (outbox_.empty() || outbox_.back().size() + kLength + encoded_.size() > kFrame - kCredits) {
    outbox_.emplace_back();
    outbox_.back().reserve(kFrame);
  }
  WireWriter frame(std::move(outbox_.back()));
  frame.number(static_cast<std::uint16_t>(encoded_.size())).raw(encoded_);
  outbox_.back() = std::move(frame).take();
  post_waiting(1);
}

void Channel::flush() {
  post_waiting(0);
}

bool Channel::congested() const {
  return outbox_.size() >= kCongested;
}

void Channel::post_waiting(std::size_t kept) {
  if (!connected_) return;
  // In finish() the last message may use the last credit, because nothing more is received.
  const std::uint16_t last = finishing_ ? 0 : 1;
  while (outbox_.size() > kept && credits_ > last && !free_sends_.empty()) {
    post_frame(outbox_.front());
    outbox_.pop_front();
  }
  if (owed_ >= kRecvs / 4 && credits_ > 0 && !free_sends_.empty()) post_frame({});
}

void Channel::post_frame(std::span<const std::byte> messages) {
  const std::uint32_t index = free_sends_.back();
  std::byte* const frame = messages_.bytes().data() + index * kFrame;
  const std::array<std::byte, kCredits> credits = {static_cast<std::byte>(owed_ >> 8),
                                                   static_cast<std::byte>(owed_)};
  std::memcpy(frame, credits.data(), kCredits);
  if (!messages.empty()) std::memcpy(frame + kCredits, messages.data(), messages.size());
  DAT_LMR_TRIPLET iov = messages_.local(index * kFrame, kCredits + messages.size());
  check(
      dat_ep_post_send(ep_.get(), 1, &iov, cookie(Work::Send, index), DAT_COMPLETION_DEFAULT_FLAG),
      "dat_ep_post_send", peer_, ExitCode::PeerLost);
  free_sends_.pop_back();
  owed_ = 0;
  --credits_;
  last_sent_ = std::chrono::steady_clock::now();
}

std::span<std::byte> Channel::slot(std::uint32_t index) {
  const std::size_t size = own_slots_.chunk_size;
  return slots_.bytes().subspan(index * size, size);
}

void Channel::write_slot(std::uint32_t index, std::uint32_t length) {
  const std::size_t offset = std::size_t{index} * own_slots_.chunk_size;
  DAT_LMR_TRIPLET from = slots_.local(offset, length);
  DAT_RMR_TRIPLET to = tools::remote(peer_slots_.rmr_context, peer_slots_.address + offset, length);
  // No event on success: the SlotFree that answers the Load also means that the Write was placed.
  check(dat_ep_post_rdma_write(ep_.get(), 1, &from, cookie(Work::Write, index), &to,
                               DAT_COMPLETION_SUPPRESS_FLAG),
        "dat_ep_post_rdma_write", peer_, ExitCode::PeerLost);
}

void Channel::read_slot(std::uint32_t index, std::uint32_t length) {
  const std::size_t offset = std::size_t{index} * own_slots_.chunk_size;
  DAT_LMR_TRIPLET to = slots_.local(offset, length);
  DAT_RMR_TRIPLET from =
      tools::remote(peer_slots_.rmr_context, peer_slots_.address + offset, length);
  check(dat_ep_post_rdma_read(ep_.get(), 1, &to, cookie(Work::Read, index), &from,
                              DAT_COMPLETION_DEFAULT_FLAG),
        "dat_ep_post_rdma_read", peer_, ExitCode::PeerLost);
}

} // namespace datum::cp
