// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/each_kind.h: an object of each kind, and the handle rules that all functions share.
// Lives here: one IA with one of everything; null, wrong-kind and destroyed handles for any
//             function.
// Not here:   rules of single functions.
#pragma once

#include "dat.h"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "connection.h"

namespace datum::test {

// One object of every kind but IA and CR, all on one IA.
class EachKind {
 public:
  explicit EachKind(DAT_IA_HANDLE ia);

  Pz pz;
  Cno cno;
  Evd evd; // takes every stream of events, and has the CNO
  std::unique_ptr<Buffer> buffer;
  Rmr rmr;
  Srq srq;
  Ep ep;          // unconnected
  Ep reserved_ep; // the EP of the RSP
  Psp psp;
  Rsp rsp;

  // Kind and handle of each object, the IA included.
  std::vector<std::pair<DAT_HANDLE_TYPE, DAT_HANDLE>> handles() const;
  // EachKind frees no object any more: an abrupt close has destroyed them.
  void give_up();

 private:
  DAT_IA_HANDLE ia_;
};

// A connection request without an answer, with the IA of its requester.
class PendingRequest {
 public:
  explicit PendingRequest(DAT_IA_HANDLE ia);
  Cr& cr() { return cr_; }

 private:
  Ia requester_ia_;
  std::unique_ptr<Side> requester_;
  Listener listener_;
  Cr cr_;
};

// A handle of that kind whose object has been freed.
DAT_HANDLE destroyed_handle(DAT_IA_HANDLE ia, DAT_HANDLE_TYPE kind);

// call(handle) must return DAT_INVALID_HANDLE for DAT_HANDLE_NULL, for a pointer to something else,
// for a handle of every other kind, and for a destroyed handle of this kind. The subtype must name
// the kind, unless the kind is EVD.
void expect_handle_checks(DAT_IA_HANDLE ia, DAT_HANDLE_TYPE kind,
                          const std::function<DAT_RETURN(DAT_HANDLE)>& call);

// Checks query(mask, with_struct), a dat_..._query with this set of fields: with a mask bit that no
// field has, with a null structure, and with an empty mask.
void expect_query_checks(DAT_UINT64 all_fields,
                         const std::function<DAT_RETURN(DAT_UINT64 mask, bool with_struct)>& query);

} // namespace datum::test
