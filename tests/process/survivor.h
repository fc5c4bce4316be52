// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/survivor.h: the process whose peers die: what it must see, and what must not
// change. Lives here: one round of setting up, posting and judging per operation; a bystander
// connection. Not here:   where the victim dies (kill_test.cc).
#pragma once

#include <memory>
#include <optional>

#include "connection.h"
#include "executioner.h"

namespace datum::test {

// Memory from the allocator whose blocks peers can map, registered.
class ShareableBuffer {
 public:
  ShareableBuffer(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, std::size_t size);
  ~ShareableBuffer();
  ShareableBuffer(const ShareableBuffer&) = delete;
  ShareableBuffer& operator=(const ShareableBuffer&) = delete;
  DAT_RMR_CONTEXT context() const { return context_; }
  DAT_VADDR address() const { return reinterpret_cast<DAT_VADDR>(memory_); }

 private:
  void* memory_;
  Lmr lmr_;
  DAT_RMR_CONTEXT context_ = 0;
};

class Survivor {
 public:
  explicit Survivor(const Executioner& executioner);

  // One victim from birth to burial; the qualifier is set here. True: it died inside the operation.
  bool outlive(Sentence sentence);
  // A message of another connection arrives, and no descriptor was left over from the dead.
  void expect_unharmed();

 private:
  void set_up(const Sentence& sentence);
  void accept_victim();
  void post();
  void judge(const Sentence& sentence);
  void judge_listener(DAT_CONN_QUAL qualifier);
  DAT_CR_HANDLE request_within(DAT_TIMEOUT timeout);
  void answer_until_death();
  void judge_request();
  void judge_connect();
  void judge_connection(Operation operation);
  void expect_flushed();
  void new_endpoint();
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
  std::ptrdiff_t descriptors_ = 0;
  bool answered_ = false; // kConnect: the request was accepted before its maker died
  unsigned rounds_ = 0;
};

} // namespace datum::test
