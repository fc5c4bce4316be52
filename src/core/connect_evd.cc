// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/connect_evd.h"

#include "core/interface_adapter.h"

namespace datum {

ConnectEvd::ConnectEvd(InterfaceAdapter& adapter, const Choice& choice) : adapter_(adapter) {
  change(choice);
}

void ConnectEvd::change(const Choice& choice) {
  const bool same_foreign = choice.foreign == foreign_;
  if (choice.foreign && !same_foreign) adapter_.expect_deliveries();
  if (!same_foreign) let_go();
  own_ = Ref(choice.own);
  if (!choice.foreign || same_foreign) return;
  foreign_ = choice.foreign;
  foreign_->hold();
}

bool ConnectEvd::push(const Event& event) {
  if (own_) return own_->push_connection(event);
  const bool told = foreign_->push(event);
  adapter_.deliver_later(foreign_);
  return told;
}

void ConnectEvd::forget_data(Token object, const void* data) {
  if (own_) {
    own_->forget_data(object, data);
    return;
  }
  foreign_->forget_data(object, data);
  adapter_.deliver_later(foreign_);
}

void ConnectEvd::let_go() {
  if (!foreign_) return;
  static_cast<void>(foreign_->release());
  adapter_.deliver_later(foreign_);
  adapter_.expect_no_deliveries();
  foreign_.reset();
}

} // namespace datum
