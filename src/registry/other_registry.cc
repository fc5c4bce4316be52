// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/other_registry.h"

#include <dlfcn.h>

#include "registry/api.h"
#include "registry/log.h"

namespace datum::registry {
namespace {

bool other_registry_is_here() {
  void* other = ::dlopen(kOtherRegistry, RTLD_LAZY | RTLD_NOLOAD);
  if (other != nullptr) ::dlclose(other);
  return other != nullptr;
}

} // namespace

void tell_other_version(const Key& request) {
  if (request.major != kOtherMajor)
    tell(
        LogLevel::Warn, Topic::Errors,
        "ia \"{}\" u{}.{}: {} serves DAT {}.{} only; correct the version that the program asks for",
        request.name, request.major, request.minor, kThisRegistry, DAT_VERSION_MAJOR,
        DAT_VERSION_MINOR);
  else if (other_registry_is_here())
    tell(LogLevel::Warn, Topic::Errors,
         "ia \"{}\" u{}.{}: {} and {} are both linked into this program and have the same names, "
         "and its calls go to {}, which serves DAT {}.{} only; put {} in front of {}, or load each "
         "library with dlopen, or make a shared library of each part and link it with the one "
         "registry that it needs",
         request.name, request.major, request.minor, kThisRegistry, kOtherRegistry, kThisRegistry,
         DAT_VERSION_MAJOR, DAT_VERSION_MINOR, kOtherLinkOption, kThisLinkOption);
  else
    tell(
        LogLevel::Warn, Topic::Errors,
        "ia \"{}\" u{}.{}: the call went to {}, which serves DAT {}.{} only; link the program with "
        "{} in place of {}",
        request.name, request.major, request.minor, kThisRegistry, DAT_VERSION_MAJOR,
        DAT_VERSION_MINOR, kOtherLinkOption, kThisLinkOption);
}

} // namespace datum::registry
