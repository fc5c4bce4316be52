// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/no_canary.h: functions of the data path that are compiled without a stack protector.
// Their stack holds objects of a fixed size whose address is passed on. Only because of these
// objects -fstack-protector-strong would add a protector. The only buffer among them, the segments
// of a DAT 2.0 post, is bounded by a constant where it is filled (facade/v2/traits.h), and the
// program itself gives its content. Code that handles a peer's octets by their length keeps the
// protector. So does code with an array of pieces of a copy.
// docs/lab/2026-11-26-hardening.md has the measurements.
#pragma once

#define DATUM_NO_CANARY __attribute__((no_stack_protector))
