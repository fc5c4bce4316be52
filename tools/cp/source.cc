// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/source.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "cp/descriptors.h"
#include "cp/file_error.h"
#include "cp/file_io.h"

namespace datum::cp {
namespace {

Offer offer_of(std::uint64_t id, const Entry& entry) {
  const Kind kind = entry.type == Entry::Type::File        ? Kind::File
                    : entry.type == Entry::Type::Directory ? Kind::Directory
                                                           : Kind::Symlink;
  return {id, kind, entry.mode, entry.mtime, entry.size, entry.path, entry.target};
}

bool changed_since(const Entry& entry) {
  struct stat st = {};
  return fstat(entry.file.get(), &st) != 0 || !S_ISREG(st.st_mode) ||
         static_cast<std::uint64_t>(st.st_size) != entry.size ||
         st.st_mtim.tv_sec != entry.mtime.seconds ||
         st.st_mtim.tv_nsec != static_cast<long>(entry.mtime.nanoseconds);
}

bool is_large(const Entry& entry) {
  return entry.type == Entry::Type::File && entry.size > kBlock;
}

std::string unreadable(const Entry& entry, std::string_view why) {
  return fmt::format("cannot read {}: {}", shown(entry.label), why);
}

} // namespace

Source::Source(Link& link, const Terms& terms, std::vector<Root> roots, Reporter& reporter,
               std::vector<std::string> missing)
    : link_(link), terms_(terms), reporter_(reporter),
      total_(terms.count ? std::optional(count_tree(roots, [&link] { link.tick(); }))
                         : std::nullopt),
      missing_(missing.begin(), missing.end()),
      // A dry run opens no file later, so the walk opens the files and reports those that cannot be
      // read.
      walk_(std::move(roots),
            terms.mode == Mode::DryRun ? TreeWalk::Files::Open : TreeWalk::Files::Look),
      // Half of the remaining descriptors is for the walk, which keeps open the folders that it is
      // in.
      most_(allowance(descriptors_left() / 2, 1, kMaxWindow).names),
      slot_busy_(terms.depth, false) {
  for (std::uint32_t slot = terms.depth; slot-- > 0;) free_slots_.push_back(slot);
}

void Source::run() {
  if (total_) {
    link_.send(*total_);
    reporter_.total(*total_);
  }
  for (;;) {
    drop_finished();
    fill_window();
    if (exhausted_ && window_.empty()) break;
    if (!advance()) {
      send_filled();
      handle(link_.next());
    } else {
      while (const auto event = link_.poll()) handle(*event);
    }
  }
  send_filled();
  link_.send(Done{});
  await_bye();
}

void Source::fill_window() {
  while (!exhausted_ && window_.size() < most_ && ends_ < kMaxEnds && large_ < kMaxLarge &&
         !link_.congested()) {
    if (!missing_.empty()) {
      tell(Severity::Error, missing_.front());
      missing_.pop_front();
      continue;
    }
    std::optional<Entry> entry = walk_.next();
    if (!entry) {
      exhausted_ = true;
    } else if (entry->type == Entry::Type::Problem) {
      tell(entry->severity, entry->problem);
    } else {
      add(std::move(*entry));
    }
  }
}

void Source::tell(Severity severity, const std::string& problem) {
  reporter_.problem(severity, problem);
  link_.send(Problem{severity, problem});
}

// Drops items before cursor_ that the sink has settled. A file that the sink gave up stays until
// its End was sent.
void Source::drop_finished() {
  while (cursor_ > 0 && window_.front().settled) {
    const Entry& entry = window_.front().entry;
    ends_ -= entry.type == Entry::Type::DirectoryEnd ? 1U : 0U;
    large_ -= is_large(entry) ? 1U : 0U;
    window_.pop_front();
    --cursor_;
  }
}

void Source::add(Entry entry) {
  Item item;
  item.id = next_id_++;
  item.entry = std::move(entry);
  item.entry.file = UniqueFd(); // open files for a whole window would need too many descriptors
  ends_ += item.entry.type == Entry::Type::DirectoryEnd ? 1U : 0U;
  large_ += is_large(item.entry) ? 1U : 0U;
  // A folder's end waits for its turn, because the folder's mode may forbid writing files that are
  // still on the way.
  if (item.entry.type != Entry::Type::DirectoryEnd) link_.send(offer_of(item.id, item.entry));
  window_.push_back(std::move(item));
}

// Takes one step of sending. False: it must wait for the sink.
bool Source::advance() {
  if (cursor_ == window_.size()) return false;
  Item& item = window_[cursor_];
  if (item.entry.type == Entry::Type::DirectoryEnd) {
    say(DirectoryEnd{item.id, item.entry.mode, item.entry.mtime, item.entry.path});
    item.state = State::Ended;
  } else if (item.state == State::Offered) {
    if (!item.settled) return false;
  } else {
    return send_piece(item);
  }
  ++cursor_;
  return true;
}

bool Source::send_piece(Item& item) {
  if (item.settled) { // the sink gave the file up
    send_end(item, Digest{}, "");
    return true;
  }
  try {
    if (!item.entry.file)
      if (const std::string why = open_file(item.entry); !why.empty()) {
        send_end(item, Digest{}, why);
        return true;
      }
    if (item.offset == 0 && item.entry.size <= std::min<std::uint64_t>(kBlock, terms_.chunk_size) &&
        !item.entry.sparse)
      return send_whole(item);
    if (!item.digest) item.digest.emplace();
    if (item.offset == item.entry.size) {
      send_end(item,
               changed_since(item.entry) ? unreadable(item.entry, "it changed meanwhile") : "");
      return true;
    }
    const Extent extent =
        next_extent(item.entry.file.get(), item.offset, item.entry.size, item.entry.sparse);
    if (!extent.hole)
      return send_data(item, std::min<std::uint64_t>(extent.length, terms_.chunk_size));
    send_hole(item, extent.length);
  } catch (const std::system_error& error) {
    send_end(item, Digest{}, unreadable(item.entry, error.code().message()));
  }
  return true;
}

// Sends all octets of a small file, and its End.
bool Source::send_whole(Item& item) {
  const auto length = static_cast<std::uint32_t>(item.entry.size);
  std::span<std::byte> bytes;
  if (length > 0) {
    if (!make_room(length)) return false;
    bytes = link_.slot(filling_->slot).subspan(filling_->used, length);
    if (read_at(item.entry.file.get(), bytes, 0) != length) {
      send_end(item, Digest{}, unreadable(item.entry, "it became shorter meanwhile"));
      return true;
    }
  }
  if (changed_since(item.entry)) {
    send_end(item, Digest{}, unreadable(item.entry, "it changed meanwhile"));
    return true;
  }
  const Digest digest = digest_of_short_file(bytes);
  if (length > 0) take_room(item, length);
  send_end(item, digest, "");
  return true;
}

bool Source::send_data(Item& item, std::uint64_t length) {
  if (!make_room(1)) return false;
  length = std::min<std::uint64_t>(length, terms_.chunk_size - filling_->used);
  const std::span<std::byte> bytes = link_.slot(filling_->slot).subspan(filling_->used, length);
  if (read_at(item.entry.file.get(), bytes, item.offset) != length) {
    send_end(item, Digest{}, unreadable(item.entry, "it became shorter meanwhile"));
    return true;
  }
  item.digest->update(bytes);
  take_room(item, static_cast<std::uint32_t>(length));
  return true;
}

// Makes filling_ a slot that has this much room. False: the sink still uses all slots.
bool Source::make_room(std::uint64_t wanted) {
  if (filling_ &&
      (terms_.chunk_size - filling_->used < wanted || filling_->news.size() + 4 > kMaxNews))
    send_filled();
  if (!filling_) {
    if (free_slots_.empty()) return false;
    filling_ = Filling{free_slots_.back(), 0, {}};
    free_slots_.pop_back();
  }
  return true;
}

void Source::take_room(Item& item, std::uint32_t length) {
  filling_->used += length;
  say(Chunk{item.id, item.offset, length});
  item.offset += length;
  reporter_.summary.bytes_moved += length;
  reporter_.progress(item.entry.path);
}

// Sends messages in order, and each one after the data that it describes.
void Source::say(Message message) {
  if (filling_ && filling_->news.size() == kMaxNews) send_filled();
  if (filling_)
    filling_->news.push_back(std::move(message));
  else
    link_.send(message);
}

void Source::send_filled() {
  if (!filling_) return;
  const Filling filled = *std::exchange(filling_, std::nullopt);
  if (filled.used == 0) { // the file for this slot could not be read
    free_slots_.push_back(filled.slot);
  } else {
    slot_busy_[filled.slot] = true;
    if (terms_.method == Method::Write) link_.write_slot(filled.slot, filled.used);
    link_.send(Load{filled.slot, filled.used});
  }
  for (const Message& message : filled.news) link_.send(message);
  link_.flush();
}

void Source::send_hole(Item& item, std::uint64_t length) {
  item.digest->update_zeros(length);
  say(Hole{item.id, item.offset, length});
  item.offset += length;
  reporter_.summary.bytes_holes += length;
  reporter_.progress(item.entry.path);
}

void Source::send_end(Item& item, const std::string& problem) {
  send_end(item, item.digest->finish(), problem);
}

void Source::send_end(Item& item, const Digest& digest, const std::string& problem) {
  say(End{item.id, digest, problem});
  item.state = State::Ended;
  item.entry.file = UniqueFd();
  item.digest.reset();
  ++cursor_;
}

// The digest of the first `length` octets, for a sink that already has them. Throws
// std::system_error.
FileDigest Source::hash_prefix(Item& item, std::uint64_t length) {
  FileDigest digest;
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(kBlock, length)));
  for (std::uint64_t at = 0; at < length;) {
    const auto part = std::span(buffer).first(std::min<std::uint64_t>(kBlock, length - at));
    if (read_at(item.entry.file.get(), part, at) != part.size())
      throw std::system_error(EIO, std::generic_category());
    digest.update(part);
    at += part.size();
    link_.tick();
  }
  return digest;
}

void Source::handle(const LinkEvent& event) {
  const auto* message = std::get_if<Message>(&event);
  if (message == nullptr) protocol_error("data nobody asked for");
  if (const auto* want = std::get_if<Want>(message))
    on(*want);
  else if (const auto* compare = std::get_if<Compare>(message))
    on(*compare);
  else if (const auto* result = std::get_if<Result>(message))
    on(*result);
  else if (const auto* free = std::get_if<SlotFree>(message))
    on(*free);
  else if (const auto* abort = std::get_if<Abort>(message))
    obey(*abort);
  else if (!std::holds_alternative<KeepAlive>(*message))
    protocol_error(fmt::format("{} to the source", name_of(*message)));
}

void Source::on(const Want& want) {
  Item& item = item_of(want.id);
  // A user who started a dry run or a comparison has not agreed to give the contents away.
  const std::uint64_t least = terms_.mode == Mode::Copy ? 0 : item.entry.size;
  if (item.entry.type != Entry::Type::File || item.state != State::Offered || item.settled ||
      want.offset < least || want.offset > item.entry.size || terms_.mode == Mode::DryRun)
    protocol_error("a Want that does not fit");
  item.state = State::Wanted;
  item.offset = want.offset;
  if (terms_.mode == Mode::Copy) reporter_.summary.bytes_resumed += want.offset;
  if (want.offset == 0) return;
  try {
    // If a file cannot be opened now, it cannot be opened later either, and send_piece() will
    // report that.
    if (open_file(item.entry).empty()) item.digest = hash_prefix(item, want.offset);
  } catch (const std::system_error&) {
    item.digest.reset(); // the digest will not agree, and the sink drops its octets
  }
}

// A sink may compare contents only if the job says so, and once for each file.
void Source::on(const Compare& compare) {
  Item& item = item_of(compare.id);
  if (!terms_.compare || terms_.mode != Mode::Copy || item.entry.type != Entry::Type::File ||
      item.state != State::Offered || item.settled || item.compared)
    protocol_error("a Compare that does not fit");
  item.compared = true;
  Compared answer = {item.id, {}};
  try {
    if (open_file(item.entry).empty()) answer.digest = hash_prefix(item, item.entry.size).finish();
  } catch (const std::system_error&) {
    // No checksum is all zeros. So the sink will want the file, and send_piece() will report why it
    // cannot be read.
    answer.digest = {};
  }
  item.entry.file = UniqueFd();
  link_.send(answer);
}

void Source::on(const Result& result) {
  Item& item = item_of(result.id);
  if (item.settled) protocol_error("two Results for one file");
  if (!fits(item, result.outcome)) protocol_error("a Result that does not fit");
  item.settled = true;
  if (item.entry.type == Entry::Type::File && terms_.mode == Mode::Verify)
    reporter_.summary.compared += result.outcome == Outcome::Unchanged ? 1 : 0;
  if (item.entry.type == Entry::Type::File && terms_.mode == Mode::Copy) {
    const bool same = result.outcome == Outcome::Unchanged;
    if (result.outcome == Outcome::Copied || (same && item.compared))
      ++reporter_.summary.compared;
    else if (same)
      ++reporter_.summary.skipped;
  }
  if (item.entry.type == Entry::Type::Directory)
    reporter_.folder(result.outcome, item.entry.path, result.text);
  else if (item.entry.type == Entry::Type::DirectoryEnd)
    reporter_.folder_end(result.outcome, item.entry.path, result.text);
  else
    reporter_.outcome(result.outcome, item.entry.path, item.entry.size, result.text);
}

// True: the outcome is possible. This keeps the sink from reporting work that it cannot have done.
bool Source::fits(const Item& item, Outcome outcome) const {
  const bool file = item.entry.type == Entry::Type::File;
  switch (outcome) {
  case Outcome::Failed: return true;
  case Outcome::Copied: return terms_.mode == Mode::Copy && (!file || item.state == State::Ended);
  case Outcome::WouldCopy: return terms_.mode == Mode::DryRun;
  case Outcome::Differs: return terms_.mode == Mode::Verify;
  case Outcome::Unchanged:
    return terms_.mode != Mode::Verify || !file || item.state == State::Ended;
  }
  return false;
}

void Source::on(const SlotFree& free) {
  if (free.slot >= slot_busy_.size() || !slot_busy_[free.slot])
    protocol_error("a SlotFree for a slot that is free");
  slot_busy_[free.slot] = false;
  free_slots_.push_back(free.slot);
}

Source::Item& Source::item_of(std::uint64_t id) {
  const std::uint64_t first = window_.empty() ? next_id_ : window_.front().id;
  if (id < first || id >= next_id_) protocol_error("an unknown id");
  return window_[id - first];
}

void Source::await_bye() {
  for (;;) {
    const LinkEvent event = link_.next();
    const auto* message = std::get_if<Message>(&event);
    if (message != nullptr && std::holds_alternative<Bye>(*message)) return;
    handle(event);
  }
}

} // namespace datum::cp
