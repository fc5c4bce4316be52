// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/memory/shared_names.h"

#include "base/assertion.h"

namespace datum {

SharedNames::Use SharedNames::use(const SharedCookie& cookie, std::uint64_t length) {
  const MutexLock lock(mutex_);
  Meaning& meaning = meanings_.try_emplace(cookie, Meaning{length, 0}).first->second;
  if (meaning.length != length) return {};
  ++meaning.users;
  return {*this, cookie};
}

void SharedNames::release(const SharedCookie& cookie) {
  const MutexLock lock(mutex_);
  const auto found = meanings_.find(cookie);
  DATUM_ASSERT(found != meanings_.end());
  if (--found->second.users == 0) meanings_.erase(found);
}

} // namespace datum
