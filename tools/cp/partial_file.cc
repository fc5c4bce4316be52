// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/partial_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "base/refused_calls.h"
#include "cp/file_error.h"
#include "cp/file_io.h"
#include "cp/safe_path.h"

namespace datum::cp {
namespace {

// Hashing a hole of this length takes some milliseconds.
constexpr std::uint64_t kHolePart = 1ULL << 34;

// The name of a temporary file is a digest, because the name itself with a suffix could be too
// long.
std::string hidden_name(const std::string& name, std::string_view suffix) {
  std::string text(kReservedPrefix);
  for (std::byte b : digest_of(std::as_bytes(std::span(name))))
    text += fmt::format("{:02x}", std::to_integer<unsigned>(b));
  return text.append(suffix);
}

constexpr int kAttempts = 16; // another process may make and remove the name again and again

// Removes a temporary file of another user, because that user could read the octets, and change
// them later.
void remove_of_another_user(int folder, const std::string& name, const std::string& path) {
  if (unlinkat(folder, name.c_str(), 0) != 0 && errno != ENOENT)
    throw FileError("write, because its folder holds " + name +
                        " of another user, who must remove that first,",
                    path, errno);
}

// Without this check, a hard link made beforehand would lead the written octets into another file.
void require_single(const struct stat& st, const std::string& path) {
  if (!S_ISREG(st.st_mode) || st.st_nlink > 1)
    throw FileError("use the temporary file of", path, EEXIST);
}

// Called once this process has the lock of the temporary file. A run that is about to finish the
// file may already have given it its final mode.
void make_private(const UniqueFd& file, const std::string& path) {
  struct stat st = {};
  if (fstat(file.get(), &st) != 0) throw FileError("look at", path, errno);
  if ((st.st_mode & 077) != 0 && fchmod(file.get(), 0600) != 0)
    throw FileError("make private the temporary file of", path, errno);
}

bool leads_to(int folder, const std::string& name, const UniqueFd& file) {
  struct stat held = {}, named = {};
  return fstat(file.get(), &held) == 0 &&
         fstatat(folder, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         named.st_ino == held.st_ino && named.st_dev == held.st_dev;
}

// A run that continues has to shorten the file to its last whole block.
bool may_shorten() {
  return refusal_of(SystemCall::FileLength) == 0;
}

struct Private {
  UniqueFd file;
  bool made; // False: an earlier run of this user left it
};

// Makes the file, or opens the file that an earlier run of this user left. A file made here is
// private from the beginning. Throws FileError.
Private open_private(int folder, const std::string& name, const std::string& path) {
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    UniqueFd file(openat(folder, name.c_str(), kFlags | O_CREAT | O_EXCL, 0600));
    if (file) return {std::move(file), true};
    if (errno != EEXIST) throw FileError("create", path, errno);
    struct stat named = {}, held = {};
    if (fstatat(folder, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (named.st_uid != geteuid()) {
      remove_of_another_user(folder, name, path);
      continue;
    }
    file = UniqueFd(openat(folder, name.c_str(), kFlags));
    if (!file && errno == ENOENT) continue;
    if (!file) throw FileError("open the temporary file of", path, errno);
    if (fstat(file.get(), &held) != 0) throw FileError("look at", path, errno);
    if (held.st_uid != geteuid()) continue; // another user replaced the file after fstatat()
    require_single(held, path);
    return {std::move(file), false};
  }
  throw FileError("use the temporary file of", path, EEXIST);
}

// Returns "", or what is left behind and why. `path`: the path of the file for which the temporary
// file was made.
std::string remove_temporary(int folder, const std::string& name, const std::string& path) {
  if (unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT) return "";
  const char* const why = std::strerror(errno);
  const std::string_view above = parent_of(path);
  return fmt::format("cannot remove {}: {} (nothing needs it any more: remove it by hand, or copy "
                     "{} again)",
                     shown(above.empty() ? name : fmt::format("{}/{}", above, name)), why,
                     shown(path));
}

} // namespace

std::string remove_old_journal(int folder, const std::string& path) {
  const std::string name(name_in(path));
  const std::string journal = hidden_name(name, ".journal");
  struct stat st = {};
  const bool left =
      fstatat(folder, journal.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_uid == geteuid() &&
      fstatat(folder, hidden_name(name, ".part").c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0 &&
      errno == ENOENT;
  return left ? remove_temporary(folder, journal, path) : "";
}

PartialFile::PartialFile(std::shared_ptr<const UniqueFd> folder, Identity identity,
                         std::uint32_t mode, const std::function<void()>& tick)
    : folder_(std::move(folder)), identity_(std::move(identity)), mode_(mode),
      name_(name_in(identity_.path)), part_name_(hidden_name(name_, ".part")),
      journal_name_(hidden_name(name_, ".journal")), digest_([this](const Digest& block) {
        if (journal_) journal_->append(block, next_run());
      }) {
  const std::uint64_t left = open_locked();
  const bool may_continue = identity_.size > kBlock && may_shorten();
  // A new file is not emptied. ext4 treats an emptied file as a file that is being rewritten, and
  // waits for the disk.
  if (left > 0 && !may_continue) empty();
  if (identity_.size > kBlock) resume(tick);
  room_.emplace(file_.get(), identity_.size);
}

PartialFile::~PartialFile() {
  if (!gone_ && !is_worth_keeping()) discard();
  // If the space cannot be given back now, the run that continues will write into it.
  if (!gone_) static_cast<void>(room_->give_back(offset_));
}

NextRun PartialFile::next_run() const {
  return is_worth_keeping() && may_shorten() ? NextRun::Continues : NextRun::Begins;
}

std::uint64_t PartialFile::open_locked() {
  // A second dat-cp may rename the file between open_private() and flock(). Then file_ is no longer
  // the temporary file, and the loop opens it again.
  for (;;) {
    Private opened = open_private(folder_->get(), part_name_, identity_.path);
    file_ = std::move(opened.file);
    lock(opened.made);
    if (leads_to(folder_->get(), part_name_, file_)) break;
  }
  make_private(file_, identity_.path);
  struct stat held = {};
  if (fstat(file_.get(), &held) != 0) throw FileError("look at", identity_.path, errno);
  return static_cast<std::uint64_t>(held.st_size);
}

// Without ftruncate(2), which a filter of system calls may refuse, open(2) does it. By its name
// another user's file could be met.
void PartialFile::empty() {
  if (ftruncate(file_.get(), 0) == 0) return;
  const int error = errno;
  const std::string itself = fmt::format("/proc/self/fd/{}", file_.get());
  if (is_refusal_of_call(error) && UniqueFd(open(itself.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC)))
    return;
  throw FileError("empty", identity_.path, error);
}

// One octet at the end makes the file as long, with a hole before it, where a filter of system calls
// refuses ftruncate(2). The file has nothing behind offset_ then: see the constructor.
bool PartialFile::extend(std::uint64_t end) {
  if (room_->give_back(offset_) && ftruncate(file_.get(), static_cast<off_t>(end)) == 0)
    return true;
  constexpr std::array<std::byte, 1> kZero{};
  if (is_refusal_of_call(errno)) errno = write_at(file_.get(), kZero, end - 1);
  return errno == 0;
}

void PartialFile::lock(bool made) {
  if (flock(file_.get(), LOCK_EX | LOCK_NB) == 0) return;
  const int error = errno;
  if (error == EWOULDBLOCK)
    throw FileError("write, because another dat-cp is writing it,", identity_.path, error);
  if (made) remove(part_name_);
  throw FileError("lock the temporary file of", identity_.path, error);
}

void PartialFile::resume(const std::function<void()>& tick) {
  UniqueFd file = open_private(folder_->get(), journal_name_, identity_.path).file;
  make_private(file, identity_.path); // the lock of the temporary file covers the journal
  Journal journal(std::move(file));
  std::vector<Digest> blocks = journal.load(identity_);
  std::vector<std::byte> block(blocks.empty() ? 0 : kBlock);
  std::size_t good = 0;
  for (; good < blocks.size(); ++good) {
    if (read_at(file_.get(), block, good * kBlock) != kBlock || digest_of(block) != blocks[good])
      break;
    digest_.update(block); // journal_ is not set yet, so nothing is appended twice
    tick();
  }
  offset_ = good * kBlock;
  struct stat st = {};
  if (fstat(file_.get(), &st) != 0 || (static_cast<std::uint64_t>(st.st_size) != offset_ &&
                                       ftruncate(file_.get(), static_cast<off_t>(offset_)) != 0))
    throw FileError("shorten", identity_.path, errno);
  journal.start(identity_, std::span(blocks).first(good));
  journal_ = std::move(journal);
}

void PartialFile::append(std::span<const std::byte> bytes) {
  room_->ask(offset_, bytes.size());
  if (const int error = write_at(file_.get(), bytes, offset_); error != 0)
    throw FileError("write", identity_.path, error, next_run());
  digest_.update(bytes);
  offset_ += bytes.size();
}

void PartialFile::append_zeros(std::uint64_t length, const std::function<void()>& tick) {
  // A later run reads back the blocks that the journal names. So the file must be long enough
  // before those blocks are added to the journal.
  const std::uint64_t end = offset_ + length;
  if (end > offset_ && !extend(end)) throw FileError("extend", identity_.path, errno, next_run());
  while (offset_ < end) {
    const std::uint64_t part = std::min(kHolePart, end - offset_);
    digest_.update_zeros(part);
    offset_ += part;
    tick();
  }
}

bool PartialFile::finish(const Digest& expected, Existing existing) {
  if (digest_.finish() != expected) {
    discard();
    return false;
  }
  // Another user's dat-cp does not take this lock, and may have put its own file there.
  if (!leads_to(folder_->get(), part_name_, file_)) {
    gone_ = true;
    throw FileError("put in place, because the temporary file was taken away,", identity_.path,
                    ESTALE);
  }
  const timespec mtime = {identity_.mtime.seconds, static_cast<long>(identity_.mtime.nanoseconds)};
  const timespec times[2] = {mtime, mtime};
  if (fchmod(file_.get(), mode_) != 0 || futimens(file_.get(), times) != 0)
    throw FileError("set mode and time of", identity_.path, errno);
  if (const int error = put_in_place(folder_->get(), part_name_, name_, existing); error != 0) {
    if (error == EEXIST) discard(); // a later copy could not put the file there, either
    throw FileError("put in place", identity_.path, error);
  }
  gone_ = true;
  if (journal_) remove(journal_name_);
  return true;
}

void PartialFile::discard() {
  gone_ = true;
  // both names belong to another run by now
  if (!leads_to(folder_->get(), part_name_, file_)) return;
  remove(part_name_);
  if (identity_.size > kBlock) remove(journal_name_);
}

void PartialFile::remove(const std::string& temporary) {
  const std::string left = remove_temporary(folder_->get(), temporary, identity_.path);
  if (left_behind_.empty()) left_behind_ = left;
}

} // namespace datum::cp
