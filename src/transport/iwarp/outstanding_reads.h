// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/outstanding_reads.h: this side's Reads and Atomics, from their request until they
// are answered.
// Lives here: their order and MSNs, which of them a Terminate means, the session's own Read of no
//             octets.
// Not here:   their requests (requester.h), the answers (inbound.h).
// Threads:    the adapter's lock.
#pragma once

#include <optional>

#include "transport/iwarp/fifo.h"
#include "transport/iwarp/rdmap.h"
#include "transport/iwarp/stream.h"

namespace datum::iwarp {

// A Read or an Atomic of this side that is not answered yet.
struct OutstandingRead {
  // nullptr: a Read of the session: the RTR Read, or the probe of a silent peer.
  const WorkRequest* work = nullptr;
  std::uint32_t msn = 0;
  bool atomic = false;
  std::uint64_t length = 0;
  std::uint64_t done = 0;
  Stag sink_stag() const { return 1; }
  // Names the Read, and leaves room for every offset in it: a Read is shorter than 2^32.
  std::uint64_t sink_offset() const { return work == nullptr ? 0 : std::uint64_t{msn} << 32U; }
  // The rest of a Read that is served in part begins further on in the same sink.
  bool has_sink_at(std::uint64_t offset) const { return ((offset ^ sink_offset()) >> 32U) == 0; }
};

class OutstandingReads {
 public:
  explicit OutstandingReads(Stream& stream) : stream_(stream) {}

  void begin(std::uint32_t first_msn) { next_msn_ = first_msn; }
  // Makes room for one more.
  bool make_room() { return reads_.make_room(); }
  bool empty() const { return reads_.empty(); }
  std::size_t size() const { return reads_.size(); }
  // How many of them the consumer has posted.
  std::size_t of_consumer() const { return reads_.size() - (has_own_ ? 1 : 0); }
  // True: the peer serves no more at a time.
  bool full() const { return reads_.size() >= stream_.terms.reads_out; }

  // The request is built now. make_room() must have returned true.
  OutstandingRead add_read(const WorkRequest& work) {
    return add({.work = &work, .length = work.length});
  }
  OutstandingRead add_atomic(const WorkRequest& work) {
    return add({.work = &work, .atomic = true, .length = sizeof(std::uint64_t)});
  }
  // The RTR Read, or the probe of a silent peer.
  OutstandingRead add_own() {
    has_own_ = true;
    return add({});
  }

  // nullptr: no Read or Atomic is outstanding.
  OutstandingRead* oldest() { return reads_.empty() ? nullptr : &reads_.front(); }
  // True: a part of the oldest Read's answer has come.
  bool response_open() const { return !reads_.empty() && reads_[0].done != 0; }
  void end_oldest();

  // The Read or Atomic that a Terminate names, and how many of the consumer's are before it.
  struct Place {
    std::uint32_t before = 0;
    bool atomic = false;
  };
  std::optional<Place> find_msn(std::uint32_t msn) const;
  std::optional<Place> find_sink(std::uint64_t offset) const;

 private:
  OutstandingRead add(OutstandingRead read) {
    read.msn = next_msn_++;
    reads_.push(read);
    return read;
  }
  template <class F>
  std::optional<Place> find_if(F&& is_it) const {
    std::uint32_t before = 0;
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      if (reads_[i].work == nullptr) continue; // the session's own: no request of the consumer
      if (is_it(reads_[i])) return Place{before, reads_[i].atomic};
      ++before;
    }
    return std::nullopt;
  }

  Stream& stream_;
  Fifo<OutstandingRead> reads_;
  bool has_own_ = false; // one of them is the session's own
  std::uint32_t next_msn_ = kFirstMsn;
};

} // namespace datum::iwarp
