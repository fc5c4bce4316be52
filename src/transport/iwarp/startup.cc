// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/startup.h"

#include <array>
#include <cassert>
#include <new>

namespace datum::iwarp {

static_assert(kMostPrivateData <= kMostPrivateDataOfAnswer);

bool Startup::send_request(const Wishes& wishes, Octets private_data) {
  initiator_ = true;
  wishes_ = wishes;
  wishes_.crc = crc_;
  own_frame_ = make_request(wishes_, private_data);
  const bool sent = send(own_frame_);
  own_frame_.private_data = {};
  return sent;
}

Terms Startup::answered_terms(const Wishes& wishes) {
  wishes_ = wishes;
  wishes_.crc = crc_;
  return answer_terms(peer_frame_, wishes_);
}

bool Startup::send_reply(const Terms& terms, Octets private_data) {
  return send(make_reply(peer_frame_, terms, private_data));
}

void Startup::send_reject(Octets private_data) {
  const bool sent = send(make_reject(peer_frame_, {.crc = crc_}, private_data));
  assert(sent);
  static_cast<void>(sent);
}

void Startup::keep_reject(Octets private_data) {
  reject_kept_ = true;
  private_data_.assign(private_data.begin(), private_data.end());
}

bool Startup::send(const StartupFrame& frame) {
  std::array<std::byte, StartupFrame::kMostSize> octets;
  encode(frame, octets.data());
  if (!queue_.ready()) return false;
  left_ = size_ = frame.wire_size();
  queue_.add_startup(Octets(octets).first(size_));
  return true;
}

Startup::Fed Startup::feed(Octets octets) {
  const std::size_t had = arrived_.size();
  const std::size_t piece = std::min(octets.size(), StartupFrame::kMostSize - had);
  try {
    arrived_.insert(arrived_.end(), octets.begin(),
                    octets.begin() + static_cast<std::ptrdiff_t>(piece));
    private_data_.reserve(kMostPrivateData);
  } catch (const std::bad_alloc&) {
    return {octets.size(), StartupStep::NoMemory};
  }
  peer_frame_.reply = initiator_;
  std::size_t size = 0;
  const StartupProgress progress = decode(arrived_, peer_frame_, size);
  if (progress == StartupProgress::Incomplete) return {piece, StartupStep::Incomplete};
  if (progress == StartupProgress::Bad) return {octets.size(), StartupStep::Bad};
  private_data_.assign(peer_frame_.private_data.begin(), peer_frame_.private_data.end());
  peer_frame_.private_data = {};
  arrived_ = {};
  return {size - had, StartupStep::Whole};
}

ReplyResult Startup::result() const {
  const Conclusion conclusion = conclude(own_frame_, peer_frame_, wishes_);
  switch (conclusion.verdict) {
  case ReplyVerdict::Agreed: return {ReplyKind::Agreed, conclusion.terms, {}};
  case ReplyVerdict::Terminate: return {ReplyKind::Terminate, conclusion.terms, conclusion.error};
  case ReplyVerdict::Unusable: return {};
  case ReplyVerdict::Rejected: break;
  }
  Refusal refusal{};
  if (!decode(private_data_, refusal)) return {ReplyKind::Rejected, {}, {}};
  return {refusal == Refusal::NotHere ? ReplyKind::NotHere : ReplyKind::Refused, {}, {}};
}

} // namespace datum::iwarp
