// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/source.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "cp/extents.h"
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
  return fstat(entry.file.get(), &st) != 0 ||
         static_cast<std::uint64_t>(st.st_size) != entry.size ||
         st.st_mtim.tv_sec != entry.mtime.seconds ||
         st.st_mtim.tv_nsec != static_cast<long>(entry.mtime.nanoseconds);
}

std::string unreadable(const Entry& entry, std::string_view why) {
  return fmt::format("cannot read {}: {}", shown(entry.path), why);
}

} // namespace

Source::Source(Link& link, const Terms& terms, std::vector<Root> roots, Reporter& reporter)
    : link_(link), terms_(terms), reporter_(reporter),
      total_(count_tree(roots, [&link] { link.tick(); })),
      walk_(std::move(roots), TreeWalk::Files::Open), slot_busy_(terms.depth, false) {
  for (std::uint32_t slot = terms.depth; slot-- > 0;) free_slots_.push_back(slot);
}

void Source::run() {
  link_.send(total_);
  reporter_.total(total_);
  for (;;) {
    drop_finished();
    fill_window();
    if (exhausted_ && window_.empty()) break;
    if (!advance()) {
      handle(link_.next());
    } else {
      while (const auto event = link_.poll()) handle(*event);
    }
  }
  link_.send(Done{});
  await_bye();
}

void Source::fill_window() {
  while (!exhausted_ && window_.size() < kMaxWindow && !link_.congested()) {
    std::optional<Entry> entry = walk_.next();
    if (!entry) {
      exhausted_ = true;
    } else if (entry->type == Entry::Type::Problem) {
      reporter_.problem(entry->severity, entry->problem);
      link_.send(Problem{entry->severity, entry->problem});
    } else {
      add(std::move(*entry));
    }
  }
}

// What the sink settled and we are past; a file that the sink gave up on stays until its End was
// sent.
void Source::drop_finished() {
  while (cursor_ > 0 && window_.front().settled) {
    window_.pop_front();
    --cursor_;
  }
}

void Source::add(Entry entry) {
  Item item;
  item.id = next_id_++;
  item.entry = std::move(entry);
  // A folder's end waits for its turn: its mode may forbid writing what is still on the way.
  if (item.entry.type != Entry::Type::DirectoryEnd) link_.send(offer_of(item.id, item.entry));
  window_.push_back(std::move(item));
}

// Does one step of sending; false if it must wait for the sink.
bool Source::advance() {
  if (cursor_ == window_.size()) return false;
  Item& item = window_[cursor_];
  if (item.entry.type == Entry::Type::DirectoryEnd) {
    link_.send(DirectoryEnd{item.id, item.entry.mode, item.entry.mtime, item.entry.path});
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
  try {
    if (item.settled) { // the sink gave up on it
      send_end(item, "");
    } else if (item.offset == item.entry.size) {
      send_end(item,
               changed_since(item.entry) ? unreadable(item.entry, "it changed meanwhile") : "");
    } else {
      const Extent extent =
          next_extent(item.entry.file.get(), item.offset, item.entry.size, item.entry.sparse);
      if (!extent.hole)
        return send_data(item, std::min<std::uint64_t>(extent.length, terms_.chunk_size));
      send_hole(item, extent.length);
    }
  } catch (const std::system_error& error) {
    send_end(item, unreadable(item.entry, error.code().message()));
  }
  return true;
}

bool Source::send_data(Item& item, std::uint64_t length) {
  if (free_slots_.empty()) return false;
  const std::uint32_t slot = free_slots_.back();
  const std::span<std::byte> bytes = link_.slot(slot).first(length);
  if (read_at(item.entry.file.get(), bytes, item.offset) != length) {
    send_end(item, unreadable(item.entry, "it became shorter meanwhile"));
    return true;
  }
  free_slots_.pop_back();
  slot_busy_[slot] = true;
  item.digest.update(bytes);
  if (terms_.method == Method::Write) link_.write_slot(slot, static_cast<std::uint32_t>(length));
  link_.send(Chunk{item.id, item.offset, static_cast<std::uint32_t>(length), slot});
  item.offset += length;
  reporter_.summary.bytes_moved += length;
  reporter_.progress(item.entry.path);
  return true;
}

void Source::send_hole(Item& item, std::uint64_t length) {
  item.digest.update_zeros(length);
  link_.send(Hole{item.id, item.offset, length});
  item.offset += length;
  reporter_.summary.bytes_holes += length;
  reporter_.progress(item.entry.path);
}

void Source::send_end(Item& item, const std::string& problem) {
  link_.send(End{item.id, item.digest.finish(), problem});
  item.state = State::Ended;
  item.entry.file = tools::UniqueFd();
  ++cursor_;
}

// The digest covers the whole file, also the part that the sink has already.
void Source::hash_prefix(Item& item) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(kBlock, item.offset)));
  for (std::uint64_t at = 0; at < item.offset;) {
    const auto part = std::span(buffer).first(std::min<std::uint64_t>(kBlock, item.offset - at));
    if (read_at(item.entry.file.get(), part, at) != part.size())
      throw std::system_error(EIO, std::generic_category());
    item.digest.update(part);
    at += part.size();
    link_.tick();
  }
}

void Source::handle(const LinkEvent& event) {
  const auto* message = std::get_if<Message>(&event);
  if (message == nullptr) protocol_error("data nobody asked for");
  if (const auto* want = std::get_if<Want>(message))
    on(*want);
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
  // Who asked for a dry run, or for a comparison, has not agreed to give the contents away.
  const std::uint64_t least = terms_.mode == Mode::Copy ? 0 : item.entry.size;
  if (item.entry.type != Entry::Type::File || item.state != State::Offered || item.settled ||
      want.offset < least || want.offset > item.entry.size || terms_.mode == Mode::DryRun)
    protocol_error("a Want that does not fit");
  item.state = State::Wanted;
  item.offset = want.offset;
  if (terms_.mode == Mode::Copy) reporter_.summary.bytes_resumed += want.offset;
  try {
    hash_prefix(item);
  } catch (const std::system_error&) {
    item.digest = FileDigest(); // the digest will not agree, and the sink drops what it has
  }
}

void Source::on(const Result& result) {
  Item& item = item_of(result.id);
  if (item.settled) protocol_error("two Results for one file");
  if (!fits(item, result.outcome)) protocol_error("a Result that does not fit");
  item.settled = true;
  // A folder was counted when it was offered; its end is news only if it fails.
  if (item.entry.type != Entry::Type::DirectoryEnd || result.outcome == Outcome::Failed)
    reporter_.outcome(result.outcome, item.entry.path, item.entry.size, result.text);
}

// Nothing is reported as done that cannot have been.
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
