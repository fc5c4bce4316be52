// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "victim.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "connection.h"
#include "shareable_buffer.h"
#include "stranger.h"
#include "tracer.h"
#include "variable.h"

namespace datum::test {

namespace {

// To touch a page costs a victim more than most operations, so only a few operations have a large
// buffer.
std::size_t buffer_size(Operation operation) {
  switch (operation) {
  case Operation::kSendLarge:
  case Operation::kReceiveLarge:
  case Operation::kWriteOrdinary:
  case Operation::kWriteShareable:
  case Operation::kReadOrdinary:
  case Operation::kReadShareable:
  case Operation::kWriteRing:
  case Operation::kReadRing: return kLarge;
  default: return 2 * kSmall;
  }
}

bool is_through_ring(Operation operation) {
  return operation == Operation::kWriteRing || operation == Operation::kReadRing;
}

Ia open_for(Operation operation) {
  // If the peer's memory cannot be copied directly, the data goes through the ring in pieces.
  if (is_through_ring(operation)) forbid_vm_calls();
  return open_ia();
}

SideOptions side_for(Operation operation) {
  SideOptions options;
  if (operation == Operation::kReceiveShared) options.srq_recvs = 4;
  return options;
}

class Victim {
 public:
  Victim(const Sentence& sentence, const Line& survivor)
      : sentence_(sentence), survivor_(survivor), ia_(open_for(sentence.operation)) {}

  void prepare();
  void act();

 private:
  void connect_to_survivor();
  void listen_for_survivor();
  void reserve_for_survivor();
  void prepare_connected();
  void export_memory();
  void disconnect();
  void complete(DAT_RETURN posted);
  void transfer(std::size_t size, bool write, bool shareable);
  void receive(std::size_t size);
  void receive_shared();
  DAT_RMR_CONTEXT bind(const DAT_LMR_TRIPLET& range);
  void listen();
  void reserve(DAT_CONN_QUAL qualifier);
  void hand_off();
  void duplicate();
  void act_unconnected();
  void act_connected();
  void end_connection();

  const Sentence& sentence_;
  const Line& survivor_;
  Ia ia_;
  std::unique_ptr<Side> side_;
  std::optional<Buffer> buffer_;
  std::optional<ShareableBuffer> exported_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<Listener> other_listener_;
  Evd requests_;
  Rsp rsp_;
  Ep second_;
  Rmr rmr_;
  Cr cr_;
  ReachableMemory memory_{};
};

void Victim::prepare() {
  const Operation operation = sentence_.operation;
  if (operation == Operation::kListen) return;
  side_ = std::make_unique<Side>(ia_, side_for(operation));
  if (operation == Operation::kAcceptReserved) {
    reserve_for_survivor();
  } else if (asks_victim(operation)) {
    listen_for_survivor();
  } else if (is_connected(operation)) {
    connect_to_survivor();
    prepare_connected();
  }
}

void Victim::prepare_connected() {
  const Operation operation = sentence_.operation;
  buffer_.emplace(side_->buffer(buffer_size(operation)));
  if (operation >= Operation::kBind && operation <= Operation::kFreeWindow)
    rmr_ = create_rmr(side_->pz());
  if (operation == Operation::kRebind || operation == Operation::kUnbind)
    bind(buffer_->segment(0, kSmall));
  if (exports_memory(operation)) export_memory();
  if (operation == Operation::kDuplicate) second_ = side_->another_ep();
  if (operation == Operation::kResetEndpoint) disconnect();
}

void Victim::export_memory() {
  exported_.emplace(ia_, side_->pz(), kLarge);
  const bool window = sentence_.operation == Operation::kFreeWindow;
  survivor_.put(ExportedMemory{window ? bind(exported_->segment()) : exported_->context(),
                               exported_->address()});
}

void Victim::disconnect() {
  EXPECT_DAT_OK(dat_ep_disconnect(side_->ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_connection_event(side_->connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, side_->ep());
}

void Victim::connect_to_survivor() {
  EXPECT_DAT_OK(connect(side_->ep(), address_of(ia_), sentence_.qualifier));
  const DAT_CONNECTION_EVENT_DATA data =
      expect_connection_event(side_->connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side_->ep());
  if (data.private_data_size == static_cast<DAT_COUNT>(sizeof memory_))
    std::memcpy(&memory_, data.private_data, sizeof memory_);
  // A victim that aborts here has failed to get ready.
  if (is_through_ring(sentence_.operation) && told_of(side_->ep(), "datum_path") != "shm ring")
    std::abort();
}

void Victim::listen_for_survivor() {
  listener_ = std::make_unique<Listener>(ia_);
  survivor_.put(VictimTerms{listener_->qualifier()});
  cr_ = listener_->expect_request();
  if (sentence_.operation == Operation::kHandOff) other_listener_ = std::make_unique<Listener>(ia_);
}

void Victim::reserve_for_survivor() {
  const DAT_CONN_QUAL qualifier = free_qualifier();
  reserve(qualifier);
  survivor_.put(VictimTerms{qualifier});
  cr_ = expect_request(requests_);
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

void Victim::receive_shared() {
  EXPECT_DAT_OK(post_srq_recv(side_->srq(), {buffer_->segment(0, kSmall)}, 1));
  next_event(side_->recv_evd());
}

DAT_RMR_CONTEXT Victim::bind(const DAT_LMR_TRIPLET& range) {
  DAT_RMR_CONTEXT context = 0;
  complete(post_bind(side_->ep(), rmr_, range, DAT_MEM_PRIV_ALL_FLAG, 1, &context));
  return context;
}

void Victim::listen() {
  requests_ = create_evd(ia_, DAT_EVD_CR_FLAG);
  create_psp(ia_, sentence_.qualifier, requests_).release();
}

void Victim::reserve(DAT_CONN_QUAL qualifier) {
  requests_ = create_evd(ia_, DAT_EVD_CR_FLAG);
  rsp_ = create_rsp(ia_, qualifier, side_->ep(), requests_);
}

void Victim::hand_off() {
  EXPECT_DAT_OK(dat_cr_handoff(cr_.release(), other_listener_->qualifier()));
  cr_ = other_listener_->expect_request();
}

void Victim::duplicate() {
  EXPECT_DAT_OK(dat_ep_dup_connect(second_, side_->ep(), DAT_TIMEOUT_INFINITE, 0, nullptr,
                                   DAT_QOS_BEST_EFFORT));
}

void Victim::act() {
  if (!is_connected(sentence_.operation)) {
    act_unconnected();
  } else if (may_end_orderly(sentence_.operation)) {
    end_connection();
  } else {
    act_connected();
  }
}

void Victim::act_unconnected() {
  switch (sentence_.operation) {
  case Operation::kListen: listen(); return;
  case Operation::kReserve: reserve(sentence_.qualifier); return;
  case Operation::kConnect:
    EXPECT_DAT_OK(connect(side_->ep(), address_of(ia_), sentence_.qualifier));
    next_event(side_->connect_evd());
    return;
  case Operation::kAccept:
    EXPECT_DAT_OK(accept(cr_, side_->ep()));
    next_event(side_->connect_evd());
    return;
  case Operation::kAcceptReserved:
    EXPECT_DAT_OK(accept(cr_, DAT_HANDLE_NULL));
    next_event(side_->connect_evd());
    return;
  case Operation::kReject: cr_.free(); return;
  case Operation::kHandOff: hand_off(); return;
  default: return;
  }
}

void Victim::act_connected() {
  switch (sentence_.operation) {
  case Operation::kSendSmall:
    complete(post_send(side_->ep(), {buffer_->segment(0, kSmall)}, 1));
    return;
  case Operation::kSendLarge:
    complete(post_send(side_->ep(), {buffer_->segment(0, kLarge)}, 1));
    return;
  case Operation::kReceiveSmall: receive(kSmall); return;
  case Operation::kReceiveLarge: receive(kLarge); return;
  case Operation::kReceiveShared: receive_shared(); return;
  case Operation::kWriteOrdinary:
  case Operation::kWriteRing: transfer(kLarge, true, false); return;
  case Operation::kWriteShareable: transfer(kLarge, true, true); return;
  case Operation::kReadOrdinary:
  case Operation::kReadRing: transfer(kLarge, false, false); return;
  case Operation::kReadShareable: transfer(kLarge, false, true); return;
  case Operation::kBind: bind(buffer_->segment(0, kSmall)); return;
  case Operation::kRebind: bind(buffer_->segment(kSmall, kSmall)); return;
  case Operation::kUnbind: bind(buffer_->segment(0, 0)); return;
  case Operation::kFreeRegion: exported_->lmr().free(); return;
  case Operation::kFreeWindow: rmr_.free(); return;
  case Operation::kDuplicate: duplicate(); return;
  default: return;
  }
}

void Victim::end_connection() {
  switch (sentence_.operation) {
  case Operation::kDisconnectGraceful:
    EXPECT_DAT_OK(dat_ep_disconnect(side_->ep(), DAT_CLOSE_GRACEFUL_FLAG));
    return;
  case Operation::kDisconnectAbrupt:
    EXPECT_DAT_OK(dat_ep_disconnect(side_->ep(), DAT_CLOSE_ABRUPT_FLAG));
    return;
  case Operation::kResetEndpoint: EXPECT_DAT_OK(dat_ep_reset(side_->ep())); return;
  case Operation::kFreeEndpoint: side_->ep().free(); return;
  case Operation::kCloseAdapter:
    EXPECT_DAT_OK(dat_ia_close(ia_.release(), DAT_CLOSE_ABRUPT_FLAG));
    return;
  default: return;
  }
}

} // namespace

void be_victim(const Sentence& sentence, const Line& survivor, const std::function<void()>& ready) {
  Victim victim(sentence, survivor);
  victim.prepare();
  ready();
  mark_begin();
  victim.act();
  mark_end(); // the tracer kills the process here, or a moment later if it went step by step
  for (;;) pause();
}

} // namespace datum::test
