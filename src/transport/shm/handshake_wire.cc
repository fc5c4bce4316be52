// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/handshake_wire.h"

#include <cstring>

namespace datum {
namespace {

class Writer {
 public:
  explicit Writer(std::byte* at) : at_(at) {}
  template <class T>
  Writer& put(T value) {
    for (std::size_t i = 0; i < sizeof value; ++i)
      *at_++ = static_cast<std::byte>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xffU);
    return *this;
  }
  Writer& put_bytes(std::span<const std::byte> bytes) {
    std::memcpy(at_, bytes.data(), bytes.size());
    at_ += bytes.size();
    return *this;
  }

 private:
  std::byte* at_;
};

class Reader {
 public:
  explicit Reader(const std::byte* at) : at_(at) {}
  template <class T>
  T take() {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value |= std::to_integer<std::uint64_t>(*at_++) << (8 * i);
    return static_cast<T>(value);
  }
  void take_bytes(std::span<std::byte> bytes) {
    std::memcpy(bytes.data(), at_, bytes.size());
    at_ += bytes.size();
  }

 private:
  const std::byte* at_;
};

constexpr std::size_t kPreambleSize = 8;

Writer write_preamble(const Preamble& preamble, std::byte* at) {
  Writer out(at);
  out.put(kHandshakeMagic)
      .put(preamble.version)
      .put(static_cast<std::uint8_t>(preamble.kind))
      .put(static_cast<std::uint8_t>(preamble.verdict));
  return out;
}

} // namespace

const char* remedy_for(std::uint16_t version) {
  return ((version ^ kHandshakeVersion) & kBigEndianVersion) != 0
             ? "the two processes have different orders of octets, which cannot share memory; set "
               "DATUM_TRANSPORT=tcp for both"
             : "install the same Datum for both, or let both use TCP (DATUM_TRANSPORT=auto)";
}

void encode(const Greeting& message, std::span<std::byte, Greeting::kWireSize> out) {
  const DirectTerms& direct = message.direct;
  write_preamble(message.preamble, out.data())
      .put(message.id.high)
      .put(message.id.low)
      .put_bytes(message.address.bytes)
      .put(direct.nonce)
      .put(direct.nonce_address)
      .put(direct.device)
      .put(direct.table_inode)
      .put(direct.life_inode)
      .put(direct.table_fd)
      .put(direct.life_fd);
}

void encode(const Agreement& message, std::span<std::byte, Agreement::kWireSize> out) {
  write_preamble(message.preamble, out.data()).put(std::uint32_t{message.has_direct});
}

bool decode(std::span<const std::byte> in, Preamble& out) {
  if (in.size() < kPreambleSize) return false;
  Reader reader(in.data());
  if (reader.take<std::uint32_t>() != kHandshakeMagic) return false;
  out.version = reader.take<std::uint16_t>();
  const auto kind = reader.take<std::uint8_t>();
  const auto verdict = reader.take<std::uint8_t>();
  const bool known = kind >= 1 && kind <= 4 && verdict <= 4;
  if (!known && out.version == kHandshakeVersion) return false;
  out.kind = static_cast<MessageKind>(kind);
  out.verdict = static_cast<DialVerdict>(verdict);
  return true;
}

bool decode(std::span<const std::byte> in, Greeting& out) {
  if (in.size() != Greeting::kWireSize || !decode(in, out.preamble)) return false;
  if (out.preamble.kind != MessageKind::Hello && out.preamble.kind != MessageKind::Answer)
    return false;
  Reader reader(in.data() + kPreambleSize);
  out.id.high = reader.take<std::uint64_t>();
  out.id.low = reader.take<std::uint64_t>();
  reader.take_bytes(out.address.bytes);
  out.direct.nonce = reader.take<std::uint64_t>();
  out.direct.nonce_address = reader.take<std::uint64_t>();
  out.direct.device = reader.take<std::uint64_t>();
  out.direct.table_inode = reader.take<std::uint64_t>();
  out.direct.life_inode = reader.take<std::uint64_t>();
  out.direct.table_fd = reader.take<std::int32_t>();
  out.direct.life_fd = reader.take<std::int32_t>();
  return out.direct.table_fd >= -1 && out.direct.life_fd >= -1;
}

bool decode(std::span<const std::byte> in, Agreement& out) {
  if (in.size() != Agreement::kWireSize || !decode(in, out.preamble)) return false;
  if (out.preamble.kind != MessageKind::Offer && out.preamble.kind != MessageKind::Ready)
    return false;
  const auto flags = Reader(in.data() + kPreambleSize).take<std::uint32_t>();
  out.has_direct = flags == 1;
  return flags <= 1;
}

} // namespace datum
