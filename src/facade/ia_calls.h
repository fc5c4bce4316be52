// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/ia_calls.h: dat_ia_open, dat_ia_query, dat_ia_close.
#pragma once

#include "facade/answer.h"
#include "facade/locked.h"
#include "facade/table.h"

namespace datum {

// Each registration has a table slot of its own that calls this function, so the key of the
// registration is known.
template <class V>
[[gnu::always_inline]] inline DAT_RETURN ia_open(const Registration& registration, const char* name,
                                                 DAT_COUNT async_evd_min_qlen,
                                                 DAT_EVD_HANDLE* async_evd, DAT_IA_HANDLE* ia) {
  if (name == nullptr) return invalid_argument<V>(Detail::Arg1);
  if (async_evd == nullptr) return invalid_argument<V>(Detail::Arg3);
  if (ia == nullptr) return invalid_argument<V>(Detail::Arg4);
  AsyncBinding binding;
  if (*async_evd == DAT_HANDLE_NULL) {
    if (async_evd_min_qlen <= 0) return invalid_argument<V>(Detail::Arg2, async_evd_min_qlen);
    binding.min_qlen = async_evd_min_qlen;
  } else if (*async_evd == DAT_EVD_ASYNC_EXISTS || *async_evd == DAT_EVD_OUT_OF_SCOPE) {
    binding.source = AsyncBinding::Origin::Elsewhere;
  } else {
    binding.source = AsyncBinding::Origin::Given;
    binding.evd = *async_evd;
  }
  const Result<Token> opened = IaControl::open(registration, binding);
  if (!opened) return encode<V>(opened.error());
  if (binding.source == AsyncBinding::Origin::Created) *async_evd = binding.evd;
  *ia = *opened;
  return DAT_SUCCESS;
}

// Called by libdat: see base/provider_hook.h.
inline void declare_relaxed_ordering(void* ia_handle) {
  const Locked<ObjectKind::InterfaceAdapter> ia(ia_handle);
  if (ia) ia.control().set_relaxed_ordering();
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN
ia_query(DAT_IA_HANDLE ia_handle, DAT_EVD_HANDLE* async_evd, DAT_IA_ATTR_MASK ia_mask,
         DAT_IA_ATTR* ia_attributes, DAT_PROVIDER_ATTR_MASK provider_mask,
         DAT_PROVIDER_ATTR* provider_attributes) {
  const Locked<ObjectKind::InterfaceAdapter> ia(ia_handle);
  if (!ia) return invalid_handle<V>(Detail::HandleIa);
  if ((ia_mask & ~DAT_IA_FIELD_ALL) != 0) return invalid_argument<V>(Detail::Arg3, ia_mask);
  if (ia_mask != 0 && ia_attributes == nullptr) return invalid_argument<V>(Detail::Arg4);
  if ((provider_mask & ~DAT_PROVIDER_FIELD_ALL) != 0)
    return invalid_argument<V>(Detail::Arg5, provider_mask);
  if (provider_mask != 0 && provider_attributes == nullptr)
    return invalid_argument<V>(Detail::Arg6);

  const AsyncBinding& async = ia.control().async();
  if (async_evd != nullptr)
    *async_evd = async.source == AsyncBinding::Origin::Elsewhere ? DAT_EVD_OUT_OF_SCOPE : async.evd;
  // A null or uninitialised structure is valid if its mask asks for nothing.
  if (ia_mask != 0) V::to_dat(ia.control(), *ia_attributes);
  if (provider_mask != 0) V::to_dat(ia.control(), *provider_attributes);
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DATUM_NO_TSA DAT_RETURN ia_close(DAT_IA_HANDLE ia_handle,
                                                               DAT_CLOSE_FLAGS flags) {
  Locked<ObjectKind::InterfaceAdapter> ia(ia_handle);
  if (!ia) return invalid_handle<V>(Detail::HandleIa);
  if (flags != DAT_CLOSE_ABRUPT_FLAG && flags != DAT_CLOSE_GRACEFUL_FLAG)
    return invalid_argument<V>(Detail::Arg2, flags);
  IaControl& control = ia.control();
  if (control.calls_out_here()) return encode<V>({Type::InvalidState, Detail::IaInUse});
  ia.forget();
  return encode<V>(control.close(flags == DAT_CLOSE_GRACEFUL_FLAG));
}

template <class V>
void enter_ia_calls(typename V::Table& table) {
  table.ia_query_func = &Shield<V, &ia_query<V>, &calls::kIaQuery>::call;
  table.ia_close_func = &Shield<V, &ia_close<V>, &calls::kIaClose>::call;
}

} // namespace datum
