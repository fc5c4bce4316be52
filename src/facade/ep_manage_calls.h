// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/ep_manage_calls.h: endpoints: creating, querying, changing and freeing them.
#pragma once

#include "core/endpoint/attribute_rules.h"
#include "facade/address.h"
#include "facade/answer.h"
#include "facade/ep_modify_fields.h"
#include "facade/ep_parts.h"
#include "facade/foreign_connect_evd.h"
#include "facade/locked.h"
#include "facade/table.h"

namespace datum {

using LockedEp = Locked<ObjectKind::Endpoint>;
using LockedIa = Locked<ObjectKind::InterfaceAdapter>;

struct EpHandles {
  const void* zone;
  const void* recv_evd;
  const void* request_evd;
  const void* connect_evd;
};

// Finds the parts in the order of the arguments of dat_ep_create.
inline Status find_parts(const LockedIa& ia, const EpHandles& handles,
                         const ForeignConnectEvd& foreign, EndpointParts& parts) {
  EvdFinder find(ia);
  parts.zone = find.optional_zone(handles.zone);
  parts.recv_evd = find.optional(handles.recv_evd, kEvdDto, Detail::HandleEvdRecv);
  parts.request_evd = find.optional(handles.request_evd, kEvdDto, Detail::HandleEvdRequest);
  parts.connect_evd = find.optional_connect(handles.connect_evd, foreign.held());
  return find.status();
}

// `attributes` is argument number `position`; null: the defaults.
template <class V>
[[gnu::always_inline]] inline DAT_RETURN
create_ep(const LockedIa& ia, const EndpointParts& parts, SharedReceiveQueue* srq,
          const DAT_EP_ATTR* attributes, Detail position, DAT_EP_HANDLE& ep_handle) {
  EndpointAttributes wanted;
  if (attributes != nullptr) {
    if (const Status s = V::from_dat(*attributes, position, wanted); !s.ok()) return encode<V>(s);
    // Programs leave the watermark of an unused queue uninitialised (HABIT.3).
    if (srq == nullptr && wanted.srq_soft_hw < 0) wanted.srq_soft_hw = kWatermarkInfinite;
    if (!check_attributes(*ia, wanted, srq != nullptr).ok()) return invalid_argument<V>(position);
    if (wanted.qos != DAT_QOS_BEST_EFFORT) {
      note_bits("qos", wanted.qos, "DAT_QOS_BEST_EFFORT 0x0", "dat_ep_create.R30");
      return encode<V>({Type::ModelNotSupported});
    }
  }
  const Result<Endpoint*> ep =
      ia->create_endpoint(parts, srq, attributes != nullptr ? &wanted : nullptr);
  if (!ep) return encode<V>(ep.error());
  ep_handle = (*ep)->token();
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN
ep_create(DAT_IA_HANDLE ia_handle, DAT_PZ_HANDLE pz_handle, DAT_EVD_HANDLE recv_evd,
          DAT_EVD_HANDLE request_evd, DAT_EVD_HANDLE connect_evd, const DAT_EP_ATTR* attributes,
          DAT_EP_HANDLE* ep_handle) {
  const ForeignConnectEvd foreign(ia_handle, connect_evd);
  const LockedIa ia(ia_handle);
  if (!ia) return invalid_handle<V>(Detail::HandleIa);
  EndpointParts parts;
  if (const Status s =
          find_parts(ia, {pz_handle, recv_evd, request_evd, connect_evd}, foreign, parts);
      !s.ok())
    return encode<V>(s);
  if (ep_handle == nullptr) return invalid_argument<V>(Detail::Arg7);
  return create_ep<V>(ia, parts, nullptr, attributes, Detail::Arg6, *ep_handle);
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN
ep_create_with_srq(DAT_IA_HANDLE ia_handle, DAT_PZ_HANDLE pz_handle, DAT_EVD_HANDLE recv_evd,
                   DAT_EVD_HANDLE request_evd, DAT_EVD_HANDLE connect_evd,
                   DAT_SRQ_HANDLE srq_handle, const DAT_EP_ATTR* attributes,
                   DAT_EP_HANDLE* ep_handle) {
  const ForeignConnectEvd foreign(ia_handle, connect_evd);
  const LockedIa ia(ia_handle);
  if (!ia) return invalid_handle<V>(Detail::HandleIa);
  EndpointParts parts;
  if (const Status s =
          find_parts(ia, {pz_handle, recv_evd, request_evd, connect_evd}, foreign, parts);
      !s.ok())
    return encode<V>(s);
  SharedReceiveQueue* srq = ia.find<ObjectKind::SharedReceiveQueue>(srq_handle);
  if (srq == nullptr)
    return invalid_handle<V>(Detail::HandleSrq, srq_handle, ObjectKind::SharedReceiveQueue);
  if (ep_handle == nullptr) return invalid_argument<V>(Detail::Arg8);
  if (attributes == nullptr) {
    note_value(attributes);
    return invalid_argument<V>(Detail::Arg7);
  }
  return create_ep<V>(ia, parts, srq, attributes, Detail::Arg7, *ep_handle);
}

template <class V>
void describe_ep(const Endpoint& ep, DAT_EP_PARAM& param) {
  param.ep_state = static_cast<DAT_EP_STATE>(seen_as(ep.state()));
  param.local_ia_address_ptr = to_sockaddr(ep.adapter().transport().address());
  param.local_port_qual = ep.local_port();
  param.remote_ia_address_ptr = to_sockaddr(ep.remote_address());
  param.remote_port_qual = ep.remote_port();
  param.pz_handle = token_of(ep.zone());
  param.recv_evd_handle = token_of(ep.recv_evd());
  param.request_evd_handle = token_of(ep.request_evd());
  param.connect_evd_handle = ep.connect_evd().token();
  param.srq_handle = token_of(ep.srq());
  V::to_dat(ep.attributes(), param.ep_attr);
  V::describe(ep, param);
}

inline constexpr DAT_EP_PARAM_MASK kNamedAttributeFields =
    DAT_EP_FIELD_EP_ATTR_NUM_TRANSPORT_ATTR | DAT_EP_FIELD_EP_ATTR_TRANSPORT_SPECIFIC_ATTR |
    DAT_EP_FIELD_EP_ATTR_NUM_PROVIDER_ATTR | DAT_EP_FIELD_EP_ATTR_PROVIDER_SPECIFIC_ATTR;

// In DAT 1.2, bit 0x800 of the mask names no field. It is accepted, because some programs pass the
// mask 0xffff (HABIT.4).
inline constexpr DAT_EP_PARAM_MASK kQueriedFields = DAT_EP_FIELD_ALL | 0xffff;

template <class V>
[[gnu::always_inline]] inline DAT_RETURN ep_query(DAT_EP_HANDLE ep_handle, DAT_EP_PARAM_MASK mask,
                                                  DAT_EP_PARAM* param) {
  LockedEp ep(ep_handle);
  if (!ep) return invalid_handle<V>(Detail::HandleEp);
  if (const Status s = check_query(mask, kQueriedFields, param); !s.ok()) return encode<V>(s);
  describe_ep<V>(*ep, *param);
  if ((mask & kNamedAttributeFields) != 0) {
    try {
      V::to_dat(keep_for_good(ep->named_attributes()), param->ep_attr);
    } catch (const std::bad_alloc&) {
      // A query has no return code for this. Only the named attributes are missing.
      V::to_dat(std::span<const NamedAttribute>(), param->ep_attr);
    }
  }
  const Token ia = ep.adapter().token();
  ep.release();
  param->ia_handle = V::consumer_ia(ia);
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN ep_modify(DAT_EP_HANDLE ep_handle, DAT_EP_PARAM_MASK mask,
                                                   const DAT_EP_PARAM* param) {
  const bool names_connect_evd = param != nullptr && (mask & DAT_EP_FIELD_CONNECT_EVD_HANDLE) != 0;
  const ForeignConnectEvd foreign(ep_handle,
                                  names_connect_evd ? param->connect_evd_handle : nullptr);
  const LockedEp ep(ep_handle);
  if (!ep) return invalid_handle<V>(Detail::HandleEp);
  if ((mask & ~modifiable_fields()) != 0)
    return invalid_argument<V>(Detail::Arg2, std::uint64_t{mask});
  if (param == nullptr) return invalid_argument<V>(Detail::Arg3, param);
  const std::uint32_t changes = to_changes(mask);
  EndpointParts parts;
  EndpointAttributes attributes;
  if (!find_changed_parts(ep, changes, *param, foreign, parts) ||
      !find_changed_attributes<V>(*ep, mask, param->ep_attr, attributes))
    return invalid_argument<V>(Detail::Arg3);
  return encode<V>(ep->modify(changes, parts, attributes));
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN ep_get_status(DAT_EP_HANDLE ep_handle, DAT_EP_STATE* state,
                                                       DAT_BOOLEAN* recv_idle,
                                                       DAT_BOOLEAN* request_idle) {
  const LockedEp ep(ep_handle);
  if (!ep) return invalid_handle<V>(Detail::HandleEp);
  if (state != nullptr) *state = static_cast<DAT_EP_STATE>(seen_as(ep->state()));
  if (recv_idle != nullptr) *recv_idle = ep->recv_idle() ? DAT_TRUE : DAT_FALSE;
  if (request_idle != nullptr) *request_idle = ep->request_idle() ? DAT_TRUE : DAT_FALSE;
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN ep_recv_query(DAT_EP_HANDLE ep_handle,
                                                       DAT_COUNT* allocated, DAT_COUNT* span) {
  const LockedEp ep(ep_handle);
  if (!ep) return invalid_handle<V>(Detail::HandleEp);
  // Messages complete in the order of their numbers, so the span has no gaps.
  if (allocated != nullptr) *allocated = ep->recvs_held();
  if (span != nullptr) *span = ep->recvs_held();
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN ep_set_watermark(DAT_EP_HANDLE ep_handle, DAT_COUNT soft,
                                                          DAT_COUNT hard) {
  const LockedEp ep(ep_handle);
  if (!ep) return invalid_handle<V>(Detail::HandleEp);
  // A watermark is positive or infinite, since an EP that may hold no Recv is useless.
  const auto legal = [](DAT_COUNT mark) { return mark > 0 || mark == DAT_WATERMARK_INFINITE; };
  if (!legal(soft)) return invalid_argument<V>(Detail::Arg2, soft);
  if (!legal(hard)) return invalid_argument<V>(Detail::Arg3, hard);
  ep->set_watermarks(soft, hard);
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN ep_free(DAT_EP_HANDLE ep_handle) {
  const LockedEp ep(ep_handle);
  if (!ep) return invalid_handle<V>(Detail::HandleEp);
  return encode<V>(ep.adapter().free(*ep));
}

template <class V>
void enter_ep_manage_calls(typename V::Table& table) {
  table.ep_create_func = &Shield<V, &ep_create<V>, &calls::kEpCreate>::call;
  table.ep_create_with_srq_func =
      &Shield<V, &ep_create_with_srq<V>, &calls::kEpCreateWithSrq>::call;
  table.ep_query_func = &Shield<V, &ep_query<V>, &calls::kEpQuery>::call;
  table.ep_modify_func = &Shield<V, &ep_modify<V>, &calls::kEpModify>::call;
  table.ep_get_status_func = &Shield<V, &ep_get_status<V>, &calls::kEpGetStatus>::call;
  table.ep_recv_query_func = &Shield<V, &ep_recv_query<V>, &calls::kEpRecvQuery>::call;
  table.ep_set_watermark_func = &Shield<V, &ep_set_watermark<V>, &calls::kEpSetWatermark>::call;
  table.ep_free_func = &Shield<V, &ep_free<V>, &calls::kEpFree>::call;
}

} // namespace datum
