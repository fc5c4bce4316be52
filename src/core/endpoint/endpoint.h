// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/endpoint.h: an EP: one side of a connection.
// Lives here: the consumer's calls on an EP; the checks at the beginning of each post.
// Not here:   the work of the parts: the connection (connection.h), requests on their way
//             (request_stream.h), Recvs and messages (inbox.h); what the parts share
//             (endpoint_frame.h); records and sockets (transport/), DAT values (facade/).
// Threads:    the adapter's lock, held by every caller including the channel.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "core/endpoint/connection.h"
#include "core/endpoint/endpoint_frame.h"
#include "core/endpoint/inbox.h"
#include "core/endpoint/request_stream.h"
#include "core/port/channel.h"
#include "core/port/types.h"

namespace datum {

// The parts of an EP that dat_ep_create and dat_ep_modify set.
struct EndpointParts {
  ProtectionZone* zone = nullptr;
  EventDispatcher* recv_evd = nullptr;
  EventDispatcher* request_evd = nullptr;
  ConnectEvd::Choice connect_evd = {};
};

class Endpoint final : public EndpointFrame, public ChannelEvents {
 public:
  // Provider: made by the provider for one request on a PSP or RSP (state
  // TENTATIVE_CONNECTION_PENDING).
  enum class Origin : std::uint8_t { Consumer, Provider };
  Endpoint(const EndpointServices& services, const EndpointParts& parts, SharedReceiveQueue* srq,
           const EndpointAttributes& attributes, Origin origin);
  ~Endpoint() override;

  Connection& connection() { return connection_; }
  RequestStream& requests() { return requests_; }
  Inbox& inbox() { return inbox_; }

  // --- queries -------------------------------------------------------------------------------
  EpState state() const { return connection_.state(); }
  EventDispatcher* recv_evd() const { return inbox_.evd(); }
  EventDispatcher* request_evd() const { return requests_.evd(); }
  const ConnectEvd& connect_evd() const { return connection_.reports().evd(); }
  SharedReceiveQueue* srq() const { return inbox_.srq(); }
  const Address& remote_address() const { return connection_.remote_address(); }
  ConnQual remote_port() const { return connection_.remote_port(); }
  ConnQual local_port() const { return connection_.local_port(); }
  // recv_idle(): no Recv is outstanding, neither on the EP nor taken from its SRQ. request_idle():
  // no request is outstanding.
  bool recv_idle() const { return inbox_.idle(); }
  bool request_idle() const { return requests_.empty(); }
  std::int32_t recvs_held() const { return inbox_.held(); }
  std::uint64_t requests_held() const { return requests_.held(); }
  // How the EP is connected; empty without a connection.
  NamedAttributes named_attributes() const;
  Path path() const { return connection_.path(); }
  // True: `name` is that of an attribute in named_attributes(), so the consumer cannot set it.
  static bool is_named_attribute(std::string_view name);
  // nullptr: the EP is for connections, not for datagrams.
  DatagramPeers* datagrams() const { return connection_.peers(); }

  // --- connection ----------------------------------------------------------------------------
  Status connect(const Address& address, ConnQual qualifier, std::uint32_t timeout_us,
                 PrivateData data) {
    return connection_.connect(address, qualifier, timeout_us, data);
  }
  Status dup_connect(const Endpoint& original, std::uint32_t timeout_us, PrivateData data) {
    return connection_.dup_connect(original.connection_, timeout_us, data);
  }
  Status disconnect(bool graceful) { return connection_.disconnect(graceful); }
  Status reset() { return connection_.reset(); }

  // --- changes -------------------------------------------------------------------------------
  // Sets the parts and attributes that `changes` names (bits of Change) to their values in `parts`
  // and `attributes`.
  Status modify(std::uint32_t changes, const EndpointParts& parts,
                const EndpointAttributes& attributes);
  enum Change : std::uint32_t {
    kZone = 1U << 0U,
    kRecvEvd = 1U << 1U,
    kRequestEvd = 1U << 2U,
    kConnectEvd = 1U << 3U,
    kMaxMessageSize = 1U << 4U,
    kMaxRdmaSize = 1U << 5U,
    kQos = 1U << 6U,
    kRecvFlags = 1U << 7U,
    kRequestFlags = 1U << 8U,
    kMaxRecvDtos = 1U << 9U,
    kMaxRequestDtos = 1U << 10U,
    kMaxRecvIov = 1U << 11U,
    kMaxRequestIov = 1U << 12U,
    kReadsIn = 1U << 13U,
    kReadsOut = 1U << 14U,
    kSoftHw = 1U << 15U,
    kReadIov = 1U << 16U,
    kWriteIov = 1U << 17U,
    kSpecificAttributes = 1U << 18U, // of transport or provider (none exist): UNCONNECTED only
  };
  void set_watermarks(std::int32_t soft, std::int32_t hard) { inbox_.set_watermarks(soft, hard); }

  // --- data transfer (endpoint_datapath.cc) ----------------------------------------------------
  Status post_send(std::span<const LocalTriplet> local, std::uint64_t cookie,
                   CompletionFlags flags);
  // When the message has been placed, the peer unbinds its window with the context `stag` (DAT
  // 2.0).
  Status post_send_invalidate(std::span<const LocalTriplet> local, std::uint64_t cookie,
                              CompletionFlags flags, Stag stag);
  // By extension of DAT 2.0. `number` reaches the peer with the Recv that the Write consumes.
  Status post_write_immediate(std::span<const LocalTriplet> local, std::uint64_t cookie,
                              const RemoteTriplet& remote, CompletionFlags flags,
                              std::uint32_t number);
  Status post_atomic(Opcode opcode, const LocalTriplet& local, std::uint64_t cookie,
                     const RemoteTriplet& remote, CompletionFlags flags,
                     const AtomicOperands& operands);
  Status post_rdma(Opcode opcode, std::span<const LocalTriplet> local, std::uint64_t cookie,
                   const RemoteTriplet& remote, CompletionFlags flags);
  Status post_recv(std::span<const LocalTriplet> local, std::uint64_t cookie,
                   CompletionFlags flags);
  // dat_rmr_bind; an empty range unbinds. `stag`: the context that the window will get.
  Status post_bind(MemoryWindow& window, const LocalTriplet& range, Access access,
                   std::uint64_t cookie, CompletionFlags flags, Stag& stag,
                   bool zero_based = false);
  Status post_datagram(std::span<const LocalTriplet> local, DatagramAddress to,
                       std::uint32_t number, std::uint64_t cookie, CompletionFlags flags);
  // Checks the flags and segments of a post of a datagram.
  Status check_datagram(std::span<const LocalTriplet> local, CompletionFlags flags,
                        std::uint64_t& length) const;

  // --- EndpointFrame ---------------------------------------------------------------------------
  void break_connection() override { connection_.break_off(); }
  void on_requests_retired() override { connection_.on_requests_retired(); }
  void on_receive_posted() override;

  // --- ChannelEvents ---------------------------------------------------------------------------
  void on_established(PrivateData data, std::int32_t peer_reads_in) override {
    connection_.on_established(data, peer_reads_in);
  }
  void on_connect_failed(ConnectFailure failure, PrivateData data) override {
    connection_.on_connect_failed(failure, data);
  }
  void on_placed(std::uint32_t count) override { requests_.on_placed(count); }
  void on_read_done() override { requests_.on_read_done(); }
  void on_request_failed(RequestClass kind, DtoStatus status, std::uint32_t before) override {
    requests_.on_failed(kind, status, before);
  }
  void on_room() override { requests_.on_room(); }
  bool recheck_local(const WorkRequest& request, Access right) const override {
    return still_covers(request.local, right);
  }
  TakeResult take_receive(std::span<const LocalTriplet>& into, std::uint64_t& capacity) override {
    return inbox_.take_receive(into, capacity);
  }
  void complete_receive(std::uint64_t length, bool solicited) override {
    inbox_.complete(length, solicited);
  }
  bool place_message(const std::byte* payload, std::uint64_t length, bool solicited) override {
    return inbox_.place_message(payload, length, solicited);
  }
  void fail_receive(DtoStatus status) override { inbox_.fail(status); }
  bool may_wait_on() override { return inbox_.may_wait_on(); }
  void count_long_waits(std::size_t messages) override { inbox_.count_long_waits(messages); }
  void on_wait_over(Duration limit) override { inbox_.on_wait_over(limit); }
  AccessFault check_note(const MessageNote& note) const override { return check_peer_note(note); }
  void complete_noted(std::uint64_t length, bool solicited, const MessageNote& note) override {
    inbox_.complete_noted(length, solicited, note);
  }
  AccessFault check_remote(Stag stag, std::uint64_t address, std::uint64_t length, Access right,
                           std::uint64_t& memory) const override {
    return check_peer(stag, address, length, right, memory);
  }
  void on_closed(CloseReason reason) override { connection_.on_closed(reason); }

 private:
  // endpoint_datapath.cc
  inline Status check_local(std::span<const LocalTriplet> local, std::int32_t max_iov, Access right,
                            std::uint64_t max_length, std::uint64_t& length) const;
  inline Status check_state_for_request();
  [[gnu::cold, gnu::noinline]] Status check_state_again();
  [[gnu::cold, gnu::noinline]] bool has_room_again();
  [[gnu::cold, gnu::noinline]] bool has_room_for_recv_again();
  inline Status submit(const WorkRequest& work, std::uint64_t cookie, CompletionFlags flags);
  Status counted(Opcode opcode, std::uint64_t length, Status posted) {
    if (posted.ok()) [[likely]]
      tally().posted[opcode].add(length);
    return posted;
  }

  // Each part may use the parts declared before it.
  RequestStream requests_;
  Inbox inbox_;
  Connection connection_;
};

} // namespace datum
