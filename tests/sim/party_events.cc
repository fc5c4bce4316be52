// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Checks every event of a party against what was posted.
#include <cstring>

#include "failure.h"
#include "party.h"

namespace datum::test {

void Party::harvest() {
  if (node_.dead()) return;
  Event event;
  // Connection events are taken first. So every flushed DTO must be there when the last connection
  // event is.
  std::vector<Event> connection;
  while (connect_evd_->dequeue(event).ok()) connection.push_back(event);
  harvest_dtos();
  for (const Event& each : connection) on_connection_event(each);
  check_window();
  panes_.check(number_);
}

// The peer's checks must not depend on which events this party has taken.
void Party::collect() {
  was_full_ = was_full_ || dto_evd_->full();
  Event event;
  while (dto_evd_->dequeue(event).ok()) {
    arrived_.push_back(event);
    ++tally.dto_events.at(static_cast<std::size_t>(event.status));
    if (!event.receive && event.status == DtoStatus::Success)
      ++tally.successes.at(static_cast<std::size_t>(event.opcode));
    if (event.receive && event.status == DtoStatus::Success) ++messages_in_;
  }
}

void Party::harvest_dtos() {
  collect();
  while (!arrived_.empty()) {
    const Event event = arrived_.front();
    arrived_.pop_front();
    require(event.kind == EventKind::Dto || event.kind == EventKind::Bind,
            "party {}: a DTO EVD has an event of kind {}", number_, static_cast<int>(event.kind));
    require(event.kind == EventKind::Bind || event.object == ep_,
            "party {}: a DTO event names another EP", number_);
    if (event.receive)
      on_receive_done(event);
    else
      on_request_done(event);
  }
}

bool Party::may_be_flushed() const {
  return disconnected_by_us || life_ == Life::Over || peer_ == nullptr ||
         peer_->disconnected_by_us || peer_->lives_ != peer_life_;
}

void Party::on_request_done(const Event& event) {
  last_status_ = event.status;
  trace("party {}: request {} ends with status {}", number_, event.cookie,
        static_cast<int>(event.status));
  // If a successful request has no event, it has ended before the next request that has an event.
  while (true) {
    require(!requests_.empty(), "party {}: a completion too many, cookie {}", number_,
            event.cookie);
    const PostedRequest request = requests_.front();
    requests_.pop_front();
    --events_owed_;
    if (request.cookie == event.cookie) return end_request(request, event);
    require(request.suppressed, "party {}: request {} is passed over by {}", number_,
            request.cookie, event.cookie);
    require(!failed_, "party {}: suppressed request {} failed silently", number_, request.cookie);
    check_done(request);
  }
}

void Party::end_request(const PostedRequest& request, const Event& event) {
  const bool bind = request.opcode == Opcode::Bind;
  require(bind == (event.kind == EventKind::Bind) && (!bind || event.object == request.window),
          "party {}: request {} ends with another's event", number_, request.cookie);
  if (event.status != DtoStatus::Success) return fail_request(request, event.status);
  require(!request.suppressed, "party {}: a suppressed request {} reports success", number_,
          request.cookie);
  require(!failed_, "party {}: request {} succeeds after one that failed", number_, request.cookie);
  require(event.value == (bind ? 0 : request.length), "party {}: request {} moved {} of {} bytes",
          number_, request.cookie, event.value, request.length);
  check_done(request);
}

void Party::fail_request(const PostedRequest& request, DtoStatus status) {
  if (request.opcode == Opcode::Bind) panes_.shut_until(request.cookie);
  require(!lossless || (may_be_flushed() && status == DtoStatus::Flushed),
          "party {}: request {} ends with status {} though nothing went wrong", number_,
          request.cookie, static_cast<int>(status));
  failed_ = true;
  if (status == DtoStatus::Flushed) return;
  require(!culprit_found_, "party {}: request {} ends with status {}, the second to blame", number_,
          request.cookie, static_cast<int>(status));
  culprit_found_ = true;
  const bool refused = status == DtoStatus::RemoteAccess;
  // The connection may also be lost while the peer refuses the request.
  require(refused || !request.forbidden || status == DtoStatus::Transport,
          "party {}: request {} had to be refused and ends with status {}", number_, request.cookie,
          static_cast<int>(status));
  require(!refused || request.forbidden || request.doubtful ||
              peer_->rights_ != request.peer_rights,
          "party {}: request {} is refused, though it was allowed all the time", number_,
          request.cookie);
  if (request.forbidden) ++tally.refused;
}

void Party::check_done(const PostedRequest& request) {
  require(!request.forbidden, "party {}: request {} succeeds and had to be refused", number_,
          request.cookie);
  if (request.opcode == Opcode::Bind) {
    panes_.carried_out(request.cookie);
  } else if (request.opcode == Opcode::RdmaRead) {
    if (sink_pieces_.intact(request.serial))
      require_bytes(request.target, *peer_, request.source, request.length, "a Read");
  } else {
    check_placed(request);
  }
}

// Completion means placed (decision 301).
void Party::check_placed(const PostedRequest& request) {
  if (peer_ == nullptr || peer_->node_.dead() || peer_->lives_ != peer_life_) return;
  if (request.opcode == Opcode::Send) {
    ++messages_out_;
    peer_->collect();
    require(peer_->messages_in_ >= messages_out_ || peer_->was_full_,
            "party {}: Send {} has ended, but the peer has received {} of {} messages", number_,
            request.cookie, peer_->messages_in_, messages_out_);
    return;
  }
  peer_->check_write(
      {true, request.length, request.source, request.target, request.serial, request.ring, false});
}

PostedReceive Party::take_receive(std::uint64_t cookie) {
  if (setup_.shared != nullptr) {
    const PostedReceive receive = setup_.shared->take(cookie);
    require(cookie > last_shared_, "party {}: Recv {} of its SRQ completes behind {}", number_,
            cookie, last_shared_);
    last_shared_ = cookie;
    return receive;
  }
  require(!receives_.empty(), "party {}: a Recv completion too many", number_);
  const PostedReceive receive = receives_.front();
  receives_.pop_front();
  --events_owed_;
  require(receive.cookie == cookie, "party {}: Recv {} completes before {}", number_, cookie,
          receive.cookie);
  return receive;
}

void Party::on_receive_done(const Event& event) {
  trace("party {}: Recv {} ends with status {}, {} bytes", number_, event.cookie,
        static_cast<int>(event.status), event.value);
  const PostedReceive receive = take_receive(event.cookie);
  if (event.status == DtoStatus::Success) return check_message(receive, event);
  require(!lossless || (may_be_flushed() && event.status == DtoStatus::Flushed),
          "party {}: Recv {} ends with status {} though nothing went wrong", number_,
          receive.cookie, static_cast<int>(event.status));
}

void Party::check_message(const PostedReceive& receive, const Event& event) {
  const Sent message = next_message();
  require(event.value == message.length, "party {}: Recv {} got {} bytes of {}", number_,
          receive.cookie, event.value, message.length);
  if (setup_.shared != nullptr) {
    const std::byte* bytes = setup_.shared->at(receive.offset);
    require(!setup_.shared->intact(receive) ||
                std::memcmp(bytes, peer_->memory_.get() + message.source, message.length) == 0,
            "party {}: a message of {} bytes arrived with other bytes in a Recv of the SRQ",
            number_, message.length);
  } else if (sink_pieces_.intact(receive.serial)) {
    require_bytes(receive.offset, *peer_, message.source, message.length, "a message");
  }
}

Sent Party::next_message() {
  require(peer_ != nullptr, "party {}: a message from nowhere", number_);
  std::deque<Sent>& posted = peer_->sent_[peer_life_];
  while (true) {
    require(!posted.empty(), "party {}: a message that nobody sent", number_);
    const Sent first = posted.front();
    posted.pop_front();
    if (!first.write) return first;
    require(!first.forbidden, "party {}: a message arrives behind a Write that had to be refused",
            number_);
    check_write(first);
  }
}

// `write` is a Write of the peer. Its bytes must be at the target unless newer bytes may be there.
void Party::check_write(const Sent& write) const {
  if (write.ring == &window_pieces_ && window_ == nullptr) return;
  if (write.ring->intact(write.serial))
    require_bytes(write.target, *peer_, write.source, write.length, "a Write");
}

void Party::require_bytes(std::uint64_t own, const Party& other, std::uint64_t theirs,
                          std::uint64_t length, const char* what) const {
  require(std::memcmp(memory_.get() + own, other.memory_.get() + theirs, length) == 0,
          "party {}: {} of {} bytes arrived with other bytes", number_, what, length);
}

void Party::on_connection_event(const Event& event) {
  trace("party {}: connection event {}", number_, static_cast<int>(event.kind));
  last_event_ = event.kind;
  ++tally.connection_events.at(static_cast<std::size_t>(event.kind));
  if (event.kind == EventKind::Established) {
    require(life_ == Life::Pending, "party {}: ESTABLISHED in life {}", number_,
            static_cast<int>(life_));
    life_ = Life::Up;
    ++ups_;
    return;
  }
  check_last_event(event);
  end_life();
}

void Party::check_last_event(const Event& event) const {
  const bool was_up = life_ == Life::Up;
  require(life_ == Life::Pending || was_up, "party {}: a second last event, kind {}", number_,
          static_cast<int>(event.kind));
  if (was_up)
    require(event.kind == EventKind::Disconnected || event.kind == EventKind::Broken,
            "party {}: a connection ended with kind {}", number_, static_cast<int>(event.kind));
  require(!lossless || event.kind != EventKind::Broken,
          "party {}: BROKEN though nothing went wrong", number_);
  require(!culprit_found_ || event.kind == EventKind::Broken,
          "party {}: a request failed, and the connection ends with kind {}", number_,
          static_cast<int>(event.kind));
}

void Party::end_life() {
  const bool complete = !may_lack_events();
  // Only requests that were suppressed and successful may be left.
  for (const PostedRequest& request : requests_) {
    require(!complete || (request.suppressed && !failed_ && !request.forbidden),
            "party {}: request {} never ended", number_, request.cookie);
    if (complete && request.opcode == Opcode::Bind) panes_.carried_out(request.cookie);
  }
  require(!complete || receives_.empty(), "party {}: {} Recvs were not flushed", number_,
          receives_.size());
  events_owed_ -= requests_.size() + receives_.size();
  requests_.clear();
  receives_.clear();
  // After lost events it is not known which binds were carried out.
  if (!complete) renew_rmr();
  if (!complete && setup_.shared != nullptr) setup_.shared->lose_track();
  life_ = Life::Over;
}

} // namespace datum::test
