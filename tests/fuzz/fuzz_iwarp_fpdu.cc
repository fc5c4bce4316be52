// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/fuzz_iwarp_fpdu.cc: FpduDecoder with any octets as a stream of FPDUs, cut anywhere.
// What it reports to its sink must not depend on the cuts, and it must place payload only where the
// sink said.
#include <algorithm>
#include <string>
#include <vector>

#include "input.h"
#include "transport/iwarp/fpdu_decoder.h"

using namespace datum::iwarp;
using datum::Segment;
using datum::fuzz::Input;
using datum::fuzz::require;

namespace {

// Records what the decoder reports. Its answers to the decoder depend on the octets alone.
class Recorder final : public FpduSink {
 public:
  std::size_t on_head(const FpduHead& head) override {
    const std::size_t least = head.control.tagged ? 14 : 18;
    if (head.ulpdu < least) return 0;
    const std::size_t more = static_cast<unsigned>(head.control.opcode) * 5U % 53U;
    return std::min<std::size_t>(head.ulpdu, least + more);
  }
  Step on_header(Octets header, const Octets* payload) override {
    heard.emplace_back(header.begin(), header.end());
    const auto choice = std::to_integer<unsigned>(header.back()) % 16;
    if (choice == 15) return Step::Stop;
    if (choice == 14) return Step::Discard;
    if (choice >= 8 && payload != nullptr) {
      heard.emplace_back(payload->begin(), payload->end());
      return Step::Done;
    }
    return Step::Go;
  }
  std::size_t places(std::uint64_t done, std::uint64_t length, std::span<Segment> out) override {
    // Places of 100 octets each, as from a list of segments.
    if (memory_.size() < done + length) memory_.resize(done + length);
    std::size_t count = 0;
    while (length != 0 && count < out.size()) {
      const std::uint64_t piece = std::min<std::uint64_t>(length, 100 - done % 100);
      out[count++] = {memory_.data() + done, piece};
      done += piece;
      length -= piece;
      size_ = std::max<std::uint64_t>(size_, done);
    }
    return count;
  }
  bool may_be_placed_for() const override { return true; }
  bool on_end() override {
    heard.emplace_back(memory_.begin(), memory_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ = 0;
    return true;
  }
  void on_bad_crc() override { heard.push_back({}); }

  std::vector<std::vector<std::byte>> heard;

 private:
  std::vector<std::byte> memory_;
  std::uint64_t size_ = 0;
};

std::vector<std::vector<std::byte>> hear(Octets stream, bool crc, std::size_t piece) {
  Recorder recorder;
  FpduDecoder decoder(recorder);
  decoder.begin(crc);
  while (!stream.empty()) {
    const Octets part = stream.first(std::min(piece, stream.size()));
    // A buffer of exactly this size, so that AddressSanitizer finds a read past its end.
    const std::vector<std::byte> copy(part.begin(), part.end());
    const std::size_t taken = decoder.feed(copy);
    require(taken <= part.size(), "no more is taken than was given");
    if (taken == 0) break;
    stream = stream.subspan(taken);
  }
  return std::move(recorder.heard);
}

// Everything that was reported, without the borders between calls: one delivery brings payload
// whole, another places it piece by piece.
std::string shape(const std::vector<std::vector<std::byte>>& heard) {
  std::string all;
  for (const auto& each : heard)
    all.append(reinterpret_cast<const char*>(each.data()), each.size());
  return all;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool crc = (data[0] & 1U) != 0;
  std::vector<std::byte> stream;
  if ((data[0] & 2U) != 0) {
    // FPDUs made of the input, each with a right CRC.
    Input input(data + 1, size - 1);
    while (!input.empty()) {
      std::vector<std::byte> fpdu(2);
      const std::size_t ulpdu = input.byte();
      WireWriter(fpdu.data()).u16(static_cast<std::uint16_t>(ulpdu));
      for (std::size_t i = 0; i < ulpdu; ++i) fpdu.push_back(std::byte{input.byte()});
      fpdu.resize(fpdu.size() + pad_of(ulpdu));
      const std::uint32_t value = crc32c(fpdu);
      for (unsigned i = 0; i < 4; ++i)
        fpdu.push_back(static_cast<std::byte>(value >> (8 * i) & 0xffU));
      stream.insert(stream.end(), fpdu.begin(), fpdu.end());
    }
  } else {
    const Octets rest(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
    stream.assign(rest.begin(), rest.end());
  }
  const std::string whole = shape(hear(stream, crc, stream.size() + 1));
  require(shape(hear(stream, crc, 1)) == whole, "octet by octet is as in one piece");
  require(shape(hear(stream, crc, 1 + data[0] / 4)) == whole, "in pieces is as in one piece");
  return 0;
}
