// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/adapter/interface_adapter.h: one open instance of an IA. It owns every object made through
// it.
// Lives here: creation and destruction of objects and the dependencies between them.
// Not here:   the part of the IA that its objects see (adapter_context.h and the services of each
//             room), the lock (the facade owns it, so that it outlives the adapter), moving bytes
//             (transport/).
// Threads:    every call holds the adapter's lock.
#pragma once

#include <cstdint>
#include <memory>

#include "base/status.h"
#include "core/adapter/connection_request.h"
#include "core/adapter/service_point.h"
#include "core/datagrams/datagram_services.h"
#include "core/endpoint/endpoint.h"
#include "core/endpoint/shared_receive_queue.h"
#include "core/events/event_dispatcher.h"
#include "core/events/event_services.h"
#include "core/events/notification_object.h"
#include "core/memory/memory_index.h"
#include "core/memory/memory_probe.h"
#include "core/memory/memory_region.h"
#include "core/memory/memory_window.h"
#include "core/memory/protection_zone.h"
#include "core/memory/shared_names.h"
#include "core/object/adapter_context.h"
#include "core/object/object.h"
#include "core/object/object_walk.h"
#include "core/object/tally.h"

namespace datum {

struct AdapterEnvironment : AdapterContext::Environment {
  MemoryProbe* memory = nullptr;
  SharedNames* shared_names = nullptr; // of the process
};

class InterfaceAdapter final : public AdapterContext, public Object, private CompletionSources {
 public:
  InterfaceAdapter(const AdapterEnvironment& environment, Transport& transport);
  ~InterfaceAdapter() override;

  EventServices& events() { return events_; }
  MemoryIndex& memory() { return memory_; }
  DatagramServices& datagrams() { return datagrams_; }

  // True: no object of the consumer is left (dat_ia_close, graceful).
  bool idle() const { return objects() == 0; }
  // How many objects keep the IA from being closed gracefully.
  std::int32_t objects() const;
  // Destroys everything in the safe order. The caller has told blocked waiters to leave.
  void close();
  // Tells every thread that is blocked in a wait to return.
  void abort_waiters();
  // Called before close(): sends what endpoints of datagrams have accepted, for a bounded time.
  void send_last_datagrams();

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
  // Makes a CR and its event. False: it made neither. If `request` then still holds the request,
  // the caller refuses the request.
  bool present_request(ServicePoint& point, std::unique_ptr<IncomingConnection>& request,
                       Endpoint* endpoint);

  // --- destruction: a failure changes nothing --------------------------------------------------
  Status free(NotificationObject& cno);
  Status free(EventDispatcher& evd);
  Status free(ProtectionZone& zone);
  Status free(MemoryRegion& region);
  Status free(MemoryWindow& window);
  Status free(SharedReceiveQueue& srq);
  Status free(Endpoint& endpoint);
  Status free(ServicePoint& point);
  // consume() destroys an answered CR. discard() destroys an EP of the provider whose request was
  // refused.
  void consume(ConnectionRequest& request);
  void discard(Endpoint& endpoint);

  // --- for core objects --------------------------------------------------------------------------
  ServicePoint* find_service_point(ConnQual qualifier);
  template <class F>
  void for_each_endpoint(F&& visit) {
    endpoints_.for_each([&](Object& o) { visit(static_cast<Endpoint&>(o)); });
  }
  ObjectWalk walk_endpoints() { return {endpoints_, walks_}; }
  ObjectWalk walk_dispatchers() { return {evds_, walks_}; }
  // Destroys the retired channels and departed peers of all rooms.
  void destroy_retired();
  // The request of an RSP has arrived: the RSP no longer keeps the IA open (decision 20).
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
  };
  const Counts& counts() const { return counts_; }
  // How many service points of one kind there are.
  std::int32_t count_points(ObjectKind kind);

 private:
  // CompletionSources
  void break_sources_of(EventDispatcher& evd) override;

  // Posted binds of the window complete with success, and bind nothing (dat_rmr_free).
  void forget_window(const MemoryWindow& window);
  // An EVD of the CNO that holds events, or nullptr.
  const EventDispatcher* find_evd_with_events(const NotificationObject& cno);
  template <class T>
  Result<T*> adopt(std::unique_ptr<T> object, ObjectList& list, Population& count);
  void destroy(Object& object, Population& count);
  void destroy_all(ObjectList& list, Population& count);

  MemoryProbe* const probe_;
  SharedNames* const shared_names_;
  Counts counts_;
  ObjectList cnos_, evds_, zones_, regions_list_, windows_, srqs_, endpoints_, points_, requests_;
  ObjectWalks walks_;
  EventServices events_;
  MemoryIndex memory_{windows_};
  const EndpointServices endpoint_services_{events_, memory_, endpoints_};
  DatagramServices datagrams_{*this};
  std::int32_t spent_points_ = 0;
};

} // namespace datum
