// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The memory that a party opens to its peers, and the peers' use of it.
#include <algorithm>
#include <cstring>

#include "failure.h"
#include "party.h"

namespace datum::test {

void Party::close_window() {
  if (window_ == nullptr) return;
  node_.with_lock([&] {
    require(node_.adapter->free(*window_).ok(), "party {}: dat_lmr_free fails", number_);
  });
  window_ = nullptr;
  ++rights_;
  trace("party {}: closes its window", number_);
  window_as_closed_.assign(memory_.get() + kWindowAt, memory_.get() + kWindowAt + kWindowBytes);
}

void Party::open_window() {
  if (window_ != nullptr) return;
  check_window();
  window_as_closed_.clear();
  ++rights_;
  node_.with_lock([&] { window_ = make_region(kWindowAt, kWindowBytes, kRemoteWrite); });
}

void Party::create_rmr() {
  rmr_ =
      node_.with_lock([&] { return node_.adapter->create_window(*zone_, setup_.scope).value(); });
}

void Party::renew_rmr() {
  trace("party {}: frees its RMR", number_);
  node_.with_lock(
      [&] { require(node_.adapter->free(*rmr_).ok(), "party {}: dat_rmr_free fails", number_); });
  ++rights_;
  panes_.shut_all();
  create_rmr();
}

Party::Bind Party::bind_of_pane(std::size_t pane, std::uint64_t less) {
  Bind bind;
  bind.write = true;
  bind.at = kPanesAt + pane * kPaneBytes;
  bind.length = kPaneBytes - kPaneUnused - less;
  return bind;
}

void Party::post_bind(const Bind& bind) {
  PostedRequest request;
  request.opcode = Opcode::Bind;
  request.suppressed = bind.suppress;
  request.window = rmr_->token();
  const std::uint64_t cookie = expect(request, bind.length == 0 ? "Unbind" : "Bind").cookie;
  ++rights_;
  Opening opening{cookie, 0, bind.write, bind.at, bind.length, 0, Opening::State::Posted};
  opening.base = bind.zero_based ? 0 : address(bind.at);
  const MemoryRegion& region = bind.write ? *pane_region_ : *source_;
  const LocalTriplet range{region.local_stag(), address(bind.at), bind.length};
  const Access access = bind.write ? kRemoteWrite : kRemoteRead;
  node_.with_lock([&] {
    require(ep_->post_bind(*rmr_, range, access, cookie, flags(bind.suppress), opening.stag,
                           bind.zero_based)
                .ok(),
            "party {}: a bind cannot be posted", number_);
  });
  panes_.post(opening);
}

bool Party::must_refuse(const Through& through) const {
  const Opening& opening = *through.opening;
  return opening.state == Opening::State::Shut || opening.write != through.write ||
         through.out_of_bounds || through.owner != peer_;
}

void Party::post_through(const Through& through) {
  const Opening& opening = *through.opening;
  Party& owner = *through.owner;
  PostedRequest request;
  request.opcode = through.write ? Opcode::RdmaWrite : Opcode::RdmaRead;
  request.suppressed = through.suppress;
  request.length = through.length;
  request.forbidden = must_refuse(through);
  request.doubtful = !owner.panes_.settled();
  std::uint64_t offset = through.skip;
  if (through.out_of_bounds) offset = opening.length - 1;
  if (through.write) {
    // A request that will be refused needs no piece of its own: it may write nothing.
    if (!request.forbidden) {
      request.ring = &owner.panes_.ring(opening.at);
      offset = owner.panes_.ring(opening.at).take(through.length, request.serial);
      request.target = owner.panes_.start(opening.at) + offset;
    }
    ++tally.through[request.forbidden ? 1 : 0];
    request.source = through.source;
    post_rdma(request, request.source, {opening.stag, opening.base + offset, request.length}, 1);
    return;
  }
  if (!sink_has_room(through.length)) return;
  request.source = opening.at + offset;
  request.target = kSinkAt + sink_pieces_.take(through.length, request.serial);
  ++tally.through[request.forbidden ? 1 : 0];
  post_rdma(request, request.target, {opening.stag, opening.base + offset, request.length}, 1);
}

void Party::check_window() const {
  if (window_as_closed_.empty()) return;
  require(std::memcmp(memory_.get() + kWindowAt, window_as_closed_.data(), kWindowBytes) == 0,
          "party {}: memory changed after dat_lmr_free", number_);
}

} // namespace datum::test
