// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/connection.h: endpoints with what they need, and connections between them.
// Lives here: one side of a connection (PZ, EVDs, EP), a listener, and a connected pair.
// Not here:   endpoints in other states than unconnected and connected (states.h).
//
// Both sides are in this process. Each has its own open instance of the IA, unless both share one.
// They talk through the transport of the run, so the same tests serve all transports.
#pragma once

#include "dat.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "events.h"
#include "memory.h"
#include "objects.h"
#include "posts.h"

namespace datum::test {

enum class Evds {
  kSeparate, // recv, request and connect EVD
  kOne,      // one EVD for all three
  kNoDto,    // connect EVD only; recv and request are null
};

using ChangeAttributes = std::function<void(DAT_EP_ATTR&)>;

struct SideOptions {
  const DAT_EP_ATTR* attributes = nullptr;
  ChangeAttributes change; // changes the attributes given, or else the defaults
  Evds evds = Evds::kSeparate;
  DAT_COUNT queue_length = kQueueLength;
  DAT_COUNT srq_recvs = 0; // more than 0: the EP takes its Recvs from an SRQ of this size
  DAT_CNO_HANDLE cno = DAT_HANDLE_NULL; // for every EVD of the side
};

// One EP with its own PZ and EVDs, on an IA that the caller owns.
class Side {
 public:
  explicit Side(DAT_IA_HANDLE ia, const SideOptions& options = {});

  DAT_IA_HANDLE ia() const { return ia_; }
  Pz& pz() { return pz_; }
  DAT_EVD_HANDLE recv_evd() const { return recv_; }
  DAT_EVD_HANDLE request_evd() const { return request_; }
  DAT_EVD_HANDLE connect_evd() const { return connect_; }
  Srq& srq() { return srq_; }
  Ep& ep() { return ep_; }

  // Another EP with the same PZ and EVDs.
  Ep another_ep(const DAT_EP_ATTR* attributes = nullptr) const;
  Buffer buffer(std::size_t size, DAT_MEM_PRIV_FLAGS privileges = DAT_MEM_PRIV_ALL_FLAG) const;
  // The side frees no object any more: an abrupt close has destroyed them.
  void give_up();

 private:
  DAT_IA_HANDLE ia_;
  Pz pz_;
  Evd evds_[3];
  DAT_EVD_HANDLE recv_ = DAT_HANDLE_NULL;
  DAT_EVD_HANDLE request_ = DAT_HANDLE_NULL;
  DAT_EVD_HANDLE connect_ = DAT_HANDLE_NULL;
  Srq srq_;
  Ep ep_;
};

// A PSP on a qualifier that the provider chose, with its EVD.
class Listener {
 public:
  explicit Listener(DAT_IA_HANDLE ia, DAT_PSP_FLAGS flags = DAT_PSP_CONSUMER_FLAG,
                    DAT_COUNT backlog = 8);

  DAT_IA_HANDLE ia() const { return ia_; }
  DAT_EVD_HANDLE evd() const { return evd_; }
  Psp& psp() { return psp_; }
  DAT_CONN_QUAL qualifier() const { return qualifier_; }
  Cr expect_request() { return datum::test::expect_request(evd_); }

 private:
  DAT_IA_HANDLE ia_;
  Evd evd_;
  Psp psp_;
  DAT_CONN_QUAL qualifier_ = 0;
};

// dat_ep_connect() with usual arguments.
DAT_RETURN connect(DAT_EP_HANDLE ep, DAT_IA_ADDRESS_PTR address, DAT_CONN_QUAL qualifier,
                   std::string_view private_data = {}, DAT_TIMEOUT timeout = DAT_TIMEOUT_INFINITE);
DAT_RETURN connect(DAT_EP_HANDLE ep, const Listener& listener, std::string_view private_data = {},
                   DAT_TIMEOUT timeout = DAT_TIMEOUT_INFINITE);
// The private data of a request, or of a connection event.
std::string request_data(DAT_CR_HANDLE cr);
std::string reply_data(const DAT_CONNECTION_EVENT_DATA& event);
// dat_cr_accept(); on success the CR is given up.
DAT_RETURN accept(Cr& cr, DAT_EP_HANDLE ep, std::string_view private_data = {});

// The private data that the two ends received when the connection came up.
struct Established {
  std::string request_data; // private data in the CR
  std::string reply_data;   // private data of the active side's ESTABLISHED
};

// Connects active to passive and takes the ESTABLISHED events of both.
Established establish(Side& active, Side& passive, std::string_view request_data = {},
                      std::string_view reply_data = {});
Established establish(DAT_EP_HANDLE active, DAT_EVD_HANDLE active_evd, DAT_EP_HANDLE passive,
                      DAT_EVD_HANDLE passive_evd, DAT_IA_HANDLE passive_ia,
                      std::string_view request_data = {}, std::string_view reply_data = {});

struct PairOptions {
  SideOptions active;
  SideOptions passive;
  bool one_ia = false;   // both sides on one open instance
  bool connected = true; // false: both EPs stay unconnected
};

// Options of a pair whose sides differ from the defaults in some attributes.
PairOptions with_attributes(ChangeAttributes active, ChangeAttributes passive = {});

class ConnectedPair {
 public:
  explicit ConnectedPair(const PairOptions& options = {});

  DAT_IA_HANDLE active_ia() const { return active_ia_; }
  DAT_IA_HANDLE passive_ia() const { return one_ia_ ? active_ia_ : passive_ia_; }
  Side& active() { return *active_; }
  Side& passive() { return *passive_; }

  // Abrupt disconnect by the active side; takes both DISCONNECTED events.
  void disconnect();

 private:
  bool one_ia_;
  Ia active_ia_;
  Ia passive_ia_;
  std::unique_ptr<Side> active_;
  std::unique_ptr<Side> passive_;
};

} // namespace datum::test
