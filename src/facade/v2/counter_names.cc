// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v2/counter_names.cc: the counters of each kind of object, in the order of their numbers.
#include "facade/v2/extension.h"

#include <array>

#include <dat2/dat_ib_extensions.h>

namespace datum {
namespace {

constexpr std::array kOfIa = {
    std::string_view("DCNT_IA_PZ_CREATE"),
    std::string_view("DCNT_IA_PZ_FREE"),
    std::string_view("DCNT_IA_LMR_CREATE"),
    std::string_view("DCNT_IA_LMR_FREE"),
    std::string_view("DCNT_IA_RMR_CREATE"),
    std::string_view("DCNT_IA_RMR_FREE"),
    std::string_view("DCNT_IA_PSP_CREATE"),
    std::string_view("DCNT_IA_PSP_CREATE_ANY"),
    std::string_view("DCNT_IA_PSP_FREE"),
    std::string_view("DCNT_IA_RSP_CREATE"),
    std::string_view("DCNT_IA_RSP_FREE"),
    std::string_view("DCNT_IA_EVD_CREATE"),
    std::string_view("DCNT_IA_EVD_FREE"),
    std::string_view("DCNT_IA_EP_CREATE"),
    std::string_view("DCNT_IA_EP_FREE"),
    std::string_view("DCNT_IA_SRQ_CREATE"),
    std::string_view("DCNT_IA_SRQ_FREE"),
    std::string_view("DCNT_IA_SP_CR"),
    std::string_view("DCNT_IA_SP_CR_ACCEPTED"),
    std::string_view("DCNT_IA_SP_CR_REJECTED"),
    std::string_view("DCNT_IA_MEM_ALLOC"),
    std::string_view("DCNT_IA_MEM_ALLOC_DATA"),
    std::string_view("DCNT_IA_MEM_FREE"),
    std::string_view("DCNT_IA_ASYNC_ERROR"),
    std::string_view("DCNT_IA_ASYNC_QP_ERROR"),
    std::string_view("DCNT_IA_ASYNC_CQ_ERROR"),
    std::string_view("DCNT_IA_CM_LISTEN"),
    std::string_view("DCNT_IA_CM_REQ_TX"),
    std::string_view("DCNT_IA_CM_REQ_RX"),
    std::string_view("DCNT_IA_CM_REP_TX"),
    std::string_view("DCNT_IA_CM_REP_RX"),
    std::string_view("DCNT_IA_CM_RTU_TX"),
    std::string_view("DCNT_IA_CM_RTU_RX"),
    std::string_view("DCNT_IA_CM_USER_REJ_TX"),
    std::string_view("DCNT_IA_CM_USER_REJ_RX"),
    std::string_view("DCNT_IA_CM_ACTIVE_EST"),
    std::string_view("DCNT_IA_CM_PASSIVE_EST"),
    std::string_view("DCNT_IA_CM_AH_REQ_TX"),
    std::string_view("DCNT_IA_CM_AH_REQ_RX"),
    std::string_view("DCNT_IA_CM_AH_RESOLVED"),
    std::string_view("DCNT_IA_CM_DREQ_TX"),
    std::string_view("DCNT_IA_CM_DREQ_RX"),
    std::string_view("DCNT_IA_CM_DREP_TX"),
    std::string_view("DCNT_IA_CM_DREP_RX"),
    std::string_view("DCNT_IA_CM_MRA_TX"),
    std::string_view("DCNT_IA_CM_MRA_RX"),
    std::string_view("DCNT_IA_CM_REQ_FULLQ_POLL"),
    std::string_view("DCNT_IA_CM_ERR"),
    std::string_view("DCNT_IA_CM_ERR_REQ_FULLQ"),
    std::string_view("DCNT_IA_CM_ERR_REQ_DUP"),
    std::string_view("DCNT_IA_CM_ERR_REQ_RETRY"),
    std::string_view("DCNT_IA_CM_ERR_REP_DUP"),
    std::string_view("DCNT_IA_CM_ERR_REP_RETRY"),
    std::string_view("DCNT_IA_CM_ERR_RTU_DUP"),
    std::string_view("DCNT_IA_CM_ERR_RTU_RETRY"),
    std::string_view("DCNT_IA_CM_ERR_REFUSED"),
    std::string_view("DCNT_IA_CM_ERR_RESET"),
    std::string_view("DCNT_IA_CM_ERR_TIMEOUT"),
    std::string_view("DCNT_IA_CM_ERR_REJ_TX"),
    std::string_view("DCNT_IA_CM_ERR_REJ_RX"),
    std::string_view("DCNT_IA_CM_ERR_DREQ_DUP"),
    std::string_view("DCNT_IA_CM_ERR_DREQ_RETRY"),
    std::string_view("DCNT_IA_CM_ERR_DREP_DUP"),
    std::string_view("DCNT_IA_CM_ERR_DREP_RETRY"),
    std::string_view("DCNT_IA_CM_ERR_MRA_DUP"),
    std::string_view("DCNT_IA_CM_ERR_MRA_RETRY"),
    std::string_view("DCNT_IA_CM_ERR_UNEXPECTED"),
    std::string_view("DCNT_IA_LNK_ERR_RCV"),
    std::string_view("DCNT_IA_LNK_ERR_RCV_REM_PHYS"),
    std::string_view("DCNT_IA_LNK_ERR_RCV_CONSTRAINT"),
    std::string_view("DCNT_IA_LNK_ERR_XMT_DISCARDS"),
    std::string_view("DCNT_IA_LNK_ERR_XMT_CONTRAINT"),
    std::string_view("DCNT_IA_LNK_ERR_INTEGRITY"),
    std::string_view("DCNT_IA_LNK_ERR_EXC_BUF_OVERRUN"),
    std::string_view("DCNT_IA_LNK_WARN_RCV_SW_RELAY"),
    std::string_view("DCNT_IA_LNK_WARN_XMT_WAIT"),
    std::string_view("DCNT_IA_DIAG_ERR_RQ_RAE"),
    std::string_view("DCNT_IA_DIAG_ERR_RQ_OOS"),
    std::string_view("DCNT_IA_DIAG_ERR_RQ_RIRE"),
    std::string_view("DCNT_IA_DIAG_ERR_RQ_UDSDPRD"),
    std::string_view("DCNT_IA_DIAG_ERR_SQ_RAE"),
    std::string_view("DCNT_IA_DIAG_ERR_SQ_OOS"),
    std::string_view("DCNT_IA_DIAG_ERR_SQ_RIRE"),
    std::string_view("DCNT_IA_DIAG_ERR_SQ_RREE"),
    std::string_view("DCNT_IA_DIAG_ERR_SQ_TREE"),
};
static_assert(kOfIa.size() == DCNT_IA_ALL_COUNTERS);

constexpr std::array kOfEp = {
    std::string_view("DCNT_EP_CONNECT"),        std::string_view("DCNT_EP_DISCONNECT"),
    std::string_view("DCNT_EP_POST_SEND"),      std::string_view("DCNT_EP_POST_SEND_DATA"),
    std::string_view("DCNT_EP_POST_SEND_UD"),   std::string_view("DCNT_EP_POST_SEND_UD_DATA"),
    std::string_view("DCNT_EP_POST_RECV"),      std::string_view("DCNT_EP_POST_RECV_DATA"),
    std::string_view("DCNT_EP_POST_WRITE"),     std::string_view("DCNT_EP_POST_WRITE_DATA"),
    std::string_view("DCNT_EP_POST_WRITE_IMM"), std::string_view("DCNT_EP_POST_WRITE_IMM_DATA"),
    std::string_view("DCNT_EP_POST_READ"),      std::string_view("DCNT_EP_POST_READ_DATA"),
    std::string_view("DCNT_EP_POST_CMP_SWAP"),  std::string_view("DCNT_EP_POST_FETCH_ADD"),
    std::string_view("DCNT_EP_RECV"),           std::string_view("DCNT_EP_RECV_DATA"),
    std::string_view("DCNT_EP_RECV_UD"),        std::string_view("DCNT_EP_RECV_UD_DATA"),
    std::string_view("DCNT_EP_RECV_IMM"),       std::string_view("DCNT_EP_RECV_IMM_DATA"),
    std::string_view("DCNT_EP_RECV_RDMA_IMM"),  std::string_view("DCNT_EP_RECV_RDMA_IMM_DATA"),
};
static_assert(kOfEp.size() == DCNT_EP_ALL_COUNTERS);

constexpr std::array kOfEvd = {
    std::string_view("DCNT_EVD_WAIT"),          std::string_view("DCNT_EVD_WAIT_BLOCKED"),
    std::string_view("DCNT_EVD_WAIT_NOTIFY"),   std::string_view("DCNT_EVD_DEQUEUE"),
    std::string_view("DCNT_EVD_DEQUEUE_FOUND"), std::string_view("DCNT_EVD_DEQUEUE_NOT_FOUND"),
    std::string_view("DCNT_EVD_DEQUEUE_POLL"),  std::string_view("DCNT_EVD_DEQUEUE_POLL_FOUND"),
    std::string_view("DCNT_EVD_CONN_CALLBACK"), std::string_view("DCNT_EVD_DTO_CALLBACK"),
};
static_assert(kOfEvd.size() == DCNT_EVD_ALL_COUNTERS);

} // namespace

std::span<const std::string_view> counter_names(ObjectKind kind) {
  switch (kind) {
  case ObjectKind::InterfaceAdapter: return kOfIa;
  case ObjectKind::Endpoint: return kOfEp;
  case ObjectKind::EventDispatcher: return kOfEvd;
  default: return {};
  }
}

} // namespace datum
