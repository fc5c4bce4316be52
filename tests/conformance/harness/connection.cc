// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "connection.h"

namespace datum::test {

namespace {

DAT_COUNT count(std::string_view data) {
  return static_cast<DAT_COUNT>(data.size());
}

// The DAT calls take a pointer to non-const but do not write through it.
void* bytes(std::string_view data) {
  return data.empty() ? nullptr : const_cast<char*>(data.data());
}

std::string text(const void* data, DAT_COUNT size) {
  if (size <= 0 || data == nullptr) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

} // namespace

Side::Side(DAT_IA_HANDLE ia, const SideOptions& options) : ia_(ia), pz_(create_pz(ia)) {
  const DAT_COUNT length = options.queue_length;
  switch (options.evds) {
  case Evds::kSeparate:
    evds_[0] = create_evd(ia, DAT_EVD_DTO_FLAG, length, options.cno);
    evds_[1] = create_evd(ia, kRequestStreams, length, options.cno);
    evds_[2] = create_evd(ia, DAT_EVD_CONNECTION_FLAG, length, options.cno);
    recv_ = evds_[0];
    request_ = evds_[1];
    connect_ = evds_[2];
    break;
  case Evds::kOne:
    evds_[0] = create_evd(ia, kEveryStream, length, options.cno);
    recv_ = request_ = connect_ = evds_[0];
    break;
  case Evds::kNoDto:
    evds_[0] = create_evd(ia, DAT_EVD_CONNECTION_FLAG, length, options.cno);
    connect_ = evds_[0];
    break;
  }
  DAT_EP_ATTR attributes =
      options.attributes != nullptr ? *options.attributes : default_attributes(ia);
  if (options.change) options.change(attributes);
  if (options.srq_recvs == 0) {
    const bool chosen = options.attributes != nullptr || options.change;
    ep_ = another_ep(chosen ? &attributes : nullptr);
    return;
  }
  srq_ = create_srq(ia, pz_, options.srq_recvs);
  EXPECT_DAT_OK(
      dat_ep_create_with_srq(ia, pz_, recv_, request_, connect_, srq_, &attributes, ep_.out()));
}

Ep Side::another_ep(const DAT_EP_ATTR* attributes) const {
  return create_ep(ia_, pz_, recv_, request_, connect_, attributes);
}

Buffer Side::buffer(std::size_t size, DAT_MEM_PRIV_FLAGS privileges) const {
  return {ia_, pz_, size, privileges};
}

void Side::give_up() {
  ep_.release();
  srq_.release();
  for (Evd& evd : evds_) evd.release();
  pz_.release();
}

Listener::Listener(DAT_IA_HANDLE ia, DAT_PSP_FLAGS flags, DAT_COUNT backlog)
    : ia_(ia), evd_(create_evd(ia, DAT_EVD_CR_FLAG, backlog)) {
  EXPECT_DAT_OK(dat_psp_create_any(ia, &qualifier_, evd_, flags, psp_.out()));
}

DAT_RETURN connect(DAT_EP_HANDLE ep, DAT_IA_ADDRESS_PTR address, DAT_CONN_QUAL qualifier,
                   std::string_view private_data, DAT_TIMEOUT timeout) {
  return dat_ep_connect(ep, address, qualifier, timeout, count(private_data), bytes(private_data),
                        DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG);
}

DAT_RETURN connect(DAT_EP_HANDLE ep, const Listener& listener, std::string_view private_data,
                   DAT_TIMEOUT timeout) {
  return connect(ep, address_of(listener.ia()), listener.qualifier(), private_data, timeout);
}

std::string request_data(DAT_CR_HANDLE cr) {
  const DAT_CR_PARAM param = query_cr(cr);
  return text(param.private_data, param.private_data_size);
}

std::string reply_data(const DAT_CONNECTION_EVENT_DATA& event) {
  return text(event.private_data, event.private_data_size);
}

DAT_RETURN accept(Cr& cr, DAT_EP_HANDLE ep, std::string_view private_data) {
  const DAT_RETURN status = dat_cr_accept(cr, ep, count(private_data), bytes(private_data));
  if (status == DAT_SUCCESS) cr.release();
  return status;
}

Established establish(DAT_EP_HANDLE active, DAT_EVD_HANDLE active_evd, DAT_EP_HANDLE passive,
                      DAT_EVD_HANDLE passive_evd, DAT_IA_HANDLE passive_ia,
                      std::string_view request, std::string_view reply) {
  Listener listener(passive_ia);
  Established seen;
  EXPECT_DAT_OK(connect(active, listener, request));
  Cr cr = listener.expect_request();
  seen.request_data = request_data(cr);
  EXPECT_DAT_OK(accept(cr, passive, reply));
  seen.reply_data =
      reply_data(expect_connection_event(active_evd, DAT_CONNECTION_EVENT_ESTABLISHED, active));
  expect_connection_event(passive_evd, DAT_CONNECTION_EVENT_ESTABLISHED, passive);
  return seen;
}

Established establish(Side& active, Side& passive, std::string_view request,
                      std::string_view reply) {
  return establish(active.ep(), active.connect_evd(), passive.ep(), passive.connect_evd(),
                   passive.ia(), request, reply);
}

PairOptions with_attributes(ChangeAttributes active, ChangeAttributes passive) {
  PairOptions options;
  options.active.change = std::move(active);
  options.passive.change = std::move(passive);
  return options;
}

ConnectedPair::ConnectedPair(const PairOptions& options)
    : one_ia_(options.one_ia), active_ia_(open_ia()),
      passive_ia_(options.one_ia ? Ia() : open_ia()),
      active_(std::make_unique<Side>(active_ia_, options.active)),
      passive_(std::make_unique<Side>(passive_ia(), options.passive)) {
  if (options.connected) establish(*active_, *passive_);
}

void ConnectedPair::disconnect() {
  EXPECT_DAT_OK(dat_ep_disconnect(active_->ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_connection_event(active_->connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, active_->ep());
  expect_connection_event(passive_->connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED,
                          passive_->ep());
}

} // namespace datum::test
