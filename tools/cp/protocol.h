// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/protocol.h: the messages of two dat-cp processes once they are connected.
// Lives here: every message, its fields in wire order, encode and decode.
// Not here:   the first message of each side, which travels as private data (hello.h); when each
//             side sends a message (source.h, sink.h); how messages and credits travel (channel.h).
//
// The side that has the files is the source, the other side is the sink. The client may be either.
//   client: Job, and for a get Path... PathsEnd       server: Slots, or Abort
//   client: Slots
//   source: Total if the job asks for it, Offer...    sink, to each: Want, Compare or Result
//   source, after a Compare: Compared                 sink: Want or Result
//   source, after a Want: Chunk or Hole..., one End   sink: one Result
//   source: Load, once a slot is full, before the     sink: a SlotFree per Load
//           Chunks that divide it between files
//   source: DirectoryEnd when all below was sent      sink: Result
//   source: Done                                      sink: Bye
// Either side may send Abort, which ends the session.
// Offers come in the order of a tree walk (offered_names.h): the roots in the order of the request,
// each folder before its contents, and the names in a folder in ascending order of bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace datum::cp {

inline constexpr std::size_t kMaxMessage = 8704;  // an Offer with both strings at their longest
inline constexpr std::uint32_t kMaxWindow = 1024; // offers and folders' ends without a Result
inline constexpr std::uint32_t kMaxEnds = 64;     // folders' ends among kMaxWindow
inline constexpr std::uint32_t kMaxLarge = 64;    // files that can be resumed, among kMaxWindow
inline constexpr std::uint32_t kMaxNews = 1024;   // Chunks, Holes, Ends that follow a Load
inline constexpr std::uint32_t kMinChunk = 4096, kMaxChunk = 16U << 20;
inline constexpr std::uint32_t kMinDepth = 1, kMaxDepth = 64;
inline constexpr std::uint32_t kMaxPaths = 4096; // in one get

using Digest = std::array<std::byte, 16>;

enum class Direction : std::uint8_t { Put, Get };
// which side moves the bytes: Write: the source, Read: the sink
enum class Method : std::uint8_t { Write, Read };
enum class Mode : std::uint8_t { Copy, DryRun, Verify };
enum class Kind : std::uint8_t { File, Directory, Symlink };
enum class Outcome : std::uint8_t { Copied, Unchanged, WouldCopy, Differs, Failed };
enum class Severity : std::uint8_t { Note, Error };

struct Time {
  std::int64_t seconds = 0;
  std::uint32_t nanoseconds = 0;
  bool operator==(const Time&) const = default;
};

struct Job {
  Direction direction{};
  Method method{};
  Mode mode{};
  std::uint32_t chunk_size = 0, depth = 0;
  std::uint8_t into_folder = 0; // 1: the destination is a folder that takes the roots
  std::uint8_t count = 0;       // 1: there is a progress bar, so the source begins with a Total
  std::uint8_t compare = 0;     // files with equal size and time are compared by their contents
  std::string destination;      // for a put: a path below the served folder
  bool operator==(const Job&) const = default;
};
struct Path {
  std::string path;
  bool operator==(const Path&) const = default;
};
struct PathsEnd {
  bool operator==(const PathsEnd&) const = default;
};
// The sender's registered memory: depth slots of chunk_size bytes, one after the other.
struct Slots {
  std::uint32_t rmr_context = 0;
  std::uint64_t address = 0;
  std::uint32_t chunk_size = 0, depth = 0;
  bool operator==(const Slots&) const = default;
};
struct Total {
  std::uint64_t entries = 0, bytes = 0;
  bool operator==(const Total&) const = default;
};
struct Offer {
  // 1, 2, 3, ... in the order sent; a DirectoryEnd has a number of this count, too
  std::uint64_t id = 0;
  Kind kind{};
  std::uint32_t mode = 0;
  Time mtime;
  std::uint64_t size = 0;
  std::string path, target;
  bool operator==(const Offer&) const = default;
};
struct Want {
  std::uint64_t id = 0, offset = 0; // the sink has the bytes before offset
  bool operator==(const Want&) const = default;
};
// A slot holds `length` octets for the Chunks that follow. The first Chunk has the first octets.
struct Load {
  std::uint32_t slot = 0, length = 0;
  bool operator==(const Load&) const = default;
};
struct Chunk {
  std::uint64_t id = 0, offset = 0;
  std::uint32_t length = 0; // octets of the last Load that no earlier Chunk has
  bool operator==(const Chunk&) const = default;
};
struct Hole {
  std::uint64_t id = 0, offset = 0, length = 0; // zeros that take no space at the source
  bool operator==(const Hole&) const = default;
};
struct End {
  std::uint64_t id = 0;
  Digest digest{};
  std::string problem; // not empty: the source could not read the file to the end
  bool operator==(const End&) const = default;
};
struct DirectoryEnd {
  std::uint64_t id = 0;
  std::uint32_t mode = 0;
  Time mtime;
  std::string path;
  bool operator==(const DirectoryEnd&) const = default;
};
struct Result {
  std::uint64_t id = 0;
  Outcome outcome{};
  std::string text; // the reason, if it failed
  bool operator==(const Result&) const = default;
};
struct SlotFree {
  std::uint32_t slot = 0;
  bool operator==(const SlotFree&) const = default;
};
// Asks for the checksum of a file. The sink has a file of the same size, time and permissions.
struct Compare {
  std::uint64_t id = 0;
  bool operator==(const Compare&) const = default;
};
struct Compared {
  std::uint64_t id = 0;
  Digest digest{};
  bool operator==(const Compared&) const = default;
};
struct Problem {
  Severity severity{};
  std::string text; // a name that the source did not offer, and the reason
  bool operator==(const Problem&) const = default;
};
struct Done {
  bool operator==(const Done&) const = default;
};
struct Bye {
  bool operator==(const Bye&) const = default;
};
struct Abort {
  std::uint8_t exit_code = 1; // the exit code for the other side (tools::ExitCode)
  std::string text;
  bool operator==(const Abort&) const = default;
};
struct KeepAlive {
  bool operator==(const KeepAlive&) const = default;
};

// The wire type of a message is its index in this list plus one.
using Message =
    std::variant<Job, Path, PathsEnd, Slots, Total, Offer, Want, Chunk, Hole, End, DirectoryEnd,
                 Result, SlotFree, Problem, Done, Bye, Abort, KeepAlive, Load, Compare, Compared>;

std::vector<std::byte> encode(const Message& message);
void append_to(std::vector<std::byte>& bytes, const Message& message); // appends encode(message)

// Nothing: the type is unknown, the length is wrong, or a string or an enumerator is out of range.
std::optional<Message> decode(std::span<const std::byte> bytes);

std::string_view name_of(const Message& message); // "Offer"

} // namespace datum::cp
