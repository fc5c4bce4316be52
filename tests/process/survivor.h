// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/survivor.h: the process whose peers die. Checks what this process must see, and
// what must not change.
// Lives here: for each operation, one round of setting up, posting and judging; a connection that
//             the deaths do not concern.
// Not here:   where the victim dies (kill_test.cc).
#pragma once

#include <memory>
#include <optional>

#include "connection.h"
#include "executioner.h"
#include "shareable_buffer.h"

namespace datum::test {

class Survivor {
 public:
  explicit Survivor(const Executioner& executioner);

  // Sets the qualifier of the sentence, and runs one victim from its fork to its end. Returns how
  // the victim died.
  Report outlive(Sentence sentence);
  // The number of the ordered instructions that the last victim made.
  std::uint32_t steps_made() const { return steps_made_; }
  // Expects that a message arrives on the other connection, and that no descriptor is left of the
  // dead process.
  void expect_unharmed();

 private:
  void set_up(const Sentence& sentence);
  void accept_victim();
  void post(Operation operation);
  void write_to_victim();
  void use_export();
  void meanwhile(Operation operation);
  void judge(const Sentence& sentence);
  void judge_listener(DAT_CONN_QUAL qualifier);
  DAT_CR_HANDLE request_within(DAT_TIMEOUT timeout);
  void answer_until_death();
  void judge_request();
  void judge_connect();
  void judge_connection(Operation operation);
  void expect_flushed();
  void new_endpoint();
  void drop_late_requests();
  Segments ring_room() { return {buffer_->segment(0, kLarge)}; }

  const Executioner& executioner_;
  Ia ia_;
  std::unique_ptr<Side> side_;
  std::unique_ptr<Listener> listener_;
  std::optional<Buffer> buffer_;
  std::optional<ShareableBuffer> shareable_;
  std::unique_ptr<ConnectedPair> bystanders_;
  std::optional<Buffer> bystander_source_;
  std::optional<Buffer> bystander_target_;
  ExportedMemory exported_{};
  std::ptrdiff_t descriptors_ = 0;
  bool answered_ = false; // kConnect: the request was accepted before the victim died
  unsigned rounds_ = 0;
  std::uint32_t steps_made_ = 0;
};

} // namespace datum::test
