// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// failed_connect(): what tools print when a connect has failed.
#include "common/failed_connect.h"

#include <gtest/gtest.h>

#include "common/dat_events.h"

namespace datum::tools {
namespace {

// Rules: MESSAGE.4
TEST(FailedConnect, NamesHostQualifierWaysCauseAndStep) {
  const Ways ways = {"shared memory where the listener offers it, else TCP",
                     "DATUM_TRANSPORT=auto"};
  EXPECT_EQ(failed_connect(DAT_CONNECTION_EVENT_NON_PEER_REJECTED, "127.0.0.1 port 7",
                           resolve("127.0.0.1"), ways),
            "127.0.0.1 port 7, over shared memory where the listener offers it, else TCP "
            "(DATUM_TRANSPORT=auto): no DAT service point answered there: nobody listens on that "
            "port, or what listens dropped the connection; is the server running, and is the port "
            "right? its log may say more (DAT_CONNECTION_EVENT_NON_PEER_REJECTED)");
  EXPECT_EQ(failed_connect(DAT_CONNECTION_EVENT_PEER_REJECTED, "there port 7", resolve("192.0.2.1"),
                           {"TCP", "DATUM_TRANSPORT=tcp"}),
            "there port 7 (192.0.2.1), over TCP (DATUM_TRANSPORT=tcp): the program there refused "
            "the connection; ask it why (DAT_CONNECTION_EVENT_PEER_REJECTED)");
}

// A sandbox of the server may refuse to answer, which the log tells. Then it fails each time.
// Rules: MESSAGE.4
TEST(FailedConnect, AnAcceptThatFailedPointsAtTheLogFirst) {
  EXPECT_EQ(connection_failure(DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR, "client 192.0.2.1"),
            "client 192.0.2.1: the connection failed while it was being accepted; the log above "
            "may say why; else try again (DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR)");
}

// Rules: MESSAGE.4
TEST(FailedConnect, AWayThatIsSwitchedOffIsTheCauseAndNotTheAddress) {
  EXPECT_EQ(failed_connect(DAT_CONNECTION_EVENT_UNREACHABLE, "192.0.2.1 port 7",
                           resolve("192.0.2.1"), {"none", "DATUM_TRANSPORT=shm"}),
            "192.0.2.1 port 7: no way leads there: none (DATUM_TRANSPORT=shm); "
            "DATUM_TRANSPORT=auto takes TCP to other hosts (DAT_CONNECTION_EVENT_UNREACHABLE)");
}

// Rules: MESSAGE.4
TEST(FailedConnect, AProviderThatDoesNotTellItsWaysIsNotGuessedAt) {
  EXPECT_EQ(
      failed_connect(DAT_CONNECTION_EVENT_TIMED_OUT, "192.0.2.1 port 7", resolve("192.0.2.1"), {}),
      "192.0.2.1 port 7: no answer in time; is the server busy or stopped, or does something "
      "else than DAT listen there? (DAT_CONNECTION_EVENT_TIMED_OUT)");
}

// Rules: MESSAGE.4
TEST(FailedConnect, ALinkLocalAddressWithoutItsInterfaceIsToldWhatItLacks) {
  const auto answer = [](const std::string& host) {
    return refused_connect(DAT_RETURN{DAT_INVALID_ADDRESS} | DAT_INVALID_ADDRESS_MALFORMED,
                           host + " port 7", resolve(host));
  };
  EXPECT_EQ(answer("fe80::1"),
            "dat_ep_connect(fe80::1 port 7): DAT_INVALID_ADDRESS: DAT_INVALID_ADDRESS_MALFORMED "
            "(a link-local address needs its interface, as in fe80::1%eth0)");
  for (const char* host : {"fe80::1%lo", "::", "0.0.0.0"})
    EXPECT_NE(answer(host).find("(use an address of a machine that this one can reach)"),
              std::string::npos)
        << host;
  EXPECT_EQ(refused_connect(DAT_INVALID_HANDLE, "fe80::1 port 7", resolve("fe80::1")),
            "dat_ep_connect(fe80::1 port 7): DAT_INVALID_HANDLE");
}

} // namespace
} // namespace datum::tools
