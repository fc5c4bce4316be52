// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/output_queue.h"

#include <cassert>
#include <cstring>
#include <new>

#include "core/port/copy.h"

namespace datum::iwarp {
namespace {

// Up to this size, copying first and then computing the CRC is as fast as doing both at once.
constexpr std::size_t kCopiedFirst = 4096;
constexpr std::size_t kTrailerMost = 3 + kCrcSize;
// An acknowledgement, a Terminate or Close, and one to spare.
constexpr std::size_t kLastMessages = 3;
constexpr std::size_t kMarkerRun = kMarkerSpacing - kMarkerSize; // octets between two markers

} // namespace

std::unique_ptr<OutputChunk> ChunkPool::take() {
  if (free_count_ == 0) return std::make_unique_for_overwrite<OutputChunk>();
  return std::move(free_[--free_count_]);
}

void ChunkPool::give_back(std::unique_ptr<OutputChunk> chunk) {
  if (free_count_ < kKept) free_[free_count_++] = std::move(chunk);
}

OutputQueue::~OutputQueue() {
  if (chunk_) release_chunk();
}

bool OutputQueue::ready() {
  if (chunk_) return true;
  try {
    chunk_ = pool_.take();
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

void OutputQueue::rest() {
  if (chunk_ && queued_ == sent_) release_chunk();
}

void OutputQueue::release_chunk() {
  pool_.give_back(std::move(chunk_));
  used_ = piece_count_ = first_piece_ = piece_done_ = 0;
  fpdu_count_ = first_fpdu_ = source_count_ = 0;
  queued_ = sent_ = 0;
}

void OutputQueue::add_startup(Octets frame) {
  std::byte* at = chunk_->octets.data() + used_;
  std::memcpy(at, frame.data(), frame.size());
  used_ += frame.size();
  append_piece({at, frame.size()});
  append_fpdu(frame.size(), false, OutputChunk::Fpdu::kInline);
}

void OutputQueue::begin_full_operation(bool crc, bool markers) {
  crc_ = crc;
  markers_ = markers;
  position_ = 0;
}

// Octets of the most markers that can stand within `fpdu` octets and at their ends.
std::size_t OutputQueue::marker_octets(std::size_t fpdu) const {
  return markers_ ? (fpdu / kMarkerRun + 2) * kMarkerSize : 0;
}

std::size_t OutputQueue::around_payload(std::size_t header) const {
  return kLengthSize + header + kTrailerMost + marker_octets(header + 16);
}

std::optional<std::size_t> OutputQueue::room_for(std::size_t header, std::size_t segments,
                                                 bool copied) const {
  const std::size_t waiting = queued_ - sent_;
  const bool in_one_piece = copied || markers_;
  // Header and trailer take a piece each, if they do not lie beside the neighbouring pieces.
  if (waiting >= most_waiting_ || !lists_have_room_for(1, in_one_piece ? 1 : segments + 2))
    return std::nullopt;
  const std::size_t fixed = around_payload(header);
  const std::size_t left = OutputChunk::kOctets - used_;
  if (left < fixed) return std::nullopt;
  if (in_one_piece) {
    const std::size_t most = left - fixed;
    return markers_ ? most - most / kMarkerSpacing * kMarkerSize - most % kMarkerSize : most;
  }
  if (source_count_ == OutputChunk::kSources) return std::nullopt;
  return kMostSentUlpdu - header;
}

void OutputQueue::add(Octets header, const Payload& payload, bool copied, bool completes,
                      const PayloadSource& source) {
  const std::size_t before = queued_;
  if (copied || markers_ || payload.length == 0) {
    std::byte* begin = chunk_->octets.data() + used_;
    const std::byte* end = write_copied(begin, header, payload);
    const auto size = static_cast<std::size_t>(end - begin);
    assert(used_ + size <= OutputChunk::kOctets);
    used_ += size;
    append_piece({begin, size});
    append_fpdu(size, completes, OutputChunk::Fpdu::kInline);
  } else {
    add_gathered(header, payload);
    const std::size_t size = fpdu_size(header.size() + payload.length);
    chunk_->sources[source_count_] = source;
    append_fpdu(size, completes, static_cast<std::uint16_t>(source_count_++));
  }
  position_ += queued_ - before;
}

void OutputQueue::add_gathered(Octets header, const Payload& payload) {
  const std::size_t ulpdu = header.size() + payload.length;
  std::byte* at = chunk_->octets.data() + used_;
  WireWriter out(at);
  out.u16(static_cast<std::uint16_t>(ulpdu)).octets(header);
  const Octets head(at, kLengthSize + header.size());
  Crc32c crc;
  if (crc_) crc.add(head);
  append_piece(head);
  for_each_piece(payload.segments, payload.offset, payload.length,
                 [&](const std::byte* piece, std::uint64_t size) {
                   const Octets octets(piece, static_cast<std::size_t>(size));
                   if (crc_) crc.add(octets);
                   append_piece(octets);
                 });
  std::byte* trailer = out.at();
  const std::size_t pad = pad_of(ulpdu);
  std::memset(trailer, 0, pad);
  if (crc_) crc.add({trailer, pad});
  const std::byte* end = write_crc(trailer + pad, crc_ ? crc.value() : 0);
  append_piece({trailer, static_cast<std::size_t>(end - trailer)});
  used_ += static_cast<std::size_t>(end - at);
}

std::byte* OutputQueue::write_crc(std::byte* at, std::uint32_t crc) {
  for (unsigned i = 0; i < kCrcSize; ++i) *at++ = static_cast<std::byte>((crc >> (8 * i)) & 0xffU);
  return at;
}

std::byte* OutputQueue::write_copied(std::byte* at, Octets header, const Payload& payload) {
  const std::size_t ulpdu = header.size() + payload.length;
  const std::size_t pad = pad_of(ulpdu);
  std::byte* const begin = at;
  if (markers_) {
    const std::uint64_t first =
        position_ % kMarkerSpacing == 0 ? position_ + kMarkerSize : position_;
    std::byte start[kLengthSize];
    WireWriter(start).u16(static_cast<std::uint16_t>(ulpdu));
    at = write_marked(at, start, first);
    at = write_marked(at, header, first);
    for_each_piece(payload.segments, payload.offset, payload.length,
                   [&](const std::byte* piece, std::uint64_t size) {
                     at = write_marked(at, {piece, static_cast<std::size_t>(size)}, first);
                   });
    constexpr std::byte kZeroes[3] = {};
    at = write_marked(at, Octets(kZeroes).first(pad), first);
    position_ -= static_cast<std::uint64_t>(at - begin); // add() counts these octets again
    if ((position_ + static_cast<std::uint64_t>(at - begin)) % kMarkerSpacing == 0) {
      // A marker between pad and CRC still belongs to this FPDU.
      const std::uint64_t here = position_ + static_cast<std::uint64_t>(at - begin);
      WireWriter marker(at);
      marker.u16(0).u16(static_cast<std::uint16_t>(here - first));
      at = marker.at();
    }
  } else {
    WireWriter out(at);
    out.u16(static_cast<std::uint16_t>(ulpdu)).octets(header);
    at = out.at();
    if (crc_ && payload.length > kCopiedFirst) return write_summed(begin, at, payload, pad);
    datum::gather(at, payload.segments, payload.offset, payload.length);
    at += payload.length;
    std::memset(at, 0, pad);
    at += pad;
  }
  const Octets covered(begin, static_cast<std::size_t>(at - begin));
  return write_crc(at, crc_ ? crc32c(covered) : 0);
}

// Writes payload, pad and CRC at `at`. The FPDU begins at `begin`.
std::byte* OutputQueue::write_summed(const std::byte* begin, std::byte* at, const Payload& payload,
                                     std::size_t pad) {
  Crc32c crc;
  crc.add({begin, at});
  for_each_piece(payload.segments, payload.offset, payload.length,
                 [&](const std::byte* piece, std::uint64_t size) {
                   crc.copy(at, {piece, static_cast<std::size_t>(size)});
                   at += size;
                 });
  std::memset(at, 0, pad);
  crc.add({at, pad});
  return write_crc(at + pad, crc.value());
}

// Moves position_ on. A marker stands wherever position_ is a multiple of kMarkerSpacing, and tells
// how far behind the length field it stands.
std::byte* OutputQueue::write_marked(std::byte* at, Octets octets, std::uint64_t length_position) {
  while (!octets.empty()) {
    const std::size_t run = kMarkerSpacing - position_ % kMarkerSpacing;
    if (run == kMarkerSpacing) {
      const std::uint64_t behind = position_ < length_position ? 0 : position_ - length_position;
      WireWriter marker(at);
      marker.u16(0).u16(static_cast<std::uint16_t>(behind));
      at = marker.at();
      position_ += kMarkerSize;
      continue;
    }
    const std::size_t piece = std::min(run, octets.size());
    std::memcpy(at, octets.data(), piece);
    at += piece;
    position_ += piece;
    octets = octets.subspan(piece);
  }
  return at;
}

void OutputQueue::append_piece(Octets piece) {
  if (piece.empty()) return;
  if (piece_count_ > first_piece_) {
    Octets& last = chunk_->pieces[piece_count_ - 1];
    if (last.data() + last.size() == piece.data()) {
      last = {last.data(), last.size() + piece.size()};
      return;
    }
  }
  chunk_->pieces[piece_count_++] = piece;
}

void OutputQueue::append_fpdu(std::size_t size, bool completes, std::uint16_t source) {
  queued_ += size;
  chunk_->fpdus[fpdu_count_++] = {static_cast<std::uint32_t>(queued_), source, completes};
}

void OutputQueue::add_last(Octets header) {
  assert(last_used_ + fpdu_size(header.size()) + marker_octets(header.size()) <= last_.size());
  assert(fpdu_count_ < OutputChunk::kFpdus && piece_count_ < OutputChunk::kPieces);
  std::byte* begin = last_.data() + last_used_;
  const std::byte* end = write_copied(begin, header, {});
  const auto size = static_cast<std::size_t>(end - begin);
  last_used_ += size;
  append_piece({begin, size});
  append_fpdu(size, false, OutputChunk::Fpdu::kInline);
  position_ += size;
}

std::size_t OutputQueue::gather(std::span<Octets> out) const {
  if (!chunk_) return 0;
  const std::size_t count = std::min(out.size(), piece_count_ - first_piece_);
  for (std::size_t i = 0; i < count; ++i) out[i] = chunk_->pieces[first_piece_ + i];
  if (count != 0) out[0] = out[0].subspan(piece_done_);
  return count;
}

std::uint32_t OutputQueue::sent(std::size_t octets) {
  assert(octets <= queued_ - sent_);
  sent_ += octets;
  std::uint32_t completed = 0;
  for (; first_fpdu_ < fpdu_count_ && chunk_->fpdus[first_fpdu_].end <= sent_; ++first_fpdu_)
    if (chunk_->fpdus[first_fpdu_].completes) ++completed;
  piece_done_ += octets;
  while (first_piece_ < piece_count_ && piece_done_ >= chunk_->pieces[first_piece_].size())
    piece_done_ -= chunk_->pieces[first_piece_++].size();
  if (chunk_ && sent_ == queued_) release_chunk();
  return completed;
}

const PayloadSource* OutputQueue::begun_source() const {
  if (!chunk_ || !is_begun()) return nullptr;
  const OutputChunk::Fpdu& fpdu = chunk_->fpdus[first_fpdu_];
  if (fpdu.source == OutputChunk::Fpdu::kInline) return nullptr;
  return &chunk_->sources[fpdu.source];
}

bool OutputQueue::is_begun() const {
  const std::size_t previous = first_fpdu_ == 0 ? 0 : chunk_->fpdus[first_fpdu_ - 1].end;
  return first_fpdu_ < fpdu_count_ && previous < sent_;
}

std::size_t OutputQueue::kept_at_the_end(bool keep_copied) const {
  if (!chunk_) return fpdu_count_;
  std::size_t kept = first_fpdu_ + (is_begun() ? 1 : 0);
  while (keep_copied && kept < fpdu_count_ &&
         chunk_->fpdus[kept].source == OutputChunk::Fpdu::kInline)
    ++kept;
  return kept;
}

bool OutputQueue::lists_have_room_for(std::size_t fpdus, std::size_t pieces) const {
  return fpdu_count_ + fpdus + kLastMessages <= OutputChunk::kFpdus &&
         piece_count_ + pieces + kLastMessages <= OutputChunk::kPieces;
}

// Adds up the room that room_for() wants for each FPDU. The shortest goes first, so the last one is
// at least as long as the average.
bool OutputQueue::has_room_for_all(std::size_t fpdus, std::size_t header,
                                   std::size_t payload) const {
  const std::size_t markers = markers_ ? (payload / kMarkerRun + 2 * fpdus) * kMarkerSize : 0;
  const std::size_t octets = fpdus * around_payload(header) + payload + markers;
  const std::size_t before_the_last = queued_ - sent_ + octets - octets / fpdus;
  return octets <= OutputChunk::kOctets - used_ && before_the_last < most_waiting_ &&
         lists_have_room_for(fpdus, fpdus);
}

bool OutputQueue::end_after_begun(bool keep_copied) {
  if (!chunk_) return true;
  if (is_begun() && !keep_rest_of_begun()) return false;
  const std::size_t kept = kept_at_the_end(keep_copied);
  fpdu_count_ = kept;
  truncate(kept == 0 ? 0 : chunk_->fpdus[kept - 1].end);
  if (queued_ == sent_) release_chunk();
  return true;
}

// The rest of the FPDU under way moves to begun_, which becomes its only piece.
bool OutputQueue::keep_rest_of_begun() {
  OutputChunk::Fpdu& fpdu = chunk_->fpdus[first_fpdu_];
  if (fpdu.source == OutputChunk::Fpdu::kInline) return true;
  std::size_t left = fpdu.end - sent_;
  try {
    begun_.resize(left);
  } catch (const std::bad_alloc&) {
    return false;
  }
  std::byte* to = begun_.data();
  while (left != 0) {
    Octets& piece = chunk_->pieces[first_piece_];
    const std::size_t size = std::min(left, piece.size() - piece_done_);
    std::memcpy(to, piece.data() + piece_done_, size);
    to += size;
    left -= size;
    piece_done_ += size;
    if (piece_done_ == piece.size()) {
      ++first_piece_;
      piece_done_ = 0;
    }
  }
  // A piece that holds the trailer of this FPDU and the next header keeps that header.
  if (piece_done_ != 0) {
    Octets& piece = chunk_->pieces[first_piece_];
    piece = piece.subspan(piece_done_);
    piece_done_ = 0;
  }
  // The FPDU had at least one piece that is used up or shortened: header, payload or trailer.
  if (first_piece_ == 0) return false;
  chunk_->pieces[--first_piece_] = begun_;
  fpdu.source = OutputChunk::Fpdu::kInline;
  return true;
}

void OutputQueue::truncate(std::size_t end) {
  position_ -= queued_ - end;
  queued_ = end;
  std::size_t left = end - sent_;
  std::size_t at = first_piece_;
  std::size_t skip = piece_done_;
  for (; at < piece_count_ && left != 0; ++at) {
    Octets& piece = chunk_->pieces[at];
    const std::size_t size = piece.size() - skip;
    if (size > left) piece = piece.first(skip + left);
    left -= std::min(left, size);
    skip = 0;
  }
  piece_count_ = at;
}

void OutputQueue::drop_all() {
  if (chunk_) release_chunk();
}

} // namespace datum::iwarp
