// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/sink.h: the side that gets the files.
// Lives here: deciding what it wants, putting bytes where they belong in the order announced,
// checking. Not here:   the file system's dangers (placement.h, partial_file.h). Everything the
// source says is checked here: ids, offsets, lengths, slots, sums.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cp/closed_folders.h"
#include "cp/file_error.h"
#include "cp/offered_names.h"
#include "cp/partial_file.h"
#include "cp/placement.h"
#include "cp/session.h"

namespace datum::cp {

class Sink {
 public:
  Sink(Link& link, const Terms& terms, Destination destination, Reporter& reporter);
  void run(); // until Bye was sent

 private:
  // A file between our Want and its End.
  struct Incoming {
    Offer offer;
    std::uint64_t announced = 0;       // offset the next Chunk must have
    std::unique_ptr<PartialFile> file; // none when verifying, and after a failure
    Existing existing{};               // at its place, when it was offered
    Digest local{};                    // when verifying
    bool failed = false;
  };
  struct FolderEnd {
    DirectoryEnd message;
    bool refused = false; // the folder, or one above it
  };
  using Step = std::variant<Chunk, Hole, End, FolderEnd>;

  bool handle(const LinkEvent& event); // false: the source is done
  bool handle(const Message& message);
  void on(const Offer& offer);
  void on(const Chunk& chunk);
  void on(const Hole& hole);
  void arrived(std::uint32_t slot);

  void decide(const Offer& offer);
  void decide_file(const Offer& offer, const std::string& path, Existing existing);
  void decide_file_verify(const Offer& offer, const std::string& path);
  void refuse(const Offer& offer, std::string text, bool folder_is_closed = false);
  Outcome settle_plain(const Offer& offer, const std::string& path, Existing existing);

  void queue(Step step);
  void work(); // carries out the steps whose data is here
  void carry_out(const Chunk& chunk);
  void carry_out(const Hole& hole);
  void carry_out(const End& end);
  void carry_out(const FolderEnd& end);
  void finish_folder(const DirectoryEnd& end);

  Incoming& announce(std::uint64_t id, std::uint64_t offset, std::uint64_t length);
  void report_missing(const std::vector<std::string>& names);
  void settle(const Offer& offer, Outcome outcome, const std::string& text);
  void fail(Incoming& incoming, const FileError& error);
  void admit(std::uint64_t id, std::uint64_t& last);

  Link& link_;
  Terms terms_;
  OfferedNames names_;
  Placement placement_;
  Reporter& reporter_;
  std::uint64_t last_offer_ = 0, last_folder_end_ = 0;
  std::uint64_t unsettled_ = 0;
  std::uint64_t problems_ = 0; // errors that the source has reported
  std::map<std::uint64_t, Incoming> incoming_;
  ClosedFolders closed_;
  std::deque<Step> steps_;
  std::deque<std::uint32_t> reading_; // slots on their way to us, in order
  std::vector<bool> slot_busy_;
};

} // namespace datum::cp
