// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The half of Sink that carries out the announced steps, through its workers.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "cp/sink.h"

namespace datum::cp {
namespace {

constexpr std::size_t kMostInBatch = 32;
constexpr std::uint64_t kMostBytesInBatch = 256 << 10;

} // namespace

// Steps wait here for data that is being read. dat-cp's source sends at most kMaxNews steps for a
// slot. In addition, every file in the window may add an End, and every folder its end.
void Sink::queue(Step step) {
  if (steps_.size() == std::size_t{terms_.depth} * kMaxNews + 2 * kMaxWindow)
    protocol_error("more than fits its slots");
  steps_.push_back(std::move(step));
}

void Sink::work() {
  while (!steps_.empty()) {
    const auto* piece = std::get_if<Piece>(&steps_.front());
    if (piece != nullptr &&
        std::find(reading_.begin(), reading_.end(), piece->slot) != reading_.end())
      break;
    Step step = std::move(steps_.front());
    steps_.pop_front();
    std::visit([this](auto& s) { carry_out(std::move(s)); }, step);
  }
  finish_folders();
}

void Sink::carry_out(const Piece& piece) {
  Incoming& incoming = *piece.file;
  reporter_.summary.bytes_moved += piece.length;
  reporter_.progress(incoming.offer.path);
  if (incoming.settled) {
    done_with(piece.slot);
  } else if (!incoming.arrival && piece.length == incoming.offer.size && piece.length <= kBlock) {
    incoming.file.content = link_.slot(piece.slot).subspan(piece.at, piece.length);
    incoming.slot = piece.slot;
  } else {
    const auto bytes = link_.slot(piece.slot).subspan(piece.at, piece.length);
    give(
        piece.file, [arrival = arrival_of(incoming), bytes] { return arrival->append(bytes); },
        [this, file = piece.file, slot = piece.slot](const Landed& landed) {
          if (landed.error) fail(*file, *landed.error);
          done_with(slot);
        });
  }
}

void Sink::carry_out(const Zeros& zeros) {
  Incoming& incoming = *zeros.file;
  reporter_.summary.bytes_holes += zeros.length;
  if (incoming.settled) return;
  const auto fill = [this, arrival = arrival_of(incoming), length = zeros.length] {
    return arrival->append_zeros(length, [this] { workers_.tick(); });
  };
  give(zeros.file, fill, [this, file = zeros.file](const Landed& landed) {
    if (landed.error) fail(*file, *landed.error);
  });
}

void Sink::carry_out(FileEnd end) {
  Incoming& incoming = *end.file;
  if (incoming.settled) return;
  if (terms_.mode == Mode::Verify && end.message.problem.empty()) {
    compare(end.file, end.message.digest);
  } else if (incoming.arrival) {
    finish(end.file, end.message);
  } else if (!end.message.problem.empty()) {
    if (!incoming.file.content.empty()) done_with(incoming.slot);
    settle(incoming, Outcome::Failed, end.message.problem);
  } else {
    incoming.file.digest = end.message.digest;
    batch_->bytes += incoming.file.content.size();
    batch_->files.push_back(std::move(end.file));
    if (batch_->files.size() == kMostInBatch || batch_->bytes >= kMostBytesInBatch) submit_batch();
  }
}

// Workers may still write files that came before the folder's end.
void Sink::carry_out(FolderEnd end) {
  submit_batch();
  end.after = workers_.submitted();
  folder_ends_.push_back(std::move(end));
}

std::shared_ptr<Arrival> Sink::arrival_of(Incoming& incoming) {
  if (!incoming.arrival) incoming.arrival = std::make_shared<Arrival>(incoming.file);
  return incoming.arrival;
}

// All steps of a file go to the same worker, so they happen in order.
void Sink::give(const std::shared_ptr<Incoming>& incoming, std::function<Landed()> step,
                std::function<void(const Landed&)> after) {
  if (!incoming->worker) incoming->worker = workers_.idlest();
  const auto landed = std::make_shared<Landed>();
  workers_.submit(*incoming->worker, {[step = std::move(step), landed] { *landed = step(); },
                                      [after = std::move(after), landed] { after(*landed); }});
}

void Sink::finish(const std::shared_ptr<Incoming>& incoming, const End& end) {
  if (end.problem.empty()) {
    give(
        incoming,
        [arrival = incoming->arrival, digest = end.digest] { return arrival->finish(digest); },
        [this, incoming](const Landed& landed) { settle(*incoming, landed); });
  } else {
    give(
        incoming, [arrival = incoming->arrival] { return arrival->give_up(); },
        [this, incoming, problem = end.problem](const Landed&) {
          if (!incoming->settled) settle(*incoming, Outcome::Failed, problem);
        });
  }
}

void Sink::submit_batch() {
  if (batch_->files.empty()) return;
  const auto batch = std::exchange(batch_, std::make_shared<Batch>());
  const auto land_all = [batch] {
    for (const auto& file : batch->files) batch->landed.push_back(land(file->file));
  };
  workers_.submit(workers_.idlest(), {land_all, [this, batch] {
                                        for (std::size_t i = 0; i < batch->files.size(); ++i) {
                                          Incoming& incoming = *batch->files[i];
                                          if (!incoming.file.content.empty())
                                            done_with(incoming.slot);
                                          settle(incoming, batch->landed[i]);
                                        }
                                      }});
}

void Sink::compare(const std::shared_ptr<Incoming>& incoming, const Digest& theirs) {
  const auto own = std::make_shared<Hashed>();
  workers_.submit(
      workers_.idlest(),
      {[this, incoming, own] { *own = hash(incoming->file, [this] { workers_.tick(); }); },
       [this, incoming, own, theirs] { compared(incoming, *own, theirs); }});
}

void Sink::compared(const std::shared_ptr<Incoming>& incoming, const Hashed& own,
                    const Digest& theirs) {
  const bool same = !own.error && own.digest == theirs && own.digest != Digest{};
  if (terms_.mode == Mode::Verify) {
    if (same) ++reporter_.summary.compared;
    if (own.error)
      fail(*incoming, *own.error);
    else
      settle(*incoming, same ? Outcome::Unchanged : Outcome::Differs);
    return;
  }
  if (same) {
    ++reporter_.summary.compared;
    incoming_.erase(incoming->offer.id);
    settle(*incoming, Outcome::Unchanged,
           tidy(incoming->offer, *incoming->file.folder, incoming->file.identity.path));
    return;
  }
  try {
    want(*incoming);
  } catch (const FileError& error) {
    incoming_.erase(incoming->offer.id);
    fail(*incoming, error);
  }
}

void Sink::done_with(std::uint32_t slot) {
  Loaded& loaded = slots_[slot];
  if (--loaded.pieces > 0 || loaded.announced < loaded.length) return;
  loaded = {};
  link_.send(SlotFree{slot});
  ++slots_to_free_;
}

void Sink::finish_folders() {
  while (!folder_ends_.empty() && workers_.finished(folder_ends_.front().after)) {
    const FolderEnd end = std::move(folder_ends_.front());
    folder_ends_.pop_front();
    finish_folder(end);
  }
}

void Sink::finish_folder(const FolderEnd& end) {
  const DirectoryEnd& folder = end.message;
  Outcome outcome = Outcome::Unchanged;
  std::string text;
  try {
    const bool counted = closed_.end(folder.path);
    if (!end.refused) {
      const std::string path = placement_.place(folder.path, Kind::Directory);
      placement_.leave_folder(path);
      if (!counted) set_attributes(folder, path);
    }
  } catch (const std::runtime_error& error) {
    outcome = Outcome::Failed;
    text = error.what();
  } catch (const std::invalid_argument& error) {
    outcome = Outcome::Failed;
    text = error.what();
  }
  reporter_.folder_end(outcome, folder.path, text);
  --unsettled_;
  --ends_;
  link_.send(Result{folder.id, outcome, text});
}

void Sink::set_attributes(const DirectoryEnd& end, const std::string& path) {
  if (end.mode > 0777 || end.mtime.nanoseconds > 999'999'999)
    throw std::invalid_argument("mode or time is not one that a folder can have");
  if (terms_.mode == Mode::Copy) placement_.finish_folder(path, end.mode, end.mtime);
}

void Sink::settle(Incoming& incoming, const Landed& landed) {
  if (landed.error) {
    fail(incoming, *landed.error);
  } else if (!incoming.settled && landed.agrees) {
    ++reporter_.summary.compared;
    settle(incoming, Outcome::Copied, landed.left_behind);
  } else if (!incoming.settled) {
    settle(incoming, Outcome::Failed,
           fmt::format("checksum of {} differs from the source's; what arrived was thrown away "
                       "(copy it again; if it happens again, suspect memory or disk){}{}",
                       shown(incoming.file.identity.path), landed.left_behind.empty() ? "" : "; ",
                       landed.left_behind));
  }
}

} // namespace datum::cp
