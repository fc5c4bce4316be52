// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "responder.h"

#include "chance.h"
#include "must.h"
#include "node.h"

namespace datum::stress {

Responder::Responder(Node& node, int index) : node_(node) {
  MUST_DAT(dat_evd_create(node.ia(), kEvdLength, DAT_HANDLE_NULL,
                          static_cast<DAT_EVD_FLAGS>(DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG |
                                                     DAT_EVD_RMR_BIND_FLAG | DAT_EVD_SOFTWARE_FLAG),
                          &evd_));
  const auto step = static_cast<std::uint32_t>(node.load().pairs);
  for (auto lane = static_cast<std::uint32_t>(index); lane < node.load().lanes; lane += step) {
    auto answering = std::make_unique<Answering>();
    answering->end = std::make_unique<End>(node.ia(), node.pz(), evd_, lane,
                                           End::Payloads{.sent = 0, .received = kMaxPayload});
    MUST_DAT(dat_rmr_create(node.pz(), &answering->window));
    by_handle_[answering->end->ep()] = answering.get();
    by_handle_[answering->window] = answering.get();
    node.give_back(*answering->end);
    answering_.push_back(std::move(answering));
  }
}

void Responder::free() {
  for (auto& answering : answering_) {
    MUST_DAT(dat_rmr_free(answering->window));
    answering->end->free();
  }
  MUST_DAT(dat_evd_free(evd_));
}

void Responder::stop() {
  DAT_EVENT event{};
  event.event_number = DAT_SOFTWARE_EVENT;
  event.evd_handle = evd_;
  MUST_DAT(dat_evd_post_se(evd_, &event));
}

void Responder::run() {
  DAT_EVENT event;
  DAT_COUNT more = 0;
  do {
    MUST_DAT(dat_evd_wait(evd_, DAT_TIMEOUT_INFINITE, 1, &event, &more));
  } while (on_event(event));
}

bool Responder::on_event(const DAT_EVENT& event) {
  switch (event.event_number) {
  case DAT_SOFTWARE_EVENT: return false;
  case DAT_DTO_COMPLETION_EVENT:
    on_completion(event.event_data.dto_completion_event_data);
    return true;
  case DAT_RMR_BIND_COMPLETION_EVENT: {
    const auto& data = event.event_data.rmr_completion_event_data;
    Answering& answering = *by_handle_.at(data.rmr_handle);
    answering.end->on_bind(data, true);
    give_back_if_quiet(answering);
    return true;
  }
  default:
    on_connection(event.event_number, event.event_data.connect_event_data.ep_handle);
    return true;
  }
}

// A connection may end at any moment: the asking side decides when.
void Responder::on_completion(const DAT_DTO_COMPLETION_EVENT_DATA& data) {
  Answering& answering = *by_handle_.at(data.ep_handle);
  Received received;
  if (answering.end->on_completion(data, true, received)) answer(answering, received);
  give_back_if_quiet(answering);
}

void Responder::give_back_if_quiet(Answering& answering) {
  if (!answering.ended || !answering.end->quiet()) return;
  answering.ended = false;
  answering.end->reset();
  node_.give_back(*answering.end);
  node_.end_connection();
}

void Responder::on_connection(DAT_EVENT_NUMBER number, DAT_EP_HANDLE ep) {
  Answering& answering = *by_handle_.at(ep);
  End& end = *answering.end;
  if (number == DAT_CONNECTION_EVENT_ESTABLISHED) {
    answering.asked = 0;
    Message hello;
    hello.ask = Ask::Hello;
    hello.context = end.memory().remote;
    hello.offset = reinterpret_cast<std::uint64_t>(end.memory().bytes.data());
    hello.length = end.memory().bytes.size();
    end.send(hello);
    return;
  }
  MUST_SEE(number == DAT_CONNECTION_EVENT_DISCONNECTED || node_.peer_may_vanish(), number);
  MUST_SEE(number == DAT_CONNECTION_EVENT_DISCONNECTED || number == DAT_CONNECTION_EVENT_BROKEN ||
               number == DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR,
           number);
  if (number == DAT_CONNECTION_EVENT_BROKEN) node_.count_broken();
  answering.ended = true;
  give_back_if_quiet(answering);
}

void Responder::answer(Answering& answering, const Received& received) {
  End& end = *answering.end;
  const Message& message = received.message;
  MUST_SEE(message.number == ++answering.asked, message.number);
  Message done = message;
  done.ask = Ask::Done;
  const std::span<std::byte> memory(end.memory().bytes);
  switch (message.ask) {
  case Ask::Data:
    MUST_SEE(received.payload.size() == message.length, received.payload.size());
    MUST_SEE(holds(received.payload, message.seed), message.length);
    break;
  case Ask::Verify:
    MUST_SEE(holds(memory.subspan(message.offset, message.length), message.seed), message.length);
    break;
  case Ask::Fill: fill(memory.subspan(message.offset, message.length), message.seed); break;
  case Ask::Bind: {
    DAT_RMR_CONTEXT context = 0;
    end.bind(answering.window, message.offset, message.length, context);
    done.context = context;
    break;
  }
  case Ask::Unbind: {
    MUST_SEE(holds(memory.subspan(message.offset, message.length), message.seed), message.length);
    DAT_RMR_CONTEXT context = 0;
    end.bind(answering.window, 0, 0, context);
    break;
  }
  default: MUST(false);
  }
  end.post_recv(received.slot);
  end.send(done);
}

} // namespace datum::stress
