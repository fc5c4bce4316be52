// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v2/new_calls.cc: the calls that DAT 2.0 added.
#include "facade/v2/traits.h"

#include "facade/answer.h"
#include "facade/locked.h"

namespace datum {
namespace {

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

// No adapter of ours stands in for another one.
DAT_RETURN ia_ha_related(DAT_IA_HANDLE ia_handle, const DAT_NAME_PTR name, DAT_BOOLEAN* answer) {
  const Locked<ObjectKind::InterfaceAdapter> ia(ia_handle);
  if (!ia) return invalid_handle<V2>(Detail::HandleIa);
  if (name == nullptr) return invalid_argument<V2>(Detail::Arg2);
  if (answer == nullptr) return invalid_argument<V2>(Detail::Arg3);
  *answer = ia.control().registration().ia_name == name ? DAT_TRUE : DAT_FALSE;
  return DAT_SUCCESS;
}

} // namespace

void enter_new_calls(DAT_PROVIDER& table) {
  table.cno_trigger_func = &Shield<V2, &cno_trigger>::call;
  table.rmr_create_for_ep_func = &Shield<V2, &rmr_create_for_ep>::call;
  table.ia_ha_related_func = &Shield<V2, &ia_ha_related>::call;
}

} // namespace datum
