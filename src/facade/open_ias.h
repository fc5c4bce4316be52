// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/open_ias.h: the IAs that this process has open, and controls for new ones.
// Lives here: the list by which asynchronous events reach the other open instances of an IA.
// Threads:    any. The lock of this list is never held together with the lock of an IA.
#pragma once

#include <string_view>
#include <vector>

#include "facade/ia_control.h"

namespace datum {

class OpenIas {
 public:
  static OpenIas& instance();

  // Takes an unused control. give_back() returns it. Only this call allocates.
  IaControl& take();
  void give_back(IaControl& control);

  void add(IaControl& control);
  void remove(IaControl& control);
  // The EVDs bound to any open instance of the IA, each once.
  std::vector<AsyncBinding> async_evds(std::string_view ia_name);
  SharedNames& shared_names() { return shared_names_; }
  // An IA that is open under this key and that the calling thread may close, or nullptr.
  IaControl* find_closable(const Registration& registration);

 private:
  // A control is used again only after this many other controls have been given back.
  static constexpr std::size_t kResting = 64;

  SharedNames shared_names_;
  Mutex mutex_;
  std::size_t controls_ DATUM_GUARDED_BY(mutex_) = 0;
  std::vector<IaControl*> open_ DATUM_GUARDED_BY(mutex_);
  std::vector<IaControl*> resting_ DATUM_GUARDED_BY(mutex_);
};

} // namespace datum
