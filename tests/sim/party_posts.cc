// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The posts of a party, and the completions that it expects.
#include "failure.h"
#include "party.h"

namespace datum::test {

std::vector<LocalTriplet> Party::cut(const MemoryRegion& region, std::uint64_t offset,
                                     std::uint64_t length, std::uint32_t segments) const {
  std::vector<LocalTriplet> pieces;
  const std::uint64_t each = length / segments;
  for (std::uint32_t i = 0; i < segments; ++i) {
    const std::uint64_t size = i + 1 == segments ? length - each * i : each;
    pieces.push_back({region.local_stag(), address(offset + each * i), size});
  }
  return pieces;
}

PostedRequest& Party::expect(const PostedRequest& request, const char* what) {
  requests_.push_back(request);
  PostedRequest& posted = requests_.back();
  posted.cookie = next_cookie_++;
  if (peer_ != nullptr) posted.peer_rights = peer_->rights_;
  trace("party {}: {} {} of {} bytes{}{}", number_, what, posted.cookie, posted.length,
        posted.suppressed ? ", silent" : "", posted.forbidden ? ", without the right" : "");
  ++events_owed_;
  return posted;
}

void Party::post_receive(std::uint64_t capacity, std::uint32_t segments) {
  if (setup_.shared != nullptr) return setup_.shared->post(capacity);
  std::uint64_t serial = 0;
  const std::uint64_t offset = kSinkAt + sink_pieces_.take(capacity, serial);
  const std::vector<LocalTriplet> local = cut(*sink_, offset, capacity, segments);
  const std::uint64_t cookie = next_cookie_++;
  receives_.push_back({cookie, offset, capacity, serial});
  trace("party {}: Recv {} of {} bytes", number_, cookie, capacity);
  ++events_owed_;
  watch_soft_watermark(ep_->recvs_held() + 1);
  node_.with_lock([&] {
    require(ep_->post_recv(local, cookie, 0).ok(), "party {}: a Recv cannot be posted", number_);
  });
}

void Party::post_send(std::uint64_t source, std::uint64_t length, std::uint32_t segments,
                      bool suppress) {
  PostedRequest request;
  request.suppressed = suppress;
  request.length = length;
  request.source = source;
  const std::uint64_t cookie = expect(request, "Send").cookie;
  sent_[lives_].push_back({false, length, source, 0, 0, nullptr, false});
  const std::vector<LocalTriplet> local = cut(*source_, source, length, segments);
  node_.with_lock([&] {
    require(ep_->post_send(local, cookie, flags(suppress)).ok(),
            "party {}: a Send cannot be posted", number_);
  });
}

// `own`: the offset of the bytes in this party's memory.
void Party::post_rdma(const PostedRequest& request, std::uint64_t own, const RemoteTriplet& remote,
                      std::uint32_t segments) {
  const bool write = request.opcode == Opcode::RdmaWrite;
  const std::uint64_t cookie = expect(request, write ? "Write" : "Read").cookie;
  if (write)
    sent_[lives_].push_back({true, request.length, own, request.target, request.serial,
                             request.ring, request.forbidden});
  const std::vector<LocalTriplet> local =
      cut(write ? *source_ : *sink_, own, request.length, segments);
  node_.with_lock([&] {
    require(ep_->post_rdma(request.opcode, local, cookie, remote, flags(request.suppressed)).ok(),
            "party {}: a Write or Read cannot be posted", number_);
  });
}

void Party::post_write(std::uint64_t source, std::uint64_t length, std::uint32_t segments,
                       bool suppress) {
  if (peer_->window_ == nullptr) return;
  PostedRequest request;
  request.opcode = Opcode::RdmaWrite;
  request.suppressed = suppress;
  request.length = length;
  request.source = source;
  request.target = kWindowAt + peer_->window_pieces_.take(length, request.serial);
  request.ring = &peer_->window_pieces_;
  post_rdma(request, source,
            {peer_->window_->remote_stag(), peer_->address(request.target), length}, segments);
}

void Party::post_read(std::uint64_t source, std::uint64_t length, bool suppress) {
  if (!sink_has_room(length)) return;
  PostedRequest request;
  request.opcode = Opcode::RdmaRead;
  request.suppressed = suppress;
  request.length = length;
  request.source = source;
  request.target = kSinkAt + sink_pieces_.take(length, request.serial);
  post_rdma(request, request.target,
            {peer_->source_->remote_stag(), peer_->address(source), length}, 1);
}

void Party::post_bad_write() {
  PostedRequest request;
  request.opcode = Opcode::RdmaWrite;
  request.length = 8;
  request.forbidden = true;
  // Peers may not write to the source, so this Write must be refused.
  post_rdma(request, 0, {peer_->source_->remote_stag(), peer_->address(0), 8}, 1);
}

} // namespace datum::test
