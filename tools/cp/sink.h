// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/sink.h: the side that gets the files.
// Lives here: deciding which files are wanted, writing octets in the order in which they were
//             announced, and checking everything that the source says: ids, offsets, lengths,
//             slots, sums.
// Not here:   the file system's dangers (placement.h, arrival.h).
// Threads:    one thread decides and talks to the source. Workers write files, and read compared
// files.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cp/arrival.h"
#include "cp/closed_folders.h"
#include "cp/descriptors.h"
#include "cp/file_error.h"
#include "cp/offered_names.h"
#include "cp/placement.h"
#include "cp/session.h"
#include "cp/workers.h"

namespace datum::cp {

class Sink {
 public:
  // Without workers, run() itself writes files while messages wait.
  Sink(Link& link, const Terms& terms, Destination destination, Reporter& reporter,
       std::size_t workers = 0);
  void run(); // returns when Bye has been sent

 private:
  // A file between this side's Want or Compare and its End.
  struct Incoming {
    Offer offer;
    WholeFile file;                    // its folder, name, size, time, mode
    bool wanted = false;               // Want was sent. False: Compare was sent
    bool compared = false;             // Compared came
    std::uint64_t announced = 0;       // the offset that the next Chunk must have
    bool settled = false;              // its Result was sent
    std::shared_ptr<Arrival> arrival;  // set if the file comes in pieces
    std::optional<std::size_t> worker; // the worker that has the arrival
    std::uint32_t slot = 0;            // the slot with the file's contents, if the file came whole
  };
  struct Piece {
    std::shared_ptr<Incoming> file;
    std::uint64_t offset = 0;
    std::uint32_t slot = 0, at = 0, length = 0;
  };
  struct Zeros {
    std::shared_ptr<Incoming> file;
    std::uint64_t length = 0;
  };
  struct FileEnd {
    std::shared_ptr<Incoming> file;
    End message;
  };
  struct FolderEnd {
    DirectoryEnd message;
    bool refused = false;    // the folder, or a folder above it, was refused
    std::uint64_t after = 0; // Workers::submitted() when the end came
  };
  using Step = std::variant<Piece, Zeros, FileEnd, FolderEnd>;

  // A slot between its Load and this side's SlotFree.
  struct Loaded {
    bool busy = false;
    std::uint32_t length = 0, announced = 0; // octets that Chunks have announced
    // Chunks that were announced and have not been finished
    std::uint32_t pieces = 0;
  };
  struct Batch { // small files that one worker puts in place
    std::vector<std::shared_ptr<Incoming>> files;
    std::vector<Landed> landed;
    std::uint64_t bytes = 0;
  };

  bool handle(const LinkEvent& event); // false: the source is done
  bool handle(const Message& message);
  void keep_alive();
  bool handle_data(const Message& message);
  void on(const Load& load);
  void on(const Chunk& chunk);
  void on(const Hole& hole);
  void on(const End& end);
  void on(const Compared& compared);
  void arrived(std::uint32_t slot);

  void proceed();
  [[nodiscard]] bool has_room() const; // true: descriptors are left for a name that was announced
  void consider();
  void consider(const Offer& offer);
  void consider(const DirectoryEnd& folder);
  void decide(const Offer& offer);
  void decide_file(const Offer& offer, const std::string& path, const Look& found,
                   Existing existing);
  void decide_file_verify(const std::shared_ptr<Incoming>& incoming, Present present);
  [[nodiscard]] std::string tidy(const Offer& offer, const UniqueFd& folder,
                                 const std::string& path) const;
  void want(Incoming& incoming);
  void refuse(const Offer& offer, const std::string& news);
  std::string news_of(const Offer& offer, const FileError& error);
  void decide_folder(const Offer& offer, const std::string& path, const Look& found,
                     Existing existing);
  Outcome settle_folder(const Offer& offer, const std::string& path, const Look& found,
                        Existing existing);
  void foresee_creation(const Offer& offer, const std::string& path, const Look& found);
  void decide_link(const Offer& offer, const std::string& path, const Look& found,
                   Existing existing);

  void queue(Step step);
  void work(); // carries out the steps whose data has arrived
  void carry_out(const Piece& piece);
  void carry_out(const Zeros& zeros);
  void carry_out(FileEnd end);
  void carry_out(FolderEnd end);
  static std::shared_ptr<Arrival> arrival_of(Incoming& incoming);
  void give(const std::shared_ptr<Incoming>& incoming, std::function<Landed()> step,
            std::function<void(const Landed&)> after);
  void finish(const std::shared_ptr<Incoming>& incoming, const End& end);
  void compare(const std::shared_ptr<Incoming>& incoming, const Digest& theirs);
  void compared(const std::shared_ptr<Incoming>& incoming, const Hashed& own, const Digest& theirs);
  void submit_batch();
  void finish_folders();
  void finish_folder(const FolderEnd& end);
  void set_attributes(const DirectoryEnd& end, const std::string& path);

  std::shared_ptr<Incoming> announce(std::uint64_t id, std::uint64_t offset, std::uint64_t length);
  void done_with(std::uint32_t slot);
  void report_missing(const std::vector<std::string>& names);
  void settle(const Offer& offer, Outcome outcome, const std::string& text);
  void settle(Incoming& incoming, Outcome outcome, const std::string& text = "");
  void settle(Incoming& incoming, const Landed& landed);
  void fail(Incoming& incoming, const FileError& error);
  void admit(std::uint64_t id, std::uint64_t& last);

  Link& link_;
  Terms terms_;
  Allowance allowance_;
  OfferedNames names_;
  Placement placement_;
  Reporter& reporter_;
  std::uint64_t last_offer_ = 0, last_folder_end_ = 0;
  std::uint64_t unsettled_ = 0, ends_ = 0, large_ = 0;
  std::uint64_t problems_ = 0; // errors that the source has reported
  bool full_ = false;          // True: the disk is full, and nothing more is tried
  std::map<std::uint64_t, std::shared_ptr<Incoming>> incoming_;
  ClosedFolders closed_;
  // Names of unsettled_ that were announced and not considered yet.
  std::deque<std::variant<Offer, DirectoryEnd>> announced_;
  std::deque<Step> steps_;
  std::deque<FolderEnd> folder_ends_; // ends that wait for files
  std::deque<std::uint32_t> reading_; // slots that are being read from the peer, in order
  std::vector<Loaded> slots_;
  std::uint32_t filled_ = 0;        // the slot of the last Load
  std::uint32_t slots_to_free_ = 0; // SlotFrees that may still be in the outbox
  std::chrono::steady_clock::time_point kept_alive_{};
  std::shared_ptr<Batch> batch_ = std::make_shared<Batch>();
  Workers workers_; // declared last, so it ends first
};

} // namespace datum::cp
