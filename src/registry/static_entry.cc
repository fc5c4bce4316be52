// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/static_entry.h"

#include <algorithm>
#include <unistd.h>

#include "base/assertion.h"
#include "base/text.h"
#include "registry/log.h"

namespace datum::registry {
namespace {

class BusyHere {
 public:
  explicit BusyHere(std::atomic<pid_t>& owner) : owner_(owner) {
    owner_.store(::gettid(), std::memory_order_relaxed);
  }
  ~BusyHere() { owner_.store(0, std::memory_order_relaxed); }
  BusyHere(const BusyHere&) = delete;
  BusyHere& operator=(const BusyHere&) = delete;

 private:
  std::atomic<pid_t>& owner_;
};

} // namespace

DAT_PROVIDER_INFO to_info(const Key& key) {
  DAT_PROVIDER_INFO info{};
  std::copy_n(key.name.data(), std::min<std::size_t>(key.name.size(), DAT_NAME_MAX_LENGTH - 1),
              info.ia_name);
  info.dapl_version_major = key.major;
  info.dapl_version_minor = key.minor;
  info.is_thread_safe = key.thread_safe ? DAT_TRUE : DAT_FALSE;
  return info;
}

std::string Alternative::origin() const {
  return file == nullptr ? "built in" : text("{}:{}", *file, line);
}

bool StaticEntry::acquire(DynamicRegistry& registered) {
  if (busy_.load(std::memory_order_relaxed) == ::gettid()) {
    tell(LogLevel::Warn, Topic::Errors,
         "ia \"{}\": its provider opens it from dat_provider_init or dat_provider_fini, which "
         "cannot work; report this to the provider",
         key_.name);
    return false;
  }
  MutexLock lock(mutex_);
  if (opens_ == 0) {
    if (registered.holds(key_)) return false;
    const auto started =
        std::find_if(alternatives_.begin(), alternatives_.end(),
                     [&](Choice& choice) DATUM_NO_TSA { return start(choice, registered); });
    if (started == alternatives_.end()) return false;
  }
  ++opens_;
  return true;
}

bool StaticEntry::start(Choice& choice, DynamicRegistry& registered) {
  const Alternative& chosen = choice.alternative;
  auto library = ProviderLibrary::load(chosen.library);
  if (!library) {
    complain(choice, library.error().text, library.error().told_before);
    return false;
  }
  tell(LogLevel::Debug, Topic::ProviderApi, "{}: ia \"{}\": dat_provider_init of {} with \"{}\"",
       chosen.origin(), key_.name, chosen.library, chosen.instance_data);
  {
    const BusyHere here(busy_);
    (*library)->init(to_info(key_), chosen.instance_data);
  }
  library_ = *library;
  if (registered.holds(key_)) return true;
  // Called before complain(), since making the text may fail for lack of memory.
  finish(**library, registered);
  complain(choice, text("dat_provider_init of {} registered no provider for this name, API "
                        "version and thread safety; see its own messages",
                        chosen.library));
  return false;
}

void StaticEntry::finish(ProviderLibrary& library, DynamicRegistry& registered) {
  tell(LogLevel::Debug, Topic::ProviderApi, "ia \"{}\": dat_provider_fini", key_.name);
  {
    const BusyHere here(busy_);
    library.fini(to_info(key_));
  }
  registered.remove_if_idle(key_);
  library_ = nullptr;
}

void StaticEntry::release(DynamicRegistry& registered) {
  MutexLock lock(mutex_);
  DATUM_ASSERT(opens_ != 0 && library_ != nullptr);
  if (--opens_ == 0) finish(*library_, registered);
}

void StaticEntry::complain(Choice& choice, const std::string& text, bool told_before) {
  // Programs try names in a loop, and one warning is enough.
  tell(choice.complained || told_before ? LogLevel::Debug : LogLevel::Warn, Topic::Errors,
       "{}: ia \"{}\": {}", choice.alternative.origin(), key_.name, text);
  choice.complained = true;
}

} // namespace datum::registry
