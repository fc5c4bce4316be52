// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/v2/query.h: dat_ib_open_query and dat_ib_close_query, operations without an open IA. The
// registry carries them out, so they work with every provider.
#pragma once

#include "registry/api.h"

namespace datum::registry {

// The fields are in the order of the arguments that follow the operation.
struct QueryRequest {
  DAT_NAME_PTR name;
  DAT_HANDLE* ia;
  DAT_IA_ATTR_MASK ia_mask;
  DAT_IA_ATTR* ia_attributes;
  DAT_PROVIDER_ATTR_MASK provider_mask;
  DAT_PROVIDER_ATTR* provider_attributes;
};

DAT_RETURN open_query(const QueryRequest& request);
DAT_RETURN close_query(DAT_HANDLE ia);

} // namespace datum::registry
