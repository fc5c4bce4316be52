// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/protocol.h"

#include <utility>

#include "cp/wire.h"

namespace datum::cp {
namespace {

// One list of fields serves both directions, so they cannot disagree.
template <class T>
inline constexpr auto kFields = std::tuple{};
template <>
inline constexpr auto kFields<Time> = std::tuple{&Time::seconds, &Time::nanoseconds};
template <>
inline constexpr auto kFields<Job> =
    std::tuple{&Job::direction,   &Job::method, &Job::mode,    &Job::chunk_size, &Job::depth,
               &Job::into_folder, &Job::count,  &Job::compare, &Job::destination};
template <>
inline constexpr auto kFields<Path> = std::tuple{&Path::path};
template <>
inline constexpr auto kFields<Slots> =
    std::tuple{&Slots::rmr_context, &Slots::address, &Slots::chunk_size, &Slots::depth};
template <>
inline constexpr auto kFields<Total> = std::tuple{&Total::entries, &Total::bytes};
template <>
inline constexpr auto kFields<Offer> =
    std::tuple{&Offer::id,   &Offer::kind, &Offer::mode,  &Offer::mtime,
               &Offer::size, &Offer::path, &Offer::target};
template <>
inline constexpr auto kFields<Want> = std::tuple{&Want::id, &Want::offset};
template <>
inline constexpr auto kFields<Load> = std::tuple{&Load::slot, &Load::length};
template <>
inline constexpr auto kFields<Chunk> = std::tuple{&Chunk::id, &Chunk::offset, &Chunk::length};
template <>
inline constexpr auto kFields<Hole> = std::tuple{&Hole::id, &Hole::offset, &Hole::length};
template <>
inline constexpr auto kFields<End> = std::tuple{&End::id, &End::digest, &End::problem};
template <>
inline constexpr auto kFields<DirectoryEnd> =
    std::tuple{&DirectoryEnd::id, &DirectoryEnd::mode, &DirectoryEnd::mtime, &DirectoryEnd::path};
template <>
inline constexpr auto kFields<Result> = std::tuple{&Result::id, &Result::outcome, &Result::text};
template <>
inline constexpr auto kFields<SlotFree> = std::tuple{&SlotFree::slot};
template <>
inline constexpr auto kFields<Compare> = std::tuple{&Compare::id};
template <>
inline constexpr auto kFields<Compared> = std::tuple{&Compared::id, &Compared::digest};
template <>
inline constexpr auto kFields<Problem> = std::tuple{&Problem::severity, &Problem::text};
template <>
inline constexpr auto kFields<Abort> = std::tuple{&Abort::exit_code, &Abort::text};

template <class E>
constexpr std::uint8_t kLast = 0;
template <>
constexpr std::uint8_t kLast<Direction> = 1;
template <>
constexpr std::uint8_t kLast<Method> = 1;
template <>
constexpr std::uint8_t kLast<Mode> = 2;
template <>
constexpr std::uint8_t kLast<Kind> = 2;
template <>
constexpr std::uint8_t kLast<Outcome> = 4;
template <>
constexpr std::uint8_t kLast<Severity> = 1;

template <class T>
void put(WireWriter& out, const T& value) {
  if constexpr (std::is_integral_v<T>) {
    out.number(value);
  } else if constexpr (std::is_enum_v<T>) {
    out.number(static_cast<std::uint8_t>(value));
  } else if constexpr (std::is_same_v<T, std::string>) {
    out.string(value);
  } else if constexpr (std::is_same_v<T, Digest>) {
    out.raw(value);
  } else {
    std::apply([&](auto... member) { (put(out, value.*member), ...); }, kFields<T>);
  }
}

template <class T>
bool get(WireReader& in, T& value) {
  if constexpr (std::is_integral_v<T>) {
    return in.number(value);
  } else if constexpr (std::is_enum_v<T>) {
    std::uint8_t number = 0;
    if (!in.number(number) || number > kLast<T>) return false;
    value = static_cast<T>(number);
    return true;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return in.string(value);
  } else if constexpr (std::is_same_v<T, Digest>) {
    return in.raw(value);
  } else {
    return std::apply([&](auto... member) { return (get(in, value.*member) && ...); }, kFields<T>);
  }
}

template <std::size_t I = 0>
std::optional<Message> decode_as(std::size_t index, WireReader& in) {
  if constexpr (I < std::variant_size_v<Message>) {
    if (index != I) return decode_as<I + 1>(index, in);
    std::variant_alternative_t<I, Message> message;
    if (!get(in, message) || !in.at_end()) return std::nullopt;
    return message;
  } else {
    return std::nullopt;
  }
}

constexpr std::array<std::string_view, std::variant_size_v<Message>> kNames = {
    "Job",   "Path", "PathsEnd", "Slots",        "Total",  "Offer",    "Want",
    "Chunk", "Hole", "End",      "DirectoryEnd", "Result", "SlotFree", "Problem",
    "Done",  "Bye",  "Abort",    "KeepAlive",    "Load",   "Compare",  "Compared"};

} // namespace

void append_to(std::vector<std::byte>& bytes, const Message& message) {
  WireWriter out(std::move(bytes));
  out.number(static_cast<std::uint8_t>(message.index() + 1));
  std::visit([&](const auto& m) { put(out, m); }, message);
  bytes = std::move(out).take();
}

std::vector<std::byte> encode(const Message& message) {
  std::vector<std::byte> bytes;
  append_to(bytes, message);
  return bytes;
}

std::optional<Message> decode(std::span<const std::byte> bytes) {
  WireReader in(bytes);
  std::uint8_t type = 0;
  if (!in.number(type) || type == 0) return std::nullopt;
  return decode_as(type - 1U, in);
}

std::string_view name_of(const Message& message) {
  return kNames[message.index()];
}

} // namespace datum::cp
