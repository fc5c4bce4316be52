// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/source.h: the side that has the files.
// Lives here: offering a window of entries in advance, reading wanted files into free slots, and
//             sending the slots.
// Not here:   walking the tree (tree_walk.h), the sink's decisions (sink.h).
// A slot is a part of this side's registered memory, and holds several small files. The slot is
// offered to the sink when it is full, or when there is nothing else to do.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "cp/digest.h"
#include "cp/session.h"
#include "cp/tree_walk.h"

namespace datum::cp {

class Source {
 public:
  // missing: an error text for each file or folder that the user named and that cannot be found.
  Source(Link& link, const Terms& terms, std::vector<Root> roots, Reporter& reporter,
         std::vector<std::string> missing = {});
  void run(); // returns when the sink has sent Bye

 private:
  enum class State { Offered, Wanted, Ended };
  struct Item {
    std::uint64_t id = 0;
    Entry entry;
    State state = State::Offered;
    bool settled = false;  // its Result came
    bool compared = false; // its Compare came
    std::uint64_t offset = 0;
    // The digest of the octets read so far, if the file is read in parts.
    std::optional<FileDigest> digest;
  };
  // The slot that is being filled, and the messages about its contents, which follow it.
  struct Filling {
    std::uint32_t slot = 0, used = 0;
    std::vector<Message> news;
  };

  void fill_window();
  void tell(Severity severity, const std::string& problem);
  void drop_finished();
  void add(Entry entry);
  bool advance();
  bool send_piece(Item& item);
  bool send_whole(Item& item);
  bool send_data(Item& item, std::uint64_t length);
  void send_hole(Item& item, std::uint64_t length);
  void send_end(Item& item, const std::string& problem);
  void send_end(Item& item, const Digest& digest, const std::string& problem);
  bool make_room(std::uint64_t wanted);
  void take_room(Item& item, std::uint32_t length);
  void say(Message message);
  void send_filled();
  FileDigest hash_prefix(Item& item, std::uint64_t length);

  void handle(const LinkEvent& event);
  void on(const Want& want);
  void on(const Compare& compare);
  void on(const Result& result);
  void on(const SlotFree& free);
  [[nodiscard]] bool fits(const Item& item, Outcome outcome) const;
  Item& item_of(std::uint64_t id);
  void await_bye();

  Link& link_;
  Terms terms_;
  Reporter& reporter_;
  std::optional<Total> total_;
  std::deque<std::string> missing_; // texts that have not been sent yet
  TreeWalk walk_;
  // The most items in the window. The item of a file keeps the file's folder open, and the file
  // itself while the file is read or resumed.
  std::size_t most_;
  bool exhausted_ = false;
  std::uint64_t next_id_ = 1;
  std::deque<Item> window_;
  std::size_t cursor_ = 0;           // the index of the item whose octets are sent next
  std::size_t ends_ = 0, large_ = 0; // how many folders' ends and large files the window has
  std::optional<Filling> filling_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<bool> slot_busy_;
};

} // namespace datum::cp
