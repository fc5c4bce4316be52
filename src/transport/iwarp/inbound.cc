// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/inbound.cc: checks and placement of FPDUs. Numbers in comments are those of the
// checks of decision 410.
#include "transport/iwarp/inbound.h"

#include "base/copy_bytes.h"
#include "core/port/copy.h"

namespace datum::iwarp {

Octets Inbound::current_header() const {
  return Octets(header_).first(control_octets_.tagged ? TaggedHeader::kWireSize
                                                      : UntaggedHeader::kWireSize);
}

Step Inbound::refuse(const Terminate& terminate) {
  if (first_ && judges_late_) {
    verdict_ = terminate;
    return Step::Discard;
  }
  control_.fail(terminate);
  return Step::Stop;
}

Step Inbound::refuse(ErrorCode error) {
  return refuse(make_terminate(error));
}

Step Inbound::refuse_segment(ErrorCode error) {
  return refuse(make_terminate(error, ulpdu_, current_header()));
}

Step Inbound::refuse_request(ErrorCode error) {
  Terminate terminate = make_terminate(error, ulpdu_, current_header());
  WireReader in(Octets(header_).subspan(UntaggedHeader::kWireSize));
  terminate.has_request = decode(in, terminate.request);
  return refuse(terminate);
}

std::size_t Inbound::on_head(const FpduHead& head) {
  const Control& control = head.control;
  const std::size_t header = control.tagged ? TaggedHeader::kWireSize : UntaggedHeader::kWireSize;
  ErrorCode error;
  if (head.ulpdu < header) { // 1
    error = error::kDdpLocal;
  } else if (control.ddp_version != 1) { // 2
    error = control.tagged ? error::kTaggedVersion : error::kUntaggedVersion;
  } else if (control.rdmap_version != 1) { // 3
    error = error::kRdmapVersion;
  } else if (static_cast<std::uint8_t>(control.opcode) > kLastOpcode ||
             (is_extension(control.opcode) && !stream_.takes_extensions)) { // 4
    error = error::kOpcode;
  } else {
    ulpdu_ = head.ulpdu;
    control_octets_ = control;
    payload_ = head.ulpdu - header;
    std::size_t more = 0; // octets of the payload that belong to the header
    if (!control.tagged) {
      switch (control.opcode) {
      case Rdmap::ReadRequest: more = ReadRequest::kWireSize; break;
      case Rdmap::AtomicRequest: more = AtomicRequest::kWireSize; break;
      case Rdmap::AtomicResponse: more = AtomicResponse::kWireSize; break;
      case Rdmap::Immediate:
      case Rdmap::ImmediateSolicited: more = kImmediateSize; break;
      case Rdmap::Terminate:
        more = std::min<std::size_t>(static_cast<std::size_t>(payload_), Terminate::kMostOctets);
        break;
      default: break;
      }
      // A payload of another size is refused later, for its size.
      if (control.opcode != Rdmap::Terminate && payload_ != more) more = 0;
    }
    return header + more;
  }
  return refuse(error) == Step::Stop ? 0 : Control::kWireSize;
}

Step Inbound::on_header(Octets header, const Octets* payload) {
  if (verdict_) return Step::Discard;
  std::memcpy(header_.data(), header.data(), header.size());
  header_size_ = header.size();
  checked_ = swallow_ = false;
  const Rdmap opcode = control_octets_.opcode;
  if (control_octets_.tagged != is_tagged(opcode)) return refuse_segment(error::kOpcode); // 5
  const Step step =
      control_octets_.tagged ? on_tagged(header, payload) : on_untagged(header, payload);
  return verdict_ && !stream_.ended ? Step::Discard : step;
}

// --- tagged segments -----------------------------------------------------------------------------

Step Inbound::on_tagged(Octets header, const Octets* payload) {
  WireReader in(header);
  if (!decode(in, tagged_)) return Step::Stop;
  return tagged_.control.opcode == Rdmap::Write ? on_write(payload) : on_read_response(payload);
}

bool Inbound::check_write() {
  if (checked_ || payload_ == 0) return true;
  const AccessFault fault =
      stream_.events->check_remote(tagged_.stag, tagged_.offset, payload_, kRemoteWrite, // 20..24
                                   memory_);
  if (fault != AccessFault::None) {
    refuse_segment(tagged_error(fault));
    return false;
  }
  checked_ = true;
  return true;
}

// 25: each segment of a Write is checked by itself, whatever the one before was.
Step Inbound::on_write(const Octets* payload) {
  if (outbound_.reads().response_open() && !is_last_carrier())
    return refuse_segment(error::kOpcode); // 13
  if (!check_write()) return Step::Stop;
  if (payload == nullptr || payload->empty() || first_) return Step::Go;
  copy_visible(pointer(memory_), payload->data(), payload->size());
  end_write();
  return stream_.ended ? Step::Stop : Step::Done;
}

// A program that spins on the last octets of a Write must not see them before the others, nor
// before the CRC was good. So the last cache line waits in tail_ (decision 302).
std::size_t Inbound::write_places(std::uint64_t done, std::uint64_t length,
                                  std::span<Segment> out) {
  if (!check_write()) return 0;
  const std::uint64_t straight = payload_ - tail_size();
  std::size_t count = 0;
  if (done < straight) {
    const std::uint64_t piece = std::min(length, straight - done);
    out[count++] = {pointer(memory_ + done), piece};
    done += piece;
    length -= piece;
  }
  if (length != 0 && count < out.size()) out[count++] = {tail_.data() + (done - straight), length};
  return count;
}

// True: the FPDU is an Ack or a Close. An own peer that ends the connection may send these in the
// middle of a message. Segments of that message always have payload.
bool Inbound::is_last_carrier() const {
  return payload_ == 0 && tagged_.control.last && stream_.peer == PeerKind::Own &&
         (tagged_.stag == kAckStag || tagged_.stag == kCloseStag);
}

void Inbound::end_write() {
  if (is_last_carrier()) {
    end_carrier();
    return;
  }
  const bool opens = !tagged_.control.last;
  const bool message_of_nothing = payload_ == 0 && !write_open_ && !opens;
  write_open_ = opens;
  if (message_of_nothing && (tagged_.stag != kHelloStag || tagged_.offset != 0) &&
      stream_.peer == PeerKind::Own) {
    end_carrier();
  } else if (!opens) {
    // This is a request of the peer's consumer. The RTR is not: end_first() handles it.
    count_write();
  }
}

void Inbound::end_carrier() {
  std::uint32_t placed = 0;
  if (tagged_.stag == kCloseStag && tagged_.offset == 0) {
    control_.on_peer_close();
  } else if (tagged_.stag != kAckStag || !decode_ack(tagged_.offset, placed) ||
             !outbound_.unfinished().on_ack(placed)) {
    refuse(error::kRemoteUnspecified); // no honest own peer sends this
  }
}

Step Inbound::on_read_response(const Octets* payload) {
  if (write_open_) return refuse_segment(error::kOpcode); // 13
  OutstandingRead* read = outbound_.reads().oldest();
  ErrorCode error;
  if (read == nullptr || read->atomic) { // 26
    error = error::kDdpLocal;
  } else if (read->work == nullptr) {
    // siw answers a Read of no octets that had to wait behind a Send with as many octets as the
    // Send had. They are thrown away.
    if (payload == nullptr || payload->empty()) return Step::Go;
    return on_end() ? Step::Done : Step::Stop;
  } else if (payload_ != 0 && tagged_.stag != read->sink_stag()) { // 27
    error = error::kTaggedStag;
  } else if (payload_ > read->length - read->done ||
             (payload_ != 0 && tagged_.offset != read->sink_offset() + read->done) || // 28
             tagged_.control.last != (read->done + payload_ == read->length)) {       // 29
    error = error::kTaggedBounds;
  } else {
    if (payload == nullptr || payload->empty()) return Step::Go;
    if (!stream_.events->recheck_local(*read->work, kLocalWrite)) {
      control_.fail_request(RequestClass::Read, DtoStatus::LocalProtection, 0);
      return Step::Stop;
    }
    scatter(read->work->local, read->done, payload->data(), payload->size());
    return on_end() ? Step::Done : Step::Stop;
  }
  // The oldest Read is the one that was answered wrongly.
  if (read != nullptr && read->work != nullptr)
    stream_.events->on_request_failed(RequestClass::Read, DtoStatus::BadResponse, 0);
  return refuse_segment(error);
}

// --- untagged segments ---------------------------------------------------------------------------

Step Inbound::on_untagged(Octets header, const Octets* payload) {
  WireReader in(header);
  if (!decode(in, untagged_)) return Step::Stop;
  const Rdmap opcode = untagged_.control.opcode;
  // A Terminate ends the stream, whatever is odd about it (35).
  if (opcode == Rdmap::Terminate) return header_size_ == ulpdu_ ? Step::Go : Step::Discard;
  if (!check_queue()) return Step::Stop;
  switch (opcode) {
  case Rdmap::ReadRequest: return on_read_request();
  case Rdmap::AtomicRequest: return on_atomic_request();
  case Rdmap::AtomicResponse: return on_atomic_response();
  case Rdmap::Immediate:
  case Rdmap::ImmediateSolicited: return on_immediate();
  default: return on_send(payload);
  }
}

bool Inbound::check_queue() {
  if (untagged_.queue != queue_of(untagged_.control.opcode)) { // 7
    refuse_segment(error::kQueueNumber);
    return false;
  }
  if (untagged_.msn != next_msn_[untagged_.queue]) { // 8
    refuse_segment(error::kMsnRange);
    return false;
  }
  return true;
}

// The checks of every message of a queue other than 0. Such a message has one segment.
bool Inbound::check_message() {
  if (untagged_.offset != 0) { // 10
    refuse_segment(error::kMessageOffset);
    return false;
  }
  if (send_open_) { // 13
    refuse_segment(error::kOpcode);
    return false;
  }
  return true;
}

// The checks of every segment of queue 0. `waits` becomes true if there is no Recv yet.
Step Inbound::check_receive(bool& waits) {
  waits = !unexpected_.empty();
  std::span<const LocalTriplet> into;
  std::uint64_t capacity = 0;
  if (!waits) {
    switch (stream_.events->take_receive(into, capacity)) { // 9
    case TakeResult::Taken: break;
    case TakeResult::Protection:
      return stream_.ended ? Step::Stop : refuse_segment(error::kDdpLocal);
    case TakeResult::NoReceive:
      if (!unexpected_.may_wait()) return refuse_segment(error::kNoBuffer);
      waits = true;
      break;
    }
  }
  if (untagged_.offset != send_received_) return refuse_segment(error::kMessageOffset); // 10
  // Immediate Data as a message of its own takes a Recv (RFC 7306 section 6.3), but does not write
  // to the Recv's memory. In the middle of a Send, any segment is measured like a segment of the
  // Send.
  const bool fills = send_open_ || !is_immediate(untagged_.control.opcode);
  const std::uint64_t end = untagged_.offset + payload_;
  if (end > 0xffffffffU || (fills && !waits && end > capacity)) { // 11
    if (!waits) stream_.events->fail_receive(DtoStatus::LocalLength);
    return stream_.ended ? Step::Stop : refuse_segment(error::kTooLong);
  }
  if (send_open_ && (untagged_.control.opcode != send_first_.control.opcode ||
                     (is_invalidating(untagged_.control.opcode) &&
                      untagged_.invalidate != send_first_.invalidate)))
    return refuse_segment(error::kOpcode); // 12
  return Step::Go;
}

// Makes a place for the message of the current FPDU. Step::Wait: there is no place now.
Step Inbound::stage() {
  if (send_open_) return Step::Go; // the message has a place
  switch (unexpected_.begin(untagged_, ulpdu_)) {
  case UnexpectedMessages::Begun::Yes: return Step::Go;
  case UnexpectedMessages::Begun::Full: return Step::Wait;
  case UnexpectedMessages::Begun::NoMemory: break;
  }
  return refuse_segment(error::kNoBuffer);
}

Step Inbound::on_send(const Octets* payload) {
  if (rtr_send_ && first_ && payload_ == 0 && untagged_.control.last && untagged_.offset == 0 &&
      !is_invalidating(untagged_.control.opcode)) {
    swallow_ = true;
    return Step::Go;
  }
  const bool begins = !send_open_ && unexpected_.empty();
  // The usual message is whole, consists of one FPDU, and finds a Recv.
  if (payload != nullptr && begins && !first_ && untagged_.control.last && untagged_.offset == 0 &&
      !is_invalidating(untagged_.control.opcode)) {
    ++stream_.placed; // before the completion, which may end the connection
    if (stream_.events->place_message(payload->data(), payload->size(),
                                      is_solicited(untagged_.control.opcode))) {
      ++next_msn_[kSendQueue];
      outbound_.responder().on_delivered(next_msn_[kSendQueue]);
      return stream_.ended ? Step::Stop : Step::Done;
    }
    --stream_.placed;
  }
  bool waits = false;
  if (const Step step = check_receive(waits); step != Step::Go) return step;
  if (waits) {
    if (const Step step = stage(); step != Step::Go) return step;
  }
  if (!send_open_) {
    send_open_ = true;
    send_first_ = untagged_;
    send_ulpdu_ = ulpdu_;
  }
  checked_ = true;
  return Step::Go;
}

Step Inbound::on_immediate() {
  bool waits = false;
  if (const Step step = check_receive(waits); step != Step::Go) return step;
  if (!untagged_.control.last || payload_ != kImmediateSize) // 30
    return refuse_segment(error::kRemoteUnspecified);
  return waits ? stage() : Step::Go;
}

bool Inbound::check_source(Stag stag, std::uint64_t address, std::uint64_t length, Access right,
                           bool is_read, std::uint64_t& memory) {
  const AccessFault fault = stream_.events->check_remote(stag, address, length, right, memory);
  if (fault == AccessFault::None) return true;
  if (is_read)
    refuse_request(protection_error(fault));
  else
    refuse_segment(protection_error(fault));
  return false;
}

Step Inbound::on_read_request() {
  if (!outbound_.responder().can_serve()) return refuse_segment(error::kNoBuffer); // 9
  if (!check_message()) return Step::Stop;
  if (!untagged_.control.last || payload_ != ReadRequest::kWireSize) // 14
    return refuse_segment(error::kRemoteUnspecified);
  ReadRequest request;
  WireReader in(Octets(header_).subspan(UntaggedHeader::kWireSize));
  if (!decode(in, request)) return Step::Stop;
  std::uint64_t memory = 0;
  if (request.size != 0 && !check_source(request.source_stag, request.source_offset, request.size,
                                         kRemoteRead, true, memory)) // 15..19
    return Step::Stop;
  return Step::Go;
}

Step Inbound::on_atomic_request() {
  if (!outbound_.responder().can_serve()) return refuse_segment(error::kNoBuffer); // 9
  if (!check_message()) return Step::Stop;
  if (!untagged_.control.last || payload_ != AtomicRequest::kWireSize) // 31
    return refuse_segment(error::kRemoteUnspecified);
  AtomicRequest request;
  WireReader in(Octets(header_).subspan(UntaggedHeader::kWireSize));
  if (!decode(in, request)) return Step::Stop;
  if (request.operation != AtomicOperation::FetchAdd &&
      request.operation != AtomicOperation::CompareSwap)
    return refuse_segment(error::kOpcode);
  std::uint64_t memory = 0;
  if (!check_source(request.stag, request.offset, sizeof(std::uint64_t), kRemoteAtomic, false,
                    memory)) // 32
    return Step::Stop;
  if (memory % sizeof(std::uint64_t) != 0) // 33
    return refuse_segment(error::kStreamCatastrophic);
  return Step::Go;
}

Step Inbound::on_atomic_response() {
  const OutstandingRead* read = outbound_.reads().oldest();
  if (read == nullptr || !read->atomic) return refuse_segment(error::kNoBuffer); // 9, 34
  if (!check_message()) return Step::Stop;
  AtomicResponse response;
  WireReader in(Octets(header_).subspan(UntaggedHeader::kWireSize));
  if (!untagged_.control.last || payload_ != AtomicResponse::kWireSize || !decode(in, response) ||
      response.identifier != read->msn) { // 34
    stream_.events->on_request_failed(RequestClass::Read, DtoStatus::BadResponse, 0);
    return refuse_segment(error::kRemoteUnspecified);
  }
  return Step::Go;
}

// --- payload -------------------------------------------------------------------------------------

bool Inbound::may_be_placed_for() const {
  return control_octets_.tagged || unexpected_.empty();
}

std::size_t Inbound::places(std::uint64_t done, std::uint64_t length, std::span<Segment> out) {
  const std::size_t count = places_now(done, length, out);
  if (!verdict_ || stream_.ended) return count;
  control_.fail(*verdict_); // the FPDU has no place, so its end is not awaited
  return 0;
}

std::size_t Inbound::places_now(std::uint64_t done, std::uint64_t length, std::span<Segment> out) {
  if (control_octets_.tagged) {
    if (control_octets_.opcode == Rdmap::Write) return write_places(done, length, out);
    const OutstandingRead& read = *outbound_.reads().oldest();
    if (read.work == nullptr) return places_to_throw_away(length, out);
    if (!checked_ && !stream_.events->recheck_local(*read.work, kLocalWrite)) {
      control_.fail_request(RequestClass::Read, DtoStatus::LocalProtection, 0);
      return 0;
    }
    checked_ = true;
    std::size_t count = 0;
    for_each_piece(read.work->local, read.done + done, length,
                   [&](std::byte* piece, std::uint64_t size) {
                     if (count < out.size()) out[count++] = {piece, size};
                   });
    return count;
  }
  return unexpected_.empty() ? send_places(done, length, out)
                             : unexpected_.places(untagged_.offset + done, length, out);
}

std::size_t Inbound::places_to_throw_away(std::uint64_t length, std::span<Segment> out) {
  std::size_t count = 0;
  for (; length != 0 && count < out.size(); ++count) {
    out[count] = {tail_.data(), std::min<std::uint64_t>(length, tail_.size())};
    length -= out[count].length;
  }
  return count;
}

std::size_t Inbound::send_places(std::uint64_t done, std::uint64_t length, std::span<Segment> out) {
  std::span<const LocalTriplet> into;
  std::uint64_t capacity = 0;
  switch (stream_.events->take_receive(into, capacity)) { // the Recv that was taken, checked again
  case TakeResult::Taken: break;
  case TakeResult::Protection:
    if (!stream_.ended) refuse_segment(error::kDdpLocal);
    return 0;
  case TakeResult::NoReceive: return 0;
  }
  std::size_t count = 0;
  for_each_piece(into, untagged_.offset + done, length, [&](std::byte* piece, std::uint64_t size) {
    if (count < out.size()) out[count++] = {piece, size};
  });
  return count;
}

// --- the end of an FPDU --------------------------------------------------------------------------

void Inbound::on_bad_crc() {
  control_.fail(make_terminate(error::kCrc)); // 36
}

bool Inbound::on_end() {
  if (verdict_) {
    control_.on_valid_fpdu();
    control_.fail(*verdict_);
    return false;
  }
  if (first_ && !end_first()) return !stream_.ended;
  switch (control_octets_.opcode) {
  case Rdmap::Write:
    if (payload_ == 0 || place_tail()) end_write();
    break;
  case Rdmap::ReadResponse: end_read_response(); break;
  case Rdmap::ReadRequest:
  case Rdmap::AtomicRequest: end_read_request(); break;
  case Rdmap::AtomicResponse: end_atomic_response(); break;
  case Rdmap::Terminate: end_terminate(); break;
  case Rdmap::Immediate:
  case Rdmap::ImmediateSolicited: end_immediate(); break;
  default: end_send(); break;
  }
  return !stream_.ended;
}

// False: the FPDU was a Write of no octets, which is the RTR, or the connection has ended.
bool Inbound::end_first() {
  // An initiator that cannot go on sends a Terminate as its first FPDU. A Terminate does not
  // establish the connection.
  if (control_octets_.opcode == Rdmap::Terminate) return true;
  first_ = false;
  const bool empty_write = control_octets_.opcode == Rdmap::Write && payload_ == 0;
  Hello hello;
  const bool is_hello =
      empty_write && control_octets_.last && decode(tagged_.stag, tagged_.offset, hello);
  control_.on_first_fpdu(is_hello ? &hello : nullptr);
  // The RTR is no request of the peer's consumer, so it is not counted.
  if (empty_write) write_open_ = !control_octets_.last;
  return !stream_.ended && !empty_write;
}

std::uint64_t Inbound::tail_size() const {
  const std::uint64_t last = memory_ + payload_ - 1;
  return std::min<std::uint64_t>(payload_, last % tail_.size() + 1);
}

bool Inbound::place_tail() {
  if (!check_write()) return false; // the region may have gone since the last turn
  const std::uint64_t tail = tail_size();
  copy_visible(pointer(memory_ + payload_ - tail), tail_.data(), tail);
  return true;
}

void Inbound::end_read_response() {
  OutstandingRead& read = *outbound_.reads().oldest();
  read.done += payload_;
  if (tagged_.control.last) outbound_.reads().end_oldest();
}

void Inbound::end_atomic_response() {
  const OutstandingRead& read = *outbound_.reads().oldest();
  AtomicResponse response;
  WireReader in(Octets(header_).subspan(UntaggedHeader::kWireSize));
  ++next_msn_[kAtomicQueue];
  if (!decode(in, response)) return;
  if (!stream_.events->recheck_local(*read.work, kLocalWrite)) {
    control_.fail_request(RequestClass::Read, DtoStatus::LocalProtection, 0);
    return;
  }
  const std::uint64_t original = response.original;
  scatter(read.work->local, 0, reinterpret_cast<const std::byte*>(&original), sizeof original);
  outbound_.reads().end_oldest();
}

void Inbound::end_terminate() {
  Terminate terminate;
  const Octets payload = Octets(header_).first(header_size_).subspan(UntaggedHeader::kWireSize);
  // A Terminate that is too short to name an error still ends the stream.
  if (!decode(payload, terminate)) terminate = make_terminate(error::kLocal);
  control_.on_terminate(terminate, untagged_);
}

void Inbound::end_read_request() {
  WireReader in(Octets(header_).subspan(UntaggedHeader::kWireSize));
  ++next_msn_[kReadQueue];
  // The answer waits until all earlier messages have been delivered (RFC 5040 section 5.5).
  const std::uint32_t after = next_msn_[kSendQueue];
  if (untagged_.control.opcode == Rdmap::ReadRequest) {
    ReadRequest request;
    if (decode(in, request)) outbound_.responder().serve(request, untagged_.msn, after);
  } else {
    AtomicRequest request;
    if (decode(in, request)) outbound_.responder().serve(request, untagged_.msn, after);
  }
}

// --- the end of a message ------------------------------------------------------------------------

void Inbound::end_send() {
  if (swallow_) {
    ++next_msn_[kSendQueue];
    outbound_.responder().on_delivered(next_msn_[kSendQueue]);
    return;
  }
  send_received_ = untagged_.offset + payload_;
  if (!untagged_.control.last) return;
  const std::uint64_t length = send_received_;
  send_received_ = 0;
  send_open_ = false;
  ++next_msn_[kSendQueue];
  if (unexpected_.empty())
    delivery_.complete(send_first_, send_ulpdu_, length);
  else
    unexpected_.end_send();
}

void Inbound::end_immediate() {
  const Octets data = Octets(header_).subspan(UntaggedHeader::kWireSize, kImmediateSize);
  ++next_msn_[kSendQueue];
  if (unexpected_.empty())
    delivery_.complete_immediate(data, untagged_.msn, is_solicited(untagged_.control.opcode));
  else
    unexpected_.end_immediate(data);
}

void Inbound::count_write() {
  if (!unexpected_.count_write()) ++stream_.placed;
}

void Inbound::on_receive_posted() {
  if (stream_.ended) return;
  using Last = UnexpectedMessages::LastSegment;
  unexpected_.deliver(control_octets_.tagged
                          ? std::nullopt
                          : std::optional(Last{untagged_.msn, untagged_.offset + payload_}));
}

} // namespace datum::iwarp
