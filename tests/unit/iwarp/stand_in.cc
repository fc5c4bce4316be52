// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "stand_in.h"

#include <algorithm>

#include "no_memory.h"

namespace datum::iwarp::test {
namespace {

unsigned nibble(char digit) {
  return static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

} // namespace

Bytes from_hex(std::string_view hex) {
  Bytes octets;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    octets.push_back(static_cast<std::byte>(nibble(hex[i]) << 4U | nibble(hex[i + 1])));
  return octets;
}

std::string to_hex(Octets octets) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const std::byte octet : octets) {
    hex += kDigits[std::to_integer<unsigned>(octet) >> 4U];
    hex += kDigits[std::to_integer<unsigned>(octet) & 0xfU];
  }
  return hex;
}

Bytes pattern(std::size_t size, unsigned factor, unsigned start) {
  Bytes octets(size);
  for (std::size_t i = 0; i < size; ++i)
    octets[i] = static_cast<std::byte>((factor * i + start) & 0xffU);
  return octets;
}

void StandIn::post_receive(std::size_t size, std::size_t segments) {
  posted_.emplace_back();
  Receive& receive = posted_.back();
  receive.memory.resize(size);
  const auto base = reinterpret_cast<std::uint64_t>(receive.memory.data());
  for (std::size_t i = 0; i < segments; ++i) {
    const std::size_t from = size * i / segments;
    const std::size_t to = size * (i + 1) / segments;
    receive.segments.push_back({1, base + from, to - from});
  }
}

std::byte* StandIn::add_region(Stag stag, std::size_t size, Access access, std::uint32_t zone,
                               std::uint32_t endpoint) {
  // An Atomic needs an aligned address.
  memory_.emplace_back(size + 64);
  auto base = reinterpret_cast<std::uint64_t>(memory_.back().data());
  base = (base + 63) & ~std::uint64_t{63};
  add_region_at(stag, base, size, access, zone);
  regions_.back().endpoint = endpoint;
  return reinterpret_cast<std::byte*>(base);
}

void StandIn::add_region_at(Stag stag, std::uint64_t base, std::uint64_t size, Access access,
                            std::uint32_t zone) {
  RegionEntry& entry = regions_.emplace_back();
  entry.stag = stag;
  entry.access = access;
  entry.base = entry.origin = base;
  entry.length = size;
  entry.zone = zone;
}

std::byte* StandIn::add_part(Stag stag, std::size_t size, Access access, std::uint64_t origin) {
  std::byte* memory = add_region(stag, size, access);
  regions_.back().origin = origin;
  return memory;
}

void StandIn::count_from_zero(Stag stag) {
  for (RegionEntry& entry : regions_)
    if (entry.stag == stag) entry.origin = 0;
}

void StandIn::revoke(Stag stag) {
  for (RegionEntry& entry : regions_)
    if (entry.stag == stag) entry.stag = 0;
}

std::vector<std::string> StandIn::take_log() {
  return std::exchange(log_, {});
}

void StandIn::tell(std::string what) {
  if (on_tell) on_tell(what);
  log_.push_back(std::move(what));
  if (close_when_told && session != nullptr) {
    close_when_told = false;
    session->close(CloseMode::Disconnect, 0);
  }
}

void StandIn::on_established(PrivateData data, std::int32_t peer_reads_in) {
  const MemoryOfTheTest own;
  tell("established " + to_hex(data) + " reads " + std::to_string(peer_reads_in));
}

void StandIn::on_connect_failed(ConnectFailure failure, PrivateData data) {
  const MemoryOfTheTest own;
  constexpr const char* kNames[] = {"peer rejected", "non-peer rejected", "nobody listens",
                                    "unreachable"};
  tell(std::string("failed: ") + kNames[static_cast<unsigned>(failure)] +
       (data.empty() ? "" : " " + to_hex(data)));
}

void StandIn::on_placed(std::uint32_t count) {
  const MemoryOfTheTest own;
  tell("placed " + std::to_string(count));
}

void StandIn::on_read_done() {
  const MemoryOfTheTest own;
  tell("read done");
}

void StandIn::on_request_failed(RequestClass kind, DtoStatus status, std::uint32_t before) {
  const MemoryOfTheTest own;
  tell(std::string(kind == RequestClass::Read ? "read" : "request") + " failed: status " +
       std::to_string(static_cast<unsigned>(status)) + " behind " + std::to_string(before));
}

void StandIn::on_room() {
  while (started_ < start_on_room.size() &&
         session->start(start_on_room[started_]) == StartResult::Started)
    ++started_;
}

bool StandIn::recheck_local(const WorkRequest&, Access) const {
  return local_memory_valid;
}

TakeResult StandIn::take_receive(std::span<const LocalTriplet>& into, std::uint64_t& capacity) {
  if (posted_.empty()) return TakeResult::NoReceive;
  open_ = true;
  if (!receive_memory_valid) {
    fail_receive(DtoStatus::LocalProtection);
    return TakeResult::Protection;
  }
  into = posted_.front().segments;
  capacity = posted_.front().memory.size();
  return TakeResult::Taken;
}

void StandIn::end_receive(std::uint64_t length) {
  open_ = false;
  Bytes memory = std::move(posted_.front().memory);
  posted_.pop_front();
  memory.resize(static_cast<std::size_t>(length));
  received_.push_back(std::move(memory));
}

void StandIn::complete_receive(std::uint64_t length, bool solicited) {
  const MemoryOfTheTest own;
  end_receive(length);
  tell("received " + std::to_string(length) + (solicited ? " solicited" : ""));
}

bool StandIn::place_message(const std::byte* payload, std::uint64_t length, bool solicited) {
  if (open_ || posted_.empty() || posted_.front().segments.size() != 1 ||
      length > posted_.front().memory.size() || !receive_memory_valid)
    return false;
  std::copy_n(payload, length, posted_.front().memory.begin());
  complete_receive(length, solicited);
  return true;
}

void StandIn::fail_receive(DtoStatus status) {
  const MemoryOfTheTest own;
  if (!open_) return;
  open_ = false;
  posted_.pop_front();
  tell("receive failed: status " + std::to_string(static_cast<unsigned>(status)));
}

AccessFault StandIn::check_remote(Stag stag, std::uint64_t address, std::uint64_t length,
                                  Access right, std::uint64_t& memory) const {
  AccessFault first = AccessFault::None;
  for (const RegionEntry& entry : regions_) {
    if (entry.stag != stag) continue;
    memory = address + entry.shift();
    const AccessFault fault = check_access(entry, stag, address, length, right, kZone, kEndpoint);
    if (fault == AccessFault::None) return fault;
    if (first == AccessFault::None) first = fault;
  }
  return first == AccessFault::None ? AccessFault::BadStag : first;
}

void StandIn::on_closed(CloseReason reason) {
  const MemoryOfTheTest own;
  tell(reason == CloseReason::Disconnected ? "disconnected" : "broken");
}

bool StandIn::may_wait_on() {
  return waits_on;
}

// In strict mode, where a message may not wait on, long waits are not counted.
void StandIn::count_long_waits(std::size_t messages) {
  if (waits_on) long_waits += messages;
}

void StandIn::on_wait_over(Duration limit) {
  if (waited_at_most) tell("waited at most, again");
  waited_at_most = limit;
}

AccessFault StandIn::check_note(const MessageNote& note) const {
  return note.by == Opcode::SendInvalidate ? invalidation : AccessFault::None;
}

void StandIn::complete_noted(std::uint64_t length, bool solicited, const MessageNote& note) {
  const MemoryOfTheTest own;
  if (note.by == Opcode::SendInvalidate) {
    tell("invalidated " + std::to_string(note.value));
    complete_receive(length, solicited);
    return;
  }
  end_receive(0);
  tell("immediate " + std::to_string(note.value) + " behind " + std::to_string(note.written) +
       (solicited ? " solicited" : ""));
}

void StandIn::on_request() {
  const MemoryOfTheTest own;
  asked_ = true;
  tell("request " + to_hex(session->private_data()));
}

bool StandIn::on_no_reply(NoReply why) {
  return why == no_reply_handled;
}

} // namespace datum::iwarp::test
