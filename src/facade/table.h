// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/table.h: the functions that fill a provider table, one for each kind of object. Each is a
// template in <object>_calls.h, instantiated once for each DAT version.
#pragma once

namespace datum {

template <class V>
void enter_ia_calls(typename V::Table& table);
template <class V>
void enter_helper_calls(typename V::Table& table);
template <class V>
void enter_cno_calls(typename V::Table& table);
template <class V>
void enter_evd_calls(typename V::Table& table);
template <class V>
void enter_ep_manage_calls(typename V::Table& table);
template <class V>
void enter_ep_connect_calls(typename V::Table& table);
template <class V>
void enter_ep_transfer_calls(typename V::Table& table);
template <class V>
void enter_psp_calls(typename V::Table& table);
template <class V>
void enter_rsp_calls(typename V::Table& table);
template <class V>
void enter_cr_calls(typename V::Table& table);
template <class V>
void enter_pz_calls(typename V::Table& table);
template <class V>
void enter_lmr_calls(typename V::Table& table);
template <class V>
void enter_rmr_calls(typename V::Table& table);
template <class V>
void enter_srq_calls(typename V::Table& table);

template <class V>
void enter_all_calls(typename V::Table& table) {
  enter_ia_calls<V>(table);
  enter_helper_calls<V>(table);
  enter_cno_calls<V>(table);
  enter_evd_calls<V>(table);
  enter_ep_manage_calls<V>(table);
  enter_ep_connect_calls<V>(table);
  enter_ep_transfer_calls<V>(table);
  enter_psp_calls<V>(table);
  enter_rsp_calls<V>(table);
  enter_cr_calls<V>(table);
  enter_pz_calls<V>(table);
  enter_lmr_calls<V>(table);
  enter_rmr_calls<V>(table);
  enter_srq_calls<V>(table);
}

} // namespace datum
