// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/output_queue.h: FPDUs that wait for TCP, as a list of octets to gather.
// Lives here: headers and trailers between pieces of the consumer's memory, CRC, markers, where
//             FPDUs end, which FPDUs are dropped as the connection ends.
// Not here:   which FPDU comes next (outbound.h).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "core/port/transport.h"
#include "transport/iwarp/crc32c.h"
#include "transport/iwarp/fpdu.h"

namespace datum::iwarp {

// The memory of the consumer that an FPDU refers to while it waits.
struct PayloadSource {
  // A request of this side; nullptr: a Read Response, from the memory that the other members name.
  const WorkRequest* work = nullptr;
  Stag stag = 0;
  std::uint64_t address = 0;
  std::uint64_t length = 0;
};

// Memory of an output queue that is not empty.
struct OutputChunk {
  static constexpr std::size_t kOctets = 160 * 1024; // two of the largest FPDUs, copied
  static constexpr std::size_t kPieces = 1024;       // pieces to gather
  static constexpr std::size_t kFpdus = 1024;
  static constexpr std::size_t kSources = 256;
  struct Fpdu {
    std::uint32_t end = 0;          // counted from the first octet of the chunk's content
    std::uint16_t source = kInline; // index in `sources`
    bool completes = false;         // ends a message of a Send or a Write
    static constexpr std::uint16_t kInline = 0xffff;
  };
  std::array<std::byte, kOctets> octets;
  std::array<Octets, kPieces> pieces;
  std::array<Fpdu, kFpdus> fpdus;
  std::array<PayloadSource, kSources> sources;
};

// The chunks of all connections of an adapter: a connection has one only while it sends.
class ChunkPool {
 public:
  std::unique_ptr<OutputChunk> take();
  void give_back(std::unique_ptr<OutputChunk> chunk);

 private:
  static constexpr std::size_t kKept = 16;
  // An array, since giving a chunk back must need no memory.
  std::array<std::unique_ptr<OutputChunk>, kKept> free_;
  std::size_t free_count_ = 0;
};

// A part of a gather list.
struct Payload {
  std::span<const LocalTriplet> segments;
  std::uint64_t offset = 0;
  std::size_t length = 0;
};

class OutputQueue {
 public:
  // While this many octets wait, no FPDU is added. They are enough to keep TCP busy, and so few
  // that a Terminate or a response does not wait behind them for long (decision 418).
  static constexpr std::size_t kMostWaiting = 256 * 1024;

  explicit OutputQueue(ChunkPool& pool, std::size_t most_waiting = kMostWaiting)
      : pool_(pool), most_waiting_(most_waiting) {}
  ~OutputQueue();
  OutputQueue(const OutputQueue&) = delete;
  OutputQueue& operator=(const OutputQueue&) = delete;

  // Gets the memory that adding needs. False: there is none now.
  bool ready();
  // Gives the memory back if nothing was added.
  void rest();
  // Adds a startup frame. As before each call that adds, ready() must have returned true.
  void add_startup(Octets frame);
  // From here on only FPDUs are added. Markers are counted from the next octet (RFC 5044 section
  // 4.3).
  void begin_full_operation(bool crc, bool markers);

  bool empty() const { return queued_ == sent_; }
  // True: TCP has a part of what was added since the queue was empty.
  bool is_sent_in_part() const { return sent_ != 0; }
  // How much payload one more FPDU may carry; nullopt: there is no room for one. Room for
  // add_last() is kept free.
  std::optional<std::size_t> room_for(std::size_t header, std::size_t segments, bool copied) const;
  // `header`: the octets behind the length field. The caller has asked room_for(). With markers
  // everything is copied.
  void add(Octets header, const Payload& payload, bool copied, bool completes,
           const PayloadSource& source);
  // Adds one of the few small FPDUs that end a connection, after end_after_begun().
  void add_last(Octets header);

  // Lists the octets to send, in order. They stay where they are until sent() has counted them.
  std::size_t gather(std::span<Octets> out) const;
  // TCP has taken this many octets. Returns how many messages of Sends and Writes end in them.
  std::uint32_t sent(std::size_t octets);

  // Calls `visit` for the memory that each waiting FPDU refers to. `visit` says whether the memory
  // may still be read. False: one call returned false.
  template <class F>
  bool all_sources(F&& visit) const {
    if (!chunk_) return true;
    for (std::size_t i = first_fpdu_; i < fpdu_count_; ++i) {
      const OutputChunk::Fpdu& fpdu = chunk_->fpdus[i];
      if (fpdu.source != OutputChunk::Fpdu::kInline && !visit(chunk_->sources[fpdu.source]))
        return false;
    }
    return true;
  }

  // The memory that the FPDU under way refers to; nullptr: it refers to none, or TCP has a part of
  // no FPDU.
  const PayloadSource* begun_source() const;

  // Drops every FPDU of which TCP has no part. With `keep_copied` it keeps the copied FPDUs at the
  // front. The rest of the FPDU under way is sent from a copy. False: there is no memory for this
  // copy, so the stream cannot go on.
  bool end_after_begun(bool keep_copied);
  // True: end_after_begun(true) would drop no FPDU.
  bool stays_at_the_end() const { return kept_at_the_end(true) == fpdu_count_; }
  // True: there is room for `fpdus` more FPDUs, which are copied and have `payload` octets in all,
  // the shortest first.
  bool has_room_for_all(std::size_t fpdus, std::size_t header, std::size_t payload) const;
  void drop_all();

 private:
  void release_chunk();
  void append_piece(Octets piece);
  void append_fpdu(std::size_t size, bool completes, std::uint16_t source);
  bool keep_rest_of_begun();
  // The most octets of an FPDU beside its payload.
  std::size_t around_payload(std::size_t header) const;
  // True: the lists have room for `fpdus` more FPDUs with `pieces` pieces in all, and for the FPDUs
  // of add_last().
  bool lists_have_room_for(std::size_t fpdus, std::size_t pieces) const;
  bool is_begun() const; // TCP has a part of the first FPDU
  std::size_t kept_at_the_end(bool keep_copied) const;
  void truncate(std::size_t end);
  // Writes the whole FPDU in one piece of memory.
  std::byte* write_copied(std::byte* at, Octets header, const Payload& payload);
  std::byte* write_summed(const std::byte* begin, std::byte* at, const Payload& payload,
                          std::size_t pad);
  std::byte* write_marked(std::byte* at, Octets fpdu, std::uint64_t length_position);
  std::byte* write_crc(std::byte* at, std::uint32_t crc);
  void add_gathered(Octets header, const Payload& payload);
  std::size_t marker_octets(std::size_t fpdu) const;

  ChunkPool& pool_;
  const std::size_t most_waiting_;
  std::unique_ptr<OutputChunk> chunk_;
  std::size_t used_ = 0; // octets of the chunk that are in use
  std::size_t piece_count_ = 0;
  std::size_t first_piece_ = 0; // the first piece that is not wholly sent
  std::size_t piece_done_ = 0;  // octets of that piece that are sent
  std::size_t fpdu_count_ = 0;
  std::size_t first_fpdu_ = 0;
  std::size_t source_count_ = 0;
  std::size_t queued_ = 0; // octets since the queue was empty
  std::size_t sent_ = 0;
  bool crc_ = false;
  bool markers_ = false;
  std::uint64_t position_ = 0;   // offset of the next FPDU in the stream
  std::vector<std::byte> begun_; // copied rest of the FPDU under way
  std::array<std::byte, 192> last_{};
  std::size_t last_used_ = 0;
};

} // namespace datum::iwarp
