// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_cno_create(3DAT), dat_cno_query(3DAT), dat_cno_modify_agent(3DAT), dat_cno_free(3DAT).
#include "each_kind.h"
#include "fixture.h"
#include "threads.h"

namespace datum::test {
namespace {

using DatCnoCreate = Conformance;
using DatCnoQuery = Conformance;
using DatCnoFree = Conformance;

// An agent that counts its calls and remembers the last EVD.
struct Agent {
  int calls = 0;
  DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
  DAT_CNO_HANDLE arm_again = DAT_HANDLE_NULL;
  DAT_RETURN armed = DAT_SUCCESS;

  DAT_OS_WAIT_PROXY_AGENT proxy() { return {this, &Agent::run}; }

  static void run(DAT_PVOID data, DAT_EVD_HANDLE evd) {
    auto* agent = static_cast<Agent*>(data);
    ++agent->calls;
    agent->evd = evd;
    if (agent->arm_again != DAT_HANDLE_NULL) {
      agent->armed = dat_cno_modify_agent(agent->arm_again, agent->proxy());
    }
  }
};

class DatCnoModifyAgent : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    cno = create_cno(ia);
    evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, kQueueLength, cno);
  }

  void arm(Agent& agent) { EXPECT_DAT_OK(dat_cno_modify_agent(cno, agent.proxy())); }
  void trigger() { EXPECT_DAT_OK(post_software_event(evd, nullptr)); }

  Cno cno;
  Evd evd;
};

DAT_CNO_PARAM query_cno(DAT_CNO_HANDLE cno) {
  DAT_CNO_PARAM param{};
  EXPECT_DAT_OK(dat_cno_query(cno, DAT_CNO_FIELD_ALL, &param));
  return param;
}

// Rules: dat_cno_create.R1 dat_cno_create.R2 dat_cno_create.R3
TEST_F(DatCnoCreate, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_IA, [](DAT_HANDLE handle) {
    DAT_CNO_HANDLE cno = DAT_HANDLE_NULL;
    return dat_cno_create(handle, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno);
  });
}

// Rules: dat_cno_create.R4 dat_cno_query.R7
TEST_F(DatCnoCreate, ANewCnoIsUntriggered) {
  const Cno cno = create_cno(ia);
  EXPECT_UNTRIGGERED(cno);
  EXPECT_EQ(query_cno(cno).ia_handle, ia);
}

// Rules: dat_cno_create.R5 dat_cno_query.R9
TEST_F(DatCnoCreate, TheAgentIsQueried) {
  Agent agent;
  const Cno cno = create_cno(ia, agent.proxy());
  EXPECT_EQ(agent_in(query_cno(cno)).instance_data, &agent);
  EXPECT_EQ(agent_in(query_cno(cno)).proxy_agent_func, &Agent::run);
  EXPECT_DAT_OK(dat_cno_modify_agent(cno, DAT_OS_WAIT_PROXY_AGENT_NULL));
}

TEST_F(DatCnoCreate, R6NoAgent) {
  const Cno cno = create_cno(ia, DAT_OS_WAIT_PROXY_AGENT_NULL);
  EXPECT_EQ(agent_in(query_cno(cno)).proxy_agent_func, nullptr);
  EXPECT_EQ(agent_in(query_cno(cno)).instance_data, nullptr);
}

TEST_F(DatCnoCreate, R7NullPointer) {
  EXPECT_DAT_ERROR(dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, nullptr), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG3);
}

// Rules: dat_cno_modify_agent.R1 dat_cno_modify_agent.R2 dat_cno_modify_agent.R3
TEST_F(DatCnoModifyAgent, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_CNO, [](DAT_HANDLE handle) {
    return dat_cno_modify_agent(handle, DAT_OS_WAIT_PROXY_AGENT_NULL);
  });
}

TEST_F(DatCnoModifyAgent, R4TheNewAgentReplacesTheOld) {
  Agent first;
  Agent second;
  arm(first);
  arm(second);
  trigger();
  EXPECT_EQ(first.calls, 0);
  EXPECT_EQ(second.calls, 1);
}

TEST_F(DatCnoModifyAgent, R5NullRemovesTheAgent) {
  Agent agent;
  arm(agent);
  EXPECT_DAT_OK(dat_cno_modify_agent(cno, DAT_OS_WAIT_PROXY_AGENT_NULL));
  trigger();
  EXPECT_EQ(agent.calls, 0);
}

TEST_F(DatCnoModifyAgent, R6ALatchedTriggerDoesNotFireIt) {
  trigger();
  Agent agent;
  arm(agent);
  EXPECT_EQ(agent.calls, 0);
  EXPECT_DAT_OK(dat_cno_modify_agent(cno, DAT_OS_WAIT_PROXY_AGENT_NULL));
}

// Rules: dat_cno_modify_agent.R7 dat_cno_modify_agent.R8 NOTIFY.14
TEST_F(DatCnoModifyAgent, ItMayArmItselfAgain) {
  Agent agent;
  agent.arm_again = cno;
  arm(agent);
  trigger();
  EXPECT_EQ(agent.calls, 1);
  EXPECT_DAT_OK(agent.armed);
  EXPECT_TRIGGERED(cno, evd); // clears the latch
  trigger();
  EXPECT_EQ(agent.calls, 2);
  EXPECT_DAT_OK(dat_cno_modify_agent(cno, DAT_OS_WAIT_PROXY_AGENT_NULL));
}

// Rules: NOTIFY.10 NOTIFY.11 NOTIFY.13 dat_cno_query.R8
TEST_F(DatCnoModifyAgent, ItRunsOnceWithDataAndEvd) {
  Agent agent;
  arm(agent);
  trigger();
  EXPECT_EQ(agent.calls, 1);
  EXPECT_EQ(agent.evd, evd);
  EXPECT_EQ(agent_in(query_cno(cno)).proxy_agent_func, nullptr);
  EXPECT_EQ(agent_in(query_cno(cno)).instance_data, nullptr);
  EXPECT_TRIGGERED(cno, evd);
  trigger();
  EXPECT_EQ(agent.calls, 1) << "one-shot";
}

// Rules: NOTIFY.12
TEST_F(DatCnoModifyAgent, AWaiterWakesAsWell) {
  Agent agent;
  arm(agent);
  DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
  BlockedCall waiter([&] { return dat_cno_wait(cno, kPatience, &fired); });
  trigger();
  EXPECT_DAT_OK(waiter.join());
  EXPECT_EQ(fired, evd);
  EXPECT_EQ(agent.calls, 1);
}

// Rules: NOTIFY.18
TEST_F(DatCnoModifyAgent, TheLastEvdIsFreed) {
  Agent agent;
  agent.evd = cno; // anything but null
  arm(agent);
  Evd other = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, cno);
  other.free();
  EXPECT_EQ(agent.calls, 0);
  evd.free();
  EXPECT_EQ(agent.calls, 1);
  EXPECT_EQ(agent.evd, DAT_HANDLE_NULL);
  EXPECT_EQ(agent_in(query_cno(cno)).proxy_agent_func, nullptr);
}

// Rules: NOTIFY.1 NOTIFY.9
TEST_F(DatCnoModifyAgent, EveryArrivalTriggersWhateverTheThreshold) {
  DAT_EVENT event{};
  DAT_COUNT left = 0;
  EXPECT_DAT_TYPE(dat_evd_wait(evd, 0, 3, &event, &left), DAT_TIMEOUT_EXPIRED);
  trigger();
  EXPECT_TRIGGERED(cno, evd);
  trigger();
  EXPECT_TRIGGERED(cno, evd);
}

// Rules: dat_cno_query.R1 dat_cno_query.R2 dat_cno_query.R3
TEST_F(DatCnoQuery, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_CNO, [](DAT_HANDLE handle) {
    DAT_CNO_PARAM param{};
    return dat_cno_query(handle, DAT_CNO_FIELD_ALL, &param);
  });
}

// Rules: dat_cno_query.R4 dat_cno_query.R5 dat_cno_query.R6
TEST_F(DatCnoQuery, MaskAndStruct) {
  const Cno cno = create_cno(ia);
  expect_query_checks(kCnoFields, [&](DAT_UINT64 mask, bool with_struct) {
    DAT_CNO_PARAM param{};
    return dat_cno_query(cno, any_value<DAT_CNO_PARAM_MASK>(static_cast<int>(mask)),
                         with_struct ? &param : nullptr);
  });
}

// Rules: dat_cno_free.R1 dat_cno_free.R2 dat_cno_free.R3
TEST_F(DatCnoFree, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_CNO, dat_cno_free);
}

TEST_F(DatCnoFree, R4Unused) {
  Cno cno = create_cno(ia);
  EXPECT_DAT_OK(dat_cno_free(cno.release()));
}

// Rules: dat_cno_free.R5 OBJ.2 OBJ.3
TEST_F(DatCnoFree, AnEvdRefersToIt) {
  Cno cno = create_cno(ia);
  Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, cno);
  EXPECT_DAT_ERROR(dat_cno_free(cno), DAT_INVALID_STATE, DAT_INVALID_STATE_CNO_IN_USE);
  evd.free();
  EXPECT_DAT_OK(dat_cno_free(cno.release()));
}

TEST_F(DatCnoFree, R6AThreadWaits) {
  const Cno cno = create_cno(ia);
  DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
  BlockedCall waiter([&] { return dat_cno_wait(cno, kPatience, &fired); });
  EXPECT_DAT_ERROR(dat_cno_free(cno), DAT_INVALID_STATE, DAT_INVALID_STATE_CNO_IN_USE);
  // The manual names this way to release a CNO: a spare EVD and a software event.
  const Evd spare = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, cno);
  EXPECT_DAT_OK(post_software_event(spare, nullptr));
  EXPECT_DAT_OK(waiter.join());
}

} // namespace
} // namespace datum::test
