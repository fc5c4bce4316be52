// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/stub_provider.h: the state that the stub provider shares with the test that loaded
// it.
// The stub serves any IA name. Its instance data are words that choose its behaviour:
//   silent     init registers nothing
//   listing    init calls dat_registry_list_providers
//   inward     init opens its own name
//   refusing   ia_open fails with DAT_INSUFFICIENT_RESOURCES
//   hollow     ia_open succeeds without an object
//   staying    fini leaves the registration behind
//   partial    the table lacks dat_ep_query
//   unmapping  the IA's object is in a page that ia_close unmaps between two calls with its handle
#pragma once

#include <atomic>
#include <cstddef>
#include <dat/udat.h>

struct StubCall {
  int slot = 0; // position in the provider table
  std::size_t size = 0;
  unsigned char arguments[192] = {}; // the arguments, one after the other
};

struct StubState {
  std::atomic<int> inits{0};
  std::atomic<int> finis{0};
  std::atomic<int> overlaps{0}; // init or fini entered while another one ran
  std::atomic<int> opens{0};
  std::atomic<int> closes{0};
  std::atomic<int> listed{0}; // entries seen by dat_registry_list_providers from init
  std::atomic<DAT_RETURN> inward{0};
  std::atomic<DAT_RETURN> ia_handle_answer{0}; // dats_get_ia_handle for a closing IA
  std::atomic<DAT_RETURN> before_unmapping{0}; // the answer of dat_pz_free for the IA
  std::atomic<DAT_RETURN> after_unmapping{0};
  char opened_name[DAT_NAME_MAX_LENGTH] = {};
  DAT_COUNT opened_qlen = 0;
  StubCall last;
};

extern "C" StubState* stub_state();
// An object of the IA that was opened last, as a provider would create it. It is never freed.
extern "C" DAT_HANDLE stub_object();
