// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Compiled into one library for each DAT version. Each library is linked only with that version's
// libdat, because both libdats have the same names.
#include "versions/calls.h"

#include "dat.h"

#include <memory>

namespace {

using namespace datum::test;
using versions::Calls;
using versions::Work;

constexpr DAT_COUNT kDepth = 8;
constexpr DAT_VLEN kSize = 8;
constexpr std::size_t kPage = 4096;
constexpr int kLooks = 100'000'000; // after this many polls a completion counts as lost
constexpr DAT_TIMEOUT kPatience = 5'000'000;

bool ok(DAT_RETURN status) {
  return status == DAT_SUCCESS;
}

struct End {
  DAT_EVD_HANDLE requests = DAT_HANDLE_NULL;
  DAT_EVD_HANDLE receives = DAT_HANDLE_NULL;
  DAT_EVD_HANDLE connections = DAT_HANDLE_NULL;
  DAT_EP_HANDLE ep = DAT_HANDLE_NULL;
};

class CallsOfThisVersion final : public Calls {
 public:
  CallsOfThisVersion() = default;
  CallsOfThisVersion(const CallsOfThisVersion&) = delete;
  CallsOfThisVersion& operator=(const CallsOfThisVersion&) = delete;
  // Closes abruptly, so that all other objects end with the IA.
  ~CallsOfThisVersion() override {
    if (ia_ != DAT_HANDLE_NULL) dat_ia_close(ia_, DAT_CLOSE_ABRUPT_FLAG);
  }

  bool open() {
    software_event_.event_number = DAT_SOFTWARE_EVENT;
    char name[] = "datum";
    DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
    return ok(dat_ia_open(name, kDepth, &async, &ia_)) && ok(dat_pz_create(ia_, &zone_)) &&
           make(software_, DAT_EVD_SOFTWARE_FLAG) && make(arrivals_, DAT_EVD_CR_FLAG) &&
           make(near_) && make(far_) && make(third_) && make(fourth_) &&
           register_page(lmr_, own_, for_peers_) && ok(dat_rmr_create(zone_, &window_)) &&
           listen() && connect(near_, far_);
  }

  bool run(Work work, int times) override {
    for (int i = 0; i < times; ++i)
      if (!run_once(work)) return false;
    return true;
  }

 private:
  // Never inlined, so that both versions reach a call in the same way.
  __attribute__((noinline)) bool run_once(Work work) {
    switch (work) {
    case Work::Send: return send();
    case Work::Write: return write();
    case Work::Read: return read();
    case Work::Look: {
      DAT_EVENT event;
      return dat_evd_dequeue(near_.requests, &event) != DAT_SUCCESS;
    }
    case Work::Event: return post_software_event() && ok(dat_evd_dequeue(software_, &taken_));
    case Work::Wait: return post_software_event() && next(software_, taken_);
    case Work::Query: {
      DAT_EP_PARAM param;
      return ok(dat_ep_query(near_.ep, DAT_EP_FIELD_ALL, &param));
    }
    case Work::Memory: {
      DAT_LMR_HANDLE lmr = DAT_HANDLE_NULL;
      DAT_LMR_CONTEXT own = 0;
      DAT_RMR_CONTEXT for_peers = 0;
      return register_page(lmr, own, for_peers) && ok(dat_lmr_free(lmr));
    }
    case Work::Window: return bind();
    case Work::Connection: return connect(third_, fourth_) && disconnect(third_, fourth_);
    }
    return false;
  }

  bool send() {
    DAT_LMR_TRIPLET out = here(0);
    DAT_LMR_TRIPLET in = here(kSize);
    const DAT_DTO_COOKIE cookie{};
    return ok(dat_ep_post_recv(far_.ep, 1, &in, cookie, DAT_COMPLETION_DEFAULT_FLAG)) &&
           ok(dat_ep_post_send(near_.ep, 1, &out, cookie, DAT_COMPLETION_DEFAULT_FLAG)) &&
           completed(far_.receives) && completed(near_.requests);
  }
  bool write() {
    DAT_LMR_TRIPLET part = here(0);
    DAT_RMR_TRIPLET target = there(kSize);
    return ok(dat_ep_post_rdma_write(near_.ep, 1, &part, {}, &target,
                                     DAT_COMPLETION_DEFAULT_FLAG)) &&
           completed(near_.requests);
  }
  bool read() {
    DAT_LMR_TRIPLET part = here(0);
    DAT_RMR_TRIPLET source = there(kSize);
    return ok(dat_ep_post_rdma_read(near_.ep, 1, &part, {}, &source,
                                    DAT_COMPLETION_DEFAULT_FLAG)) &&
           completed(near_.requests);
  }
  bool post_software_event() { return ok(dat_evd_post_se(software_, &software_event_)); }
  bool bind() {
    DAT_LMR_TRIPLET part = here(0);
    DAT_RMR_CONTEXT context = 0;
    return ok(dat_rmr_bind(window_, &part, DAT_MEM_PRIV_ALL_FLAG, near_.ep, {},
                           DAT_COMPLETION_DEFAULT_FLAG, &context)) &&
           taken(near_.requests);
  }
  bool taken(DAT_EVD_HANDLE evd) {
    for (int i = 0; i < kLooks; ++i)
      if (ok(dat_evd_dequeue(evd, &taken_))) return true;
    return false;
  }
  bool completed(DAT_EVD_HANDLE evd) {
    return taken(evd) && taken_.event_data.dto_completion_event_data.status == DAT_DTO_SUCCESS;
  }

  DAT_LMR_TRIPLET here(std::size_t at) {
    return local_part(own_, reinterpret_cast<DAT_VADDR>(page_.get()) + at, kSize);
  }
  DAT_RMR_TRIPLET there(std::size_t at) {
    return remote_part(for_peers_, reinterpret_cast<DAT_VADDR>(page_.get()) + at, kSize);
  }

  bool make(DAT_EVD_HANDLE& evd, DAT_EVD_FLAGS flags) {
    return ok(dat_evd_create(ia_, kDepth, DAT_HANDLE_NULL, flags, &evd));
  }
  bool make(End& end) {
    const auto requests = static_cast<DAT_EVD_FLAGS>(DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG);
    return make(end.requests, requests) && make(end.receives, DAT_EVD_DTO_FLAG) &&
           make(end.connections, DAT_EVD_CONNECTION_FLAG) &&
           ok(dat_ep_create(ia_, zone_, end.receives, end.requests, end.connections, nullptr,
                            &end.ep));
  }
  bool register_page(DAT_LMR_HANDLE& lmr, DAT_LMR_CONTEXT& own, DAT_RMR_CONTEXT& for_peers) {
    DAT_REGION_DESCRIPTION region{};
    region.for_va = page_.get();
    return ok(dat_lmr_create(ia_, DAT_MEM_TYPE_VIRTUAL, region, kPage, zone_, DAT_MEM_PRIV_ALL_FLAG,
                             &lmr, &own, &for_peers, nullptr, nullptr));
  }
  bool listen() {
    DAT_IA_ATTR attributes{};
    DAT_PSP_HANDLE point = DAT_HANDLE_NULL;
    DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
    if (!ok(dat_ia_query(ia_, &async, DAT_IA_FIELD_ALL, &attributes, DAT_PROVIDER_FIELD_NONE,
                         nullptr)))
      return false;
    address_ = attributes.ia_address_ptr;
    return ok(dat_psp_create_any(ia_, &qualifier_, arrivals_, DAT_PSP_CONSUMER_FLAG, &point));
  }
  bool connect(End& active, End& passive) {
    return ok(dat_ep_connect(active.ep, address_, qualifier_, kPatience, 0, nullptr,
                             DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG)) &&
           next(arrivals_, taken_) &&
           ok(dat_cr_accept(taken_.event_data.cr_arrival_event_data.cr_handle, passive.ep, 0,
                            nullptr)) &&
           next(active.connections, taken_) && next(passive.connections, taken_);
  }
  bool disconnect(End& active, End& passive) {
    return ok(dat_ep_disconnect(active.ep, DAT_CLOSE_GRACEFUL_FLAG)) &&
           next(active.connections, taken_) && next(passive.connections, taken_) &&
           ok(dat_ep_reset(active.ep)) && ok(dat_ep_reset(passive.ep));
  }
  static bool next(DAT_EVD_HANDLE evd, DAT_EVENT& event) {
    DAT_COUNT left = 0;
    return ok(dat_evd_wait(evd, kPatience, 1, &event, &left));
  }

  std::unique_ptr<char[]> page_{new char[kPage]()};
  DAT_IA_HANDLE ia_ = DAT_HANDLE_NULL;
  DAT_PZ_HANDLE zone_ = DAT_HANDLE_NULL;
  DAT_EVD_HANDLE software_ = DAT_HANDLE_NULL;
  DAT_EVENT software_event_{};
  DAT_EVD_HANDLE arrivals_ = DAT_HANDLE_NULL;
  DAT_EVENT taken_{};
  DAT_IA_ADDRESS_PTR address_ = nullptr;
  DAT_CONN_QUAL qualifier_ = 0;
  End near_;
  End far_;
  End third_;
  End fourth_;
  DAT_RMR_HANDLE window_ = DAT_HANDLE_NULL;
  DAT_LMR_HANDLE lmr_ = DAT_HANDLE_NULL;
  DAT_LMR_CONTEXT own_ = 0;
  DAT_RMR_CONTEXT for_peers_ = 0;
};

Calls* open_calls() {
  auto calls = std::make_unique<CallsOfThisVersion>();
  return calls->open() ? calls.release() : nullptr;
}

} // namespace

#if DATUM_DAT_MAJOR == 1
Calls* datum_calls_of_dat1() {
  return open_calls();
}
#else
Calls* datum_calls_of_dat2() {
  return open_calls();
}
#endif
