// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/no_canary.h: functions of the data path that are compiled without a stack protector.
// What they keep on the stack are objects of a fixed size whose address is passed on, for which
// alone -fstack-protector-strong protects a function. The one buffer among them, the segments
// of a DAT 2.0 post, is bounded by a constant where it is filled (facade/v2/traits.h), and holds
// what the program itself gave. What handles a peer's octets by their length keeps the protector,
// and so does what has an array of pieces of a copy.
// docs/lab/2026-11-26-hardening.md says what it is worth.
#pragma once

#define DATUM_NO_CANARY __attribute__((no_stack_protector))
