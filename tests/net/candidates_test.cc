// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Qualifiers of more than 16 bits over TCP, and the ports that stand for them (docs/design/tcp.md).
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "connection.h"
#include "two_hosts.h"

namespace datum::net {
namespace {

using test::Evd;
using test::Ia;
using test::Psp;

constexpr DAT_CONN_QUAL kQualifier = 0x123456789a;

Ia open_named_ia(const Namespace& host, const char* name) {
  const Visit visit(host);
  DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
  Ia ia;
  EXPECT_DAT_OK(dat_ia_open(const_cast<char*>(name), 8, &async, ia.out())) << name;
  return ia;
}

struct Names {
  const char* first;
  const char* second;
  bool conflict;
};
std::ostream& operator<<(std::ostream& out, const Names& names) {
  return out << names.first << " and " << names.second;
}

class AddressesOfOneQualifier : public testing::TestWithParam<Names> {
 protected:
  TwoHosts hosts_;
};

// Rules: tcp.Q9 CONN.26
TEST_P(AddressesOfOneQualifier, ConflictWhereOneOfThemIsAll) {
  const Ia first = open_named_ia(hosts_.here(), GetParam().first);
  const Ia second = open_named_ia(hosts_.here(), GetParam().second);
  const Evd first_evd = test::create_evd(first, DAT_EVD_CR_FLAG);
  const Evd second_evd = test::create_evd(second, DAT_EVD_CR_FLAG);
  for (const DAT_CONN_QUAL qualifier : {DAT_CONN_QUAL{7777}, kQualifier, ~DAT_CONN_QUAL{0}}) {
    Psp psp = test::create_psp(first, qualifier, first_evd);
    Psp other;
    const DAT_RETURN answer =
        dat_psp_create(second, qualifier, second_evd, DAT_PSP_CONSUMER_FLAG, other.out());
    EXPECT_EQ(DAT_GET_TYPE(answer), GetParam().conflict ? DAT_CONN_QUAL_IN_USE : DAT_SUCCESS)
        << qualifier;
    other.free();
    psp.free();
    EXPECT_DAT_OK(dat_psp_create(second, qualifier, second_evd, DAT_PSP_CONSUMER_FLAG, other.out()))
        << qualifier;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, AddressesOfOneQualifier,
                         testing::Values(Names{"datum", "datum-lo", true},
                                         Names{"datum-lo", "datum", true},
                                         Names{"datum-lo", "datum-wire", false}),
                         [](const auto& names) {
                           const std::string first = names.param.first;
                           return first == "datum"       ? "EveryOneFirst"
                                  : names.param.conflict ? "EveryOneSecond"
                                                         : "TwoOfThem";
                         });

} // namespace
} // namespace datum::net
