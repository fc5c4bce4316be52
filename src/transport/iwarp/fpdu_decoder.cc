// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/fpdu_decoder.h"

#include <algorithm>

#include "base/copy_bytes.h"

namespace datum::iwarp {
namespace {

constexpr std::size_t kMostPlaces = 72; // segments of a Recv, held tail of a Write, trailer

std::uint32_t crc_field(Octets octets) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < kCrcSize; ++i)
    value |= std::to_integer<std::uint32_t>(octets[i]) << (8 * i);
  return value;
}

} // namespace

std::size_t FpduDecoder::feed(Octets in) {
  const std::size_t given = in.size();
  while (phase_ != Phase::Stopped) {
    if (phase_ == Phase::Asking) {
      ask(nullptr);
      if (phase_ == Phase::Asking) break;
      continue;
    }
    if (in.empty()) break;
    const std::size_t before = in.size();
    switch (phase_) {
    case Phase::Head:
      if (have_ == 0) try_whole(in);
      if (phase_ != Phase::Head || in.size() != before) continue;
      take(in, kHeadSize);
      if (have_ == kHeadSize) on_head();
      break;
    case Phase::Header:
      take(in, wanted_);
      if (have_ == wanted_) phase_ = Phase::Asking;
      break;
    case Phase::Payload: take_payload(in); break;
    case Phase::Trailer: take_trailer(in); break;
    case Phase::Asking:
    case Phase::Stopped: break;
    }
    if (in.size() == before && phase_ == Phase::Payload) break; // the payload has no place now
  }
  return given - in.size();
}

void FpduDecoder::take(Octets& in, std::size_t upto) {
  const std::size_t piece = std::min(in.size(), upto - have_);
  copy_bytes(buffer_.data() + have_, in.data(), piece);
  have_ += piece;
  in = in.subspan(piece);
}

void FpduDecoder::on_head() {
  FpduHead head{.ulpdu = ulpdu()};
  WireReader in(Octets(buffer_).subspan(kLengthSize, Control::kWireSize));
  if (!decode(in, head.control)) return;
  const std::size_t header = sink_.on_head(head);
  if (header == 0) {
    stop();
    return;
  }
  wanted_ = kLengthSize + header;
  payload_size_ = head.ulpdu > header ? head.ulpdu - header : 0;
  phase_ = Phase::Header;
}

// The usual case: the FPDU has arrived in one piece, so the sink gets its payload without a copy.
void FpduDecoder::try_whole(Octets& in) {
  if (in.size() < kHeadSize) return;
  copy_bytes(buffer_.data(), in.data(), kHeadSize);
  const std::size_t size = fpdu_size(ulpdu());
  if (in.size() < size) return;
  on_head();
  if (phase_ != Phase::Header) return;
  if (crc_on_) {
    const std::size_t covered = size - kCrcSize;
    const bool good = crc32c(in.first(covered)) == crc_field(in.subspan(covered));
    checked_ = good ? Crc::Good : Crc::Bad;
  }
  copy_bytes(buffer_.data(), in.data(), wanted_);
  have_ = wanted_;
  const Octets payload = in.subspan(wanted_, static_cast<std::size_t>(payload_size_));
  const Octets whole = in;
  in = in.subspan(wanted_);
  phase_ = Phase::Asking;
  ask(checked_ == Crc::Bad ? nullptr : &payload);
  // The sink has taken the whole FPDU.
  if (phase_ == Phase::Head) in = whole.subspan(size);
}

void FpduDecoder::ask(const Octets* payload) {
  const Octets header = Octets(buffer_).subspan(kLengthSize, wanted_ - kLengthSize);
  take_step(sink_.on_header(header, payload));
}

void FpduDecoder::take_step(Step step) {
  if (phase_ == Phase::Stopped) return; // a call of the sink has stopped the decoder
  switch (step) {
  case Step::Wait: return;
  case Step::Stop: stop(); return;
  case Step::Done: reset(); return;
  case Step::Go:
  case Step::Discard: break;
  }
  if (checked_ == Crc::Bad) {
    sink_.on_bad_crc();
    stop();
    return;
  }
  discard_ = step == Step::Discard;
  begin_payload();
}

void FpduDecoder::begin_payload() {
  if (running()) {
    crc_ = {};
    crc_.add(Octets(buffer_).first(wanted_));
  }
  payload_done_ = 0;
  phase_ = Phase::Payload;
  if (payload_size_ == 0) begin_trailer();
}

void FpduDecoder::begin_trailer() {
  trailer_size_ = fpdu_size(ulpdu()) - wanted_ - static_cast<std::size_t>(payload_size_);
  trailer_have_ = 0;
  phase_ = Phase::Trailer;
}

void FpduDecoder::take_payload(Octets& in) {
  const std::uint64_t most = std::min<std::uint64_t>(in.size(), payload_size_ - payload_done_);
  std::uint64_t taken = 0;
  if (discard_) {
    taken = most;
  } else {
    std::array<Segment, kMostPlaces> places;
    const std::size_t count = sink_.places(payload_done_, most, places);
    if (phase_ == Phase::Stopped) return;
    for (std::size_t i = 0; i < count; ++i) {
      copy_bytes(places[i].address, in.data() + taken, places[i].length);
      taken += places[i].length;
    }
  }
  if (running()) crc_.add(in.first(static_cast<std::size_t>(taken)));
  in = in.subspan(static_cast<std::size_t>(taken));
  payload_done_ += taken;
  if (payload_done_ == payload_size_) begin_trailer();
}

void FpduDecoder::take_trailer(Octets& in) {
  const std::size_t piece = std::min(in.size(), trailer_size_ - trailer_have_);
  std::copy_n(in.begin(), piece, trailer_.begin() + static_cast<std::ptrdiff_t>(trailer_have_));
  in = in.subspan(piece);
  trailer_have_ += piece;
  if (trailer_have_ == trailer_size_) end();
}

void FpduDecoder::end() {
  bool good = true;
  if (running()) {
    const Octets trailer(trailer_.data(), trailer_size_);
    crc_.add(trailer.first(trailer_size_ - kCrcSize));
    good = crc_.value() == crc_field(trailer.last(kCrcSize));
  }
  reset();
  if (!good) {
    sink_.on_bad_crc();
    stop();
  } else if (!sink_.on_end()) {
    stop();
  }
}

void FpduDecoder::reset() {
  phase_ = Phase::Head;
  have_ = 0;
  checked_ = Crc::Running;
}

std::size_t FpduDecoder::places(std::span<Segment> out) {
  if (discard_ && phase_ == Phase::Payload) return 0;
  std::size_t count = 0;
  if (phase_ == Phase::Payload) {
    if (!sink_.may_be_placed_for()) return 0;
    const std::uint64_t left = payload_size_ - payload_done_;
    count = sink_.places(payload_done_, left, out);
    if (phase_ == Phase::Stopped || count == 0) return 0;
    std::uint64_t named = 0;
    for (const Segment& place : out.first(count)) named += place.length;
    if (named != left || count == out.size()) return count;
    out[count++] = {trailer_.data(), pad_of(ulpdu()) + kCrcSize};
  } else if (phase_ == Phase::Trailer) {
    out[count++] = {trailer_.data() + trailer_have_, trailer_size_ - trailer_have_};
  }
  return count;
}

void FpduDecoder::placed(std::uint64_t octets) {
  if (phase_ == Phase::Payload) {
    const std::uint64_t payload = std::min(octets, payload_size_ - payload_done_);
    if (running()) {
      std::array<Segment, kMostPlaces> places;
      std::uint64_t left = payload;
      while (left != 0) {
        const std::size_t count = sink_.places(payload_done_ + payload - left, left, places);
        if (count == 0 || phase_ == Phase::Stopped) return;
        for (const Segment& place : std::span(places).first(count)) {
          crc_.add({place.address, static_cast<std::size_t>(place.length)});
          left -= place.length;
        }
      }
    }
    payload_done_ += payload;
    octets -= payload;
    if (payload_done_ != payload_size_) return;
    begin_trailer();
  }
  if (octets == 0 || phase_ != Phase::Trailer) return;
  trailer_have_ += static_cast<std::size_t>(octets);
  if (trailer_have_ == trailer_size_) end();
}

} // namespace datum::iwarp
