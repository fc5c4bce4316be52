// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "listener.h"

#include "failure.h"

namespace datum::test {
namespace {

EventDispatcher* create_evd(SimNode& node) {
  return node.with_lock([&] { return node.adapter->create_evd(8, nullptr, kEvdCr).value(); });
}

} // namespace

Listener::Listener(SimNode& node, ConnQual qualifier, ServicePoint::EpSource source)
    : node_(node), qualifier_(qualifier), evd_(create_evd(node)) {
  node_.with_lock([&] { point_ = node_.adapter->create_psp(&qualifier, *evd_, source).value(); });
}

Listener::Listener(SimNode& node, ConnQual qualifier, Party* reserved)
    : node_(node), qualifier_(qualifier), evd_(create_evd(node)), party_(reserved) {
  Endpoint* endpoint = reserved != nullptr ? &reserved->ep() : nullptr;
  node_.with_lock([&] { point_ = node_.adapter->create_rsp(qualifier, endpoint, *evd_).value(); });
}

void Listener::free_all() {
  node_.with_lock([&] {
    require(node_.adapter->free(*point_).ok(), "a PSP or RSP cannot be freed");
    require(node_.adapter->free(*evd_).ok(), "a CR EVD cannot be freed");
  });
}

void Listener::harvest() {
  Event event;
  while (evd_->dequeue(event).ok()) {
    require(event.kind == EventKind::ConnectionRequest && event.object == point_->token() &&
                event.value == qualifier_ && (event.size == 1) == reserved(),
            "a CR EVD has an event of kind {} on qualifier {}", static_cast<int>(event.kind),
            event.value);
    auto* object = static_cast<Object*>(const_cast<void*>(event.data));
    auto* request = static_cast<ConnectionRequest*>(object);
    require((request->endpoint() != nullptr) == (brings_endpoint() || party_ != nullptr),
            "a CR on qualifier {} comes with the wrong EP", qualifier_);
    waiting_.push_back(request);
  }
}

ConnectionRequest& Listener::take_newest() {
  ConnectionRequest* request = waiting_.back();
  waiting_.pop_back();
  return *request;
}

void Listener::hand_off(ConnectionRequest& request, Listener& other) {
  const std::int32_t before = other.evd_->count();
  const bool full = other.evd_->full();
  ++tally.handoffs;
  other.node_.with_lock([&] {
    require(request.handoff(other.qualifier_).ok(), "dat_cr_handoff to qualifier {} fails",
            other.qualifier_);
    require(other.evd_->count() == before + (full ? 0 : 1),
            "a CR is handed off to qualifier {} and does not come there", other.qualifier_);
    other.node_.adapter->consume(request);
  });
}

} // namespace datum::test
