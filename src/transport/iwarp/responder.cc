// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/responder.h"

#include <atomic>
#include <cassert>

#include "core/port/copy.h"
#include "transport/iwarp/header_octets.h"
#include "transport/iwarp/payload_cut.h"

namespace datum::iwarp {

bool Responder::build() {
  if (!queue_.ready()) return turn_.lack_room();
  Served& served = served_.front();
  return served.is_atomic ? build_atomic_response(served) : build_read_response(served);
}

bool Responder::build_read_response(Served& served) {
  const ReadRequest& request = served.read;
  const std::uint64_t left = request.size - served.done;
  // With a CRC the payload is copied: the region's owner may change the octets after the CRC was
  // computed. When the connection ends it is copied, too: the memory then goes back to its owner.
  const bool copied = stream_.terms.crc || for_the_last_time_ || is_copied(stream_, left);
  const std::optional<std::size_t> payload = next_payload(
      stream_, queue_,
      {.header = TaggedHeader::kWireSize, .segments = 1, .octets = left, .copied = copied});
  if (!payload) return false;
  const std::uint64_t address = request.source_offset + served.done;
  // The region may have gone since the request came.
  std::uint64_t memory = 0;
  const AccessFault access = *payload == 0
                                 ? AccessFault::None
                                 : stream_.events->check_remote(request.source_stag, address,
                                                                *payload, kRemoteRead, memory);
  if (access != AccessFault::None) {
    ReadRequest rest = request;
    rest.sink_offset += served.done;
    rest.source_offset += served.done;
    rest.size = static_cast<std::uint32_t>(left);
    control_.fail(make_terminate(protection_error(access), served.msn, rest));
    return false;
  }
  const bool last = *payload == left;
  const LocalTriplet source{request.source_stag, memory, *payload};
  queue_.add(HeaderOctets(tagged(Rdmap::ReadResponse, last, request.sink_stag,
                                 request.sink_offset + served.done)),
             {std::span(&source, 1), 0, *payload}, copied, false,
             {.stag = request.source_stag, .address = address, .length = *payload});
  served.done += *payload;
  turn_.on_response(last);
  if (last) served_.pop();
  return true;
}

bool Responder::build_atomic_response(const Served& served) {
  if (!queue_.room_for(UntaggedHeader::kWireSize + AtomicResponse::kWireSize, 0, true))
    return false;
  const AtomicRequest& request = served.atomic;
  std::uint64_t memory = 0;
  const AccessFault access = stream_.events->check_remote(
      request.stag, request.offset, sizeof(std::uint64_t), kRemoteAtomic, memory);
  if (access != AccessFault::None) {
    const HeaderOctets echo(untagged(Rdmap::AtomicRequest, served.msn));
    control_.fail(make_terminate(protection_error(access),
                                 UntaggedHeader::kWireSize + AtomicRequest::kWireSize, echo));
    return false;
  }
  std::atomic_ref<std::uint64_t> location(*reinterpret_cast<std::uint64_t*>(pointer(memory)));
  std::uint64_t original = location.load(std::memory_order_relaxed);
  while (!location.compare_exchange_weak(original, applied(request, original),
                                         std::memory_order_acq_rel, std::memory_order_relaxed)) {
  }
  const AtomicResponse response{.identifier = request.identifier, .original = original};
  queue_.add(HeaderOctets(untagged(Rdmap::AtomicResponse, next_msn_++), response), {}, true, false,
             {});
  served_.pop();
  turn_.on_response(true);
  return true;
}

// --- before an end -------------------------------------------------------------------------------

// True: the whole answer fits into the queue. Half an answer would help no peer, and delay the end.
bool Responder::answers_whole(const Served& served) const {
  if (served.is_atomic)
    return queue_.has_room_for_all(1, UntaggedHeader::kWireSize + AtomicResponse::kWireSize, 0);
  const std::size_t left = static_cast<std::size_t>(served.read.size - served.done);
  const std::size_t most = stream_.most_ulpdu - TaggedHeader::kWireSize;
  const std::size_t fpdus = left == 0 ? 1 : (left + most - 1) / most;
  return queue_.has_room_for_all(fpdus, TaggedHeader::kWireSize, left);
}

void Responder::answer_for_the_last_time() {
  assert(!turn_.is_own());
  for_the_last_time_ = true;
  while (turn_.is_response() || ready()) {
    if (!queue_.ready() || !answers_whole(served_.front()) || !build()) break;
  }
}

} // namespace datum::iwarp
