// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Any two streams of events that share an EVD: the events of both must reach it.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "fixture.h"

namespace datum::test {
namespace {

// The number of an event, and the object that it is about.
using Arrival = std::pair<DAT_EVENT_NUMBER, DAT_HANDLE>;

// One stream of events into an EVD. The constructor causes an event.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual Arrival arrival() const = 0;
};

class SoftwareStream : public Stream {
 public:
  explicit SoftwareStream(DAT_EVD_HANDLE evd) { EXPECT_DAT_OK(post_software_event(evd, this)); }
  Arrival arrival() const override {
    return {DAT_SOFTWARE_EVENT, const_cast<SoftwareStream*>(this)};
  }
};

class RequestStream : public Stream {
 public:
  RequestStream(DAT_IA_HANDLE ia, DAT_IA_HANDLE peer, DAT_EVD_HANDLE evd) : asking_(peer) {
    DAT_CONN_QUAL qualifier = 0;
    EXPECT_DAT_OK(dat_psp_create_any(ia, &qualifier, evd, DAT_PSP_CONSUMER_FLAG, psp_.out()));
    EXPECT_DAT_OK(connect(asking_.ep(), address_of(ia), qualifier));
  }
  Arrival arrival() const override { return {DAT_CONNECTION_REQUEST_EVENT, psp_.get()}; }

 private:
  Psp psp_;
  Side asking_;
};

// The connection events of an EP that uses the EVDs of `into`. Where `into` has a null handle, the
// EP uses another EVD of the IA.
class ConnectionStream : public Stream {
 public:
  struct Into {
    DAT_EVD_HANDLE recv = DAT_HANDLE_NULL;
    DAT_EVD_HANDLE request = DAT_HANDLE_NULL;
    DAT_EVD_HANDLE connect = DAT_HANDLE_NULL;
  };
  ConnectionStream(DAT_IA_HANDLE ia, DAT_IA_HANDLE peer, const Into& into)
      : pz_(create_pz(ia)), others_(create_evd(ia, kEveryStream)), peer_(peer),
        ep_(create_ep(ia, pz_, or_other(into.recv), or_other(into.request),
                      or_other(into.connect))),
        buffer_(ia, pz_, 64), peers_buffer_(peer_.buffer(64)) {
    Listener listener(peer);
    EXPECT_DAT_OK(datum::test::connect(ep_, listener));
    Cr cr = listener.expect_request();
    EXPECT_DAT_OK(accept(cr, peer_.ep()));
    expect_connection_event(peer_.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, peer_.ep());
    if (into.connect == DAT_HANDLE_NULL)
      expect_connection_event(others_, DAT_CONNECTION_EVENT_ESTABLISHED, ep_);
  }
  Arrival arrival() const override { return {DAT_CONNECTION_EVENT_ESTABLISHED, ep_.get()}; }

 protected:
  Pz pz_;
  Evd others_;
  Side peer_;
  Ep ep_;
  Buffer buffer_;
  Buffer peers_buffer_;

 private:
  DAT_EVD_HANDLE or_other(DAT_EVD_HANDLE evd) const {
    return evd != DAT_HANDLE_NULL ? evd : others_.get();
  }
};

class DtoStream : public ConnectionStream {
 public:
  DtoStream(DAT_IA_HANDLE ia, DAT_IA_HANDLE peer, DAT_EVD_HANDLE evd)
      : ConnectionStream(ia, peer, {.recv = evd}) {
    EXPECT_DAT_OK(post_recv(ep_, {buffer_.segment()}, 1));
    EXPECT_DAT_OK(post_send(peer_.ep(), {peers_buffer_.segment()}, 2));
  }
  Arrival arrival() const override { return {DAT_DTO_COMPLETION_EVENT, ep_.get()}; }
};

class BindStream : public ConnectionStream {
 public:
  BindStream(DAT_IA_HANDLE ia, DAT_IA_HANDLE peer, DAT_EVD_HANDLE evd)
      : ConnectionStream(ia, peer, {.request = evd}), rmr_(create_rmr(pz_)) {
    DAT_RMR_CONTEXT context = 0;
    EXPECT_DAT_OK(post_bind(ep_, rmr_, buffer_.segment(), DAT_MEM_PRIV_ALL_FLAG, 1, &context));
  }
  Arrival arrival() const override { return {DAT_RMR_BIND_COMPLETION_EVENT, rmr_.get()}; }

 private:
  Rmr rmr_;
};

// Asynchronous errors of another open instance, which reports them to `evd`.
class AsyncStream : public Stream {
 public:
  explicit AsyncStream(DAT_EVD_HANDLE evd) {
    EXPECT_DAT_OK(dat_ia_open(const_cast<char*>(ia_name().c_str()), 0, &evd, ia_.out()));
    pz_ = create_pz(ia_);
    srq_ = create_srq(ia_, pz_);
    EXPECT_DAT_OK(dat_srq_set_lw(srq_, 1)); // no Recv is posted, so the event comes at once
  }
  Arrival arrival() const override { return {any_value<DAT_EVENT_NUMBER>(0x8005), srq_.get()}; }

 private:
  Ia ia_;
  Pz pz_;
  Srq srq_;
};

class RuleEvdMerging : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    peer = open_ia();
  }

  std::unique_ptr<Stream> provoke(DAT_EVD_FLAGS flag, DAT_EVD_HANDLE evd) {
    switch (flag) {
    case DAT_EVD_SOFTWARE_FLAG: return std::make_unique<SoftwareStream>(evd);
    case DAT_EVD_CR_FLAG: return std::make_unique<RequestStream>(ia, peer, evd);
    case DAT_EVD_DTO_FLAG: return std::make_unique<DtoStream>(ia, peer, evd);
    case DAT_EVD_CONNECTION_FLAG:
      return std::make_unique<ConnectionStream>(ia, peer, ConnectionStream::Into{.connect = evd});
    case DAT_EVD_RMR_BIND_FLAG: return std::make_unique<BindStream>(ia, peer, evd);
    default: return std::make_unique<AsyncStream>(evd);
    }
  }

  // The next event. A connection request is rejected.
  static Arrival next_arrival(DAT_EVD_HANDLE evd) {
    const DAT_EVENT event = next_event(evd);
    const auto& data = event.event_data;
    switch (event.event_number) {
    case DAT_SOFTWARE_EVENT: return {event.event_number, data.software_event_data.pointer};
    case DAT_CONNECTION_REQUEST_EVENT: {
      const Cr refused(data.cr_arrival_event_data.cr_handle);
      return {event.event_number, data.cr_arrival_event_data.sp_handle.psp_handle};
    }
    case DAT_DTO_COMPLETION_EVENT:
      return {event.event_number, data.dto_completion_event_data.ep_handle};
    case DAT_RMR_BIND_COMPLETION_EVENT:
      return {event.event_number, data.rmr_completion_event_data.rmr_handle};
    case DAT_CONNECTION_EVENT_ESTABLISHED:
      return {event.event_number, data.connect_event_data.ep_handle};
    default: return {event.event_number, data.asynch_error_event_data.dat_handle};
    }
  }

  // A bind completes on the EP's request EVD, so that EVD must take DTOs, too.
  Evd merged(DAT_EVD_FLAGS first, DAT_EVD_FLAGS second) const {
    int flags = static_cast<int>(first) | static_cast<int>(second);
    if ((flags & DAT_EVD_RMR_BIND_FLAG) != 0) flags |= DAT_EVD_DTO_FLAG;
    return create_evd(ia, any_value<DAT_EVD_FLAGS>(flags));
  }

  void expect_both(DAT_EVD_FLAGS first, DAT_EVD_FLAGS second) {
    const Evd evd = merged(first, second);
    const std::unique_ptr<Stream> streams[] = {provoke(first, evd), provoke(second, evd)};
    std::vector<Arrival> expected = {streams[0]->arrival(), streams[1]->arrival()};
    std::vector<Arrival> arrived = {next_arrival(evd), next_arrival(evd)};
    std::sort(expected.begin(), expected.end());
    std::sort(arrived.begin(), arrived.end());
    EXPECT_EQ(arrived, expected);
    EXPECT_EQ(drain(evd), 0);
    // Every opener of the IA gets an asynchronous error.
    drain(async_evd_of(ia));
    drain(async_evd_of(peer));
  }

  Ia peer;
};

// Rules: D-10
TEST_F(RuleEvdMerging, BothStreamsOfEachPairAreDelivered) {
  constexpr DAT_EVD_FLAGS kStreams[] = {
      DAT_EVD_SOFTWARE_FLAG,   DAT_EVD_CR_FLAG,       DAT_EVD_DTO_FLAG,
      DAT_EVD_CONNECTION_FLAG, DAT_EVD_RMR_BIND_FLAG, DAT_EVD_ASYNC_FLAG,
  };
  for (const DAT_EVD_FLAGS first : kStreams) {
    for (const DAT_EVD_FLAGS second : kStreams) {
      SCOPED_TRACE(testing::Message() << std::hex << "0x" << first << " and 0x" << second);
      expect_both(first, second);
      if (HasFailure()) return;
    }
  }
}

} // namespace
} // namespace datum::test
