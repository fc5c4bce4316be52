// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/adapter/interface_adapter.h"

#include <new>
#include <utility>

#include "base/assertion.h"

namespace datum {

InterfaceAdapter::InterfaceAdapter(const AdapterEnvironment& environment, Transport& transport)
    : AdapterContext(environment, transport), Object(*this, ObjectKind::InterfaceAdapter),
      probe_(environment.memory), shared_names_(environment.shared_names), events_(*this, *this) {}

InterfaceAdapter::~InterfaceAdapter() {
  close();
}

std::int32_t InterfaceAdapter::objects() const {
  const std::int32_t own = events_.async.evd() != nullptr ? 1 : 0;
  return counts_.endpoints.alive + counts_.evds.alive - own + counts_.cnos.alive +
         counts_.zones.alive + counts_.regions.alive + counts_.windows.alive + counts_.srqs.alive +
         counts_.requests.alive + counts_.service_points.alive - spent_points_;
}

void InterfaceAdapter::abort_waiters() {
  evds_.for_each([](Object& evd) { static_cast<EventDispatcher&>(evd).abort_waiter(); });
  cnos_.for_each([](Object& cno) { static_cast<NotificationObject&>(cno).release_all(); });
}

void InterfaceAdapter::send_last_datagrams() {
  for_each_endpoint([](Endpoint& endpoint) {
    if (DatagramPeers* peers = endpoint.datagrams()) peers->close_all(CloseMode::Disconnect);
  });
  datagrams_.departures().wait();
}

void InterfaceAdapter::close() {
  datagrams_.departures().end();
  // The order is that of decision 230. Requests come first, since they point at EPs and service
  // points.
  destroy_all(requests_, counts_.requests);
  windows_.for_each([this](Object& window) { forget_window(static_cast<MemoryWindow&>(window)); });
  destroy_all(windows_, counts_.windows);
  destroy_all(points_, counts_.service_points);
  destroy_all(endpoints_, counts_.endpoints);
  destroy_retired();
  destroy_all(srqs_, counts_.srqs);
  destroy_all(regions_list_, counts_.regions);
  destroy_all(zones_, counts_.zones);
  events_.async.drop_evd();
  destroy_all(evds_, counts_.evds);
  destroy_all(cnos_, counts_.cnos);
}

ServicePoint* InterfaceAdapter::find_service_point(ConnQual qualifier) {
  ServicePoint* found = nullptr;
  points_.for_each([&](Object& object) {
    auto& point = static_cast<ServicePoint&>(object);
    if (point.qualifier() == qualifier && !point.spent()) found = &point;
  });
  return found;
}

void InterfaceAdapter::forget_window(const MemoryWindow& window) {
  for_each_endpoint([&](Endpoint& endpoint) { endpoint.requests().forget_window(window); });
}

void InterfaceAdapter::break_sources_of(EventDispatcher& evd) {
  for_each_endpoint([&](Endpoint& endpoint) {
    if (endpoint.recv_evd() == &evd || endpoint.request_evd() == &evd) endpoint.break_connection();
  });
}

void InterfaceAdapter::destroy_retired() {
  datagrams_.departures().sweep();
  AdapterContext::destroy_retired();
}

const EventDispatcher* InterfaceAdapter::find_evd_with_events(const NotificationObject& cno) {
  const EventDispatcher* found = nullptr;
  evds_.for_each([&](Object& object) {
    const auto& evd = static_cast<EventDispatcher&>(object);
    if (evd.cno() == &cno && evd.count() != 0) found = &evd;
  });
  return found;
}

std::int32_t InterfaceAdapter::count_points(ObjectKind kind) {
  std::int32_t count = 0;
  points_.for_each([&](Object& point) { count += point.kind() == kind ? 1 : 0; });
  return count;
}

bool InterfaceAdapter::present_request(ServicePoint& point,
                                       std::unique_ptr<IncomingConnection>& request,
                                       Endpoint* endpoint) {
  EventDispatcher& evd = *point.evd();
  if (evd.full()) return false;
  std::unique_ptr<ConnectionRequest> made;
  try {
    made =
        std::make_unique<ConnectionRequest>(*this, std::move(request), point.qualifier(), endpoint);
  } catch (const std::bad_alloc&) {
    return false;
  }
  Result<ConnectionRequest*> adopted = adopt(std::move(made), requests_, counts_.requests);
  // No handle was left: destroying the object has just refused its request.
  if (!adopted) return false;
  Event event;
  event.kind =
      (*adopted)->for_datagrams() ? EventKind::DatagramsRequest : EventKind::ConnectionRequest;
  event.object = point.token();
  event.size = point.reserved() ? 1 : 0;
  event.value = point.qualifier();
  event.data = (*adopted)->token();
  DATUM_ASSERT(!evd.full());
  evd.push_connection(event);
  ++tally().requests_presented;
  return true;
}

} // namespace datum
