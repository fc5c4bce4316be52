// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/untold_events.h"

namespace datum {

void UntoldEvents::on_request() {
  asked_ = true;
  if (owner_ != nullptr) owner_->on_asked();
}

bool UntoldEvents::on_no_reply(iwarp::NoReply why) {
  if (owner_ == nullptr) return false;
  no_reply_ = why;
  return true;
}

void UntoldEvents::tell_no_reply(int error) {
  if (owner_ != nullptr && no_reply_)
    owner_->on_no_reply(*std::exchange(no_reply_, std::nullopt), error);
}

void UntoldEvents::tell_late() {
  if (end_of_ != nullptr)
    end_of_->on_closed(reason_);
  else
    tell_request();
}

} // namespace datum
