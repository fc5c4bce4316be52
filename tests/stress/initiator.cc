// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "initiator.h"

#include <algorithm>

#include "must.h"
#include "node.h"

namespace datum::stress {

Initiator::Initiator(Node& node, int index)
    : node_(node), chance_(node.load().seed * 1000 + static_cast<std::uint64_t>(index)) {
  MUST_DAT(dat_evd_create(node.ia(), kEvdLength, DAT_HANDLE_NULL,
                          static_cast<DAT_EVD_FLAGS>(DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG |
                                                     DAT_EVD_RMR_BIND_FLAG),
                          &evd_));
  const auto step = static_cast<std::uint32_t>(node.load().pairs);
  for (auto lane = static_cast<std::uint32_t>(index); lane < node.load().lanes; lane += step) {
    asking_.push_back(std::make_unique<Asking>());
    asking_.back()->end = std::make_unique<End>(node.ia(), node.pz(), evd_, lane,
                                                End::Payloads{.sent = kMaxPayload, .received = 0});
  }
}

void Initiator::free() {
  for (auto& asking : asking_) asking->end->free();
  MUST_DAT(dat_evd_free(evd_));
}

void Initiator::run() {
  // All connects are made at once before the mix begins.
  for (auto& asking : asking_) connect(*asking);
  while (!node_.stopping()) {
    Asking& asking = *asking_[chance_.below(asking_.size())];
    if (asking.state == State::Up || connect(asking)) static_cast<void>(round(asking));
    node_.count_round();
  }
  for (auto& asking : asking_)
    if (asking->state == State::Up) disconnect(*asking);
  node_.initiator_left();
}

bool Initiator::connect(Asking& asking) {
  std::optional<Target> target = node_.begin_connection();
  if (!target) {
    constexpr DAT_TIMEOUT kShort = 10'000;
    look_at_events(kShort);
    return false;
  }
  asking.state = State::Connecting;
  asking.leaving = false;
  asking.asked = 0;
  asking.answers.clear();
  asking.end->post_recvs();
  MUST_DAT(dat_ep_connect(asking.end->ep(), target->address(), target->qualifier,
                          node_.load().connect_time, 0, nullptr, DAT_QOS_BEST_EFFORT,
                          DAT_CONNECT_DEFAULT_FLAG));
  if (!await_answers(asking, 1, asking.hello)) return false;
  MUST(asking.hello.ask == Ask::Hello);
  return true;
}

void Initiator::disconnect(Asking& asking) {
  asking.leaving = true;
  const bool abrupt = chance_.below(2) != 0;
  const DAT_RETURN status =
      dat_ep_disconnect(asking.end->ep(), abrupt ? DAT_CLOSE_ABRUPT_FLAG : DAT_CLOSE_GRACEFUL_FLAG);
  // The peer may have vanished at this moment. Then an event reports that.
  MUST_SEE(status == DAT_SUCCESS || node_.peer_may_vanish(), status);
  await(asking, [] { return false; });
}

bool Initiator::round(Asking& asking) {
  switch (chance_.below(20)) {
  case 0: disconnect(asking); return false;
  case 1:
  case 2: return write_through_window(asking);
  case 3:
  case 4:
  case 5:
  case 6: return read_and_verify(asking);
  case 7:
  case 8:
  case 9:
  case 10:
  case 11: return write_and_verify(asking);
  default: return send_data(asking);
  }
}

bool Initiator::ask(Asking& asking, Message message) {
  message.number = ++asking.asked;
  asking.end->send(message, message.seed, message.ask == Ask::Data ? message.length : 0);
  return asking.state == State::Up;
}

Message Initiator::random_range(Asking& asking) {
  const std::uint64_t size = memory_of_lane(asking.end->lane());
  Message range;
  range.length = chance_.length(std::min<std::uint64_t>(size, asking.hello.length));
  range.offset = chance_.below(size - range.length + 1);
  range.seed = chance_.next();
  // The two ends of a connection may belong to different lanes.
  const std::uint64_t most = asking.hello.length;
  if (range.offset + range.length > most) range.offset = most - range.length;
  return range;
}

bool Initiator::send_data(Asking& asking) {
  const std::size_t count = 1 + chance_.below(kWindow);
  for (std::size_t i = 0; i < count; ++i) {
    Message message;
    message.ask = Ask::Data;
    message.length = chance_.length(kMaxPayload);
    message.seed = chance_.next();
    ask(asking, message);
  }
  Message last;
  return await_answers(asking, count, last) && await_completions(asking);
}

DAT_RMR_TRIPLET Initiator::there(const Asking& asking, DAT_RMR_CONTEXT context,
                                 std::uint64_t offset, std::uint64_t length) {
  return test::remote_part(context, asking.hello.offset + offset, length);
}

// The pieces are written in order. All except the last one are suppressed.
void Initiator::write_pieces(Asking& asking, const Message& range, DAT_RMR_CONTEXT context) {
  End& end = *asking.end;
  fill(std::span(end.memory().bytes).subspan(range.offset, range.length), range.seed);
  const std::uint64_t pieces = std::min<std::uint64_t>(1 + chance_.below(8), range.length);
  std::uint64_t done = 0;
  for (std::uint64_t left = pieces; left != 0; --left) {
    const std::uint64_t size = left == 1 ? range.length - done : range.length / pieces;
    const std::uint64_t at = range.offset + done;
    end.write(at, size, there(asking, context, at, size), left != 1);
    done += size;
  }
}

bool Initiator::write_and_verify(Asking& asking) {
  Message range = random_range(asking);
  write_pieces(asking, range, asking.hello.context);
  range.ask = Ask::Verify; // completes after the Writes, in posting order
  ask(asking, range);
  Message answer;
  return await_answers(asking, 1, answer) && await_completions(asking);
}

bool Initiator::read_and_verify(Asking& asking) {
  Message range = random_range(asking);
  range.ask = Ask::Fill;
  ask(asking, range);
  Message answer;
  if (!await_answers(asking, 1, answer)) return false;
  End& end = *asking.end;
  const std::uint64_t first = range.length / 2;
  const std::uint64_t rest = range.length - first;
  const std::uint64_t middle = range.offset + first;
  const DAT_RMR_CONTEXT context = asking.hello.context;
  if (first != 0) end.read(range.offset, first, there(asking, context, range.offset, first));
  end.read(middle, rest, there(asking, context, middle, rest));
  if (!await_completions(asking)) return false;
  MUST_SEE(holds(std::span(end.memory().bytes).subspan(range.offset, range.length), range.seed),
           range.length);
  return true;
}

bool Initiator::write_through_window(Asking& asking) {
  Message range = random_range(asking);
  range.ask = Ask::Bind;
  ask(asking, range);
  Message answer;
  if (!await_answers(asking, 1, answer)) return false;
  write_pieces(asking, range, answer.context);
  range.ask = Ask::Unbind;
  ask(asking, range);
  return await_answers(asking, 1, answer) && await_completions(asking);
}

bool Initiator::await_answers(Asking& asking, std::size_t count, Message& last) {
  await(asking, [&] { return asking.answers.size() >= count; });
  if (asking.answers.size() < count) return false;
  last = asking.answers[count - 1];
  asking.answers.erase(asking.answers.begin(),
                       asking.answers.begin() + static_cast<std::ptrdiff_t>(count));
  return asking.state == State::Up;
}

bool Initiator::await_completions(Asking& asking) {
  await(asking, [&] { return asking.end->idle(); });
  return asking.state == State::Up && !asking.end->failing();
}

void Initiator::await(Asking& asking, const std::function<bool()>& enough) {
  while (asking.state != State::Down && !enough()) {
    DAT_EVENT event;
    DAT_COUNT more = 0;
    MUST_DAT(dat_evd_wait(evd_, node_.load().patience, 1, &event, &more));
    on_event(event);
  }
}

void Initiator::look_at_events(DAT_TIMEOUT time) {
  DAT_EVENT event;
  DAT_COUNT more = 0;
  const DAT_RETURN status = dat_evd_wait(evd_, time, 1, &event, &more);
  if (status == DAT_SUCCESS) return on_event(event);
  MUST_SEE(DAT_GET_TYPE(status) == DAT_TIMEOUT_EXPIRED, status);
}

Initiator::Asking& Initiator::asking_of(DAT_EP_HANDLE ep) {
  const auto found = std::find_if(asking_.begin(), asking_.end(),
                                  [&](const auto& asking) { return asking->end->ep() == ep; });
  MUST(found != asking_.end());
  return **found;
}

void Initiator::on_event(const DAT_EVENT& event) {
  if (event.event_number != DAT_DTO_COMPLETION_EVENT) {
    on_connection(asking_of(event.event_data.connect_event_data.ep_handle), event.event_number);
    return;
  }
  const auto& data = event.event_data.dto_completion_event_data;
  Asking& asking = asking_of(data.ep_handle);
  Received received;
  if (asking.end->on_completion(data, asking.leaving || node_.peer_may_vanish(), received)) {
    asking.answers.push_back(received.message);
    asking.end->post_recv(received.slot);
  }
  go_down_if_quiet(asking);
}

void Initiator::on_connection(Asking& asking, DAT_EVENT_NUMBER number) {
  if (number == DAT_CONNECTION_EVENT_ESTABLISHED) {
    MUST(asking.state == State::Connecting);
    asking.state = State::Up;
    return;
  }
  MUST_SEE(asking.state != State::Down, number);
  MUST_SEE((asking.leaving && number == DAT_CONNECTION_EVENT_DISCONNECTED) ||
               node_.peer_may_vanish(),
           number);
  if (number == DAT_CONNECTION_EVENT_BROKEN) node_.count_broken();
  asking.ended = true;
  go_down_if_quiet(asking);
}

void Initiator::go_down_if_quiet(Asking& asking) {
  if (!asking.ended || !asking.end->quiet()) return;
  asking.ended = false;
  asking.state = State::Down;
  asking.end->reset();
  node_.end_connection();
}

} // namespace datum::stress
