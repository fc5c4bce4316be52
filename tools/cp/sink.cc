// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/sink.h"

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "common/tool_error.h"
#include "cp/file_error.h"
#include "cp/file_io.h"
#include "cp/safe_path.h"

namespace datum::cp {
namespace {

// Zeros if the file is not of that size, which no digest is.
Digest digest_file(int fd, std::uint64_t size, Link& link) {
  FileDigest digest;
  std::vector<std::byte> buffer(kBlock);
  std::uint64_t at = 0;
  while (const std::size_t n = read_at(fd, buffer, at)) {
    digest.update(std::span(buffer).first(n));
    at += n;
    if (at > size) break;
    link.tick();
  }
  return at == size ? digest.finish() : Digest{};
}

} // namespace

Sink::Sink(Link& link, const Terms& terms, Destination destination, Reporter& reporter)
    : link_(link), terms_(terms), names_(destination.requested, !destination.into_folder),
      placement_(std::move(destination), terms.mode), reporter_(reporter),
      slot_busy_(terms.depth, false) {}

void Sink::run() {
  while (handle(link_.next())) work();
  if (unsettled_ != 0) protocol_error("Done before everything was");
  report_missing(names_.finish());
  link_.send(Bye{});
}

// The source said why it cannot give a name: then that is news no more.
void Sink::report_missing(const std::vector<std::string>& names) {
  if (names.size() <= problems_) return;
  for (const std::string& name : names)
    reporter_.problem(Severity::Error,
                      fmt::format("{} did not come: the other side has ended the copy without it "
                                  "and did not say why",
                                  shown(name.empty() ? "." : name)));
}

bool Sink::handle(const LinkEvent& event) {
  if (const auto* data = std::get_if<SlotArrived>(&event)) {
    arrived(data->slot);
    return true;
  }
  return handle(std::get<Message>(event));
}

bool Sink::handle(const Message& message) {
  if (std::holds_alternative<Done>(message)) return false;
  if (const auto* offer = std::get_if<Offer>(&message)) {
    on(*offer);
  } else if (const auto* chunk = std::get_if<Chunk>(&message)) {
    on(*chunk);
  } else if (const auto* hole = std::get_if<Hole>(&message)) {
    on(*hole);
  } else if (const auto* end = std::get_if<End>(&message)) {
    queue(*end);
  } else if (const auto* folder = std::get_if<DirectoryEnd>(&message)) {
    admit(folder->id, last_folder_end_);
    queue(FolderEnd{*folder, names_.end(folder->path)});
  } else if (const auto* problem = std::get_if<Problem>(&message)) {
    if (problem->severity == Severity::Error) ++problems_;
    reporter_.problem(problem->severity, problem->text);
  } else if (const auto* total = std::get_if<Total>(&message)) {
    reporter_.total(*total);
  } else if (const auto* abort = std::get_if<Abort>(&message)) {
    obey(*abort);
  } else if (!std::holds_alternative<KeepAlive>(message)) {
    protocol_error(fmt::format("{} to the sink", name_of(message)));
  }
  return true;
}

// Offers run ahead of the folders' ends: each kind has its own order.
void Sink::admit(std::uint64_t id, std::uint64_t& last) {
  if (id <= last) protocol_error("an id out of order");
  if (++unsettled_ > kMaxWindow) protocol_error("more offers than agreed");
  last = id;
}

void Sink::on(const Offer& offer) {
  admit(offer.id, last_offer_);
  if (names_.offer(offer.path, offer.kind)) {
    settle(offer, Outcome::Failed, ""); // what was said of the folder says it all
    return;
  }
  try {
    decide(offer);
  } catch (const std::invalid_argument& error) {
    refuse(offer, error.what());
  } catch (const std::system_error& error) {
    refuse(offer, error.what());
  } catch (const FileError& error) {
    const bool folder_takes_names =
        placement_.takes_names(placement_.place(offer.path, offer.kind));
    refuse(offer, error.what(), !folder_takes_names);
    if (error.disk_full()) throw tools::ToolError(tools::ExitCode::Failed, error.what());
  }
}

// If it is the folder around it that fails, that is news once.
void Sink::refuse(const Offer& offer, std::string text, bool folder_is_closed) {
  if (offer.kind == Kind::Directory) names_.refuse_last_folder();
  if (closed_.covers(offer.path)) {
    text.clear();
  } else {
    if (offer.kind == Kind::Directory) closed_.add(offer.path);
    if (folder_is_closed) {
      closed_.add(parent_of(offer.path));
      text += " (nothing can be created in that folder; what else belongs there fails, too)";
    }
  }
  settle(offer, Outcome::Failed, text);
}

void Sink::decide(const Offer& offer) {
  if (offer.mode > 0777 || offer.mtime.nanoseconds > 999'999'999 || offer.size > INT64_MAX)
    throw std::invalid_argument("mode, time or size is not one that a file can have");
  const std::string path = placement_.place(offer.path, offer.kind);
  const Existing existing = placement_.claim(path);
  if (offer.kind != Kind::File) {
    settle(offer, settle_plain(offer, path, existing), "");
  } else if (terms_.mode == Mode::Verify) {
    decide_file_verify(offer, path);
  } else {
    decide_file(offer, path, existing);
  }
}

// Folders and links are done at once.
Outcome Sink::settle_plain(const Offer& offer, const std::string& path, Existing existing) {
  if (offer.kind == Kind::Symlink && (offer.target.empty() || offer.target.size() > 4095 ||
                                      offer.target.find('\0') != std::string::npos))
    throw std::invalid_argument("the symbolic link's target is not one that a link can have");
  const Present present = placement_.present(path, offer);
  if (terms_.mode == Mode::Verify)
    return present == Present::Same ? Outcome::Unchanged : Outcome::Differs;
  if (terms_.mode == Mode::DryRun)
    return present == Present::Same ? Outcome::Unchanged : Outcome::WouldCopy;
  if (offer.kind == Kind::Directory)
    return placement_.make_folder(path, existing) ? Outcome::Copied : Outcome::Unchanged;
  if (present == Present::Same) return Outcome::Unchanged;
  placement_.make_link(path, offer, existing);
  return Outcome::Copied;
}

void Sink::decide_file(const Offer& offer, const std::string& path, Existing existing) {
  const Present present = placement_.present(path, offer);
  if (present == Present::Folder)
    throw std::invalid_argument(fmt::format("{} is a folder there", shown(path)));
  if (present == Present::Same) {
    settle(offer, Outcome::Unchanged, "");
    return;
  }
  if (terms_.mode == Mode::DryRun) {
    settle(offer, Outcome::WouldCopy, "");
    return;
  }
  Incoming incoming;
  incoming.offer = offer;
  incoming.existing = existing;
  incoming.file = std::make_unique<PartialFile>(placement_.parent(path),
                                                Identity{path, offer.size, offer.mtime}, offer.mode,
                                                [this] { link_.tick(); });
  incoming.announced = incoming.file->offset();
  reporter_.summary.bytes_resumed += incoming.announced;
  link_.send(Want{offer.id, incoming.announced});
  incoming_.emplace(offer.id, std::move(incoming));
}

// Both sides hash what they have; no data moves.
void Sink::decide_file_verify(const Offer& offer, const std::string& path) {
  const Present present = placement_.present(path, offer);
  if (present == Present::Nothing || present == Present::Folder) {
    settle(offer, Outcome::Differs,
           present == Present::Folder ? "a folder there" : "missing there");
    return;
  }
  const tools::UniqueFd file = placement_.open_file(path);
  link_.send(Want{offer.id, offer.size});
  Incoming& incoming = incoming_[offer.id];
  incoming.offer = offer;
  incoming.announced = offer.size;
  try {
    incoming.local = digest_file(file.get(), offer.size, link_);
  } catch (const std::system_error& error) {
    fail(incoming, FileError("read", path, error.code().value()));
  }
}

Sink::Incoming& Sink::announce(std::uint64_t id, std::uint64_t offset, std::uint64_t length) {
  const auto found = incoming_.find(id);
  if (found == incoming_.end()) protocol_error("data for a file nobody wanted");
  Incoming& incoming = found->second;
  if (offset != incoming.announced || length == 0 || length > incoming.offer.size - offset)
    protocol_error("data beside the place agreed");
  incoming.announced += length;
  return incoming;
}

void Sink::on(const Chunk& chunk) {
  if (chunk.slot >= terms_.depth || chunk.length > terms_.chunk_size || slot_busy_[chunk.slot])
    protocol_error("a Chunk in a slot it does not have");
  announce(chunk.id, chunk.offset, chunk.length);
  slot_busy_[chunk.slot] = true;
  if (terms_.method == Method::Read) {
    reading_.push_back(chunk.slot);
    link_.read_slot(chunk.slot, chunk.length);
  }
  queue(chunk);
}

void Sink::on(const Hole& hole) {
  announce(hole.id, hole.offset, hole.length);
  queue(hole);
}

void Sink::arrived(std::uint32_t slot) {
  if (reading_.empty() || reading_.front() != slot) protocol_error("data nobody asked for");
  reading_.pop_front();
}

// What waits here waits for data that is being read. A source of ours has that many slots, each
// with a hole before it; every file in the window may add a last hole and its End, and every folder
// its end.
void Sink::queue(Step step) {
  if (steps_.size() == 2 * terms_.depth + 3 * kMaxWindow)
    protocol_error("more than fits its slots");
  steps_.push_back(std::move(step));
}

void Sink::work() {
  while (!steps_.empty()) {
    const auto* chunk = std::get_if<Chunk>(&steps_.front());
    if (chunk != nullptr &&
        std::find(reading_.begin(), reading_.end(), chunk->slot) != reading_.end())
      return;
    const Step step = std::move(steps_.front());
    steps_.pop_front();
    std::visit([this](const auto& s) { carry_out(s); }, step);
  }
}

void Sink::carry_out(const Chunk& chunk) {
  Incoming& incoming = incoming_.at(chunk.id);
  try {
    if (incoming.file) incoming.file->append(link_.slot(chunk.slot).first(chunk.length));
    reporter_.summary.bytes_moved += chunk.length;
    reporter_.progress(incoming.offer.path);
  } catch (const FileError& error) {
    fail(incoming, error);
  }
  slot_busy_[chunk.slot] = false;
  link_.send(SlotFree{chunk.slot});
}

void Sink::carry_out(const Hole& hole) {
  Incoming& incoming = incoming_.at(hole.id);
  try {
    if (incoming.file) incoming.file->append_zeros(hole.length, [this] { link_.tick(); });
    reporter_.summary.bytes_holes += hole.length;
  } catch (const FileError& error) {
    fail(incoming, error);
  }
}

void Sink::carry_out(const End& end) {
  const auto found = incoming_.find(end.id);
  if (found == incoming_.end()) protocol_error("the End of a file nobody wanted");
  Incoming incoming = std::move(found->second);
  incoming_.erase(found);
  if (incoming.failed) return;
  const std::string& path = incoming.offer.path;
  try {
    if (!end.problem.empty()) {
      settle(incoming.offer, Outcome::Failed, end.problem);
    } else if (incoming.announced != incoming.offer.size) {
      protocol_error("the End of a file before its end");
    } else if (!incoming.file) {
      settle(incoming.offer, incoming.local == end.digest ? Outcome::Unchanged : Outcome::Differs,
             "");
    } else if (incoming.file->finish(end.digest, incoming.existing)) {
      settle(incoming.offer, Outcome::Copied, "");
    } else {
      settle(incoming.offer, Outcome::Failed,
             fmt::format("checksum of {} differs from the source's; what arrived was thrown away "
                         "(copy it again; if it happens again, suspect memory or disk)",
                         shown(path)));
    }
  } catch (const FileError& error) {
    fail(incoming, error);
  }
}

void Sink::carry_out(const FolderEnd& end) {
  const DirectoryEnd& folder = end.message;
  Outcome outcome = Outcome::Unchanged;
  std::string text;
  try {
    const bool counted = closed_.end(folder.path);
    if (!end.refused && !counted) finish_folder(folder);
  } catch (const std::runtime_error& error) {
    outcome = Outcome::Failed;
    text = error.what();
  } catch (const std::invalid_argument& error) {
    outcome = Outcome::Failed;
    text = error.what();
  }
  if (outcome == Outcome::Failed) reporter_.outcome(outcome, folder.path, 0, text);
  --unsettled_;
  link_.send(Result{folder.id, outcome, text});
}

void Sink::finish_folder(const DirectoryEnd& end) {
  const std::string path = placement_.place(end.path, Kind::Directory);
  placement_.leave_folder(path);
  if (end.mode > 0777 || end.mtime.nanoseconds > 999'999'999)
    throw std::invalid_argument("mode or time is not one that a folder can have");
  if (terms_.mode == Mode::Copy) placement_.finish_folder(path, end.mode, end.mtime);
}

void Sink::settle(const Offer& offer, Outcome outcome, const std::string& text) {
  --unsettled_;
  reporter_.outcome(outcome, offer.path, offer.size, text);
  link_.send(Result{offer.id, outcome, text});
}

void Sink::fail(Incoming& incoming, const FileError& error) {
  incoming.failed = true;
  incoming.file.reset();
  settle(incoming.offer, Outcome::Failed, error.what());
  if (error.disk_full()) throw tools::ToolError(tools::ExitCode::Failed, error.what());
}

} // namespace datum::cp
