// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/adapter/interface_adapter.h"

#include <algorithm>
#include <cassert>
#include <new>
#include <utility>

#include "base/log.h"

namespace datum {
namespace {

// To twice the size at least: one more each time would copy all of them each time.
template <class T>
void grow(std::vector<T>& list, std::size_t wanted) {
  if (list.capacity() < wanted) list.reserve(2 * wanted);
}

} // namespace

InterfaceAdapter::InterfaceAdapter(const AdapterEnvironment& environment, Transport& transport)
    : Object(*this, ObjectKind::InterfaceAdapter), environment_(environment), transport_(transport),
      regions_(transport.region_storage(), environment.random->next()) {
  regions_.set_gate(transport.gate());
  TransportHost host;
  host.progress = environment_.progress;
  host.timers = environment_.timers;
  host.regions = &regions_;
  host.random = environment_.random;
  transport_.attach(host);
}

InterfaceAdapter::~InterfaceAdapter() {
  close();
}

Status InterfaceAdapter::set_async_evd(EventDispatcher* evd, std::int32_t for_errors) {
  async_evd_ = Ref(evd);
  async_errors_ = for_errors;
  return kOk;
}

void InterfaceAdapter::report_async(const Event& event) {
  ++tally_.async_events;
  if (event.kind == EventKind::AsyncEvdOverflow) ++tally_.async_overflows;
  if (async_evd_)
    async_evd_->push(event); // when it is full itself nothing more can be reported (decision 219)
  tell_openers(event);
}

void InterfaceAdapter::tell_openers(const Event& event) {
  if (foreign_async_ == nullptr) return;
  try {
    foreign_events_.push_back({event, foreign_async_});
    put_off_ = true;
  } catch (const std::bad_alloc&) {
    log(LogLevel::Warn, "out of memory: other openers of the interface adapter miss an event");
  }
}

void InterfaceAdapter::report_srq_left(Token endpoint) {
  if (!environment_.reports_srq_left) return;
  ++tally_.async_endpoints;
  Event event;
  event.kind = EventKind::AsyncSrqLeft;
  event.object = endpoint;
  event.value = kReasonTransferToError;
  if (async_evd_)
    hear_of_srq_left(*async_evd_, event);
  else
    tell_openers(event);
}

// It is no error, and must not take the place of one.
void InterfaceAdapter::hear_of_srq_left(EventDispatcher& evd, const Event& event) {
  const std::int32_t for_errors = evd_for_async(evd) ? async_errors_ : 0;
  if (evd.qlen() - evd.count() > std::min(for_errors, evd.qlen() - 1)) evd.push(event);
}

void InterfaceAdapter::defer_agent(std::unique_ptr<AgentCall> call) {
  std::unique_ptr<AgentCall>& end = last_deferred_ != nullptr ? last_deferred_->next : deferred_;
  end = std::move(call);
  last_deferred_ = end.get();
  put_off_ = true;
}

// One way for each EVD: what two EPs tell it arrives in the order in which it happened.
const std::shared_ptr<ForeignEvd>* InterfaceAdapter::way_to(const ForeignEvd& evd) const {
  const auto way = std::ranges::find_if(
      foreign_evds_, [&](const auto& other) { return other->leads_to_same(evd); });
  return way != foreign_evds_.end() ? &*way : nullptr;
}

void InterfaceAdapter::make_room_to_feed(const std::shared_ptr<ForeignEvd>& evd) {
  if (const auto* way = way_to(*evd)) return (*way)->make_room();
  grow(deliveries_, deliveries_.size() + foreign_evds_.size() + 1);
  grow(foreign_evds_, foreign_evds_.size() + 1);
  evd->make_room();
}

const std::shared_ptr<ForeignEvd>&
InterfaceAdapter::feed_foreign(const std::shared_ptr<ForeignEvd>& evd) {
  make_room_to_feed(evd);
  const auto* way = way_to(*evd);
  if (way == nullptr) way = &foreign_evds_.emplace_back(evd);
  (*way)->join();
  return *way;
}

void InterfaceAdapter::stop_feeding(const std::shared_ptr<ForeignEvd>& evd) {
  if (evd->leave()) std::erase(foreign_evds_, evd);
  deliver_later(evd);
}

void InterfaceAdapter::deliver_later(const std::shared_ptr<ForeignEvd>& evd) {
  if (std::exchange(evd->awaits_delivery, true)) return;
  deliveries_.push_back(evd);
  put_off_ = true;
}

InterfaceAdapter::Deliveries InterfaceAdapter::take_deliveries() {
  Deliveries taken;
  const auto count = static_cast<std::ptrdiff_t>(std::min(taken.size(), deliveries_.size()));
  const auto end = deliveries_.begin() + count;
  std::move(deliveries_.begin(), end, taken.begin());
  deliveries_.erase(deliveries_.begin(), end);
  for (std::ptrdiff_t i = 0; i != count; ++i)
    taken[static_cast<std::size_t>(i)]->awaits_delivery = false;
  if (!deliveries_.empty()) put_off_ = true;
  return taken;
}

void InterfaceAdapter::destroy_retired_channels() {
  // A destructor may retire another one.
  while (!retired_.empty()) {
    const std::unique_ptr<Channel> doomed = std::move(retired_.back());
    retired_.pop_back();
  }
}

std::int32_t InterfaceAdapter::objects() const {
  const std::int32_t own = async_evd_ ? 1 : 0;
  return counts_.endpoints.alive + counts_.evds.alive - own + counts_.cnos.alive +
         counts_.zones.alive + counts_.regions.alive + counts_.windows.alive + counts_.srqs.alive +
         counts_.requests.alive + counts_.service_points.alive - spent_points_;
}

void InterfaceAdapter::abort_waiters() {
  closing_ = true;
  evds_.for_each([](Object& evd) { static_cast<EventDispatcher&>(evd).abort_waiter(); });
  cnos_.for_each([](Object& cno) { static_cast<NotificationObject&>(cno).release_all(); });
}

void InterfaceAdapter::count_blocked(std::int32_t change) {
  blocked_ += change;
  if (blocked_ == 0 && closing_) progress().signal(unblocked_);
}

void InterfaceAdapter::wait_until_unblocked() {
  while (blocked_ != 0) {
    unblocked_.signalled = false;
    progress().wait(unblocked_, kNever);
  }
}

void InterfaceAdapter::see_datagrams_off() {
  for_each_endpoint([](Endpoint& endpoint) {
    if (Datagrams* datagrams = endpoint.datagrams()) datagrams->close_all(CloseMode::Disconnect);
  });
  datagram_departures_.wait();
}

void InterfaceAdapter::close() {
  datagram_departures_.end();
  // Decision 230; requests first, since they point at EPs and service points.
  destroy_all(requests_, counts_.requests);
  destroy_all(windows_, counts_.windows);
  destroy_all(points_, counts_.service_points);
  destroy_all(endpoints_, counts_.endpoints);
  destroy_retired();
  destroy_all(srqs_, counts_.srqs);
  destroy_all(regions_list_, counts_.regions);
  destroy_all(zones_, counts_.zones);
  async_evd_ = {};
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

MemoryWindow* InterfaceAdapter::find_window(Stag stag) {
  MemoryWindow* found = nullptr;
  windows_.for_each([&](Object& object) {
    auto& window = static_cast<MemoryWindow&>(object);
    if (window.binding().stag == stag && stag != 0) found = &window;
  });
  return found;
}

MemoryRegion* InterfaceAdapter::find_region(Stag local_stag) {
  const std::uint32_t index = local_stag >> 8U;
  if (index >= regions_by_index_.size()) return nullptr;
  MemoryRegion* region = regions_by_index_[index];
  return region != nullptr && region->local_stag() == local_stag ? region : nullptr;
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
  // Without a handle left the request is refused: its owner has just been destroyed.
  if (!adopted) return false;
  Event event;
  event.kind =
      (*adopted)->for_datagrams() ? EventKind::DatagramsRequest : EventKind::ConnectionRequest;
  event.object = point.token();
  event.size = point.reserved() ? 1 : 0;
  event.value = point.qualifier();
  event.data = (*adopted)->token();
  evd.push_connection(event); // it is not full
  ++tally_.requests_presented;
  return true;
}

} // namespace datum
