// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/objects.h: DAT objects that free themselves.
// Lives here: one owner type per kind of object, and a function that creates each with usual
//             arguments. Declare owners in the order of creation: C++ then destroys dependents
//             first, and every free and the graceful close at the end must succeed, so a test that
//             leaks fails.
// Not here:   connections (connection.h), memory (memory.h).
#pragma once

#include "dat.h"
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "status.h"
#include "transport.h"

namespace datum::test {

// Tag keeps an EVD from being moved into a PZ. kFree is the dat_..._free of the kind.
template <DAT_RETURN (*kFree)(DAT_HANDLE), int kTag>
class Owned {
 public:
  Owned() = default;
  explicit Owned(DAT_HANDLE handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(other.release()) {}
  Owned& operator=(Owned&& other) noexcept {
    if (this != &other) {
      free();
      handle_ = other.release();
    }
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { free(); }

  DAT_HANDLE get() const { return handle_; }
  operator DAT_HANDLE() const { return handle_; } // so that DAT calls take it
  DAT_HANDLE* out() { return &handle_; }          // for the OUT argument of a create

  // Gives the handle up: the caller frees it, or its object has been destroyed already.
  DAT_HANDLE release() { return std::exchange(handle_, DAT_HANDLE_NULL); }

  void free() {
    if (handle_ == DAT_HANDLE_NULL) return;
    EXPECT_DAT_OK(kFree(release()));
  }

 private:
  DAT_HANDLE handle_ = DAT_HANDLE_NULL;
};

// Closes gracefully, which fails when the test leaves an object behind.
DAT_RETURN close_ia(DAT_HANDLE ia);

using Ia = Owned<close_ia, DAT_HANDLE_TYPE_IA>;
using Pz = Owned<dat_pz_free, DAT_HANDLE_TYPE_PZ>;
using Cno = Owned<dat_cno_free, DAT_HANDLE_TYPE_CNO>;
using Evd = Owned<dat_evd_free, DAT_HANDLE_TYPE_EVD>;
using Lmr = Owned<dat_lmr_free, DAT_HANDLE_TYPE_LMR>;
using Rmr = Owned<dat_rmr_free, DAT_HANDLE_TYPE_RMR>;
using Srq = Owned<dat_srq_free, DAT_HANDLE_TYPE_SRQ>;
using Ep = Owned<dat_ep_free, DAT_HANDLE_TYPE_EP>;
using Psp = Owned<dat_psp_free, DAT_HANDLE_TYPE_PSP>;
using Rsp = Owned<dat_rsp_free, DAT_HANDLE_TYPE_RSP>;
using Cr = Owned<dat_cr_reject, DAT_HANDLE_TYPE_CR>; // dropped unanswered: rejected

inline constexpr DAT_COUNT kQueueLength = 64;

// All the streams. An EVD made with this may serve every purpose.
inline constexpr auto kEveryStream =
    static_cast<DAT_EVD_FLAGS>(DAT_EVD_DEFAULT_FLAG | DAT_EVD_SOFTWARE_FLAG);
// The streams that a request EVD needs for DTOs and binds.
inline constexpr auto kRequestStreams =
    static_cast<DAT_EVD_FLAGS>(DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG);

// A value of an enumeration type that the headers do not name: a combination, or a bad one.
template <typename Enum>
Enum any_value(int value) {
  return static_cast<Enum>(value);
}

// Each function reports a failure of the test if the create fails. The owner is empty then.
Ia open_ia();
Ia open_ia(const std::string& name);
Pz create_pz(DAT_IA_HANDLE ia);
Cno create_cno(DAT_IA_HANDLE ia);
Cno create_cno(DAT_IA_HANDLE ia, DAT_OS_WAIT_PROXY_AGENT agent);
Evd create_evd(DAT_IA_HANDLE ia, DAT_EVD_FLAGS flags, DAT_COUNT length = kQueueLength,
               DAT_CNO_HANDLE cno = DAT_HANDLE_NULL);
Rmr create_rmr(DAT_PZ_HANDLE pz);
Srq create_srq(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, DAT_COUNT max_recv_dtos = 16,
               DAT_COUNT max_recv_iov = 4);
// The EVDs come in the order of dat_ep_create().
Ep create_ep(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, DAT_EVD_HANDLE recv, DAT_EVD_HANDLE request,
             DAT_EVD_HANDLE connect, const DAT_EP_ATTR* attributes = nullptr);
Psp create_psp(DAT_IA_HANDLE ia, DAT_CONN_QUAL qualifier, DAT_EVD_HANDLE evd,
               DAT_PSP_FLAGS flags = DAT_PSP_CONSUMER_FLAG);
Rsp create_rsp(DAT_IA_HANDLE ia, DAT_CONN_QUAL qualifier, DAT_EP_HANDLE ep, DAT_EVD_HANDLE evd);

// A qualifier that no other test of this or another process uses. dat_psp_create_any() never
// chooses it, since it is longer than 16 bits. A test that needs a qualifier of 16 bits uses a
// Listener's.
DAT_CONN_QUAL free_qualifier();

// The address by which other IAs reach this one. The IA owns it, or it is static.
DAT_IA_ADDRESS_PTR address_of(DAT_IA_HANDLE ia);
DAT_IA_ATTR ia_attributes(DAT_IA_HANDLE ia);
DAT_PROVIDER_ATTR provider_attributes(DAT_IA_HANDLE ia);

DAT_EVD_PARAM query_evd(DAT_EVD_HANDLE evd);
DAT_EP_PARAM query_ep(DAT_EP_HANDLE ep);
DAT_EP_STATE ep_state(DAT_EP_HANDLE ep);
DAT_CR_PARAM query_cr(DAT_CR_HANDLE cr);
DAT_RMR_PARAM query_rmr(DAT_RMR_HANDLE rmr);

// Attributes as dat_ep_create() chooses them, to be changed and passed back.
DAT_EP_ATTR default_attributes(DAT_IA_HANDLE ia);

DAT_CONTEXT cookie(DAT_UINT64 value);

} // namespace datum::test
