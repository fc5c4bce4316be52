// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/libdat_fixture.h: libdat in this process, with a dat.conf of stub providers.
// libdat_main.cc writes the file and names it in DAT_OVERRIDE before the first call.
#pragma once

#include <dat/dat_registry.h>
#include <dat/udat.h>
#include <gtest/gtest.h>
#include <string>

#include "stub_provider.h"

extern "C" DAT_RETURN dats_get_ia_handle(DAT_IA_HANDLE handle, DAT_IA_HANDLE* other);

struct OpenResult {
  DAT_RETURN ret = 0;
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
};

inline OpenResult open_ia(std::string name, DAT_UINT32 major = 1, DAT_UINT32 minor = 2,
                          DAT_BOOLEAN thread_safe = DAT_FALSE) {
  OpenResult result;
  DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
  result.ret = dat_ia_openv(name.data(), 5, &evd, &result.ia, major, minor, thread_safe);
  return result;
}

inline DAT_RETURN close_ia(DAT_IA_HANDLE ia) {
  return dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG);
}

// The state of the stub, and an object of the IA that was opened last. The stub's library has to be
// loaded.
StubState& stub();
DAT_HANDLE new_stub_object();
bool stub_is_loaded();
