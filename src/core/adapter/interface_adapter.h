// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/adapter/interface_adapter.h: one open instance of an IA: it owns every object made through
// it. Lives here: creation and destruction of objects and the dependencies between them. Not here:
// the lock (the facade owns it, so that it outlives the adapter), how threads wait
//             (progress.h), what moves bytes (transport/).
// Threads:    every call holds the adapter's lock.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/leniency.h"
#include "base/random.h"
#include "base/status.h"
#include "core/adapter/connection_request.h"
#include "core/adapter/service_point.h"
#include "core/datagrams/datagram_addresses.h"
#include "core/datagrams/datagram_departures.h"
#include "core/endpoint/endpoint.h"
#include "core/endpoint/shared_receive_queue.h"
#include "core/events/event_dispatcher.h"
#include "core/events/notification_object.h"
#include "core/memory/memory_region.h"
#include "core/memory/memory_window.h"
#include "core/memory/protection_zone.h"
#include "core/object/object.h"
#include "core/object/object_walk.h"
#include "core/object/tally.h"
#include "core/port/progress.h"
#include "core/port/region_table.h"
#include "core/port/timer.h"
#include "core/port/transport.h"

namespace datum {

// Finds out about consumer memory; the core itself asks no kernel.
// The last two: it cannot be told, for lack of memory, or of a descriptor to ask with.
enum class Found : std::uint8_t { No, Yes, LacksMemory, LacksDevice };

class MemoryProbe {
 public:
  virtual ~MemoryProbe() = default;
  // Every page of the range is mapped with the protection that `access` needs.
  virtual Found usable(std::uint64_t address, std::uint64_t length, Access access) = 0;
  // The range is shared memory (DAT_MEM_TYPE_SHARED_VIRTUAL).
  virtual Found shared(std::uint64_t address, std::uint64_t length) = 0;
  // A sealed file behind the range that peers may map; false: none.
  virtual bool backing(std::uint64_t address, std::uint64_t length, std::int32_t& fd,
                       std::uint64_t& offset) = 0;
};

// The peer's answer has to come by then, whatever is set.
inline constexpr Duration kLeastDrainPatience = 100 * kMillisecond;

struct AdapterEnvironment {
  HandleSource* handles = nullptr;
  Progress* progress = nullptr;
  TimerQueue* timers = nullptr;
  Random* random = nullptr;
  MemoryProbe* memory = nullptr;
  SharedNames* shared_names = nullptr; // of the process
  bool datagrams = false;              // the consumer knows them (DAT 2.0)
  Duration connect_grace = 0;          // so long a connect waits for somebody to listen
  bool strict = false;                 // the letter of the manual, without leniencies
  // So long an end in order waits for the peer's next Recv.
  Duration drain_patience = kSecond;
  // That a connected EP has ended and takes nothing more from its SRQ is an asynchronous event, as
  // InfiniBand has one (DAT 2.0).
  bool reports_srq_left = false;
};

class InterfaceAdapter final : public Object {
 public:
  InterfaceAdapter(const AdapterEnvironment& environment, Transport& transport);
  ~InterfaceAdapter() override;

  const Limits& limits() const { return transport_.limits(); }
  Transport& transport() { return transport_; }
  Progress& progress() { return *environment_.progress; }
  RegionTable& regions() { return regions_; }
  TimerQueue& timers() { return *environment_.timers; }
  HandleSource& handles() { return *environment_.handles; }

  // The adapter's own EVD for asynchronous events, made by dat_ia_open; may be null.
  EventDispatcher* async_evd() const { return async_evd_.get(); }
  // `for_errors`: places of it that nothing else may take.
  Status set_async_evd(EventDispatcher* evd, std::int32_t for_errors);
  // Asynchronous events go to an EVD of another adapter, which only the facade may lock.
  void set_foreign_async(Token evd) { foreign_async_ = evd; }
  void report_async(const Event& event);
  void report_srq_left(Token endpoint);
  // By whoever takes our EPs' events of that kind, or another IA's.
  void hear_of_srq_left(EventDispatcher& evd, const Event& event);

  // Nothing is left that the consumer has created (dat_ia_close, graceful).
  bool idle() const { return objects() == 0; }
  // What keeps it from being closed gracefully.
  std::int32_t objects() const;
  // Destroys everything in the safe order; blocked waiters have been told to leave.
  void close();
  // Tells every thread that is blocked in a wait to return.
  void abort_waiters();
  void count_blocked(std::int32_t change);
  // Returns when no thread is inside a wait any more.
  void wait_until_unblocked();

  // --- creation ------------------------------------------------------------------------------
  Result<NotificationObject*> create_cno(ProxyAgent agent);
  Result<EventDispatcher*> create_evd(std::int32_t qlen, NotificationObject* cno, EvdFlags flags);
  Result<ProtectionZone*> create_zone();
  Result<MemoryRegion*> create_region(const RegionRequest& request, ProtectionZone& zone);
  Result<MemoryWindow*> create_window(ProtectionZone& zone,
                                      MemoryWindow::Scope scope = MemoryWindow::Scope::Zone);
  Result<SharedReceiveQueue*> create_srq(ProtectionZone& zone,
                                         const SharedReceiveAttributes& attributes);
  // `attributes` null: defaults. Checks limits and EVD sharing.
  Result<Endpoint*> create_endpoint(const EndpointParts& parts, SharedReceiveQueue* srq,
                                    const EndpointAttributes* attributes);
  Result<Endpoint*> create_provider_endpoint(const EndpointParts& parts = {});
  Result<ServicePoint*> create_psp(const ConnQual* qualifier, EventDispatcher& evd,
                                   ServicePoint::EpSource source,
                                   ObjectKind kind = ObjectKind::PublicServicePoint);
  Result<ServicePoint*> create_rsp(ConnQual qualifier, Endpoint* endpoint, EventDispatcher& evd);
  // Makes a CR and its event; the request stays with the caller when false.
  bool present_request(ServicePoint& point, std::unique_ptr<IncomingConnection>& request,
                       Endpoint* endpoint);

  EndpointAttributes default_attributes() const;
  // Values within the limits of the IA. With an SRQ the EP posts no Recvs of its own, and how many
  // segments they could have is ignored (dat_ep_create_with_srq).
  Status check_attributes(const EndpointAttributes& attributes, bool with_srq) const;
  // The letter of the manual may refuse them after all; each use of a leniency counts.
  Status permit_leniencies(const EndpointAttributes& attributes, Sharing sharing, Detail argument);

  // --- destruction: a failure changes nothing --------------------------------------------------
  Status free(NotificationObject& cno);
  Status free(EventDispatcher& evd);
  Status free(ProtectionZone& zone);
  Status free(MemoryRegion& region);
  Status free(MemoryWindow& window);
  Status free(SharedReceiveQueue& srq);
  Status free(Endpoint& endpoint);
  Status free(ServicePoint& point);
  // A CR that was answered, or an EP of ours whose request was refused.
  void consume(ConnectionRequest& request);
  void discard(Endpoint& endpoint);

  // --- for core objects --------------------------------------------------------------------------
  ServicePoint* find_service_point(ConnQual qualifier);
  MemoryRegion* find_region(Stag local_stag);
  MemoryWindow* find_window(Stag stag);
  void unbind_window(Stag stag) {
    if (MemoryWindow* window = find_window(stag)) window->take({});
  }
  // An EVD of the CNO that holds events, or nullptr.
  const EventDispatcher* find_evd_with_events(const NotificationObject& cno);
  template <class F>
  void for_each_endpoint(F&& visit) {
    endpoints_.for_each([&](Object& o) { visit(static_cast<Endpoint&>(o)); });
  }
  ObjectWalk walk_endpoints() { return {endpoints_, walks_}; }
  ObjectWalk walk_dispatchers() { return {evds_, walks_}; }
  // A channel that may be on the call stack: destroyed when the stack is unwound.
  void retire(std::unique_ptr<Channel> channel) {
    if (!channel) return;
    put_off_ = true;
    retired_.push_back(std::move(channel));
  }
  bool has_retired() const { return !retired_.empty(); }
  void destroy_retired() {
    datagram_departures_.sweep();
    if (!retired_.empty()) destroy_retired_channels();
  }
  // Something that destroy_retired() does.
  void put_off() { put_off_ = true; }
  // Proxy agents to be called once no lock is held.
  void defer_agent(std::unique_ptr<AgentCall> call);
  struct ForeignEvent {
    Event event;
    Token evd = nullptr;
  };
  // Something of the above is waiting: whoever lets go of the lock takes it first.
  bool has_put_off() const { return put_off_; }
  // In the order of their triggers, linked by `next`.
  std::unique_ptr<AgentCall> take_deferred() {
    put_off_ = false;
    last_deferred_ = nullptr;
    return std::move(deferred_);
  }
  std::vector<ForeignEvent> take_foreign_events() { return std::exchange(foreign_events_, {}); }

  // --- connect EVDs of other IAs -------------------------------------------------------------
  // An EP feeds it, through what leads there already if others do; telling it something needs no
  // memory then.
  const std::shared_ptr<ForeignEvd>& feed_foreign(const std::shared_ptr<ForeignEvd>& evd);
  // What that may lack memory for.
  void make_room_to_feed(const std::shared_ptr<ForeignEvd>& evd);
  void stop_feeding(const std::shared_ptr<ForeignEvd>& evd);
  // It has been told something: whoever lets go of the lock delivers that.
  void deliver_later(const std::shared_ptr<ForeignEvd>& evd);
  using Deliveries = std::array<std::shared_ptr<ForeignEvd>, 8>;
  // Those that were told something first; the rest is put off again.
  Deliveries take_deliveries();

  std::uint32_t next_number() { return ++last_number_; }
  // 24 bits, as of a queue pair, and not 0: other processes of the host have some, too.
  std::uint32_t next_datagram_number() {
    return static_cast<std::uint32_t>(environment_.random->next() % 0xffffffU) + 1;
  }
  Duration connect_grace() const { return environment_.connect_grace; }
  Leniencies& leniencies() { return leniencies_; }
  Duration drain_patience() const { return environment_.drain_patience; }
  bool knows_datagrams() const { return environment_.datagrams; }
  DatagramAddresses& datagram_addresses() { return datagram_addresses_; }
  DatagramDepartures& datagram_departures() { return datagram_departures_; }
  // Before close(): what endpoints of datagrams have sent leaves, in a bounded time.
  void see_datagrams_off();
  Status make_room_for_datagram_peer();
  void count_datagram_peer(std::int32_t change) { counts_.datagram_peers += change; }
  // The request of an RSP has arrived: the RSP no longer keeps the adapter busy (decision 20).
  void count_spent_point() { ++spent_points_; }

  struct Counts {
    Population endpoints;
    Population evds;
    Population cnos;
    Population zones;
    Population regions;
    Population windows;
    Population srqs;
    Population service_points;
    Population requests;
    std::int32_t datagram_peers = 0; // each has a channel, as a connected EP has
  };
  const Counts& counts() const { return counts_; }
  AdapterTally& tally() { return tally_; }
  // Service points of one kind that are there.
  std::int32_t count_points(ObjectKind kind);

 private:
  bool evd_for_async(const EventDispatcher& evd) const { return async_evd_.get() == &evd; }
  // Other openers of the same IA hear of it, too (dat_ia_open).
  void tell_openers(const Event& event);
  // Null: no EP feeds that EVD yet.
  const std::shared_ptr<ForeignEvd>* way_to(const ForeignEvd& evd) const;
  void destroy_retired_channels();
  void make_room_to_retire();
  template <class T>
  Result<T*> adopt(std::unique_ptr<T> object, ObjectList& list, Population& count);
  static void destroy(Object& object, Population& count);
  static void destroy_all(ObjectList& list, Population& count);

  AdapterEnvironment environment_;
  Leniencies leniencies_{environment_.strict};
  Transport& transport_;
  RegionTable regions_;
  Counts counts_;
  AdapterTally tally_;
  ObjectList cnos_, evds_, zones_, regions_list_, windows_, srqs_, endpoints_, points_, requests_;
  ObjectWalks walks_;
  Ref<EventDispatcher> async_evd_;
  std::int32_t async_errors_ = 0; // its places that are kept for errors
  Token foreign_async_ = nullptr;
  std::vector<ForeignEvent> foreign_events_;
  std::vector<std::shared_ptr<ForeignEvd>> foreign_evds_; // which EPs feed
  std::vector<std::shared_ptr<ForeignEvd>> deliveries_;
  WaitPoint unblocked_;
  bool closing_ = false;
  bool put_off_ = false;
  std::vector<std::unique_ptr<Channel>> retired_;
  std::unique_ptr<AgentCall> deferred_;
  AgentCall* last_deferred_ = nullptr;
  std::vector<MemoryRegion*> regions_by_index_;
  DatagramAddresses datagram_addresses_;
  DatagramDepartures datagram_departures_{*this};
  std::uint32_t last_number_ = 0;
  std::int32_t spent_points_ = 0;
  std::int32_t blocked_ = 0;
};

} // namespace datum
