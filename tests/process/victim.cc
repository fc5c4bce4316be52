// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "victim.h"

#include <unistd.h>

#include <cstring>
#include <memory>
#include <optional>

#include "connection.h"
#include "tracer.h"

namespace datum::test {

namespace {

class Victim {
 public:
  Victim(const Sentence& sentence, const Line& survivor)
      : sentence_(sentence), survivor_(survivor), ia_(open_ia()) {}

  void prepare();
  void act();

 private:
  void connect_to_survivor();
  void listen_for_survivor();
  void complete(DAT_RETURN posted);
  void transfer(std::size_t size, bool write, bool shareable);
  void receive(std::size_t size);
  void bind();

  const Sentence& sentence_;
  const Line& survivor_;
  Ia ia_;
  std::unique_ptr<Side> side_;
  std::optional<Buffer> buffer_;
  std::unique_ptr<Listener> listener_;
  Rmr rmr_;
  Cr cr_;
  ReachableMemory memory_{};
};

void Victim::prepare() {
  const Operation operation = sentence_.operation;
  if (operation == Operation::kListen) return;
  side_ = std::make_unique<Side>(ia_);
  if (operation == Operation::kConnect) return;
  if (operation == Operation::kAccept || operation == Operation::kReject) {
    listen_for_survivor();
    return;
  }
  connect_to_survivor();
  buffer_.emplace(side_->buffer(2 * kLarge));
  if (operation == Operation::kBind) rmr_ = create_rmr(side_->pz());
}

void Victim::connect_to_survivor() {
  EXPECT_DAT_OK(connect(side_->ep(), address_of(ia_), sentence_.qualifier));
  const DAT_CONNECTION_EVENT_DATA data =
      expect_connection_event(side_->connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side_->ep());
  if (data.private_data_size == static_cast<DAT_COUNT>(sizeof memory_))
    std::memcpy(&memory_, data.private_data, sizeof memory_);
}

void Victim::listen_for_survivor() {
  listener_ = std::make_unique<Listener>(ia_);
  survivor_.put(VictimTerms{listener_->qualifier()});
  cr_ = listener_->expect_request();
}

void Victim::complete(DAT_RETURN posted) {
  EXPECT_DAT_OK(posted);
  next_event(side_->request_evd());
}

void Victim::transfer(std::size_t size, bool write, bool shareable) {
  const DAT_RMR_TRIPLET target{shareable ? memory_.shareable : memory_.ordinary, 0,
                               shareable ? memory_.shareable_address : memory_.ordinary_address,
                               size};
  const Segments segments{buffer_->segment(0, size)};
  complete(write ? post_write(side_->ep(), segments, target, 1)
                 : post_read(side_->ep(), segments, target, 1));
}

void Victim::receive(std::size_t size) {
  EXPECT_DAT_OK(post_recv(side_->ep(), {buffer_->segment(0, size)}, 1));
  next_event(side_->recv_evd());
}

void Victim::bind() {
  DAT_RMR_CONTEXT context = 0;
  complete(post_bind(side_->ep(), rmr_, buffer_->segment(0, kSmall), DAT_MEM_PRIV_ALL_FLAG, 1,
                     &context));
}

void Victim::act() {
  switch (sentence_.operation) {
  case Operation::kListen: {
    const DAT_EVD_HANDLE evd = create_evd(ia_, DAT_EVD_CR_FLAG).release();
    create_psp(ia_, sentence_.qualifier, evd).release();
    return;
  }
  case Operation::kConnect: {
    // Nobody may answer; then the wait ends it.
    EXPECT_DAT_OK(connect(side_->ep(), address_of(ia_), sentence_.qualifier));
    DAT_EVENT event{};
    DAT_COUNT left = 0;
    dat_evd_wait(side_->connect_evd(), kQuiet, 1, &event, &left);
    return;
  }
  case Operation::kAccept:
    EXPECT_DAT_OK(accept(cr_, side_->ep()));
    next_event(side_->connect_evd());
    return;
  case Operation::kReject: cr_.free(); return;
  case Operation::kSendSmall:
    complete(post_send(side_->ep(), {buffer_->segment(0, kSmall)}, 1));
    return;
  case Operation::kSendLarge:
    complete(post_send(side_->ep(), {buffer_->segment(0, kLarge)}, 1));
    return;
  case Operation::kReceiveSmall: receive(kSmall); return;
  case Operation::kReceiveLarge: receive(kLarge); return;
  case Operation::kWriteOrdinary: transfer(kLarge, true, false); return;
  case Operation::kWriteShareable: transfer(kLarge, true, true); return;
  case Operation::kReadOrdinary: transfer(kLarge, false, false); return;
  case Operation::kReadShareable: transfer(kLarge, false, true); return;
  case Operation::kBind: bind(); return;
  case Operation::kDisconnectGraceful:
    EXPECT_DAT_OK(dat_ep_disconnect(side_->ep(), DAT_CLOSE_GRACEFUL_FLAG));
    return;
  case Operation::kDisconnectAbrupt:
    EXPECT_DAT_OK(dat_ep_disconnect(side_->ep(), DAT_CLOSE_ABRUPT_FLAG));
    return;
  case Operation::kFreeEndpoint: side_->ep().free(); return;
  case Operation::kCloseAdapter:
    EXPECT_DAT_OK(dat_ia_close(ia_.release(), DAT_CLOSE_ABRUPT_FLAG));
    return;
  }
}

} // namespace

void be_victim(const Sentence& sentence, const Line& survivor, const std::function<void()>& ready) {
  Victim victim(sentence, survivor);
  victim.prepare();
  ready();
  mark_begin();
  victim.act();
  mark_end(); // whoever follows us kills us here, or, if it went step by step, a moment later
  for (;;) pause();
}

} // namespace datum::test
