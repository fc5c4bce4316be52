// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The handles that a call takes besides its first one. Each of them is tried null, freed, of
// another kind, of another instance, and as a pointer that is no handle.
// tests/unit/facade/handle_checks_test.cc and tests/registry/dispatch_test.cc test the first handle
// of every call.
#include <sys/mman.h>

#include <functional>
#include <string_view>

#include "each_kind.h"
#include "fixture.h"
#include "registration.h"

namespace datum::test {
namespace {

// Good values of the other arguments: a call with them succeeds if the tested argument is good,
// too.
struct Good {
  explicit Good(DAT_IA_HANDLE ia_handle) : ia(ia_handle), objects(ia_handle), request(ia_handle) {}

  DAT_IA_HANDLE ia;
  EachKind objects;
  PendingRequest request;
};

struct Argument {
  const char* name;
  DAT_HANDLE_TYPE kind;
  DAT_RETURN_SUBTYPE subtype;
  bool may_be_null;
  std::function<DAT_RETURN(Good&, DAT_HANDLE)> call;
  DAT_RETURN type = DAT_INVALID_HANDLE;
};

DAT_RETURN create_ep_with(Good& good, DAT_PZ_HANDLE pz, DAT_EVD_HANDLE recv, DAT_EVD_HANDLE request,
                          DAT_EVD_HANDLE connect) {
  Ep ep;
  return dat_ep_create(good.ia, pz, recv, request, connect, nullptr, ep.out());
}

DAT_RETURN create_srq_ep_with(Good& good, DAT_PZ_HANDLE pz, DAT_EVD_HANDLE recv,
                              DAT_EVD_HANDLE request, DAT_EVD_HANDLE connect, DAT_SRQ_HANDLE srq) {
  const DAT_EP_ATTR attributes = default_attributes(good.ia);
  Ep ep;
  return dat_ep_create_with_srq(good.ia, pz, recv, request, connect, srq, &attributes, ep.out());
}

DAT_RETURN modify_ep(Good& good, DAT_EP_PARAM_MASK field, DAT_HANDLE DAT_EP_PARAM::*member,
                     DAT_HANDLE handle) {
  DAT_EP_PARAM param{};
  param.*member = handle;
  return dat_ep_modify(good.objects.ep, field, &param);
}

DAT_RETURN register_memory(Good& good, DAT_MEM_TYPE type, DAT_PZ_HANDLE pz, DAT_LMR_HANDLE lmr) {
  Registration made(good.ia, pz, good.objects.buffer->bytes().data(), good.objects.buffer->size());
  made.type = type;
  if (type == DAT_MEM_TYPE_LMR) made.region.for_lmr_handle = lmr;
  return made.create();
}

const std::vector<Argument>& arguments() {
  constexpr auto kPz = DAT_HANDLE_TYPE_PZ;
  constexpr auto kEvd = DAT_HANDLE_TYPE_EVD;
  constexpr auto kEp = DAT_HANDLE_TYPE_EP;
  static const std::vector<Argument> all = {
      {"dat_evd_create: CNO", DAT_HANDLE_TYPE_CNO, DAT_INVALID_HANDLE_CNO, true,
       [](Good& g, DAT_HANDLE h) {
         Evd evd;
         return dat_evd_create(g.ia, 8, h, DAT_EVD_DTO_FLAG, evd.out());
       }},
      {"dat_evd_modify_cno: CNO", DAT_HANDLE_TYPE_CNO, DAT_INVALID_HANDLE_CNO, true,
       [](Good& g, DAT_HANDLE h) { return dat_evd_modify_cno(g.objects.evd, h); }},
      {"dat_ep_create: PZ", kPz, DAT_INVALID_HANDLE_PZ, true,
       [](Good& g, DAT_HANDLE h) {
         return create_ep_with(g, h, g.objects.evd, g.objects.evd, g.objects.evd);
       }},
      {"dat_ep_create: recv EVD", kEvd, DAT_INVALID_HANDLE_EVD_RECV, true,
       [](Good& g, DAT_HANDLE h) {
         return create_ep_with(g, g.objects.pz, h, g.objects.evd, g.objects.evd);
       }},
      {"dat_ep_create: request EVD", kEvd, DAT_INVALID_HANDLE_EVD_REQUEST, true,
       [](Good& g, DAT_HANDLE h) {
         return create_ep_with(g, g.objects.pz, g.objects.evd, h, g.objects.evd);
       }},
      {"dat_ep_create: connect EVD", kEvd, DAT_INVALID_HANDLE_EVD_CONN, true,
       [](Good& g, DAT_HANDLE h) {
         return create_ep_with(g, g.objects.pz, g.objects.evd, g.objects.evd, h);
       }},
      {"dat_ep_create_with_srq: PZ", kPz, DAT_INVALID_HANDLE_PZ, true,
       [](Good& g, DAT_HANDLE h) {
         return create_srq_ep_with(g, h, g.objects.evd, g.objects.evd, g.objects.evd,
                                   g.objects.srq);
       }},
      {"dat_ep_create_with_srq: recv EVD", kEvd, DAT_INVALID_HANDLE_EVD_RECV, true,
       [](Good& g, DAT_HANDLE h) {
         return create_srq_ep_with(g, g.objects.pz, h, g.objects.evd, g.objects.evd, g.objects.srq);
       }},
      {"dat_ep_create_with_srq: request EVD", kEvd, DAT_INVALID_HANDLE_EVD_REQUEST, true,
       [](Good& g, DAT_HANDLE h) {
         return create_srq_ep_with(g, g.objects.pz, g.objects.evd, h, g.objects.evd, g.objects.srq);
       }},
      {"dat_ep_create_with_srq: connect EVD", kEvd, DAT_INVALID_HANDLE_EVD_CONN, true,
       [](Good& g, DAT_HANDLE h) {
         return create_srq_ep_with(g, g.objects.pz, g.objects.evd, g.objects.evd, h, g.objects.srq);
       }},
      {"dat_ep_create_with_srq: SRQ", DAT_HANDLE_TYPE_SRQ, DAT_INVALID_HANDLE_SRQ, false,
       [](Good& g, DAT_HANDLE h) {
         return create_srq_ep_with(g, g.objects.pz, g.objects.evd, g.objects.evd, g.objects.evd, h);
       }},
      {"dat_ep_modify: PZ", kPz, DAT_INVALID_ARG3, true,
       [](Good& g, DAT_HANDLE h) {
         return modify_ep(g, DAT_EP_FIELD_PZ_HANDLE, &DAT_EP_PARAM::pz_handle, h);
       },
       DAT_INVALID_PARAMETER},
      {"dat_ep_modify: recv EVD", kEvd, DAT_INVALID_ARG3, true,
       [](Good& g, DAT_HANDLE h) {
         return modify_ep(g, DAT_EP_FIELD_RECV_EVD_HANDLE, &DAT_EP_PARAM::recv_evd_handle, h);
       },
       DAT_INVALID_PARAMETER},
      {"dat_ep_modify: request EVD", kEvd, DAT_INVALID_ARG3, true,
       [](Good& g, DAT_HANDLE h) {
         return modify_ep(g, DAT_EP_FIELD_REQUEST_EVD_HANDLE, &DAT_EP_PARAM::request_evd_handle, h);
       },
       DAT_INVALID_PARAMETER},
      {"dat_ep_modify: connect EVD", kEvd, DAT_INVALID_ARG3, true,
       [](Good& g, DAT_HANDLE h) {
         return modify_ep(g, DAT_EP_FIELD_CONNECT_EVD_HANDLE, &DAT_EP_PARAM::connect_evd_handle, h);
       },
       DAT_INVALID_PARAMETER},
      {"dat_ep_dup_connect: original", kEp, DAT_INVALID_HANDLE_EP, false,
       [](Good& g, DAT_HANDLE h) {
         return dat_ep_dup_connect(g.objects.ep, h, DAT_TIMEOUT_INFINITE, 0, nullptr,
                                   DAT_QOS_BEST_EFFORT);
       }},
      {"dat_cr_accept: EP", kEp, DAT_INVALID_HANDLE_EP, false,
       [](Good& g, DAT_HANDLE h) { return dat_cr_accept(g.request.cr(), h, 0, nullptr); }},
      {"dat_lmr_create: PZ", kPz, DAT_INVALID_HANDLE_PZ, false,
       [](Good& g, DAT_HANDLE h) {
         return register_memory(g, DAT_MEM_TYPE_VIRTUAL, h, DAT_HANDLE_NULL);
       }},
      {"dat_lmr_create: LMR", DAT_HANDLE_TYPE_LMR, DAT_INVALID_HANDLE_LMR, false,
       [](Good& g, DAT_HANDLE h) { return register_memory(g, DAT_MEM_TYPE_LMR, g.objects.pz, h); }},
      {"dat_rmr_bind: EP", kEp, DAT_INVALID_HANDLE_EP, false,
       [](Good& g, DAT_HANDLE h) {
         return post_bind(h, g.objects.rmr, g.objects.buffer->segment(), DAT_MEM_PRIV_ALL_FLAG, 1,
                          nullptr);
       }},
      {"dat_psp_create: EVD", kEvd, DAT_INVALID_HANDLE_EVD_CR, false,
       [](Good& g, DAT_HANDLE h) {
         Psp psp;
         return dat_psp_create(g.ia, free_qualifier(), h, DAT_PSP_CONSUMER_FLAG, psp.out());
       }},
      {"dat_psp_create_any: EVD", kEvd, DAT_INVALID_HANDLE_EVD_CR, false,
       [](Good& g, DAT_HANDLE h) {
         DAT_CONN_QUAL qualifier = 0;
         Psp psp;
         return dat_psp_create_any(g.ia, &qualifier, h, DAT_PSP_CONSUMER_FLAG, psp.out());
       }},
      {"dat_rsp_create: EP", kEp, DAT_INVALID_HANDLE_EP, true,
       [](Good& g, DAT_HANDLE h) {
         Rsp rsp;
         return dat_rsp_create(g.ia, free_qualifier(), h, g.objects.evd, rsp.out());
       }},
      {"dat_rsp_create: EVD", kEvd, DAT_INVALID_HANDLE_EVD_CR, false,
       [](Good& g, DAT_HANDLE h) {
         Rsp rsp;
         return dat_rsp_create(g.ia, free_qualifier(), g.objects.ep, h, rsp.out());
       }},
      {"dat_srq_create: PZ", kPz, DAT_INVALID_HANDLE_PZ, false,
       [](Good& g, DAT_HANDLE h) {
         DAT_SRQ_ATTR attributes{4, 4, DAT_SRQ_LW_DEFAULT};
         Srq srq;
         return dat_srq_create(g.ia, h, &attributes, srq.out());
       }},
  };
  return all;
}

class RuleHandleArguments : public Conformance {
 protected:
  // The call must refuse `handle` as this argument.
  static void expect_refused(Good& good, const Argument& argument, DAT_HANDLE handle,
                             const char* what) {
    EXPECT_DAT_ERROR(argument.call(good, handle), argument.type, argument.subtype)
        << argument.name << ", " << what;
  }
  static void expect_all_refuse(Good& good, DAT_HANDLE handle, const char* what) {
    for (const Argument& each : arguments()) expect_refused(good, each, handle, what);
  }
};

// Rules: CONV.4
TEST_F(RuleHandleArguments, Null) {
  Good good(ia);
  for (const Argument& each : arguments()) {
    if (!each.may_be_null) expect_refused(good, each, DAT_HANDLE_NULL, "null");
  }
}

// Rules: CONV.4 dat_ep_modify.R15
TEST_F(RuleHandleArguments, OfEveryOtherKind) {
  Good good(ia);
  for (const auto& [kind, handle] : good.objects.handles()) {
    for (const Argument& each : arguments()) {
      if (each.kind != kind) expect_refused(good, each, handle, "of another kind");
    }
  }
  expect_all_refuse(good, good.request.cr(), "a CR");
}

// Rules: CONV.5 HANDLE.1
TEST_F(RuleHandleArguments, Freed) {
  Good good(ia);
  for (const Argument& each : arguments()) {
    expect_refused(good, each, destroyed_handle(ia, each.kind), "freed");
  }
}

// Rules: HANDLE.2
TEST_F(RuleHandleArguments, OfAClosedIa) {
  Good good(ia);
  Ia closed = open_ia();
  EachKind gone(closed);
  EXPECT_DAT_OK(dat_ia_close(closed.release(), DAT_CLOSE_ABRUPT_FLAG));
  for (const auto& [kind, handle] : gone.handles())
    expect_all_refuse(good, handle, "of a closed IA");
  gone.give_up();
}

// A connect EVD may be of another instance: rule_foreign_evd.cc.
bool takes_foreign_evd(const Argument& argument) {
  return std::string_view(argument.name).ends_with(": connect EVD");
}

// Rules: CONV.10
TEST_F(RuleHandleArguments, OfAnotherInstance) {
  Good good(ia);
  const Ia other = open_ia();
  const EachKind foreign(other);
  for (const auto& [kind, handle] : foreign.handles()) {
    for (const Argument& each : arguments()) {
      if (kind != DAT_HANDLE_TYPE_EVD || !takes_foreign_evd(each))
        expect_refused(good, each, handle, "of another instance");
    }
  }
}

// Rules: CONV.9
TEST_F(RuleHandleArguments, NoHandlesAtAll) {
  Good good(ia);
  alignas(64) unsigned char zeros[256] = {};
  void* const hidden = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(hidden, MAP_FAILED);
  char* const evd = static_cast<char*>(good.objects.evd.get());
  expect_all_refuse(good, zeros, "zeros");
  expect_all_refuse(good, zeros + 3, "misaligned");
  expect_all_refuse(good, hidden, "unreadable");
  expect_all_refuse(good, pointer_value(1), "a small number");
  expect_all_refuse(good, pointer_value(~std::uintptr_t{7}), "the end of the address space");
  expect_all_refuse(good, pointer_value(0x123456789abcdef0), "no address at all");
  expect_all_refuse(good, evd + 8, "inside an object");
  expect_all_refuse(good, evd - 8, "before an object");
  munmap(hidden, 4096);
}

} // namespace
} // namespace datum::test
