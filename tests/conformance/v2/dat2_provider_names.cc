// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Named attributes of a provider that programs written for InfiniBand look for.
#include "dat.h"

#include <arpa/inet.h>

#include <map>
#include <string>

#include "fixture.h"
#include "socket_address.h"

namespace {

using namespace datum::test;

using Dat2ProviderNames = Conformance;

std::map<std::string, std::string> names_of(DAT_IA_HANDLE ia) {
  DAT_PROVIDER_ATTR told{};
  EXPECT_DAT_OK(dat_ia_query(ia, nullptr, 0, nullptr, DAT_PROVIDER_FIELD_ALL, &told));
  std::map<std::string, std::string> names;
  for (DAT_COUNT i = 0; i < told.num_provider_specific_attr; ++i)
    names[told.provider_specific_attr[i].name] = told.provider_specific_attr[i].value;
  EXPECT_EQ(names.size(), static_cast<std::size_t>(told.num_provider_specific_attr))
      << "each name once";
  return names;
}

// Rules: DAT2.89
TEST_F(Dat2ProviderNames, TellTheDeviceAndItsAddress) {
  const auto names = names_of(ia);
  EXPECT_EQ(names.at("DAT_IB_DEVICE_NAME"), ia_name());
  const std::string host = SocketAddress(ia_attributes(ia).ia_address_ptr).host();
  const bool mapped = host.find(':') == std::string::npos;
  EXPECT_EQ(names.at("DAT_IB_GID"), mapped ? "::ffff:" + host : host);
}

// Rules: DAT2.89
TEST_F(Dat2ProviderNames, TellWhatIsAskedOfAPort) {
  const auto names = names_of(ia);
  EXPECT_EQ(names.at("DAT_IB_PORT_STATUS"), "ACTIVE");
  EXPECT_EQ(names.at("DAT_IB_PORT_NUMBER"), "1");
  EXPECT_EQ(names.at("DAT_IB_TRANSPORT_MTU"), "4096");
  EXPECT_EQ(names.at("DAT_IB_RDMA_READ"), "TRUE");
  EXPECT_EQ(names.count("DAT_IB_NODE_GUID"), 0U) << "there is none to tell";
}

} // namespace
