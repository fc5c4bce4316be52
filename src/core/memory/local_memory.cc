// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/memory/local_memory.h"

#include "base/refusal.h"
#include "core/object/causes.h"

namespace datum {

Status check_each_segment(const RegionTable& regions, std::span<const LocalTriplet> local,
                          Access right, std::uint32_t zone, std::uint64_t max_length,
                          std::uint64_t& length) {
  const bool write = (right & kLocalWrite) != 0;
  std::uint64_t total = 0;
  for (const LocalTriplet& segment : local) {
    // The context and address of an empty segment may be anything (dat/dat.h, DAT_LMR_TRIPLET).
    if (segment.length == 0) continue;
    const RegionEntry* entry = regions.find(segment.stag);
    if (entry == nullptr || entry->window != 0) {
      note_bits("lmr_context of a segment", segment.stag, "that of an LMR of this IA", "");
      return {Type::PrivilegesViolation, write ? Detail::PrivilegesWrite : Detail::PrivilegesRead};
    }
    const std::uint64_t offset = segment.address - entry->base;
    if (segment.address < entry->base || offset > entry->length ||
        segment.length > entry->length - offset) {
      causes::note_outside(segment, entry->base, entry->length);
      return {Type::InvalidParameter, Detail::Arg3};
    }
    if (entry->zone != zone) {
      note_bits("the PZ of lmr_context", segment.stag, "the PZ of the EP or SRQ", "");
      return {Type::ProtectionViolation, write ? Detail::ProtectionWrite : Detail::ProtectionRead};
    }
    if ((entry->access & right) != right) {
      note_bits("mem_privileges of a segment's LMR", entry->access,
                write ? "with LOCAL_WRITE 0x10" : "with LOCAL_READ 0x1", "");
      return {Type::PrivilegesViolation, write ? Detail::PrivilegesWrite : Detail::PrivilegesRead};
    }
    total += segment.length;
    if (total < segment.length) return {Type::InvalidParameter, Detail::Arg3};
  }
  if (total > max_length) {
    if (refusals_are_told())
      note_cause({"the length of all segments", std::to_string(total),
                  text("at most {}", max_length), ""});
    return {Type::InvalidParameter, Detail::Arg3};
  }
  length = total;
  return kOk;
}

} // namespace datum
