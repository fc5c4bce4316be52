// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "segment_checks.h"

namespace datum::test {

void expect_segment_checks(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, DAT_MEM_PRIV_FLAGS insufficient,
                           const std::function<DAT_RETURN(Segments)>& post) {
  Buffer good(ia, pz, 16);
  DAT_LMR_TRIPLET bad = good.segment();
  bad.lmr_context = ~bad.lmr_context;
  EXPECT_DAT_TYPE(post({bad}), DAT_PRIVILEGES_VIOLATION) << "a context that never was";
  EXPECT_DAT_TYPE(post({good.segment(0, 8), bad}), DAT_PRIVILEGES_VIOLATION) << "the second of two";

  EXPECT_DAT_TYPE(post({good.segment(1, 16)}), DAT_INVALID_PARAMETER) << "one byte past the end";
  bad = good.segment();
  --bad.virtual_address;
  EXPECT_DAT_TYPE(post({bad}), DAT_INVALID_PARAMETER) << "one byte before the start";
  bad = good.segment();
  bad.virtual_address = ~DAT_VADDR{0} - 7;
  EXPECT_DAT_TYPE(post({bad}), DAT_INVALID_PARAMETER) << "wraps around";
  bad = good.segment(8, 0);
  bad.segment_length = ~SegmentLength{0} - 3;
  EXPECT_DAT_TYPE(post({bad}), DAT_INVALID_PARAMETER) << "a length that wraps around";

  const Pz other_pz = create_pz(ia);
  Buffer foreign(ia, other_pz, 16);
  EXPECT_DAT_TYPE(post({foreign.segment()}), DAT_PROTECTION_VIOLATION) << "another zone";

  if (insufficient != kNoLocalRead || !kAlwaysReadable) {
    Buffer weak(ia, pz, 16, insufficient);
    EXPECT_DAT_TYPE(post({weak.segment()}), DAT_PRIVILEGES_VIOLATION) << "a right is missing";
  }

  good.lmr().free();
  EXPECT_DAT_TYPE(post({good.segment()}), DAT_PRIVILEGES_VIOLATION) << "freed";
}

void expect_flags_refused(std::initializer_list<int> bits,
                          const std::function<DAT_RETURN(DAT_COMPLETION_FLAGS)>& post) {
  for (const int bit : bits) {
    EXPECT_DAT_TYPE(post(any_value<DAT_COMPLETION_FLAGS>(bit)), DAT_INVALID_PARAMETER)
        << std::hex << bit;
  }
}

} // namespace datum::test
