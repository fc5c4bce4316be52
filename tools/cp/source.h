// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/source.h: the side that has the files.
// Lives here: offering a window of entries ahead, reading wanted files into free slots, sending
// them. Not here:   walking the tree (tree_walk.h), what the sink decides (sink.h).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "cp/digest.h"
#include "cp/session.h"
#include "cp/tree_walk.h"

namespace datum::cp {

class Source {
 public:
  Source(Link& link, const Terms& terms, std::vector<Root> roots, Reporter& reporter);
  void run(); // until the sink said Bye

 private:
  enum class State { Offered, Wanted, Ended };
  struct Item {
    std::uint64_t id = 0;
    Entry entry;
    State state = State::Offered;
    bool settled = false; // its Result came
    std::uint64_t offset = 0;
    FileDigest digest;
  };

  void fill_window();
  void drop_finished();
  void add(Entry entry);
  bool advance();
  bool send_piece(Item& item);
  bool send_data(Item& item, std::uint64_t length);
  void send_hole(Item& item, std::uint64_t length);
  void send_end(Item& item, const std::string& problem);
  void hash_prefix(Item& item);

  void handle(const LinkEvent& event);
  void on(const Want& want);
  void on(const Result& result);
  void on(const SlotFree& free);
  [[nodiscard]] bool fits(const Item& item, Outcome outcome) const;
  Item& item_of(std::uint64_t id);
  void await_bye();

  Link& link_;
  Terms terms_;
  Reporter& reporter_;
  Total total_;
  TreeWalk walk_;
  bool exhausted_ = false;
  std::uint64_t next_id_ = 1;
  std::deque<Item> window_;
  std::size_t cursor_ = 0; // whose bytes are sent next
  std::vector<std::uint32_t> free_slots_;
  std::vector<bool> slot_busy_;
};

} // namespace datum::cp
