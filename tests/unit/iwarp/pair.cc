// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "pair.h"

#include <algorithm>
#include <cstring>

namespace datum::iwarp::test {

Bytes Side::take_output() {
  return take_output(~std::size_t{0});
}

Bytes Side::take_output(std::size_t most) {
  Bytes octets;
  while (session.has_output() || session.owes_ack()) {
    std::array<Octets, 16> pieces;
    const std::size_t count = session.output(pieces, now);
    std::size_t taken = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t size = std::min(pieces[i].size(), most - octets.size());
      octets.insert(octets.end(), pieces[i].begin(),
                    pieces[i].begin() + static_cast<std::ptrdiff_t>(size));
      taken += size;
    }
    session.sent(taken, now);
    if (taken == 0 || octets.size() == most) break;
  }
  return octets;
}

void Side::feed(Octets octets, std::size_t piece) {
  Bytes all = std::move(held_);
  all.insert(all.end(), octets.begin(), octets.end());
  std::size_t done = 0;
  do {
    const std::size_t size = std::min(piece, all.size() - done);
    // The copy is exactly `size` octets long, so that AddressSanitizer finds a read past its end.
    const Bytes part(all.begin() + static_cast<std::ptrdiff_t>(done),
                     all.begin() + static_cast<std::ptrdiff_t>(done + size));
    const std::size_t taken = session.feed(part, now);
    done += taken;
    if (taken < size) break;
  } while (done < all.size());
  held_.assign(all.begin() + static_cast<std::ptrdiff_t>(done), all.end());
}

void Side::feed_placing(Octets octets) {
  if (!held_.empty()) {
    feed(octets);
    return;
  }
  while (!octets.empty()) {
    std::array<Segment, 72> places;
    const std::size_t count = session.places(places, now);
    std::size_t placed = 0;
    for (std::size_t i = 0; i < count && placed < octets.size(); ++i) {
      const auto size = static_cast<std::size_t>(
          std::min<std::uint64_t>(places[i].length, octets.size() - placed));
      std::memcpy(places[i].address, octets.data() + placed, size);
      placed += size;
    }
    if (placed != 0) {
      session.placed(placed, now);
      octets = octets.subspan(placed);
      continue;
    }
    // Headers are fed, with only a few octets of what follows them.
    const std::size_t size = std::min<std::size_t>(octets.size(), 20);
    feed(octets.first(size));
    octets = octets.subspan(size);
    if (held_back() != 0) {
      feed(octets);
      return;
    }
  }
}

Pair::Pair(const PairOptions& options)
    : active(options.active), passive(options.passive), options_(options) {}

void Pair::connect() {
  passive.session.expect_request(passive.now);
  active.session.connect({}, options_.active_wishes, active.events, active.now);
  carry(active, passive);
  passive.session.accept({}, options_.passive_wishes, passive.events, passive.now);
  pump();
  active.events.take_log();
  passive.events.take_log();
}

void Pair::carry(Side& from, Side& to) {
  const Bytes octets = from.take_output();
  Octets left = octets;
  while (!left.empty()) {
    std::size_t size = piece == 0 ? left.size() : piece;
    bool placing = false;
    if (random) {
      size = 1 + (*random)() % ((*random)() % 4 == 0 ? 20000 : 60);
      placing = (*random)() % 2 == 0;
    }
    size = std::min(size, left.size());
    if (placing)
      to.feed_placing(left.first(size));
    else
      to.feed(left.first(size));
    left = left.subspan(size);
  }
}

void Pair::pump() {
  while (active.session.has_output() || active.session.owes_ack() || passive.session.has_output() ||
         passive.session.owes_ack()) {
    carry(active, passive);
    carry(passive, active);
  }
}

Target::Target(const SessionSettings& settings, bool has_spoken) : Side(settings) {
  session.expect_request(now);
  feed_hex("4d504120494420526571204672616d6540010000"); // revision 1, CRC
  session.accept({}, {.reads_in = 4, .reads_out = 4}, events, now);
  if (has_spoken) feed(fpdu(tagged(Rdmap::Write, 1, 0)));
  take_output();
  events.take_log();
  events.post_receive(64);
  const std::byte* memory =
      events.add_region(kRegion, 0x10000, kRemoteRead | kRemoteWrite | kRemoteAtomic);
  base_ = reinterpret_cast<std::uint64_t>(memory);
}

std::string Target::terminate_code() {
  const std::vector<Bytes> all = ulpdus(take_output());
  if (all.empty()) return "";
  const Octets last = all.back();
  UntaggedHeader header;
  WireReader in(last);
  if (!decode(in, header) || header.control.opcode != Rdmap::Terminate) return "";
  if (!decode(in.left(), terminate_)) return "too short";
  constexpr char kDigits[] = "0123456789abcdef";
  const ErrorCode& error = terminate_.error;
  return {kDigits[error.layer],      '/', kDigits[error.type], '/', kDigits[error.code >> 4U],
          kDigits[error.code & 0xfU]};
}

namespace {

Bytes frame(Octets header, Octets payload, bool crc) {
  const std::size_t ulpdu = header.size() + payload.size();
  Bytes octets(kLengthSize);
  WireWriter(octets.data()).u16(static_cast<std::uint16_t>(ulpdu));
  octets.insert(octets.end(), header.begin(), header.end());
  octets.insert(octets.end(), payload.begin(), payload.end());
  octets.resize(octets.size() + pad_of(ulpdu));
  const std::uint32_t value = crc ? crc32c(octets) : 0;
  for (unsigned i = 0; i < 4; ++i)
    octets.push_back(static_cast<std::byte>(value >> (8 * i) & 0xffU));
  return octets;
}

} // namespace

Bytes fpdu(const UntaggedHeader& header, Octets payload, bool crc) {
  return frame(octets_of(header), payload, crc);
}

Bytes fpdu(const TaggedHeader& header, Octets payload, bool crc) {
  return frame(octets_of(header), payload, crc);
}

UntaggedHeader untagged(Rdmap opcode, std::uint32_t queue, std::uint32_t msn, std::uint32_t offset,
                        bool last) {
  UntaggedHeader header;
  header.control.last = last;
  header.control.opcode = opcode;
  header.queue = queue;
  header.msn = msn;
  header.offset = offset;
  return header;
}

TaggedHeader tagged(Rdmap opcode, Stag stag, std::uint64_t offset, bool last) {
  TaggedHeader header;
  header.control.last = last;
  header.control.opcode = opcode;
  header.stag = stag;
  header.offset = offset;
  return header;
}

std::vector<Bytes> ulpdus(Octets stream) {
  std::vector<Bytes> found;
  while (stream.size() >= kLengthSize) {
    const std::size_t size =
        std::to_integer<std::size_t>(stream[0]) << 8U | std::to_integer<std::size_t>(stream[1]);
    if (stream.size() < fpdu_size(size)) break;
    const Octets ulpdu = stream.subspan(kLengthSize, size);
    found.emplace_back(ulpdu.begin(), ulpdu.end());
    stream = stream.subspan(fpdu_size(size));
  }
  return found;
}

LocalTriplet triplet(const void* from, std::size_t size) {
  return {1, reinterpret_cast<std::uint64_t>(from), size};
}

namespace {

std::uint64_t total(std::span<const LocalTriplet> local) {
  std::uint64_t length = 0;
  for (const LocalTriplet& each : local) length += each.length;
  return length;
}

} // namespace

WorkRequest send_of(std::span<const LocalTriplet> local, bool solicited) {
  return {.opcode = Opcode::Send,
          .solicited = solicited,
          .length = total(local),
          .local = local,
          .remote = {}};
}

WorkRequest write_of(std::span<const LocalTriplet> local, Stag stag, const void* to) {
  return {.opcode = Opcode::RdmaWrite,
          .length = total(local),
          .local = local,
          .remote = {stag, reinterpret_cast<std::uint64_t>(to), total(local)}};
}

WorkRequest read_of(std::span<const LocalTriplet> local, Stag stag, const void* from) {
  WorkRequest request = write_of(local, stag, from);
  request.opcode = Opcode::RdmaRead;
  return request;
}

} // namespace datum::iwarp::test
