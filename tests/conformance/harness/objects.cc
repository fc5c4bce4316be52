// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "objects.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <unistd.h>

#include <atomic>

namespace datum::test {

namespace {

// Parses an IPv4 or IPv6 address in digits. Each call overwrites the address that the last one
// returned.
DAT_IA_ADDRESS_PTR parse_address(const std::string& text) {
  static sockaddr_in6 address;
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&address);
  if (inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
  } else {
    EXPECT_EQ(inet_pton(AF_INET6, text.c_str(), &address.sin6_addr), 1) << text;
    address.sin6_family = AF_INET6;
  }
  return reinterpret_cast<DAT_IA_ADDRESS_PTR>(&address);
}

} // namespace

DAT_RETURN close_ia(DAT_HANDLE ia) {
  const DAT_RETURN status = dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG);
  // The next test must find a clean process, whatever this test left behind.
  if (status != DAT_SUCCESS) dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG);
  return status;
}

Ia open_ia() {
  return open_ia(ia_name());
}

Ia open_ia(const std::string& name) {
  Ia ia;
  DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
  EXPECT_DAT_OK(dat_ia_open(const_cast<char*>(name.c_str()), 8, &async_evd, ia.out()))
      << "IA " << name;
  return ia;
}

Pz create_pz(DAT_IA_HANDLE ia) {
  Pz pz;
  EXPECT_DAT_OK(dat_pz_create(ia, pz.out()));
  return pz;
}

Cno create_cno(DAT_IA_HANDLE ia) {
  return create_cno(ia, DAT_OS_WAIT_PROXY_AGENT_NULL);
}

Cno create_cno(DAT_IA_HANDLE ia, DAT_OS_WAIT_PROXY_AGENT agent) {
  Cno cno;
  EXPECT_DAT_OK(dat_cno_create(ia, agent, cno.out()));
  return cno;
}

Evd create_evd(DAT_IA_HANDLE ia, DAT_EVD_FLAGS flags, DAT_COUNT length, DAT_CNO_HANDLE cno) {
  Evd evd;
  EXPECT_DAT_OK(dat_evd_create(ia, length, cno, flags, evd.out()));
  return evd;
}

Rmr create_rmr(DAT_PZ_HANDLE pz) {
  Rmr rmr;
  EXPECT_DAT_OK(dat_rmr_create(pz, rmr.out()));
  return rmr;
}

Srq create_srq(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, DAT_COUNT max_recv_dtos,
               DAT_COUNT max_recv_iov) {
  Srq srq;
  DAT_SRQ_ATTR attributes{max_recv_dtos, max_recv_iov, DAT_SRQ_LW_DEFAULT};
  EXPECT_DAT_OK(dat_srq_create(ia, pz, &attributes, srq.out()));
  return srq;
}

Ep create_ep(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, DAT_EVD_HANDLE recv, DAT_EVD_HANDLE request,
             DAT_EVD_HANDLE connect, const DAT_EP_ATTR* attributes) {
  Ep ep;
  EXPECT_DAT_OK(dat_ep_create(ia, pz, recv, request, connect, attributes, ep.out()));
  return ep;
}

Psp create_psp(DAT_IA_HANDLE ia, DAT_CONN_QUAL qualifier, DAT_EVD_HANDLE evd, DAT_PSP_FLAGS flags) {
  Psp psp;
  EXPECT_DAT_OK(dat_psp_create(ia, qualifier, evd, flags, psp.out()));
  return psp;
}

Rsp create_rsp(DAT_IA_HANDLE ia, DAT_CONN_QUAL qualifier, DAT_EP_HANDLE ep, DAT_EVD_HANDLE evd) {
  Rsp rsp;
  EXPECT_DAT_OK(dat_rsp_create(ia, qualifier, ep, evd, rsp.out()));
  return rsp;
}

DAT_CONN_QUAL free_qualifier() {
  static std::atomic<DAT_CONN_QUAL> number = 0;
  return (static_cast<DAT_CONN_QUAL>(getpid()) << 20) + ++number;
}

DAT_IA_ATTR ia_attributes(DAT_IA_HANDLE ia) {
  DAT_IA_ATTR attributes{};
  EXPECT_DAT_OK(dat_ia_query(ia, nullptr, DAT_IA_FIELD_ALL, &attributes, 0, nullptr));
  return attributes;
}

DAT_PROVIDER_ATTR provider_attributes(DAT_IA_HANDLE ia) {
  DAT_PROVIDER_ATTR attributes{};
  EXPECT_DAT_OK(dat_ia_query(ia, nullptr, 0, nullptr, DAT_PROVIDER_FIELD_ALL, &attributes));
  return attributes;
}

DAT_IA_ADDRESS_PTR address_of(DAT_IA_HANDLE ia) {
  if (!other_address().empty()) return parse_address(other_address());
  return ia_attributes(ia).ia_address_ptr;
}

DAT_EVD_PARAM query_evd(DAT_EVD_HANDLE evd) {
  DAT_EVD_PARAM param{};
  EXPECT_DAT_OK(dat_evd_query(evd, DAT_EVD_FIELD_ALL, &param));
  return param;
}

DAT_EP_PARAM query_ep(DAT_EP_HANDLE ep) {
  DAT_EP_PARAM param{};
  EXPECT_DAT_OK(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param));
  return param;
}

DAT_EP_STATE ep_state(DAT_EP_HANDLE ep) {
  DAT_EP_STATE state{};
  EXPECT_DAT_OK(dat_ep_get_status(ep, &state, nullptr, nullptr));
  return state;
}

DAT_CR_PARAM query_cr(DAT_CR_HANDLE cr) {
  DAT_CR_PARAM param{};
  EXPECT_DAT_OK(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param));
  return param;
}

DAT_RMR_PARAM query_rmr(DAT_RMR_HANDLE rmr) {
  DAT_RMR_PARAM param{};
  EXPECT_DAT_OK(dat_rmr_query(rmr, DAT_RMR_FIELD_ALL, &param));
  return param;
}

DAT_EP_ATTR default_attributes(DAT_IA_HANDLE ia) {
  const Ep ep = create_ep(ia, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL);
  return query_ep(ep).ep_attr;
}

DAT_CONTEXT cookie(DAT_UINT64 value) {
  DAT_CONTEXT context{};
  context.as_64 = value;
  return context;
}

} // namespace datum::test
