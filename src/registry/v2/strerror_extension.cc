// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/v2/strerror_extension.cc: the names of the codes of the extensions.
#include "registry/api.h"

using namespace datum::registry;

// Programs pass any result of an extended operation, class bits included, and print the message
// without checking the result of this call.
DAT_RETURN dat_strerror_extension(DAT_IB_RETURN value, const char** message) {
  if (message == nullptr) return invalid_argument(DAT_INVALID_ARG2);
  const auto code = static_cast<DAT_RETURN>(value);
  switch (code & ~DAT_CLASS_ERROR) {
  case DAT_IB_ERR: *message = "DAT_IB_ERR"; return DAT_SUCCESS;
  case DAT_IB_COLLECTIVE_ERR: *message = "DAT_IB_COLLECTIVE_ERR"; return DAT_SUCCESS;
  default: break;
  }
  return dat_strerror(code, message, nullptr);
}

DAT_RETURN dat_strerror_ext_status(DAT_IB_STATUS status, const char** message) {
  if (message == nullptr) return invalid_argument(DAT_INVALID_ARG2);
  switch (status) {
  case DAT_OP_SUCCESS: *message = "DAT_OP_SUCCESS"; return DAT_SUCCESS;
  case DAT_IB_OP_ERR: *message = "DAT_IB_OP_ERR"; return DAT_SUCCESS;
  case DAT_IB_COLL_COMP_ERR: *message = "DAT_IB_COLL_COMP_ERR"; return DAT_SUCCESS;
  }
  *message = "unknown extension status";
  return invalid_argument(DAT_INVALID_ARG1);
}
