// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/link/link_transport.h"

#include <algorithm>
#include <utility>

#include "base/assertion.h"
#include "base/cpu.h"
#include "transport/link/link_channel.h"

namespace datum {

class LinkTransport::NamedListener final : public Listener {
 public:
  NamedListener(LinkTransport& transport, std::unique_ptr<PublishedName> name)
      : transport_(transport), name_(std::move(name)) {}
  ~NamedListener() override { transport_.stop_listening(name_->qualifier()); }
  ConnQual qualifier() const override { return name_->qualifier(); }

 private:
  LinkTransport& transport_;
  std::unique_ptr<PublishedName> name_;
};

LinkTransport::LinkTransport(Fabric& fabric, const LinkOptions& options)
    : fabric_(fabric), drives_fabric_(fabric.needs_progress()), options_(options) {}

LinkTransport::~LinkTransport() = default;

void LinkTransport::attach(const TransportHost& host) {
  host_ = host;
  fabric_.attach(host, *this);
}

Result<std::unique_ptr<Listener>> LinkTransport::adopt(Result<std::unique_ptr<PublishedName>> name,
                                                       ListenerEvents& events) {
  if (!name) return fail(name.error());
  const ConnQual qualifier = (*name)->qualifier();
  if (listeners_.contains(qualifier)) return fail(Type::ConnQualInUse);
  auto listener = std::make_unique<NamedListener>(*this, std::move(*name));
  listeners_.emplace(qualifier, &events);
  return listener;
}

Result<std::unique_ptr<Listener>> LinkTransport::listen(ConnQual qualifier,
                                                        ListenerEvents& events) {
  if (listeners_.contains(qualifier)) return fail(Type::ConnQualInUse);
  return adopt(fabric_.publish(qualifier), events);
}

Result<std::unique_ptr<Listener>> LinkTransport::listen_any(ListenerEvents& events) {
  Result<std::unique_ptr<PublishedName>> name = fabric_.publish_any();
  // The consumer named no qualifier, so ConnQualInUse means that no qualifier is left.
  if (!name && name.error().type() == Type::ConnQualInUse) return fail(Type::ConnQualUnavailable);
  return adopt(std::move(name), events);
}

Result<std::unique_ptr<Channel>> LinkTransport::connect(const Address& address, ConnQual qualifier,
                                                        PrivateData data, ChannelEvents& events,
                                                        const ChannelOptions& options) {
  auto channel = std::make_unique<LinkChannel>(*this, events, options);
  if (const Status s = channel->dial(address, qualifier, data); !s.ok()) return fail(s);
  return channel;
}

bool LinkTransport::progress() {
  bool any = drives_fabric_ && fabric_.progress();
  quantum_left_ = kDirectQuantum;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    std::size_t at = first_link_ + i;
    if (at >= links_.size()) at %= links_.size();
    any = links_[at]->progress() || any;
  }
  if (std::exchange(turn_was_short_, false))
    first_link_ = first_link_ + 1 < links_.size() ? first_link_ + 1 : 0;
  if (!unlinked_.empty()) any = run_unlinked() || any;
  if (!lost_links_.empty()) lost_links_.clear();
  return any;
}

void LinkTransport::take_from_fabric() {
  if (drives_fabric_) fabric_.progress();
}

bool LinkTransport::set_attention(Attention attention) {
  attention_ = attention;
  for (const std::unique_ptr<Link>& link : links_) link->set_attention(attention);
  if (attention == Attention::Asleep) fabric_.fence_everywhere();
  bool ready = !unlinked_.empty();
  for (const std::unique_ptr<Link>& link : links_) ready = link->must_look() || ready;
  return ready;
}

Instant LinkTransport::watch(Instant now) {
  Instant next = kNever;
  for (const std::unique_ptr<Link>& link : links_) next = std::min(next, link->watch(now));
  return next;
}

bool LinkTransport::shares_core() const {
  bool any = false;
  for (const std::unique_ptr<Link>& link : links_) {
    if (link->idle()) continue;
    if (!link->port().shares_core()) return false;
    any = true;
  }
  return any;
}

bool LinkTransport::run_unlinked() {
  while (LinkChannel* channel = unlinked_.pop_front()) channel->work();
  return true;
}

void LinkTransport::try_again_soon() {
  host_.timers->arm(retry_, host_.progress->now() + kMillisecond);
}

Link* LinkTransport::find_link(LinkPort& port) {
  const auto found = std::find_if(links_.begin(), links_.end(),
                                  [&](const auto& link) { return &link->port() == &port; });
  return found == links_.end() ? nullptr : found->get();
}

ListenerEvents* LinkTransport::find_listener(ConnQual qualifier) {
  const auto found = listeners_.find(qualifier);
  return found == listeners_.end() ? nullptr : found->second;
}

ConnQual LinkTransport::next_local_port() {
  // Numbers of the dynamic range of TCP ports. A number is used only to tell connections apart.
  constexpr ConnQual kFirst = 49152;
  constexpr ConnQual kCount = 16384;
  return kFirst + ports_given_++ % kCount;
}

void LinkTransport::list_for_work(LinkChannel& channel) {
  UnlinkedChannel& hook = channel;
  if (hook.linked()) return;
  unlinked_.push_back(channel);
  host_.progress->wake();
}

void LinkTransport::unlist(LinkChannel& channel) {
  UnlinkedChannel& hook = channel;
  hook.unlink();
}

void LinkTransport::on_link(LinkPort& port) {
  // The end of a link must not allocate, even while links that ended before are still in
  // lost_links_.
  lost_links_.reserve(lost_links_.size() + links_.size() + 1);
  links_.push_back(std::make_unique<Link>(*this, port));
  links_.back()->set_attention(attention_);
  if (attention_ == Attention::Asleep) fabric_.fence_everywhere(); // the caller polls next
}

void LinkTransport::on_doorbell(LinkPort& port) {
  if (Link* link = find_link(port)) link->on_doorbell();
}

void LinkTransport::on_link_lost(LinkPort& port) {
  const auto found = std::find_if(links_.begin(), links_.end(),
                                  [&](const auto& link) { return &link->port() == &port; });
  if (found == links_.end()) return;
  std::unique_ptr<Link> link = std::move(*found);
  links_.erase(found);
  link->lost();
  DATUM_ASSERT(lost_links_.size() < lost_links_.capacity());
  lost_links_.push_back(std::move(link));
}

IdleLink LinkTransport::judge_idle(LinkPort& port) {
  Link* link = find_link(port);
  if (link == nullptr) return IdleLink::InUse; // the end of the link is under way already
  link->progress();
  if (!link->idle() || link->broken()) return IdleLink::InUse;
  return link->retire() ? IdleLink::Drop : IdleLink::Later;
}

bool Fabric::quiesce(Stag) {
  return false;
}

void LinkTransport::quiesce(Stag stag) {
  if (fabric_.quiesce(stag)) return;
  // A peer that marked the STag before it was revoked is about to finish one turn of a copy. A peer
  // that was stopped in the middle of a copy gets one second.
  const Instant give_up = host_.progress->now() + kSecond;
  for (const std::unique_ptr<Link>& link : links_) {
    while (link->peer_mark() == stag) {
      if (host_.progress->now() >= give_up) {
        link->port().condemn("stopped inside an access to memory that is being taken away");
        break;
      }
      cpu_pause();
    }
  }
}

} // namespace datum
