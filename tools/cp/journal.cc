// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/journal.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/refused_calls.h"
#include "cp/file_error.h"
#include "cp/file_io.h"
#include "cp/safe_path.h"
#include "cp/wire.h"

namespace datum::cp {
namespace {

constexpr std::uint64_t kJournalMagic = 0x4463704a726e6c31; // "DcpJrnl1"
constexpr std::size_t kHeaderSize = 8 + 8 + 8 + 8 + 4 + 16 + 16;

std::vector<std::byte> header(const Identity& identity) {
  WireWriter out;
  out.number(kJournalMagic).number(kBlock);
  out.number(identity.size).number(identity.mtime.seconds).number(identity.mtime.nanoseconds);
  out.raw(digest_of(std::as_bytes(std::span(name_in(identity.path)))));
  out.raw(digest_of(out.bytes()));
  return out.bytes();
}

} // namespace

std::vector<Digest> Journal::load(const Identity& identity) const {
  std::vector<std::byte> found(kHeaderSize);
  if (read_at(file_.get(), found, 0) != found.size() || found != header(identity)) return {};
  std::vector<Digest> blocks;
  Digest digest;
  // Loads at most as many blocks as the file has, whatever the journal says. An incomplete last
  // digest does not count.
  while (blocks.size() < identity.size / kBlock &&
         read_at(file_.get(), digest, kHeaderSize + blocks.size() * digest.size()) == digest.size())
    blocks.push_back(digest);
  return blocks;
}

void Journal::start(const Identity& identity, std::span<const Digest> blocks) {
  // A filter of system calls may refuse ftruncate(2). Old digests behind the new ones do no harm: a
  // block counts only if the unfinished file has it.
  if ((ftruncate(file_.get(), 0) != 0 && !is_refusal_of_call(errno)) ||
      lseek(file_.get(), 0, SEEK_SET) != 0)
    throw FileError("begin the journal of", identity.path, errno);
  path_ = identity.path;
  append(header(identity));
  for (const Digest& block : blocks) append(block);
}

void Journal::append(std::span<const std::byte> bytes, NextRun next_run) {
  const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
  if (written != static_cast<ssize_t>(bytes.size()))
    throw FileError("write the journal of", path_, written < 0 ? errno : ENOSPC, next_run);
}

} // namespace datum::cp
