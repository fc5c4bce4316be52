// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/unfinished_requests.h: this side's Sends and Writes, from their first FPDU until
// they end.
// Lives here: how many of their messages were built, sent and acknowledged; which of them a
//             Terminate means.
// Not here:   their FPDUs (requester.h); this side's Reads and Atomics (outstanding_reads.h).
// Threads:    the adapter's lock.
#pragma once

#include <optional>

#include "transport/iwarp/fifo.h"
#include "transport/iwarp/stream.h"

namespace datum::iwarp {

class UnfinishedRequests {
 public:
  explicit UnfinishedRequests(Stream& stream) : stream_(stream) {}

  // Messages are counted from `first_msn` on, as MSNs are.
  void begin(std::uint32_t first_msn) { built_ = sent_ = acked_ = first_msn - 1; }
  // Makes room for one more.
  bool make_room() { return entries_.make_room(); }
  std::size_t size() const { return entries_.size(); }

  // --- as they are built -------------------------------------------------------------------------
  // Adds a request before its first FPDU can be sent. make_room() must have returned true. `work`:
  // may be nullptr for Immediate Data.
  void add_send(const WorkRequest* work, std::uint32_t msn) {
    entries_.push({.work = work, .msn = msn});
  }
  void add_write(const WorkRequest& work) {
    entries_.push({.work = &work,
                   .write = true,
                   .stag = work.remote.stag,
                   .address = work.remote.address,
                   .length = work.length});
  }
  // A message of the youngest request was built to its last FPDU. on_request_built() follows if
  // this was the last message of the request: a Write may consist of several messages.
  void on_message_built() { ++built_; }
  void on_request_built() {
    entries_.back().last = built_;
    entries_.back().built = true;
  }

  // --- as they end -------------------------------------------------------------------------------
  // TCP has taken this many more messages.
  void on_sent(std::uint32_t count) { sent_ += count; }
  // Ends the requests that were sent to a foreign peer, which acknowledges none.
  void tell_sent() {
    if (stream_.peer == PeerKind::Foreign) end_upto(sent_);
  }
  // The peer has placed this many messages in all. False: that is impossible.
  bool on_ack(std::uint32_t placed);
  std::uint32_t acknowledged() const { return acked_; }

  // --- how many requests are before the one that is looked for ----------------------------------
  std::optional<std::uint32_t> find(const WorkRequest& work) const;
  std::optional<std::uint32_t> find_send(std::uint32_t msn) const;
  // The Write whose target holds this octet.
  std::optional<std::uint32_t> find_write(Stag stag, std::uint64_t address) const;

 private:
  struct Entry {
    const WorkRequest* work = nullptr; // only compared, never followed
    bool write = false;
    bool built = false; // its last FPDU was built
    std::uint32_t msn = 0;
    Stag stag = 0;
    std::uint64_t address = 0;
    std::uint64_t length = 0;
    std::uint32_t last = 0; // the number of its last message, as in acknowledgements
  };

  void end_upto(std::uint32_t message);
  template <class F>
  std::optional<std::uint32_t> find_if(F&& is_it) const {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (is_it(entries_[i])) return static_cast<std::uint32_t>(i);
    return std::nullopt;
  }

  Stream& stream_;
  Fifo<Entry> entries_;
  std::uint32_t built_ = 0; // messages
  std::uint32_t sent_ = 0;
  std::uint32_t acked_ = 0;
};

} // namespace datum::iwarp
