// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Names of IAs in C++: what programs may pass to dat_ia_open(), and how they use functions that
// take names. Compiled for both versions (DATUM_DAT_MAJOR). A string literal that loses its const
// causes a warning.
#if DATUM_DAT_MAJOR == 2
#include <dat2/udat.h>

#include <dat2/dat_ib_extensions.h>
#include <dat2/dat_registry.h>
#else
#include <dat/udat.h>

#include <dat/dat_registry.h>
#endif

namespace {

// Converts itself to a name, as string classes of that time do.
struct OldString {
  operator char*() { return text; }
  char text[6] = {'d', 'a', 't', 'u', 'm', 0};
};

template <typename Name>
DAT_RETURN opened(Name name) {
  DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
  return dat_ia_open(name, 8, &async, &ia);
}

// Has the type of the function in a provider's table, and of a wrapper.
DAT_RETURN wrapper(const DAT_NAME_PTR, DAT_COUNT, DAT_EVD_HANDLE*, DAT_IA_HANDLE*, DAT_UINT32,
                   DAT_UINT32, DAT_BOOLEAN) {
  return DAT_SUCCESS;
}

// The same type, without the typedef of a name.
using Opener = DAT_RETURN(char*, DAT_COUNT, DAT_EVD_HANDLE*, DAT_IA_HANDLE*, DAT_UINT32, DAT_UINT32,
                          DAT_BOOLEAN);

} // namespace

int main() {
  DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
  char writable[] = "datum";
  const char* readable = "datum";
  DAT_NAME_PTR theirs = writable;
  theirs[0] = 'D';
  char* same = theirs;
  DAT_RETURN answer = dat_ia_open("datum", 8, &async, &ia);
  answer |= dat_ia_open(writable, 8, &async, &ia);
  answer |= dat_ia_open(nullptr, 8, &async, &ia);
  answer |= dat_ia_open(NULL, 8, &async, &ia);
  answer |= dat_ia_open(readable + 1, 8, &async, &ia);
  answer |= opened(same) | opened(readable) | opened(OldString());

  auto function = dat_ia_openv;
  decltype(&dat_ia_openv) again = &wrapper;
  Opener* spelled_out = dat_ia_openv;
  DAT_IA_OPENV_FUNC named = wrapper;
  const bool differ = function == again || spelled_out == named;
#if DATUM_DAT_MAJOR == 2
  answer |=
      dat_ib_open_query("datum", &ia, DAT_IA_FIELD_ALL, nullptr, DAT_PROVIDER_FIELD_NONE, nullptr);
#endif
  return answer == DAT_SUCCESS && differ ? 0 : 1;
}
