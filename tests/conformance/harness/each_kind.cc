// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "each_kind.h"

namespace datum::test {

namespace {

const char* kind_name(DAT_HANDLE_TYPE kind) {
  static constexpr const char* kNames[] = {"CR", "EP",  "EVD", "IA",  "LMR", "PSP",
                                           "PZ", "RMR", "RSP", "CNO", "SRQ"};
  return kNames[kind];
}

// An EVD gets DAT_NO_SUBTYPE: the subtypes for EVDs name the EVD's role, not its kind.
DAT_RETURN_SUBTYPE subtype_of(DAT_HANDLE_TYPE kind) {
  static constexpr DAT_RETURN_SUBTYPE kSubtypes[] = {
      DAT_INVALID_HANDLE_CR,  DAT_INVALID_HANDLE_EP,  DAT_NO_SUBTYPE,
      DAT_INVALID_HANDLE_IA,  DAT_INVALID_HANDLE_LMR, DAT_INVALID_HANDLE_PSP,
      DAT_INVALID_HANDLE_PZ,  DAT_INVALID_HANDLE_RMR, DAT_INVALID_HANDLE_RSP,
      DAT_INVALID_HANDLE_CNO, DAT_INVALID_HANDLE_SRQ,
  };
  return kSubtypes[kind];
}

void expect_invalid(DAT_RETURN status, DAT_HANDLE_TYPE wanted, const std::string& given) {
  const DAT_RETURN_SUBTYPE subtype = subtype_of(wanted);
  if (subtype == DAT_NO_SUBTYPE) {
    EXPECT_DAT_TYPE(status, DAT_INVALID_HANDLE) << given;
  } else {
    EXPECT_DAT_ERROR(status, DAT_INVALID_HANDLE, subtype) << given;
  }
}

} // namespace

EachKind::EachKind(DAT_IA_HANDLE ia)
    : pz(create_pz(ia)), cno(create_cno(ia)), evd(create_evd(ia, kEveryStream, kQueueLength, cno)),
      buffer(std::make_unique<Buffer>(ia, pz, 64)), rmr(create_rmr(pz)), srq(create_srq(ia, pz)),
      ep(create_ep(ia, pz, evd, evd, evd)), reserved_ep(create_ep(ia, pz, evd, evd, evd)), ia_(ia) {
  DAT_CONN_QUAL qualifier = 0;
  EXPECT_DAT_OK(dat_psp_create_any(ia, &qualifier, evd, DAT_PSP_CONSUMER_FLAG, psp.out()));
  rsp = create_rsp(ia, free_qualifier(), reserved_ep, evd);
}

std::vector<std::pair<DAT_HANDLE_TYPE, DAT_HANDLE>> EachKind::handles() const {
  return {
      {DAT_HANDLE_TYPE_IA, ia_},
      {DAT_HANDLE_TYPE_PZ, pz},
      {DAT_HANDLE_TYPE_CNO, cno},
      {DAT_HANDLE_TYPE_EVD, evd},
      {DAT_HANDLE_TYPE_LMR, buffer->lmr()},
      {DAT_HANDLE_TYPE_RMR, rmr},
      {DAT_HANDLE_TYPE_SRQ, srq},
      {DAT_HANDLE_TYPE_EP, ep},
      {DAT_HANDLE_TYPE_PSP, psp},
      {DAT_HANDLE_TYPE_RSP, rsp},
  };
}

void EachKind::give_up() {
  pz.release();
  cno.release();
  evd.release();
  buffer->lmr().release();
  rmr.release();
  srq.release();
  ep.release();
  reserved_ep.release();
  psp.release();
  rsp.release();
}

PendingRequest::PendingRequest(DAT_IA_HANDLE ia)
    : requester_ia_(open_ia()), requester_(std::make_unique<Side>(requester_ia_)), listener_(ia) {
  EXPECT_DAT_OK(connect(requester_->ep(), listener_));
  cr_ = listener_.expect_request();
}

DAT_HANDLE destroyed_handle(DAT_IA_HANDLE ia, DAT_HANDLE_TYPE kind) {
  if (kind == DAT_HANDLE_TYPE_IA) {
    const Ia closed = open_ia();
    return closed.get();
  }
  if (kind == DAT_HANDLE_TYPE_CR) {
    PendingRequest request(ia);
    return request.cr().get();
  }
  const EachKind objects(ia);
  for (const auto& [each, handle] : objects.handles()) {
    if (each == kind) return handle;
  }
  return DAT_HANDLE_NULL;
}

void expect_handle_checks(DAT_IA_HANDLE ia, DAT_HANDLE_TYPE kind,
                          const std::function<DAT_RETURN(DAT_HANDLE)>& call) {
  expect_invalid(call(DAT_HANDLE_NULL), kind, "given DAT_HANDLE_NULL");
  // Readable memory whose first word is no provider table.
  alignas(64) unsigned char zeros[64] = {};
  expect_invalid(call(zeros), kind, "given a pointer to something else");
  {
    const EachKind objects(ia);
    for (const auto& [each, handle] : objects.handles()) {
      if (each == kind) continue;
      expect_invalid(call(handle), kind, std::string("given a handle of kind ") + kind_name(each));
    }
  }
  expect_invalid(call(destroyed_handle(ia, kind)), kind, "given a destroyed handle");
}

void expect_query_checks(
    DAT_UINT64 all_fields,
    const std::function<DAT_RETURN(DAT_UINT64 mask, bool with_struct)>& query) {
  EXPECT_DAT_OK(query(all_fields, true));
  EXPECT_DAT_ERROR(query(all_fields + 1, true), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2)
      << "a mask bit above the fields";
  EXPECT_DAT_ERROR(query(all_fields, false), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3)
      << "a null structure";
  EXPECT_DAT_OK(query(0, true)) << "mask 0";
}

} // namespace datum::test
