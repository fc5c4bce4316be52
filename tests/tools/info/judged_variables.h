// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/tools/info/judged_variables.h: the variables of datum(7) that refuse the value "-1x": all
// but DAT_OVERRIDE, which takes any name of a file.
#pragma once

namespace datum::test {

// All but DAT_OVERRIDE, which takes any name of a file.
inline constexpr const char* kJudgedVariables[] = {
    "DATUM_ALIAS",           "DATUM_LOG",
    "DATUM_PORT_RANGE",      "DATUM_CRC",
    "DATUM_HELLO",           "DATUM_PEER_TIMEOUT",
    "DATUM_CONNECT_GRACE",   "DATUM_HALF_OPEN",
    "DATUM_REQUEST_TIMEOUT", "DATUM_FIRST_FRAME_TIMEOUT",
    "DATUM_UNRECEIVED",      "DATUM_READ_SIZE",
    "DATUM_UNSENT",          "DATUM_END_TIMEOUT",
    "DATUM_CLOSE_TIMEOUT",   "DATUM_ENDING",
    "DATUM_RNR_TIMEOUT",     "DATUM_STRICT",
    "DATUM_TRANSPORT",       "DAT_DBG_TYPE"};

} // namespace datum::test
