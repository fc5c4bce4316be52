// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/completion_feed.h: the tie between an EP and the EVD that gets its completions of
// one kind, requests or Recvs.
// Lives here: the reference that holds the EVD, and the EP's part in the counts of the EVD that
//             decide its DAT_EVD_STATE_CONFIG_*.
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>

#include "core/events/event_dispatcher.h"
#include "core/object/ref.h"
#include "core/port/types.h"

namespace datum {

class CompletionFeed {
 public:
  // A null EVD: completions are not reported.
  CompletionFeed(EventDispatcher* evd, CompletionFlags flags) : evd_(evd), flags_(flags) {
    count(1);
  }
  ~CompletionFeed() { count(-1); }
  CompletionFeed(const CompletionFeed&) = delete;
  CompletionFeed& operator=(const CompletionFeed&) = delete;

  EventDispatcher* evd() const { return evd_.get(); }
  // The flags of the EP's attributes.
  CompletionFlags flags() const { return flags_; }
  void change(EventDispatcher* evd, CompletionFlags flags) {
    count(-1);
    evd_ = Ref(evd);
    flags_ = flags;
    count(1);
  }

 private:
  void count(std::int32_t change) {
    if (!evd_) return;
    if ((flags_ & kUnsignalled) != 0) evd_->count_unsignalled(change);
    if ((flags_ & kSolicitedWait) != 0) evd_->count_solicited(change);
  }

  Ref<EventDispatcher> evd_;
  CompletionFlags flags_;
};

} // namespace datum
