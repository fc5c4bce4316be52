// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The endpoint table: every operation in every state. If a cell of the table is not "ok", the call
// must be refused with the name of the state that forbids it, and must change nothing.
#include <algorithm>
#include <string>

#include "fixture.h"
#include "names.h"
#include "states.h"

namespace datum::test {
namespace {

class RuleEpTable : public testing::TestWithParam<DAT_EP_STATE> {
 protected:
  void SetUp() override {
    staged = put_ep_in_state(GetParam());
    if (staged == nullptr) GTEST_SKIP() << "no way into this state on " << transport();
    if (GetParam() == DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING) configure();
  }

  DAT_EP_STATE state() const { return GetParam(); }
  DAT_EP_HANDLE ep() const { return staged->ep(); }
  DAT_EP_STATE now() const { return ep_state(ep()); }

  bool is_one_of(std::initializer_list<DAT_EP_STATE> states) const {
    return std::find(states.begin(), states.end(), state()) != states.end();
  }

  // Gives the provider's EP the PZ and the EVDs that the consumer must add before it can be used.
  void configure() {
    DAT_EP_PARAM param{};
    param.pz_handle = staged->side().pz();
    param.recv_evd_handle = staged->side().recv_evd();
    param.request_evd_handle = staged->side().request_evd();
    param.connect_evd_handle = staged->side().connect_evd();
    EXPECT_DAT_OK(dat_ep_modify(ep(),
                                DAT_EP_FIELD_PZ_HANDLE | DAT_EP_FIELD_RECV_EVD_HANDLE |
                                    DAT_EP_FIELD_REQUEST_EVD_HANDLE |
                                    DAT_EP_FIELD_CONNECT_EVD_HANDLE,
                                &param));
  }

  void expect_refused(DAT_RETURN status) {
    EXPECT_DAT_ERROR(status, DAT_INVALID_STATE, state_subtype(state()))
        << "in state " << short_name(state());
    EXPECT_EQ(now(), state()) << "nothing has changed";
  }

  void expect_post_refused(DAT_RETURN status) {
    expect_refused(status);
    EXPECT_EQ(drain(staged->side().request_evd()), 0) << "nothing was posted";
  }

  void expect_disconnected_event() {
    expect_connection_event(staged->side().connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, ep());
    EXPECT_EQ(now(), DAT_EP_STATE_DISCONNECTED);
  }

  std::unique_ptr<EpInState> staged;
};

// A connected pair whose active side is on the IA of the staged EP. Its listener still exists.
struct LivingConnection {
  explicit LivingConnection(DAT_IA_HANDLE ia)
      : passive_ia(open_ia()), listener(passive_ia), active(ia), passive(passive_ia) {
    EXPECT_DAT_OK(connect(active.ep(), listener));
    Cr cr = listener.expect_request();
    EXPECT_DAT_OK(accept(cr, passive.ep()));
    expect_event(active.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED);
    expect_event(passive.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED);
  }

  Ia passive_ia;
  Listener listener;
  Side active;
  Side passive;
};

// Rules: EPTABLE.connect.* dat_ep_connect.R21
TEST_P(RuleEpTable, Connect) {
  const Ia other_ia = open_ia();
  Listener listener(other_ia);
  const DAT_RETURN status = connect(ep(), listener);
  if (state() != kU) return expect_refused(status);
  EXPECT_DAT_OK(status);
  EXPECT_EQ(now(), kAP);
  listener.expect_request(); // and rejects it
  expect_event(staged->side().connect_evd(), DAT_CONNECTION_EVENT_PEER_REJECTED);
}

// Rules: EPTABLE.dup_connect.* dat_ep_dup_connect.R8
TEST_P(RuleEpTable, DupConnect) {
  LivingConnection living(staged->ia());
  const DAT_RETURN status = dat_ep_dup_connect(ep(), living.active.ep(), DAT_TIMEOUT_INFINITE, 0,
                                               nullptr, DAT_QOS_BEST_EFFORT);
  if (state() != kU) return expect_refused(status);
  EXPECT_DAT_OK(status);
  EXPECT_EQ(now(), kAP);
  living.listener.expect_request();
  expect_event(staged->side().connect_evd(), DAT_CONNECTION_EVENT_PEER_REJECTED);
}

// Rules: EPTABLE.dup_source.* dat_ep_dup_connect.R6
TEST_P(RuleEpTable, DupSource) {
  const Side fresh(staged->ia());
  const Ep other = fresh.another_ep();
  const DAT_RETURN status =
      dat_ep_dup_connect(other, ep(), DAT_TIMEOUT_INFINITE, 0, nullptr, DAT_QOS_BEST_EFFORT);
  if (state() != kC) return expect_refused(status);
  EXPECT_DAT_OK(status);
  EXPECT_EQ(now(), kC);
}

// Rules: EPTABLE.rsp_create.* dat_rsp_create.R14
TEST_P(RuleEpTable, RspCreate) {
  const Evd evd = create_evd(staged->ia(), DAT_EVD_CR_FLAG);
  Rsp rsp;
  const DAT_RETURN status = dat_rsp_create(staged->ia(), free_qualifier(), ep(), evd, rsp.out());
  if (state() != kU) return expect_refused(status);
  EXPECT_DAT_OK(status);
  EXPECT_EQ(now(), kR);
}

// Rules: EPTABLE.accept_explicit.* dat_cr_accept.R12
TEST_P(RuleEpTable, AcceptExplicit) {
  const Ia requester_ia = open_ia();
  Side requester(requester_ia);
  Listener listener(staged->ia());
  ASSERT_DAT_OK(connect(requester.ep(), listener));
  Cr cr = listener.expect_request();
  const DAT_RETURN status = accept(cr, ep());
  if (state() != kU) return expect_refused(status);
  EXPECT_DAT_OK(status);
  expect_event(staged->side().connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED);
  EXPECT_EQ(now(), kC);
}

// Rules: EPTABLE.disconnect_abrupt.* dat_ep_disconnect.R13
TEST_P(RuleEpTable, DisconnectAbrupt) {
  const DAT_RETURN status = dat_ep_disconnect(ep(), DAT_CLOSE_ABRUPT_FLAG);
  if (is_one_of({kU, kR, kPP, kTP})) return expect_refused(status);
  EXPECT_DAT_OK(status);
  if (state() != kD) expect_disconnected_event();
  EXPECT_EQ(now(), kD);
  EXPECT_NO_EVENT(staged->side().connect_evd());
}

// Rules: EPTABLE.disconnect_graceful.* dat_ep_disconnect.R8
TEST_P(RuleEpTable, DisconnectGraceful) {
  const DAT_RETURN status = dat_ep_disconnect(ep(), DAT_CLOSE_GRACEFUL_FLAG);
  if (is_one_of({kU, kR, kPP, kTP})) return expect_refused(status);
  EXPECT_DAT_OK(status);
  if (state() == kDP) {
    EXPECT_EQ(now(), kDP) << "without effect";
    return;
  }
  if (state() != kD) expect_disconnected_event();
  EXPECT_EQ(now(), kD);
  EXPECT_NO_EVENT(staged->side().connect_evd());
}

// Rules: EPTABLE.reset.* dat_ep_reset.R4 dat_ep_reset.R6
TEST_P(RuleEpTable, Reset) {
  const DAT_RETURN status = dat_ep_reset(ep());
  if (!is_one_of({kU, kD})) return expect_refused(status);
  EXPECT_DAT_OK(status);
  EXPECT_EQ(now(), kU);
}

// Rules: EPTABLE.free.* dat_ep_free.R5 dat_ep_free.R6 dat_ep_free.R7 dat_ep_free.R10
TEST_P(RuleEpTable, Free) {
  const DAT_EP_HANDLE handle = ep();
  const DAT_RETURN status = dat_ep_free(handle);
  if (is_one_of({kR, kPP, kTP})) return expect_refused(status);
  EXPECT_DAT_OK(status);
  staged->ep_is_gone();
  EXPECT_DAT_ERROR(dat_ep_free(handle), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
}

// Rules: EPTABLE.modify_pz.* dat_ep_modify.R25
TEST_P(RuleEpTable, ModifyPz) {
  const Pz next = create_pz(staged->ia());
  DAT_EP_PARAM param{};
  param.pz_handle = next;
  const DAT_RETURN status = dat_ep_modify(ep(), DAT_EP_FIELD_PZ_HANDLE, &param);
  if (!is_one_of({kU, kTP})) return expect_refused(status);
  EXPECT_DAT_OK(status);
  EXPECT_EQ(query_ep(ep()).pz_handle, next);
  param.pz_handle = staged->side().pz();
  EXPECT_DAT_OK(dat_ep_modify(ep(), DAT_EP_FIELD_PZ_HANDLE, &param));
}

// Rules: EPTABLE.modify_evd.*
TEST_P(RuleEpTable, ModifyEvdsAndAttributes) {
  DAT_EP_PARAM param{};
  param.recv_evd_handle = DAT_HANDLE_NULL;
  param.ep_attr.max_message_size = 1024;
  param.ep_attr.max_request_dtos = 9;
  const DAT_EP_PARAM_MASK fields[] = {DAT_EP_FIELD_RECV_EVD_HANDLE,
                                      DAT_EP_FIELD_EP_ATTR_MAX_MESSAGE_SIZE,
                                      DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS};
  for (const DAT_EP_PARAM_MASK field : fields) {
    const DAT_RETURN status = dat_ep_modify(ep(), field, &param);
    if (is_one_of({kU, kR, kPP, kTP})) {
      EXPECT_DAT_OK(status) << std::hex << field;
    } else {
      expect_refused(status);
    }
  }
}

// Rules: EPTABLE.modify_specific.*
TEST_P(RuleEpTable, ModifySpecificAttributes) {
  const DAT_EP_PARAM param{};
  const DAT_RETURN status = dat_ep_modify(
      ep(), DAT_EP_FIELD_EP_ATTR_NUM_PROVIDER_ATTR | DAT_EP_FIELD_EP_ATTR_PROVIDER_SPECIFIC_ATTR,
      &param);
  if (state() != kU) return expect_refused(status);
  EXPECT_DAT_OK(status);
}

// Rules: EPTABLE.modify_other.*
TEST_P(RuleEpTable, ModifyOtherFields) {
  const DAT_EP_PARAM param = query_ep(ep());
  for (const DAT_EP_PARAM_MASK field :
       {DAT_EP_FIELD_IA_HANDLE, DAT_EP_FIELD_EP_STATE, DAT_EP_FIELD_LOCAL_IA_ADDRESS_PTR,
        DAT_EP_FIELD_LOCAL_PORT_QUAL, DAT_EP_FIELD_REMOTE_IA_ADDRESS_PTR,
        DAT_EP_FIELD_REMOTE_PORT_QUAL, DAT_EP_FIELD_SRQ_HANDLE}) {
    EXPECT_DAT_TYPE(dat_ep_modify(ep(), field, &param), DAT_INVALID_PARAMETER)
        << std::hex << field << " in state " << short_name(state());
  }
  EXPECT_EQ(now(), state());
}

// Rules: EPTABLE.post_recv.* dat_ep_post_recv.R17
TEST_P(RuleEpTable, PostRecv) {
  Buffer buffer = staged->side().buffer(16);
  EXPECT_DAT_OK(post_recv(ep(), {buffer.segment()}, 7));
  if (state() == kD) {
    expect_dto(staged->side().recv_evd(), ep(), 7, DAT_DTO_ERR_FLUSHED);
    return;
  }
  EXPECT_NO_EVENT(staged->side().recv_evd());
  DAT_COUNT queued = 0;
  EXPECT_DAT_OK(dat_ep_recv_query(ep(), &queued, nullptr));
  EXPECT_EQ(queued, 1);
  EXPECT_EQ(now(), state());
  if (!is_one_of({kC, kDP})) return;
  Buffer source = staged->peer().buffer(16);
  EXPECT_DAT_OK(post_send(staged->peer().ep(), {source.segment()}, 8));
  EXPECT_EQ(expect_dto(staged->side().recv_evd(), ep(), 7), 16U) << "it matches";
  expect_dto(staged->peer().request_evd(), staged->peer().ep(), 8);
}

// Rules: EPTABLE.post_send.* dat_ep_post_send.R20
TEST_P(RuleEpTable, PostSend) {
  Buffer buffer = staged->side().buffer(16);
  const Side& receiver = state() == kC ? staged->peer() : staged->side();
  Buffer sink = receiver.buffer(16);
  if (state() == kC) {
    ASSERT_DAT_OK(post_recv(staged->peer().ep(), {sink.segment()}, 8));
  }
  const DAT_RETURN status = post_send(ep(), {buffer.segment()}, 7);
  if (!is_one_of({kC, kD})) return expect_post_refused(status);
  EXPECT_DAT_OK(status);
  expect_dto(staged->side().request_evd(), ep(), 7,
             state() == kC ? DAT_DTO_SUCCESS : DAT_DTO_ERR_FLUSHED);
}

// Rules: EPTABLE.post_rdma_write.* dat_ep_post_rdma_write.R18
TEST_P(RuleEpTable, PostWrite) {
  Buffer source = staged->side().buffer(16);
  Buffer target = state() == kC ? staged->peer().buffer(16) : staged->side().buffer(16);
  const DAT_RETURN status = post_write(ep(), {source.segment()}, target.remote(), 7);
  if (!is_one_of({kC, kD})) return expect_post_refused(status);
  EXPECT_DAT_OK(status);
  expect_dto(staged->side().request_evd(), ep(), 7,
             state() == kC ? DAT_DTO_SUCCESS : DAT_DTO_ERR_FLUSHED);
}

// Rules: EPTABLE.post_rdma_read.* dat_ep_post_rdma_read.R21
TEST_P(RuleEpTable, PostRead) {
  Buffer sink = staged->side().buffer(16);
  Buffer source = state() == kC ? staged->peer().buffer(16) : staged->side().buffer(16);
  const DAT_RETURN status = post_read(ep(), {sink.segment()}, source.remote(), 7);
  if (!is_one_of({kC, kD})) return expect_post_refused(status);
  EXPECT_DAT_OK(status);
  expect_dto(staged->side().request_evd(), ep(), 7,
             state() == kC ? DAT_DTO_SUCCESS : DAT_DTO_ERR_FLUSHED);
}

// Rules: EPTABLE.bind.* dat_rmr_bind.R14
TEST_P(RuleEpTable, Bind) {
  Buffer buffer = staged->side().buffer(16);
  const Rmr rmr = create_rmr(staged->side().pz());
  DAT_RMR_CONTEXT context = 0;
  const DAT_RETURN status =
      post_bind(ep(), rmr, buffer.segment(), DAT_MEM_PRIV_ALL_FLAG, 7, &context);
  if (is_one_of({kC, kD})) {
    EXPECT_DAT_OK(status);
    expect_bind(staged->side().request_evd(), rmr, 7,
                state() == kC ? DAT_DTO_SUCCESS : DAT_DTO_ERR_FLUSHED);
  } else {
    expect_post_refused(status);
  }
}

// Rules: EPTABLE.query.* EPTABLE.get_status.* EPTABLE.recv_query.* EPTABLE.set_watermark.*
// Rules: EPTABLE.context.* dat_ep_query.R8 dat_ep_set_watermark.R4 EPEVENT.17
TEST_P(RuleEpTable, AllowedInEveryState) {
  EXPECT_EQ(query_ep(ep()).ep_state, state());
  EXPECT_EQ(now(), state());
  DAT_COUNT count = 0;
  DAT_COUNT span = 0;
  EXPECT_DAT_OK(dat_ep_recv_query(ep(), &count, &span));
  EXPECT_DAT_OK(dat_ep_set_watermark(ep(), 100, 200));
  EXPECT_DAT_OK(dat_ep_set_watermark(ep(), DAT_WATERMARK_INFINITE, DAT_WATERMARK_INFINITE));
  EXPECT_DAT_OK(dat_set_consumer_context(ep(), cookie(5)));
  DAT_CONTEXT context{};
  EXPECT_DAT_OK(dat_get_consumer_context(ep(), &context));
  EXPECT_EQ(context.as_64, 5U);
  EXPECT_EQ(now(), state());
}

// The operations on an RSP and on a request. Only in these states does the EP belong to an RSP or
// to a request.
class RuleEpTableOfRsp : public RuleEpTable {};
class RuleEpTableOfRequest : public RuleEpTable {
 protected:
  void expect_given_up() {
    if (state() == kPP)
      EXPECT_EQ(now(), kU);
    else
      EXPECT_DAT_ERROR(dat_ep_get_status(ep(), nullptr, nullptr, nullptr), DAT_INVALID_HANDLE,
                       DAT_INVALID_HANDLE_EP);
  }
};

// Rules: EPTABLE.rsp_free.*
TEST_P(RuleEpTableOfRsp, Free) {
  EXPECT_DAT_OK(dat_rsp_free(staged->rsp().release()));
  EXPECT_EQ(now(), state() == kR ? kU : kPP);
}

// Rules: EPTABLE.accept_implicit.*
TEST_P(RuleEpTableOfRequest, AcceptImplicit) {
  EXPECT_DAT_OK(accept(staged->cr(), DAT_HANDLE_NULL));
  expect_event(staged->side().connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED);
  EXPECT_EQ(now(), kC);
  if (state() == kTP) {
    EXPECT_DAT_OK(dat_ep_free(ep())) << "it is the consumer's now";
  }
}

// Rules: EPTABLE.reject.*
TEST_P(RuleEpTableOfRequest, Reject) {
  EXPECT_DAT_OK(dat_cr_reject(staged->cr().release()));
  expect_given_up();
}

// Rules: EPTABLE.handoff.* dat_cr_handoff.R10
TEST_P(RuleEpTableOfRequest, Handoff) {
  Listener target(staged->ia());
  EXPECT_DAT_OK(dat_cr_handoff(staged->cr().release(), target.qualifier()));
  const Cr moved = target.expect_request();
  expect_given_up();
}

std::string state_name(const testing::TestParamInfo<DAT_EP_STATE>& each) {
  return short_name(each.param);
}

INSTANTIATE_TEST_SUITE_P(States, RuleEpTable, testing::ValuesIn(kEpStates), state_name);
INSTANTIATE_TEST_SUITE_P(States, RuleEpTableOfRsp, testing::Values(kR, kPP), state_name);
INSTANTIATE_TEST_SUITE_P(States, RuleEpTableOfRequest, testing::Values(kPP, kTP), state_name);

} // namespace
} // namespace datum::test
