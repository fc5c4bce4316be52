// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "posts.h"

namespace datum::test {

namespace {

DAT_COUNT count(const Segments& segments) {
  return static_cast<DAT_COUNT>(segments.size());
}

} // namespace

DAT_RETURN post_send(DAT_EP_HANDLE ep, Segments segments, DAT_UINT64 cookie_value,
                     DAT_COMPLETION_FLAGS flags) {
  return dat_ep_post_send(ep, count(segments), segments.data(), cookie(cookie_value), flags);
}

DAT_RETURN post_recv(DAT_EP_HANDLE ep, Segments segments, DAT_UINT64 cookie_value,
                     DAT_COMPLETION_FLAGS flags) {
  return dat_ep_post_recv(ep, count(segments), segments.data(), cookie(cookie_value), flags);
}

DAT_RETURN post_srq_recv(DAT_SRQ_HANDLE srq, Segments segments, DAT_UINT64 cookie_value) {
  return dat_srq_post_recv(srq, count(segments), segments.data(), cookie(cookie_value));
}

DAT_RETURN post_write(DAT_EP_HANDLE ep, Segments segments, DAT_RMR_TRIPLET target,
                      DAT_UINT64 cookie_value, DAT_COMPLETION_FLAGS flags) {
  return dat_ep_post_rdma_write(ep, count(segments), segments.data(), cookie(cookie_value), &target,
                                flags);
}

DAT_RETURN post_read(DAT_EP_HANDLE ep, Segments segments, DAT_RMR_TRIPLET source,
                     DAT_UINT64 cookie_value, DAT_COMPLETION_FLAGS flags) {
  return dat_ep_post_rdma_read(ep, count(segments), segments.data(), cookie(cookie_value), &source,
                               flags);
}

DAT_RETURN post_bind(DAT_EP_HANDLE ep, DAT_RMR_HANDLE rmr, DAT_LMR_TRIPLET range,
                     DAT_MEM_PRIV_FLAGS privileges, DAT_UINT64 cookie_value,
                     DAT_RMR_CONTEXT* context, DAT_COMPLETION_FLAGS flags) {
  return dat_rmr_bind(rmr, &range, privileges, ep, cookie(cookie_value), flags, context);
}

} // namespace datum::test
