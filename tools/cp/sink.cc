// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The half of Sink that takes messages and makes the decisions.
#include "cp/sink.h"

#include <chrono>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "common/tool_error.h"
#include "cp/safe_path.h"

namespace datum::cp {
namespace {

bool is_large(const Offer& offer) {
  return offer.kind == Kind::File && offer.size > kBlock;
}

// A file or a link does not replace a folder or a special file. cp(1) would write into a device.
// dat-cp puts files in place by a rename, which would take the device's name away from the programs
// that use it.
void require_replaceable(Present present, const std::string& path) {
  if (present == Present::Folder)
    throw std::invalid_argument(fmt::format(
        "{} is a folder there, and what is copied is none (choose another name)", shown(path)));
  if (present == Present::Special)
    throw std::invalid_argument(
        fmt::format("{} is a device, a named pipe or a socket there, which is not replaced "
                    "(choose another name)",
                    shown(path)));
}

} // namespace

Sink::Sink(Link& link, const Terms& terms, Destination destination, Reporter& reporter,
           std::size_t workers)
    : link_(link), terms_(terms),
      allowance_(allowance(descriptors_left(), Placement::kMostOpen, kMaxWindow)),
      names_(destination.requested, !destination.into_folder),
      placement_(std::move(destination), terms.mode, allowance_.folders), reporter_(reporter),
      slots_(terms.depth), workers_(workers, [&link] { link.notify(); }) {}

void Sink::run() {
  for (;;) {
    std::optional<LinkEvent> event = link_.poll();
    if (!event) {
      submit_batch(); // no file will join the batch soon
      proceed();
      const bool hold = workers_.busy() && slots_to_free_ < (terms_.depth + 1) / 2;
      event = link_.next(hold ? Link::Sent::Hold : Link::Sent::Flush);
      if (!hold) slots_to_free_ = 0;
    }
    if (!handle(*event)) break;
    proceed();
  }
  if (unsettled_ != 0) protocol_error("Done before everything was");
  report_missing(names_.finish());
  link_.send(Bye{});
  link_.flush();
}

// Takes up names and carries out steps until there is no more room. A settled offer makes room for
// a waiting one.
void Sink::proceed() {
  do {
    consider();
    work();
  } while (has_room());
}

// If the source has reported at least as many problems, it has told why the names did not come.
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
  if (std::holds_alternative<Notified>(event)) {
    workers_.finish_done();
    finish_folders();
    keep_alive();
    return true;
  }
  return handle(std::get<Message>(event));
}

// Sends something while the workers work, because the source may send nothing meanwhile.
void Sink::keep_alive() {
  const auto now = std::chrono::steady_clock::now();
  if (!workers_.busy() || now - kept_alive_ < std::chrono::seconds(1)) return;
  kept_alive_ = now;
  link_.tick();
}

bool Sink::handle(const Message& message) {
  if (std::holds_alternative<Done>(message)) return false;
  if (handle_data(message)) return true;
  if (const auto* offer = std::get_if<Offer>(&message)) {
    large_ += is_large(*offer) ? 1U : 0U;
    admit(offer->id, last_offer_);
    announced_.emplace_back(*offer);
  } else if (const auto* folder = std::get_if<DirectoryEnd>(&message)) {
    ++ends_;
    admit(folder->id, last_folder_end_);
    announced_.emplace_back(*folder);
  } else if (const auto* answer = std::get_if<Compared>(&message)) {
    on(*answer);
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

bool Sink::handle_data(const Message& message) {
  if (const auto* chunk = std::get_if<Chunk>(&message))
    on(*chunk);
  else if (const auto* load = std::get_if<Load>(&message))
    on(*load);
  else if (const auto* hole = std::get_if<Hole>(&message))
    on(*hole);
  else if (const auto* end = std::get_if<End>(&message))
    on(*end);
  else
    return false;
  return true;
}

// Offers run ahead of the folders' ends, so each of the two kinds of message has its own order of
// ids.
void Sink::admit(std::uint64_t id, std::uint64_t& last) {
  if (id <= last) protocol_error("an id out of order");
  if (++unsettled_ > kMaxWindow || ends_ > kMaxEnds || large_ > kMaxLarge)
    protocol_error("more offers than agreed");
  last = id;
}

bool Sink::has_room() const {
  return !announced_.empty() && unsettled_ - announced_.size() < allowance_.names;
}

// Takes up names in the order in which they came, a folder before its contents.
void Sink::consider() {
  while (has_room()) {
    const auto next = std::move(announced_.front());
    announced_.pop_front();
    std::visit([this](const auto& what) { consider(what); }, next);
  }
}

void Sink::consider(const DirectoryEnd& folder) {
  queue(FolderEnd{folder, names_.end(folder.path)});
}

void Sink::consider(const Offer& offer) {
  // The error of the folder or of the disk has been reported already.
  if (names_.offer(offer.path, offer.kind) || full_) {
    if (full_ && offer.kind == Kind::Directory) names_.refuse_last_folder();
    settle(offer, Outcome::Failed, "");
    return;
  }
  try {
    decide(offer);
  } catch (const std::invalid_argument& error) {
    refuse(offer, closed_.covers(offer.path) ? "" : error.what());
  } catch (const std::system_error& error) {
    refuse(offer, closed_.covers(offer.path) ? "" : error.what());
  } catch (const FileError& error) {
    refuse(offer, news_of(offer, error));
  }
}

void Sink::refuse(const Offer& offer, const std::string& news) {
  if (offer.kind == Kind::Directory) {
    names_.refuse_last_folder();
    if (!news.empty()) closed_.add(offer.path);
  }
  settle(offer, Outcome::Failed, news);
}

// The text to report for the error. A full disk is reported once, and so is a folder that takes
// nothing. Further failures there are only counted.
std::string Sink::news_of(const Offer& offer, const FileError& error) {
  if (error.disk_full())
    return std::exchange(full_, true) ? ""
                                      : fmt::format("{}; nothing more is copied", error.what());
  if (closed_.covers(offer.path)) return "";
  if (is_shortage_of_descriptors(error.error()))
    return offer.kind == Kind::Directory
               ? fmt::format("{}; what belongs into that folder fails, too", error.what())
               : error.what();
  const std::string path = placement_.place(offer.path, offer.kind);
  if (placement_.takes_names(path)) return error.what();
  closed_.add(parent_of(offer.path));
  return fmt::format("{}; nothing can be created in {}, so what else belongs there fails, too",
                     error.what(), placement_.folder_text(path));
}

void Sink::decide(const Offer& offer) {
  if (offer.mode > 0777 || offer.mtime.nanoseconds > 999'999'999 || offer.size > INT64_MAX)
    throw std::invalid_argument("mode, time or size is not one that a file can have");
  placement_.settle_link(offer.kind);
  const std::string path = placement_.place(offer.path, offer.kind);
  const Look found = placement_.look(path);
  const Existing existing = placement_.claim(path, found);
  if (offer.kind == Kind::File)
    decide_file(offer, path, found, existing);
  else if (offer.kind == Kind::Symlink)
    decide_link(offer, path, found, existing);
  else
    decide_folder(offer, path, found, existing);
}

void Sink::decide_folder(const Offer& offer, const std::string& path, const Look& found,
                         Existing existing) {
  const Outcome outcome = settle_folder(offer, path, found, existing);
  try {
    if (terms_.mode == Mode::DryRun) Placement::foresee_end(found, path);
  } catch (const FileError& error) { // as at the folder's end in a copy: its contents are copied
    return settle(offer, Outcome::Failed, error.what());
  }
  settle(offer, outcome, "");
}

Outcome Sink::settle_folder(const Offer& offer, const std::string& path, const Look& found,
                            Existing existing) {
  const bool there = Placement::present(found, offer) == Present::Same;
  if (terms_.mode == Mode::Verify) return there ? Outcome::Unchanged : Outcome::Differs;
  // The DirectoryEnd sets mode and time. A folder that gets another mode or time counts as copied.
  const bool same = there && Placement::same_mode_and_time(found, offer);
  if (terms_.mode == Mode::DryRun) {
    if (found.there)
      placement_.foresee_use(path);
    else
      foresee_creation(offer, path, found);
    return same ? Outcome::Unchanged : Outcome::WouldCopy;
  }
  placement_.make_folder(path, existing);
  return same ? Outcome::Unchanged : Outcome::Copied;
}

// A path below a root is in a folder that is copied, too.
void Sink::foresee_creation(const Offer& offer, const std::string& path, const Look& found) {
  placement_.foresee_creation(found, path, !parent_of(offer.path).empty());
}

void Sink::decide_link(const Offer& offer, const std::string& path, const Look& found,
                       Existing existing) {
  if (offer.target.empty() || offer.target.size() > 4095 ||
      offer.target.find('\0') != std::string::npos)
    throw std::invalid_argument("the symbolic link's target is not one that a link can have");
  const Present present = Placement::present(found, offer);
  if (terms_.mode != Mode::Verify) require_replaceable(present, path);
  if (present == Present::Same) {
    settle(offer, Outcome::Unchanged, "");
  } else if (terms_.mode == Mode::Verify) {
    settle(offer, Outcome::Differs, "");
  } else if (terms_.mode == Mode::DryRun) {
    foresee_creation(offer, path, found);
    settle(offer, Outcome::WouldCopy, "");
  } else {
    placement_.make_link(path, offer, existing);
    settle(offer, Outcome::Copied, "");
  }
}

void Sink::decide_file(const Offer& offer, const std::string& path, const Look& found,
                       Existing existing) {
  const Present present = Placement::present(found, offer);
  const auto incoming = std::make_shared<Incoming>();
  incoming->offer = offer;
  incoming->file = {found.folder, {path, offer.size, offer.mtime}, offer.mode, existing, {}, {}};
  if (terms_.mode == Mode::Verify) return decide_file_verify(incoming, present);
  require_replaceable(present, path);
  if (present == Present::Same && terms_.compare && terms_.mode == Mode::Copy) {
    incoming_.emplace(offer.id, incoming);
    link_.send(Compare{offer.id});
  } else if (present == Present::Same) {
    if (terms_.mode == Mode::Copy) ++reporter_.summary.skipped;
    settle(offer, Outcome::Unchanged, tidy(offer, *found.folder, path));
  } else if (terms_.mode == Mode::DryRun) {
    foresee_creation(offer, path, found);
    settle(offer, Outcome::WouldCopy, "");
  } else {
    want(*incoming);
    incoming_.emplace(offer.id, incoming);
  }
}

// Called for a file that is the same. Returns what an earlier run has left and what cannot be
// removed.
std::string Sink::tidy(const Offer& offer, const UniqueFd& folder, const std::string& path) const {
  return terms_.mode == Mode::Copy && is_large(offer) ? remove_old_journal(folder.get(), path) : "";
}

// Throws FileError if the file cannot be begun.
void Sink::want(Incoming& incoming) {
  if (!incoming.file.folder) incoming.file.folder = placement_.parent(incoming.file.identity.path);
  if (is_large(incoming.offer)) { // an earlier run may have left a part of the file
    incoming.arrival = std::make_shared<Arrival>(incoming.file);
    incoming.announced = incoming.arrival->resume([this] { link_.tick(); });
    reporter_.summary.bytes_resumed += incoming.announced;
  }
  incoming.wanted = true;
  link_.send(Want{incoming.offer.id, incoming.announced});
}

// Both sides hash their file. No data moves.
void Sink::decide_file_verify(const std::shared_ptr<Incoming>& incoming, Present present) {
  const Offer& offer = incoming->offer;
  if (present == Present::Nothing) return settle(offer, Outcome::Differs, "missing there");
  if (present == Present::Folder) return settle(offer, Outcome::Differs, "a folder there");
  if (present == Present::Special) return settle(offer, Outcome::Differs, "no file there");
  incoming->wanted = true;
  incoming->announced = offer.size;
  incoming_.emplace(offer.id, incoming);
  link_.send(Want{offer.id, offer.size});
}

void Sink::on(const Compared& compared) {
  const auto found = incoming_.find(compared.id);
  if (found == incoming_.end() || found->second->wanted || found->second->compared)
    protocol_error("the checksum of a file that was not asked for");
  found->second->compared = true;
  compare(found->second, compared.digest);
}

std::shared_ptr<Sink::Incoming> Sink::announce(std::uint64_t id, std::uint64_t offset,
                                               std::uint64_t length) {
  const auto found = incoming_.find(id);
  if (found == incoming_.end() || !found->second->wanted)
    protocol_error("data for a file nobody wanted");
  Incoming& incoming = *found->second;
  if (offset != incoming.announced || length == 0 || length > incoming.offer.size - offset)
    protocol_error("data beside the place agreed");
  incoming.announced += length;
  return found->second;
}

void Sink::on(const Load& load) {
  const Loaded& before = slots_[filled_];
  if (load.slot >= terms_.depth || load.length == 0 || load.length > terms_.chunk_size ||
      slots_[load.slot].busy || before.announced != before.length)
    protocol_error("a Load of a slot it does not have");
  filled_ = load.slot;
  slots_[filled_] = {true, load.length, 0, 0};
  if (terms_.method == Method::Read) {
    reading_.push_back(load.slot);
    link_.read_slot(load.slot, load.length);
  }
}

void Sink::on(const Chunk& chunk) {
  Loaded& loaded = slots_[filled_];
  if (chunk.length > loaded.length - loaded.announced)
    protocol_error("a Chunk in a slot it does not have");
  Piece piece = {announce(chunk.id, chunk.offset, chunk.length), chunk.offset, filled_,
                 loaded.announced, chunk.length};
  loaded.announced += chunk.length;
  ++loaded.pieces;
  queue(std::move(piece));
}

void Sink::on(const Hole& hole) {
  queue(Zeros{announce(hole.id, hole.offset, hole.length), hole.length});
}

void Sink::on(const End& end) {
  const auto found = incoming_.find(end.id);
  if (found == incoming_.end() || !found->second->wanted)
    protocol_error("the End of a file nobody wanted");
  const std::shared_ptr<Incoming> incoming = found->second;
  if (end.problem.empty() && !incoming->settled && incoming->announced != incoming->offer.size)
    protocol_error("the End of a file before its end");
  incoming_.erase(found);
  queue(FileEnd{incoming, end});
}

void Sink::arrived(std::uint32_t slot) {
  if (reading_.empty() || reading_.front() != slot) protocol_error("data nobody asked for");
  reading_.pop_front();
}

void Sink::settle(const Offer& offer, Outcome outcome, const std::string& text) {
  --unsettled_;
  large_ -= is_large(offer) ? 1U : 0U;
  if (offer.kind == Kind::Directory)
    reporter_.folder(outcome, offer.path, text);
  else
    reporter_.outcome(outcome, offer.path, offer.size, text);
  link_.send(Result{offer.id, outcome, text});
}

void Sink::settle(Incoming& incoming, Outcome outcome, const std::string& text) {
  incoming.settled = true;
  settle(incoming.offer, outcome, text);
}

void Sink::fail(Incoming& incoming, const FileError& error) {
  if (incoming.settled) return;
  settle(incoming, Outcome::Failed, news_of(incoming.offer, error));
}

} // namespace datum::cp
