// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/object/causes.h"

#include <string>

#include "base/refusal.h"

namespace datum::causes {

// The rule that one flag of `excess` breaks.
static std::string_view rule_of(CompletionFlags excess) {
  if ((excess & kUnsignalled) != 0) return "FLAGS.10";
  if ((excess & kEvdThreshold) != 0) return "FLAGS.13";
  if ((excess & kSolicitedWait) != 0) return "FLAGS.8";
  if ((excess & kSuppress) != 0) return "FLAGS.7";
  if ((excess & kBarrierFence) != 0) return "FLAGS.12";
  return "FLAGS.14";
}

void note_flags(CompletionFlags flags, CompletionFlags allowed, const CompletionFlags& configured) {
  if (!refusals_are_told()) return;
  allowed &= configured | ~kUnsignalled;
  note_cause(
      {"completion_flags", text("{:#x}", flags),
       text("bits of {:#x}; UNSIGNALLED 0x4 only where the attributes of the EP have it", allowed),
       rule_of(flags & ~allowed)});
}

Status too_many_segments(std::size_t count, std::int32_t most) {
  note_limit("num_segments", static_cast<std::int64_t>(count), most);
  return {Type::InvalidParameter, Detail::Arg2};
}

Status no_place_for_request(std::uint64_t held) {
  note_cause("requests outstanding", held, "fewer than max_request_dtos of the EP", "");
  return {Type::InsufficientResources, Detail::ResourceMemory};
}

Status no_place_for_recv(std::int32_t held) {
  note_cause("Recvs outstanding", held, "fewer than max_recv_dtos", "");
  return {Type::InsufficientResources, Detail::ResourceMemory};
}

Status too_short(std::uint64_t length, std::uint64_t needed) {
  if (refusals_are_told())
    note_cause(
        {"the length of the buffer", std::to_string(length), text("at least {}", needed), ""});
  return {Type::LengthError};
}

Status no_reads() {
  note_cause({"max_rdma_read_out of the EP", "0", "above 0", "D-32"});
  return {Type::InvalidParameter, Detail::Arg1};
}

Status recvs_are_of_srq() {
  note_cause({"ep_handle", "an EP with an SRQ", "an EP without one", "D-36"});
  return {Type::InvalidState, Detail::SrqInUse};
}

Status no_zone() {
  note_cause({"pz_handle of the EP", "null", "a PZ", ""});
  return {Type::ProtectionViolation, Detail::ProtectionWrite};
}

Status bad_threshold(std::int32_t threshold, std::int32_t most) {
  if (refusals_are_told()) note_cause({"", std::to_string(threshold), text("1 to {}", most), ""});
  return {Type::InvalidParameter, Detail::Arg3};
}

void note_outside(const LocalTriplet& segment, std::uint64_t base, std::uint64_t length) {
  if (!refusals_are_told()) return;
  note_cause({"a segment", text("{:#x} + {}", segment.address, segment.length),
              text("within its region, {:#x} + {}", base, length), ""});
}

} // namespace datum::causes
