// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Every event of a party against what was posted.
#include <cstring>

#include "failure.h"
#include "party.h"

namespace datum::test {

void Party::harvest() {
  if (node_.dead()) return;
  Event event;
  // Connection events first: when the last one is there, every flushed DTO must be, too.
  std::vector<Event> connection;
  while (connect_evd_->dequeue(event).ok()) connection.push_back(event);
  harvest_dtos();
  for (const Event& each : connection) on_connection_event(each);
  check_window();
}

// What a peer asks about us may not depend on how far we have looked at our events.
void Party::collect() {
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
    require(event.kind == EventKind::Dto, "party {}: a DTO EVD has an event of kind {}", number_,
            static_cast<int>(event.kind));
    require(event.object == ep_, "party {}: a DTO event names another EP", number_);
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
  // Successful requests without an event of their own have ended before the one that has one.
  while (true) {
    require(!requests_.empty(), "party {}: a completion too many, cookie {}", number_,
            event.cookie);
    const PostedRequest request = requests_.front();
    requests_.pop_front();
    --events_owed_;
    if (request.cookie == event.cookie) {
      if (event.status == DtoStatus::Success) {
        require(!request.suppressed, "party {}: a suppressed request {} reports success", number_,
                request.cookie);
        require(!failed_, "party {}: request {} succeeds after one that failed", number_,
                request.cookie);
        require(event.value == request.length, "party {}: request {} moved {} of {} bytes", number_,
                request.cookie, event.value, request.length);
        check_done(request);
        return;
      }
      require(!lossless || (may_be_flushed() && event.status == DtoStatus::Flushed),
              "party {}: request {} ends with status {} though nothing went wrong", number_,
              request.cookie, static_cast<int>(event.status));
      const bool culprit = event.status != DtoStatus::Flushed;
      require(!culprit || !culprit_found_,
              "party {}: request {} ends with status {}, the second to blame", number_,
              request.cookie, static_cast<int>(event.status));
      culprit_found_ = culprit_found_ || culprit;
      failed_ = true;
      return;
    }
    require(request.suppressed, "party {}: request {} is passed over by {}", number_,
            request.cookie, event.cookie);
    require(!failed_, "party {}: suppressed request {} failed silently", number_, request.cookie);
    check_done(request);
  }
}

void Party::check_done(const PostedRequest& request) {
  if (request.opcode == Opcode::RdmaRead) {
    if (sink_pieces_.intact(request.serial))
      require_bytes(request.target, *peer_, request.source, request.length, "a Read");
    return;
  }
  check_placed(request);
}

// Completion means placed (design 4).
void Party::check_placed(const PostedRequest& request) {
  if (peer_ == nullptr || peer_->node_.dead() || peer_->lives_ != peer_life_) return;
  if (request.opcode == Opcode::Send) {
    ++messages_out_;
    peer_->collect();
    require(peer_->messages_in_ >= messages_out_,
            "party {}: Send {} has ended, but the peer has received {} of {} messages", number_,
            request.cookie, peer_->messages_in_, messages_out_);
    return;
  }
  if (request.target != 0)
    peer_->check_write({true, request.length, request.source, request.target, request.serial});
}

void Party::on_receive_done(const Event& event) {
  trace("party {}: Recv {} ends with status {}, {} bytes", number_, event.cookie,
        static_cast<int>(event.status), event.value);
  require(!receives_.empty(), "party {}: a Recv completion too many", number_);
  const PostedReceive receive = receives_.front();
  receives_.pop_front();
  --events_owed_;
  require(receive.cookie == event.cookie, "party {}: Recv {} completes before {}", number_,
          event.cookie, receive.cookie);
  if (event.status != DtoStatus::Success) {
    require(!lossless || (may_be_flushed() && event.status == DtoStatus::Flushed),
            "party {}: Recv {} ends with status {} though nothing went wrong", number_,
            receive.cookie, static_cast<int>(event.status));
    return;
  }
  const Sent message = next_message();
  require(event.value == message.length, "party {}: Recv {} got {} bytes of {}", number_,
          receive.cookie, event.value, message.length);
  if (sink_pieces_.intact(receive.serial))
    require_bytes(receive.offset, *peer_, message.source, message.length, "a message");
}

Sent Party::next_message() {
  require(peer_ != nullptr, "party {}: a message from nowhere", number_);
  std::deque<Sent>& posted = peer_->sent_[peer_life_];
  while (true) {
    require(!posted.empty(), "party {}: a message that nobody sent", number_);
    const Sent first = posted.front();
    posted.pop_front();
    if (!first.write) return first;
    check_write(first);
  }
}

// `write` is one of our peer's; its bytes are in our window unless newer ones may be.
void Party::check_write(const Sent& write) const {
  if (window_ == nullptr || !window_pieces_.intact(write.serial)) return;
  require_bytes(write.target, *peer_, write.source, write.length, "a Write");
}

void Party::check_window() const {
  if (window_as_closed_.empty()) return;
  const std::byte* now = memory_.get() + kSourceBytes + kSinkBytes;
  require(std::memcmp(now, window_as_closed_.data(), kWindowBytes) == 0,
          "party {}: memory changed after dat_lmr_free", number_);
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
    return;
  }
  const bool was_up = life_ == Life::Up;
  require(life_ == Life::Pending || was_up, "party {}: a second last event, kind {}", number_,
          static_cast<int>(event.kind));
  if (was_up)
    require(event.kind == EventKind::Disconnected || event.kind == EventKind::Broken,
            "party {}: a connection ended with kind {}", number_, static_cast<int>(event.kind));
  require(!lossless || event.kind != EventKind::Broken,
          "party {}: BROKEN though nothing went wrong", number_);
  // Whatever is left was successful and silent.
  for (const PostedRequest& request : requests_)
    require(request.suppressed && !failed_, "party {}: request {} never ended", number_,
            request.cookie);
  events_owed_ -= requests_.size();
  requests_.clear();
  require(receives_.empty(), "party {}: {} Recvs were not flushed", number_, receives_.size());
  life_ = Life::Over;
}

} // namespace datum::test
