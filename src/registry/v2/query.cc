// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/v2/query.cc: the attributes of an IA that is given by its name alone. Providers can
// query only open IAs. So open_query() opens the IA, and leaves it open, since the attributes point
// into it.
#include "registry/v2/query.h"

#include "registry/refused.h"

namespace datum::registry {
namespace {

// Renumbers the argument in a result of dat_ia_openv or dat_ia_query: argument 1 of that call is
// argument 1 + `shift` of dat_ib_open_query.
DAT_RETURN shifted(DAT_RETURN ret, DAT_RETURN shift) {
  return DAT_GET_TYPE(ret) == DAT_INVALID_PARAMETER && DAT_GET_SUBTYPE(ret) >= DAT_INVALID_ARG1
             ? ret + shift
             : ret;
}

} // namespace

DAT_RETURN open_query(const QueryRequest& request) {
  constexpr DAT_COUNT kAsyncEvents = 8;
  constexpr std::string_view kCall = "dat_ib_open_query";
  if (request.name == nullptr) return refused_null(kCall, DAT_INVALID_ARG3, "name");
  if (request.ia == nullptr) return refused_null(kCall, DAT_INVALID_ARG4, "ia_handle");
  // dat_ia_query() would refuse these as its own arguments, by other numbers.
  if (request.ia_mask != 0 && request.ia_attributes == nullptr)
    return refused_null(kCall, DAT_INVALID_ARG6, "ia_attr");
  if (request.provider_mask != 0 && request.provider_attributes == nullptr)
    return refused_null(kCall, DAT_INVALID_ARG8, "prov_attr");
  DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
  const DAT_RETURN opened = dat_ia_openv(request.name, kAsyncEvents, &async, &ia, DAT_VERSION_MAJOR,
                                         DAT_VERSION_MINOR, DAT_FALSE);
  if (opened != DAT_SUCCESS) return shifted(opened, 2);
  const DAT_RETURN answered = dat_ia_query(ia, nullptr, request.ia_mask, request.ia_attributes,
                                           request.provider_mask, request.provider_attributes);
  if (answered != DAT_SUCCESS) {
    close_query(ia);
    return shifted(answered, 2);
  }
  *request.ia = ia;
  return DAT_SUCCESS;
}

DAT_RETURN close_query(DAT_HANDLE ia) {
  return dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG);
}

} // namespace datum::registry
