// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// budget/two_ends.h: two adapters of this process, a connection between them, and the counted
// calls.
// Threads: one.
#pragma once

#include <array>
#include <memory>

#include <dat/udat.h>

namespace budget {

// One adapter and its endpoint.
class End {
 public:
  End() = default;
  End(const End&) = delete;
  End& operator=(const End&) = delete;
  ~End();

  bool open();
  bool listen();
  bool begin_connect(const End& to);
  bool accept();
  bool connected();

  // The counted calls. Each makes one call of the product, except that a late event takes several
  // calls of dat_evd_dequeue(). False: the call failed.
  bool post_send();
  bool post_recv();
  bool post_rdma_write(const End& to);
  bool post_rdma_read(const End& from);
  // False: there was no event, or another event than the expected one.
  bool take_receive() { return take(receives_); }
  bool take_request() { return take(requests_); }
  // False: there was an event.
  bool find_nothing();

 private:
  static constexpr std::size_t kPage = 4096;

  bool take(DAT_EVD_HANDLE evd);
  bool next(DAT_EVD_HANDLE evd);
  DAT_LMR_TRIPLET here(std::size_t at) const;
  DAT_RMR_TRIPLET there(std::size_t at) const; // as the peer names it

  std::unique_ptr<std::array<char, kPage>> page_ = std::make_unique<std::array<char, kPage>>();
  DAT_IA_HANDLE ia_ = DAT_HANDLE_NULL;
  DAT_IA_ADDRESS_PTR address_ = nullptr;
  DAT_PZ_HANDLE zone_ = DAT_HANDLE_NULL;
  DAT_EVD_HANDLE requests_ = DAT_HANDLE_NULL;
  DAT_EVD_HANDLE receives_ = DAT_HANDLE_NULL;
  DAT_EVD_HANDLE connections_ = DAT_HANDLE_NULL;
  DAT_EVD_HANDLE arrivals_ = DAT_HANDLE_NULL;
  DAT_EP_HANDLE ep_ = DAT_HANDLE_NULL;
  DAT_CONN_QUAL qualifier_ = 0;
  DAT_LMR_CONTEXT own_ = 0;
  DAT_RMR_CONTEXT for_peers_ = 0;
  DAT_EVENT event_{};
};

struct TwoEnds {
  End initiator;
  End target;

  bool open();
};

} // namespace budget
