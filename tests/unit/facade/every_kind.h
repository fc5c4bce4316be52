// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/facade/every_kind.h: one object of each kind on one IA.
#pragma once

#include <map>

#include "fake_libdat.h"

namespace datum::test {

struct EveryKind {
  explicit EveryKind(const Provider& provider);

  DAT_IA_HANDLE ia = nullptr;
  DAT_EVD_HANDLE async_evd = nullptr;
  DAT_PZ_HANDLE pz = nullptr;
  DAT_CNO_HANDLE cno = nullptr;
  DAT_EVD_HANDLE evd = nullptr;
  DAT_LMR_HANDLE lmr = nullptr;
  DAT_RMR_HANDLE rmr = nullptr;
  DAT_SRQ_HANDLE srq = nullptr;
  DAT_EP_HANDLE ep = nullptr;
  DAT_EP_HANDLE reserved_ep = nullptr;
  DAT_PSP_HANDLE psp = nullptr;
  DAT_RSP_HANDLE rsp = nullptr;
  DAT_CR_HANDLE cr = nullptr;
  DAT_LMR_CONTEXT lmr_context = 0;
  char memory[256] = {};

  std::map<DAT_HANDLE_TYPE, DAT_HANDLE> handles() const {
    return {{DAT_HANDLE_TYPE_IA, ia},   {DAT_HANDLE_TYPE_PZ, pz},   {DAT_HANDLE_TYPE_CNO, cno},
            {DAT_HANDLE_TYPE_EVD, evd}, {DAT_HANDLE_TYPE_LMR, lmr}, {DAT_HANDLE_TYPE_RMR, rmr},
            {DAT_HANDLE_TYPE_SRQ, srq}, {DAT_HANDLE_TYPE_EP, ep},   {DAT_HANDLE_TYPE_PSP, psp},
            {DAT_HANDLE_TYPE_RSP, rsp}, {DAT_HANDLE_TYPE_CR, cr}};
  }
};

} // namespace datum::test
