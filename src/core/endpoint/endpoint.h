// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/endpoint.h: an EP: one side of a connection.
// Lives here: state, posted requests and Recvs, their completions in posting order, flush.
// Not here:   the state table (endpoint_state.h), records and sockets (transport/), DAT values
// (facade/). Threads:    the adapter's lock, held by every caller including the channel.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "core/datagrams/datagrams.h"
#include "core/endpoint/connect_attempt.h"
#include "core/endpoint/endpoint_state.h"
#include "core/endpoint/receive_queue.h"
#include "core/endpoint/request_queue.h"
#include "core/endpoint/shared_receive_queue.h"
#include "core/events/connect_evd.h"
#include "core/events/event_dispatcher.h"
#include "core/memory/memory_window.h"
#include "core/memory/protection_zone.h"
#include "core/object/object.h"
#include "core/object/ref.h"
#include "core/object/tally.h"
#include "core/port/timer.h"
#include "core/port/transport.h"
#include "core/port/types.h"

namespace datum {

// The parts of an EP that dat_ep_create and dat_ep_modify set.
struct EndpointParts {
  ProtectionZone* zone = nullptr;
  EventDispatcher* recv_evd = nullptr;
  EventDispatcher* request_evd = nullptr;
  ConnectEvd::Choice connect_evd = {};
};

// Which way a connection takes, and why not a faster one; both empty without a connection.
struct Path {
  std::string name;
  std::string reason;
};

class Endpoint final : public Object, public ChannelEvents, private Connector, private Starving {
 public:
  // Provider: made by us for one request on a PSP or RSP (state TENTATIVE_CONNECTION_PENDING).
  enum class Origin : std::uint8_t { Consumer, Provider };
  Endpoint(InterfaceAdapter& adapter, const EndpointParts& parts, SharedReceiveQueue* srq,
           const EndpointAttributes& attributes, Origin origin);
  ~Endpoint() override;

  // --- queries -------------------------------------------------------------------------------
  EpState state() const { return state_; }
  const EndpointAttributes& attributes() const { return attributes_; }
  ProtectionZone* zone() const { return zone_.get(); }
  EventDispatcher* recv_evd() const { return recv_evd_.get(); }
  EventDispatcher* request_evd() const { return request_evd_.get(); }
  const ConnectEvd& connect_evd() const { return connect_evd_; }
  SharedReceiveQueue* srq() const { return srq_.get(); }
  const Address& remote_address() const { return remote_address_; }
  ConnQual remote_port() const { return remote_port_; }
  ConnQual local_port() const { return local_port_; }
  // No Recv is outstanding (on the EP, or taken from its SRQ) / no request is.
  bool recv_idle() const { return recvs_.empty() && !message_open_; }
  bool request_idle() const { return requests_.empty(); }
  std::int32_t recvs_held() const;
  std::uint64_t requests_held() const { return requests_.posted() - requests_.retired(); }
  // How it is connected; nothing without a connection.
  NamedAttributes named_attributes() const;
  Path path() const;
  // Such names report and set nothing.
  static bool is_named_attribute(std::string_view name);
  std::uint32_t number() const { return number_; }
  const EndpointTally& tally() const { return tally_; }
  // An endpoint of datagrams; nullptr: one that is connected.
  Datagrams* datagrams() const { return datagrams_.get(); }

  // --- connection (endpoint_connection.cc) -----------------------------------------------------
  Status connect(const Address& address, ConnQual qualifier, std::uint32_t timeout_us,
                 PrivateData data);
  Status dup_connect(const Endpoint& original, std::uint32_t timeout_us, PrivateData data);
  Status disconnect(bool graceful);
  Status reset();
  // dat_ep_free is allowed now.
  Status can_free() const;
  // Lets go of the connection without a further event for the consumer.
  void abandon();

  // For service points and connection requests.
  Status reserve();                                                                 // U -> R
  void release_reservation();                                                       // R or PP -> U
  void requested(const Address& remote, ConnQual remote_port, ConnQual local_port); // R -> PP
  // What dat_cr_accept needs of its EP, without changing it; `own`: the EP came with the request.
  Status check_accept(bool own) const;
  void accept(IncomingConnection& incoming, ConnQual local_port, PrivateData data);

  // --- changes (endpoint_modify.cc) --------------------------------------------------------------
  // Which parts and attributes to take from `parts` and `attributes`; bits are Change.
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
    kSpecificAttributes = 1U << 18U, // transport- or provider-specific: none exist, U only
  };
  void set_watermarks(std::int32_t soft, std::int32_t hard);

  // --- data transfer (endpoint_datapath.cc)
  // --------------------------------------------------------
  Status post_send(std::span<const LocalTriplet> local, std::uint64_t cookie,
                   CompletionFlags flags);
  // The peer's window of this context is unbound when the message has been placed (DAT 2.0).
  Status post_send_invalidate(std::span<const LocalTriplet> local, std::uint64_t cookie,
                              CompletionFlags flags, Stag stag);
  // By extension of DAT 2.0. `number` reaches the peer with the Recv that the Write uses up.
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
  // dat_rmr_bind; an empty range unbinds. `stag`: the context that will be valid.
  Status post_bind(MemoryWindow& window, const LocalTriplet& range, Access access,
                   std::uint64_t cookie, CompletionFlags flags, Stag& stag,
                   bool zero_based = false);
  // A window is freed while binds of it are posted: they complete as if unbound.
  void forget_window(const MemoryWindow& window);

  // --- datagrams, by extension of DAT 2.0 (endpoint_datagrams.cc) ------------------------------

  // `number`: what the address handle says its endpoint is called.
  Status post_datagram(std::span<const LocalTriplet> local, DatagramAddress to,
                       std::uint32_t number, std::uint64_t cookie, CompletionFlags flags);
  // From peers. Takes the next Recv, or drops it.
  void place_datagram(const std::byte* payload, std::uint64_t length, bool solicited);
  // False: it was lost.
  bool report_datagrams(EventKind kind, const DatagramPeer& peer);

  // Breaks the connection for a reason of our own (overflow, hard watermark).
  void break_connection();
  // That it is established was lost on the way to that EVD.
  void establishment_lost(const ForeignEvd& evd, std::uint32_t connection);

  // --- ChannelEvents (endpoint_channel.cc)
  // -----------------------------------------------------------
  void on_established(PrivateData data, std::int32_t peer_reads_in) override;
  void on_connect_failed(ConnectFailure failure, PrivateData data) override;
  void on_placed(std::uint32_t count) override;
  void on_read_done() override;
  void on_request_failed(RequestClass kind, DtoStatus status, std::uint32_t before) override;
  void on_room() override;
  bool recheck_local(const WorkRequest& request, Access right) const override;
  TakeResult take_receive(std::span<const LocalTriplet>& into, std::uint64_t& capacity) override;
  void complete_receive(std::uint64_t length, bool solicited) override;
  bool place_message(const std::byte* payload, std::uint64_t length, bool solicited) override;
  void fail_receive(DtoStatus status) override;
  bool may_wait_on() override;
  void count_long_waits(std::size_t messages) override;
  void on_wait_over(Duration limit) override;
  AccessFault check_note(const MessageNote& note) const override;
  void complete_noted(std::uint64_t length, bool solicited, const MessageNote& note) override;
  AccessFault check_remote(Stag stag, std::uint64_t address, std::uint64_t length, Access right,
                           std::uint64_t& memory) const override;
  // The same question by our own consumer, about a window of its own: no fault of a peer.
  AccessFault check_own(Stag stag, std::uint64_t address, std::uint64_t length, Access right,
                        std::uint64_t& memory) const;
  void on_closed(CloseReason reason) override;

 private:
  // Of an attempt to connect, and of an end in order.
  class PatienceTimer final : public Timer {
   public:
    explicit PatienceTimer(Endpoint& endpoint) : endpoint_(endpoint) {}

   private:
    void on_expired(Instant now) override;
    Endpoint& endpoint_;
  };

  // Connector
  void on_asked_again(std::unique_ptr<Channel> channel) override;

  // The only writer of the state. False: no such row.
  bool on(EpEvent event);
  // Precondition: there is room for the connect EVD.
  void set_evds_and_attributes(const EndpointParts& parts, const EndpointAttributes& attributes);
  ChannelOptions channel_options() const;
  Status check_datagrams_open() const;
  Status connect_datagrams(const Address& address, ConnQual qualifier, std::uint32_t timeout_us,
                           PrivateData data);
  void accept_datagrams(IncomingConnection& incoming, PrivateData data);
  void drop_channel(CloseMode mode);
  // The outcome is known, or nobody wants to know it any more.
  void end_attempt();
  // Into D: everything posted ends as flushed, then `last` is reported.
  void enter_disconnected(EventKind last, PrivateData data = {});
  void report_connection(EventKind kind, PrivateData data = {});
  // Once for each connection of an EP that has one: it takes nothing more from it.
  void leave_srq();
  // Nobody would ever learn that it is connected (decision 219).
  void end_unheard();
  // Events that nobody has reaped say nothing of it any more: it is about to go.
  void forget_private_data();

  // Defined in endpoint_checks.h. `configured` is a reference, so that no register keeps its value
  // for the refusal.
  inline Status check_local(std::span<const LocalTriplet> local, std::int32_t max_iov, Access right,
                            std::uint64_t max_length, std::uint64_t& length) const;
  static inline Status check_flags(CompletionFlags flags, CompletionFlags allowed,
                                   const CompletionFlags& configured);
  Status counted(Opcode opcode, std::uint64_t length, Status posted) {
    if (posted.ok()) [[likely]]
      tally_.posted[opcode].add(length);
    return posted;
  }
  void count_connection(EventKind kind);
  // A request that has passed all checks: started as it is posted, or queued.
  Status submit(const WorkRequest& work, std::uint64_t cookie, CompletionFlags flags);
  bool may_start_now(const WorkRequest& work, CompletionFlags flags) const;
  void start_or_flush();
  // `just_checked`: the only one to start is the one that is being posted.
  void start_requests(bool just_checked = false);
  [[gnu::cold]] void fail_unstarted(Request& request);
  void execute_bind(BindRequest& request);
  void drop_bind(BindRequest& request);
  void retire_requests();
  [[gnu::always_inline]] inline void retire_ended(); // endpoint_datapath.cc
  bool unended(std::uint64_t at, RequestClass kind);
  // The oldest started request of its class that has not ended; started() when there is none.
  std::uint64_t oldest_unended(RequestClass kind);
  bool take_from_srq();
  Status check_state_for_request() {
    if (state_ == EpState::Connected || state_ == EpState::Disconnected) [[likely]]
      return kOk;
    return check_state_again();
  }
  // Before a post is refused (endpoint_refusal.cc).
  [[gnu::cold, gnu::noinline]] Status check_state_again();
  [[gnu::cold, gnu::noinline]] bool has_room_again();
  [[gnu::cold, gnu::noinline]] bool has_room_for_recv_again();
  void catch_up();
  void finish_drain();
  void begin_draining();
  void go_on_draining();
  void look_at_drain(Instant now);
  Duration between_drain_looks() const;
  bool waits_for_receive();
  void end_drained();
  void feed() override;
  void report_request(const Request& request, Token subject);
  void report_half(const Request& request, Token subject);
  void report_receive(const Receive& receive, DtoStatus status, std::uint64_t length,
                      bool solicited, bool shared, const MessageNote* note = nullptr);
  void end_message(DtoStatus status, std::uint64_t length, bool solicited,
                   const MessageNote* note = nullptr);
  void flush();
  void flush_requests();
  void flush_receives();
  void check_watermarks();

  EpState state_ = EpState::Unconnected;
  bool starting_ = false; // start_requests() is under way: no re-entry
  bool retiring_ = false;
  bool failure_waits_ = false; // the next to start fails, when what has been started has ended
  bool any_recv_posted_ = false;
  bool message_open_ = false; // a Recv is held by a message that is arriving
  bool starved_ = false;      // a message waits for a Recv
  bool accepter_ = false;
  bool will_leave_srq_ = false; // connected, and has one
  bool soft_armed_ = false;
  bool told_private_data_ = false; // by an event, which may not have been reaped yet
  Origin origin_;
  std::uint32_t number_;
  std::uint32_t connection_ = 0; // the how manieth it has, or had last

  Ref<ProtectionZone> zone_;
  Ref<EventDispatcher> recv_evd_;
  Ref<EventDispatcher> request_evd_;
  ConnectEvd connect_evd_;
  Ref<SharedReceiveQueue> srq_;
  EndpointAttributes attributes_;

  RequestQueue requests_;
  ReceiveQueue recvs_;
  Receive open_;
  std::vector<LocalTriplet> open_segments_; // of a Recv taken from the SRQ
  std::uint64_t placed_cursor_ = 0;         // the oldest Send or Write that may be unended
  std::uint64_t read_cursor_ = 0;           // the oldest Read that may be unended
  Request first_half_;                      // of a Write with immediate data, ended
  std::int32_t reads_started_ = 0;
  std::int32_t reads_out_limit_ = 0;

  std::int32_t soft_watermark_ = kWatermarkInfinite;
  std::int32_t hard_watermark_ = kWatermarkInfinite;

  // In ACTIVE_CONNECTION_PENDING without a channel: it will be asked again.
  std::unique_ptr<Channel> channel_;
  std::unique_ptr<ConnectAttempt> attempt_; // in that state
  PatienceTimer timer_{*this};
  Instant drain_ends_ = 0;    // unless something moves before
  std::uint64_t drained_ = 0; // while it drains: what had been retired when something moved last
  Address remote_address_;
  ConnQual remote_port_ = 0;
  ConnQual local_port_ = 0;
  ConnQual connected_to_ = 0; // the qualifier that connect() asked for
  std::vector<std::byte> private_data_;
  std::unique_ptr<Datagrams> datagrams_;
  EndpointTally tally_;
};

} // namespace datum
