// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/adapter/adapter_objects.cc: creating and freeing the objects of an adapter.
#include <new>

#include "base/refusal.h"
#include "core/adapter/interface_adapter.h"
#include "core/datagrams/datagrams.h"
#include "core/endpoint/attribute_rules.h"

namespace datum {
namespace {

// The status of a refused region. `no`: the status if the consumer made a mistake. It made none if
// the probe lacked memory or a descriptor for its answer.
Status why_not(Found found, Status no) {
  switch (found) {
  case Found::LacksMemory: return {Type::InsufficientResources, Detail::ResourceMemory};
  case Found::LacksDevice: return {Type::InsufficientResources, Detail::ResourceDevice};
  default: return no;
  }
}

[[gnu::cold, gnu::noinline]] void note_unusable(const RegionRequest& request) {
  if (refusals_are_told())
    note_cause({"region_description", text("{:#x} + {}", request.address, request.length),
                text("memory that is mapped for privileges {:#x}", request.access),
                "dat_lmr_create.R15"});
}

} // namespace

template <class T>
Result<T*> InterfaceAdapter::adopt(std::unique_ptr<T> object, ObjectList& list, Population& count) {
  if (!object->issue_token(handles()))
    return fail(Type::InsufficientResources, Detail::ResourceMemory);
  list.push_back(*object);
  ++count.alive;
  ++count.made;
  return object.release();
}

template Result<ConnectionRequest*> InterfaceAdapter::adopt(std::unique_ptr<ConnectionRequest>,
                                                            ObjectList&, Population&);

void InterfaceAdapter::destroy(Object& object, Population& count) {
  const std::unique_ptr<Object> doomed(&object);
  walks_.for_each([&](ObjectWalk& walk) { walk.pass(object); });
  doomed->unlink();
  --count.alive;
}

void InterfaceAdapter::destroy_all(ObjectList& list, Population& count) {
  while (Object* object = list.front()) destroy(*object, count);
}

Result<NotificationObject*> InterfaceAdapter::create_cno(ProxyAgent agent) {
  return adopt(std::make_unique<NotificationObject>(events_, agent), cnos_, counts_.cnos);
}

Result<EventDispatcher*> InterfaceAdapter::create_evd(std::int32_t qlen, NotificationObject* cno,
                                                      EvdFlags flags) {
  if (qlen > limits().max_evd_qlen || counts_.evds.alive >= limits().max_evds) {
    if (qlen > limits().max_evd_qlen)
      note_limit("evd_min_qlen", qlen, limits().max_evd_qlen);
    else
      note_limit("EVDs of the IA", counts_.evds.alive + 1, limits().max_evds);
    return fail(Type::InsufficientResources, Detail::ResourceTevd);
  }
  return adopt(std::make_unique<EventDispatcher>(events_, qlen, cno, flags), evds_, counts_.evds);
}

Result<ProtectionZone*> InterfaceAdapter::create_zone() {
  if (counts_.zones.alive >= limits().max_pzs)
    return fail(Type::InsufficientResources, Detail::ResourceProtectionDomain);
  return adopt(std::make_unique<ProtectionZone>(*this, next_number()), zones_, counts_.zones);
}

Result<MemoryRegion*> InterfaceAdapter::create_region(const RegionRequest& request,
                                                      ProtectionZone& zone) {
  if (request.address == 0) {
    note_cause({"", "address 0", "", ""});
    return fail(Type::InvalidParameter, Detail::Arg3);
  }
  if (request.length == 0 || request.length > limits().max_lmr_size ||
      request.address + request.length < request.address) {
    note_cause("", request.length, "", "");
    return fail(Type::InvalidParameter, Detail::Arg4);
  }
  const bool shared = request.type == MemoryType::Shared;
  SharedNames::Use name =
      shared ? shared_names_->use(request.cookie, request.length) : SharedNames::Use();
  if (shared && !name) {
    note_cause("length", request.length, "that of the first LMR with this shared_memory_id", "");
    return fail(Type::InvalidParameter, Detail::Arg4);
  }
  // Registering memory that is not mapped fails now, rather than crash later (decision 313).
  const Found usable = probe_->usable(request.address, request.length, request.access);
  if (usable != Found::Yes) {
    note_unusable(request);
    return fail(why_not(usable, {Type::InvalidParameter, Detail::Arg3}));
  }
  if (shared) {
    const Found found = probe_->shared(request.address, request.length);
    if (found != Found::Yes) {
      note_cause({"region_description.virtual_address", "memory that no other process can map",
                  "a shared mapping", ""});
      return fail(why_not(found, Type::InvalidState));
    }
  }
  if (counts_.regions.alive >= limits().max_lmrs)
    return fail(Type::InsufficientResources, Detail::ResourceMemoryRegion);
  const Stag stag = regions().reserve();
  if (stag == 0) return fail(Type::InsufficientResources, Detail::ResourceMemoryRegion);
  std::unique_ptr<MemoryRegion> made;
  try {
    memory_.make_room_for(stag);
    made = std::make_unique<MemoryRegion>(*this, zone, request, stag, std::move(name));
  } catch (const std::bad_alloc&) {
    regions().release(stag);
    return fail(Type::InsufficientResources, Detail::ResourceMemory);
  }
  Result<MemoryRegion*> region = adopt(std::move(made), regions_list_, counts_.regions);
  if (!region) return region;
  RegionTable::Description description;
  description.access = request.access | request.implied;
  description.base = request.address;
  description.zero_based = request.zero_based;
  description.length = request.length;
  description.zone = zone.id();
  static_cast<void>(probe_->backing(request.address, request.length, description.backing_fd,
                                    description.backing_offset));
  regions().publish(stag, description);
  memory_.add(**region);
  return region;
}

Result<MemoryWindow*> InterfaceAdapter::create_window(ProtectionZone& zone,
                                                      MemoryWindow::Scope scope) {
  if (counts_.windows.alive >= limits().max_rmrs)
    return fail(Type::InsufficientResources, Detail::ResourceMemoryRegion);
  return adopt(std::make_unique<MemoryWindow>(*this, zone, scope), windows_, counts_.windows);
}

Result<SharedReceiveQueue*>
InterfaceAdapter::create_srq(ProtectionZone& zone, const SharedReceiveAttributes& attributes) {
  if (attributes.max_recv_dtos <= 0 || attributes.max_recv_iov <= 0 ||
      attributes.max_recv_iov > limits().max_iov) {
    if (attributes.max_recv_dtos <= 0)
      note_cause("max_recv_dtos", attributes.max_recv_dtos, "above 0", "dat_srq_create.R8");
    else
      note_cause("max_recv_iov", attributes.max_recv_iov, "1 to max_iov_segments_per_dto of the IA",
                 "dat_srq_create.R10");
    return fail(Type::InvalidParameter, Detail::Arg3);
  }
  if (attributes.max_recv_dtos > limits().max_recv_per_srq ||
      counts_.srqs.alive >= limits().max_srqs)
    return fail(Type::InsufficientResources, Detail::ResourceSrq);
  return adopt(std::make_unique<SharedReceiveQueue>(events_.async, zone, attributes), srqs_,
               counts_.srqs);
}

Result<Endpoint*> InterfaceAdapter::create_endpoint(const EndpointParts& parts,
                                                    SharedReceiveQueue* srq,
                                                    const EndpointAttributes* attributes) {
  EndpointAttributes chosen = attributes != nullptr ? *attributes : default_attributes(*this);
  // Every peer of an EP of datagrams pushes its events to the connect EVD at once. So the connect
  // EVD must be one of this IA.
  if (chosen.datagrams && parts.connect_evd.foreign)
    return fail(Type::InvalidHandle, Detail::HandleEvdConn);
  const Detail argument = srq != nullptr ? Detail::Arg7 : Detail::Arg6;
  if (!check_attributes(*this, chosen, srq != nullptr).ok())
    return fail(Type::InvalidParameter, argument);
  const Sharing sharing = evd_sharing(endpoints_, parts, chosen, nullptr);
  if (const Status s = permit_leniencies(*this, chosen, sharing, argument); !s.ok()) return fail(s);
  if (counts_.endpoints.alive >= limits().max_eps)
    return fail(Type::InsufficientResources, Detail::ResourceTep);
  if (srq != nullptr && srq->endpoints() >= limits().max_ep_per_srq)
    return fail(Type::InsufficientResources, Detail::ResourceSrq);
  make_room_to_retire();
  auto endpoint = std::make_unique<Endpoint>(endpoint_services_, parts, srq, chosen,
                                             Endpoint::Origin::Consumer);
  if (chosen.datagrams)
    endpoint->connection().set_peers(std::make_unique<Datagrams>(*endpoint, datagrams_));
  return adopt(std::move(endpoint), endpoints_, counts_.endpoints);
}

Result<Endpoint*> InterfaceAdapter::create_provider_endpoint(const EndpointParts& parts) {
  if (counts_.endpoints.alive >= limits().max_eps)
    return fail(Type::InsufficientResources, Detail::ResourceTep);
  make_room_to_retire();
  return adopt(std::make_unique<Endpoint>(endpoint_services_, parts, nullptr,
                                          default_attributes(*this), Endpoint::Origin::Provider),
               endpoints_, counts_.endpoints);
}

Result<ServicePoint*> InterfaceAdapter::create_psp(const ConnQual* qualifier, EventDispatcher& evd,
                                                   ServicePoint::EpSource source, ObjectKind kind) {
  auto point = std::make_unique<ServicePoint>(*this, evd, source, kind);
  ServicePoint& listening = *point;
  Result<ServicePoint*> made = adopt(std::move(point), points_, counts_.service_points);
  if (!made) return made;
  if (const Status s = listening.listen(qualifier); !s.ok()) {
    destroy(listening, counts_.service_points);
    return fail(s);
  }
  if (kind == ObjectKind::PublicServicePoint)
    ++(qualifier != nullptr ? tally().psps : tally().psps_anywhere);
  return made;
}

Result<ServicePoint*> InterfaceAdapter::create_rsp(ConnQual qualifier, Endpoint* endpoint,
                                                   EventDispatcher& evd) {
  if (endpoint != nullptr)
    if (const Status s = endpoint->connection().reserve(); !s.ok()) return fail(s);
  std::unique_ptr<ServicePoint> point;
  try {
    point = std::make_unique<ServicePoint>(*this, evd, endpoint);
  } catch (const std::bad_alloc&) {
    if (endpoint != nullptr) endpoint->connection().release_reservation();
    throw;
  }
  ServicePoint& listening = *point;
  Result<ServicePoint*> made = adopt(std::move(point), points_, counts_.service_points);
  if (!made) return made; // destroying the point has released the EP
  if (const Status s = listening.listen(&qualifier); !s.ok()) {
    destroy(listening, counts_.service_points);
    return fail(s);
  }
  ++tally().rsps;
  return made;
}

Status InterfaceAdapter::free(NotificationObject& cno) {
  if (cno.in_use()) {
    if (refusals_are_told())
      note_state(text("a CNO with {} EVDs and {} waiters", cno.evds(), cno.waiters()));
    return {Type::InvalidState, Detail::CnoInUse};
  }
  destroy(cno, counts_.cnos);
  return kOk;
}

Status InterfaceAdapter::free(EventDispatcher& evd) {
  if (evd.has_streams()) {
    if (refusals_are_told()) note_state(text("an EVD that {} sources feed", evd.streams()));
    return {Type::InvalidState, Detail::EvdInUse};
  }
  if (evd.has_waiter()) return {Type::InvalidState, Detail::EvdWaiter};
  NotificationObject* cno = evd.cno();
  const Token freed = evd.token();
  destroy(evd, counts_.evds);
  // A CNO that the EVD had earlier may still remember the EVD. So all CNOs are checked.
  cnos_.for_each([&](Object& object) {
    auto& each = static_cast<NotificationObject&>(object);
    if (each.remembers(freed)) each.remember_instead(find_evd_with_events(each));
  });
  if (cno != nullptr && !cno->has_evds()) cno->release_all();
  return kOk;
}

Status InterfaceAdapter::free(ProtectionZone& zone) {
  if (zone.in_use()) {
    if (refusals_are_told()) note_state(text("a PZ that {} objects use", zone.users()));
    return {Type::InvalidState, Detail::PzInUse};
  }
  destroy(zone, counts_.zones);
  return kOk;
}

Status InterfaceAdapter::free(MemoryRegion& region) {
  if (region.in_use()) {
    if (refusals_are_told()) note_state(text("an LMR with {} windows", region.windows()));
    return {Type::InvalidState, Detail::LmrInUse};
  }
  memory_.remove(region);
  destroy(region, counts_.regions);
  return kOk;
}

Status InterfaceAdapter::free(MemoryWindow& window) {
  forget_window(window);
  destroy(window, counts_.windows);
  return kOk;
}

Status InterfaceAdapter::free(SharedReceiveQueue& srq) {
  if (srq.in_use()) {
    if (refusals_are_told()) note_state(text("an SRQ with {} EPs", srq.endpoints()));
    return {Type::InvalidState, Detail::SrqInUse};
  }
  destroy(srq, counts_.srqs);
  return kOk;
}

Status InterfaceAdapter::free(Endpoint& endpoint) {
  if (const Status s = endpoint.connection().can_free(); !s.ok()) return s;
  destroy(endpoint, counts_.endpoints);
  return kOk;
}

Status InterfaceAdapter::free(ServicePoint& point) {
  if (point.spent()) --spent_points_;
  destroy(point, counts_.service_points);
  return kOk;
}

void InterfaceAdapter::consume(ConnectionRequest& request) {
  destroy(request, counts_.requests);
}

void InterfaceAdapter::discard(Endpoint& endpoint) {
  destroy(endpoint, counts_.endpoints);
}

} // namespace datum
