// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_ep_dup_connect(3DAT): a second connection to the peer of the first connection.
#include <functional>

#include "each_kind.h"
#include "fixture.h"
#include "names.h"

namespace datum::test {
namespace {

// The arguments of a call that would succeed, to be changed one at a time.
struct DupArguments {
  DAT_EP_HANDLE ep;
  DAT_EP_HANDLE original;
  DAT_TIMEOUT timeout = DAT_TIMEOUT_INFINITE;
  DAT_COUNT data_size = 0;
  DAT_PVOID data = nullptr;
  DAT_QOS qos = DAT_QOS_BEST_EFFORT;

  DAT_RETURN call() const {
    return dat_ep_dup_connect(ep, original, timeout, data_size, data, qos);
  }
};

class DatEpDupConnect : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    passive_ia = open_ia();
    passive = std::make_unique<Side>(passive_ia);
    listener = std::make_unique<Listener>(passive_ia);
    active = std::make_unique<Side>(ia);
    ASSERT_DAT_OK(connect(active->ep(), *listener));
    Cr cr = listener->expect_request();
    ASSERT_DAT_OK(accept(cr, passive->ep()));
    expect_event(active->connect_evd(), kEstablished);
    expect_event(passive->connect_evd(), kEstablished);
    second = active->another_ep();
    arguments.ep = second;
    arguments.original = active->ep();
  }
  void TearDown() override {
    second.free();
    active.reset();
    passive.reset();
    listener.reset();
  }

  void expect_refused(DAT_RETURN type, DAT_RETURN subtype,
                      const std::function<void(DupArguments&)>& change) {
    DupArguments changed = arguments;
    change(changed);
    EXPECT_DAT_ERROR(changed.call(), type, subtype);
    EXPECT_EQ(ep_state(second), DAT_EP_STATE_UNCONNECTED);
  }
  void expect_bad_argument(DAT_RETURN subtype, const std::function<void(DupArguments&)>& change) {
    expect_refused(DAT_INVALID_PARAMETER, subtype, change);
  }

  Ia passive_ia;
  std::unique_ptr<Side> passive;
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Side> active; // its EP is connected
  Ep second;
  DupArguments arguments{};
};

// Rules: dat_ep_dup_connect.R1 dat_ep_dup_connect.R2 dat_ep_dup_connect.R3
TEST_F(DatEpDupConnect, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EP, [&](DAT_HANDLE handle) {
    DupArguments changed = arguments;
    changed.ep = handle;
    return changed.call();
  });
}

TEST_F(DatEpDupConnect, R5BadOriginals) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EP, [&](DAT_HANDLE handle) {
    DupArguments changed = arguments;
    changed.original = handle;
    return changed.call();
  });
}

TEST_F(DatEpDupConnect, R4TheSamePspGetsARequest) {
  const std::string data = "again";
  arguments.data = const_cast<char*>(data.data());
  arguments.data_size = 5;
  ASSERT_DAT_OK(arguments.call());
  EXPECT_EQ(ep_state(second), DAT_EP_STATE_ACTIVE_CONNECTION_PENDING);
  Cr cr = listener->expect_request();
  EXPECT_EQ(request_data(cr), "again");
  const Ep other = passive->another_ep();
  ASSERT_DAT_OK(accept(cr, other));
  expect_connection_event(active->connect_evd(), kEstablished, second);
  expect_connection_event(passive->connect_evd(), kEstablished, other);
  EXPECT_EQ(ep_state(active->ep()), DAT_EP_STATE_CONNECTED);
}

TEST_F(DatEpDupConnect, R7TheAcceptingEndKnowsNoQualifier) {
  const Ep other = passive->another_ep();
  EXPECT_DAT_TYPE(dat_ep_dup_connect(other, passive->ep(), DAT_TIMEOUT_INFINITE, 0, nullptr,
                                     DAT_QOS_BEST_EFFORT),
                  DAT_INVALID_STATE);
  EXPECT_EQ(ep_state(other), DAT_EP_STATE_UNCONNECTED);
}

// Rules: dat_ep_dup_connect.R9 dat_ep_dup_connect.R10 dat_ep_dup_connect.R11
// Rules: dat_ep_dup_connect.R12
TEST_F(DatEpDupConnect, BadArguments) {
  std::vector<char> data(static_cast<std::size_t>(provider_attributes(ia).max_private_data_size) +
                         1);
  expect_bad_argument(DAT_INVALID_ARG3, [](DupArguments& a) { a.timeout = 0; });
  expect_bad_argument(DAT_INVALID_ARG4, [&](DupArguments& a) {
    a.data = data.data();
    a.data_size = -1;
  });
  expect_bad_argument(DAT_INVALID_ARG4, [&](DupArguments& a) {
    a.data = data.data();
    a.data_size = static_cast<DAT_COUNT>(data.size());
  });
  expect_bad_argument(DAT_INVALID_ARG5, [](DupArguments& a) { a.data_size = 1; });
  EXPECT_NO_EVENT(active->connect_evd());
  EXPECT_NO_EVENT(listener->evd());
}

TEST_F(DatEpDupConnect, R13BetterThanBestEffort) {
  expect_refused(DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE,
                 [](DupArguments& a) { a.qos = DAT_QOS_PREMIUM; });
}

TEST_F(DatEpDupConnect, R14WithoutConnectEvdOrPz) {
  const Ep no_evd =
      create_ep(ia, active->pz(), active->recv_evd(), active->request_evd(), DAT_HANDLE_NULL);
  const Ep no_pz = create_ep(ia, DAT_HANDLE_NULL, active->recv_evd(), active->request_evd(),
                             active->connect_evd());
  expect_refused(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CONN,
                 [&](DupArguments& a) { a.ep = no_evd; });
  expect_refused(DAT_INVALID_STATE, DAT_INVALID_STATE_EP_NOTREADY,
                 [&](DupArguments& a) { a.ep = no_pz; });
}

TEST_F(DatEpDupConnect, R15TheOriginalOfAnotherInstance) {
  const Ia other_ia = open_ia();
  Side third(other_ia);
  ASSERT_DAT_OK(connect(third.ep(), *listener));
  Cr cr = listener->expect_request();
  const Ep accepter = passive->another_ep();
  ASSERT_DAT_OK(accept(cr, accepter));
  expect_event(third.connect_evd(), kEstablished);
  expect_refused(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP,
                 [&](DupArguments& a) { a.original = third.ep(); });
}

// Rules: dat_ep_dup_connect.R16
TEST_F(DatEpDupConnect, AFailureEndsInDisconnected) {
  ASSERT_DAT_OK(arguments.call());
  listener->expect_request().free(); // rejected
  expect_connection_event(active->connect_evd(), kPeerRejected, second);
  EXPECT_EQ(ep_state(second), DAT_EP_STATE_DISCONNECTED);
  EXPECT_DAT_ERROR(arguments.call(), DAT_INVALID_STATE, DAT_INVALID_STATE_EP_DISCONNECTED)
      << "a reset comes first";
  ASSERT_DAT_OK(dat_ep_reset(second));
  ASSERT_DAT_OK(arguments.call());
  listener->expect_request().free();
  expect_connection_event(active->connect_evd(), kPeerRejected, second);
}

} // namespace
} // namespace datum::test
