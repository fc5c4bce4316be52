// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v2/new_calls.cc: the calls that DAT 2.0 added.
#include "facade/v2/traits.h"

#include "base/clock.h"
#include "base/mutex.h"
#include "base/shortage.h"
#include "facade/answer.h"
#include "facade/ep_transfer_calls.h"
#include "facade/locked.h"
#include "facade/provider.h"
#include "facade/runtime.h"
#include "facade/v2/common_points.h"
#include "facade/v2/event_descriptor.h"
#include "facade/v2/extension.h"

namespace datum {
namespace {

DAT_RETURN no_descriptor(int error) {
  static Mutex mutex;
  static ShortageLog shortages DATUM_GUARDED_BY(mutex);
  const MutexLock lock(mutex);
  shortages.tell(shortage_of(error), monotonic_now(),
                 "dat_cno_fd_create: no descriptors for the CNO (eventfd2, fcntl)");
  return encode<V2>({Type::InsufficientResources, Detail::ResourceDevice});
}

DAT_RETURN cno_fd_create(DAT_IA_HANDLE ia_handle, DAT_FD* descriptor, DAT_CNO_HANDLE* cno_handle) {
  const Locked<ObjectKind::InterfaceAdapter> ia(ia_handle);
  if (!ia) return invalid_handle<V2>(Detail::HandleIa);
  if (descriptor == nullptr) return invalid_argument<V2>(Detail::Arg2);
  if (cno_handle == nullptr) return invalid_argument<V2>(Detail::Arg3);
  auto signal = std::make_unique<EventDescriptor>();
  if (!signal->valid()) return no_descriptor(signal->error());
  const int fd = signal->descriptor();
  const Result<NotificationObject*> cno = ia->create_cno({});
  if (!cno) return encode<V2>(cno.error());
  (*cno)->set_signal(std::move(signal));
  *descriptor = fd;
  *cno_handle = (*cno)->token();
  return DAT_SUCCESS;
}

DAT_RETURN cno_trigger(DAT_CNO_HANDLE cno_handle, DAT_EVD_HANDLE* evd_handle) {
  const Locked<ObjectKind::NotificationObject> cno(cno_handle);
  if (!cno) return invalid_handle<V2>(Detail::HandleCno);
  if (evd_handle == nullptr) return invalid_argument<V2>(Detail::Arg2);
  return encode<V2>(cno->wait(0, *evd_handle));
}

DAT_RETURN rmr_create_for_ep(DAT_PZ_HANDLE pz_handle, DAT_RMR_HANDLE* rmr_handle) {
  const Locked<ObjectKind::ProtectionZone> zone(pz_handle);
  if (!zone) return invalid_handle<V2>(Detail::HandlePz);
  if (rmr_handle == nullptr) return invalid_argument<V2>(Detail::Arg2);
  const Result<MemoryWindow*> window =
      zone.adapter().create_window(*zone, MemoryWindow::Scope::Endpoint);
  if (!window) return encode<V2>(window.error());
  *rmr_handle = (*window)->token();
  return DAT_SUCCESS;
}

DAT_RETURN ep_post_send_with_invalidate(DAT_EP_HANDLE ep_handle, DAT_COUNT count,
                                        DAT_LMR_TRIPLET* iov, DAT_DTO_COOKIE cookie,
                                        DAT_COMPLETION_FLAGS flags, DAT_BOOLEAN invalidate,
                                        DAT_RMR_CONTEXT context) {
  if (invalidate == DAT_FALSE) return ep_post_send<V2>(ep_handle, count, iov, cookie, flags);
  const Locked<ObjectKind::Endpoint> ep(ep_handle);
  if (!ep) return invalid_handle<V2>(Detail::HandleEp);
  if (const Status s = check_iov(count, iov); !s.ok()) return encode<V2>(s);
  return encode<V2>(
      ep->post_send_invalidate(segments<V2>(*ep, iov, count), bits(cookie), flags, context));
}

// The sink is a range of a bound window of this side. The data go to the LMR that the window is
// bound to.
DAT_RETURN ep_post_rdma_read_to_rmr(DAT_EP_HANDLE ep_handle, const DAT_RMR_TRIPLET* local,
                                    DAT_DTO_COOKIE cookie, const DAT_RMR_TRIPLET* remote,
                                    DAT_COMPLETION_FLAGS flags) {
  const Locked<ObjectKind::Endpoint> ep(ep_handle);
  if (!ep) return invalid_handle<V2>(Detail::HandleEp);
  if (local == nullptr) return invalid_argument<V2>(Detail::Arg2);
  if (remote == nullptr) return invalid_argument<V2>(Detail::Arg4);
  std::uint64_t memory = 0;
  const MemoryWindow* window = ep.adapter().memory().find_window(local->rmr_context);
  if (window == nullptr || !ep->zone()) return invalid_argument<V2>(Detail::Arg2);
  switch (ep->check_own(local->rmr_context, local->virtual_address, local->segment_length,
                        kRemoteWrite, memory)) {
  case AccessFault::None: break;
  case AccessFault::WrongZone:
    return encode<V2>({Type::ProtectionViolation, Detail::ProtectionWrite});
  case AccessFault::NoRight:
    return encode<V2>({Type::PrivilegesViolation, Detail::PrivilegesRdmaWrite});
  default: return invalid_argument<V2>(Detail::Arg2);
  }
  const LocalTriplet sink{window->binding().region->local_stag(), memory, local->segment_length};
  return encode<V2>(
      ep->post_rdma(Opcode::RdmaRead, {&sink, 1}, bits(cookie), V2::remote(*remote), flags));
}

// No adapter of Datum is the backup of another one, but an adapter may have several names. If the
// name is not registered here, the call cannot answer.
DAT_RETURN ia_ha_related(DAT_IA_HANDLE ia_handle, const DAT_NAME_PTR name, DAT_BOOLEAN* answer) {
  Locked<ObjectKind::InterfaceAdapter> ia(ia_handle);
  if (!ia) return invalid_handle<V2>(Detail::HandleIa);
  if (name == nullptr) return invalid_argument<V2>(Detail::Arg2);
  if (answer == nullptr) return invalid_argument<V2>(Detail::Arg3);
  const Registration& own = ia.control().registration();
  ia.release();
  const Registration* const other = find_registration(name);
  if (own.ia_name != name && other == nullptr) return encode<V2>({Type::ProviderNotFound});
  const Result<bool> same =
      own.ia_name == name ? Result<bool>(true) : runtime_factory().same_adapter(own, *other);
  if (!same) return encode<V2>(same.error());
  *answer = *same ? DAT_TRUE : DAT_FALSE;
  return DAT_SUCCESS;
}

} // namespace

void V2::enter_new_calls(DAT_PROVIDER& table) {
  table.csp_create_func = &Shield<V2, &csp_create, &calls::kCspCreate>::call;
  table.csp_query_func = &Shield<V2, &csp_query, &calls::kCspQuery>::call;
  table.csp_free_func = &Shield<V2, &csp_free, &calls::kCspFree>::call;
  table.ep_common_connect_func = &Shield<V2, &ep_common_connect, &calls::kEpCommonConnect>::call;
  table.ep_post_send_with_invalidate_func =
      &Shield<V2, &ep_post_send_with_invalidate, &calls::kEpPostSendWithInvalidate>::call;
  table.ep_post_rdma_read_to_rmr_func =
      &Shield<V2, &ep_post_rdma_read_to_rmr, &calls::kEpPostRdmaReadToRmr>::call;
  table.cno_fd_create_func = &Shield<V2, &cno_fd_create, &calls::kCnoFdCreate>::call;
  table.handle_extendedop_func = &Shield<V2, &extended_operation, &calls::kExtensionOp>::call;
  table.cno_trigger_func = &Shield<V2, &cno_trigger, &calls::kCnoTrigger>::call;
  table.rmr_create_for_ep_func = &Shield<V2, &rmr_create_for_ep, &calls::kRmrCreateForEp>::call;
  table.ia_ha_related_func = &Shield<V2, &ia_ha_related, &calls::kRegistryProvidersRelated>::call;
}

} // namespace datum
