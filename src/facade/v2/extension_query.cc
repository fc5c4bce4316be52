// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "facade/v2/extension.h"

#include "facade/ia_calls.h"
#include "facade/provider.h"

namespace datum {

DAT_RETURN open_query(const char* ia_name, va_list& arguments) {
  constexpr DAT_COUNT kAsyncEvents = 8;
  auto* const answer = va_arg(arguments, DAT_HANDLE*);
  const auto ia_mask = va_arg(arguments, DAT_IA_ATTR_MASK);
  auto* const ia_attributes = va_arg(arguments, DAT_IA_ATTR*);
  const auto provider_mask = va_arg(arguments, DAT_PROVIDER_ATTR_MASK);
  auto* const provider_attributes = va_arg(arguments, DAT_PROVIDER_ATTR*);
  if (ia_name == nullptr) return invalid_argument<V2>(Detail::Arg3);
  if (answer == nullptr) return invalid_argument<V2>(Detail::Arg4);
  if ((ia_mask & ~DAT_IA_FIELD_ALL) != 0) return invalid_argument<V2>(Detail::Arg5);
  if ((provider_mask & ~DAT_PROVIDER_FIELD_ALL) != 0) return invalid_argument<V2>(Detail::Arg7);
  if (ia_mask != 0 && ia_attributes == nullptr) return invalid_argument<V2>(Detail::Arg6);
  if (provider_mask != 0 && provider_attributes == nullptr)
    return invalid_argument<V2>(Detail::Arg8);
  const Registration* registration = find_registration(ia_name);
  if (registration == nullptr) return encode<V2>({Type::ProviderNotFound});
  DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
  DAT_RETURN ret = ia_open<V2>(*registration, ia_name, kAsyncEvents, &async, &ia);
  if (ret != DAT_SUCCESS) return ret;
  ret = ia_query<V2>(ia, nullptr, ia_mask, ia_attributes, provider_mask, provider_attributes);
  // The IA stays open until close_query(), because the attributes point into it.
  if (ret == DAT_SUCCESS)
    *answer = ia;
  else
    close_query(ia);
  return ret;
}

DAT_RETURN close_query(DAT_HANDLE ia) {
  return ia_close<V2>(ia, DAT_CLOSE_ABRUPT_FLAG);
}

} // namespace datum
