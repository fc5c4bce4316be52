// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/events/connect_evd.h"

#include <utility>

#include "base/assertion.h"
#include "core/events/foreign_evds.h"

namespace datum {

ConnectEvd::ConnectEvd(ForeignEvds& ways, const Choice& choice) : ways_(ways) {
  change(choice);
}

void ConnectEvd::make_room_for(const Choice& choice) {
  if (choice.foreign) ways_.make_room_to_feed(choice.foreign);
}

void ConnectEvd::change(const Choice& choice) {
  DATUM_ASSERT(choice.own == nullptr || !choice.foreign);
  std::shared_ptr<ForeignEvd> foreign;
  if (choice.foreign) foreign = ways_.feed(choice.foreign);
  let_go();
  own_ = Ref(choice.own);
  foreign_ = std::move(foreign);
}

bool ConnectEvd::push(const Event& event, std::uint32_t connection) {
  DATUM_ASSERT(own_ || foreign_);
  if (own_) return own_->push_connection(event);
  const bool told = foreign_->push(event, connection);
  ways_.deliver_later(foreign_);
  return told;
}

void ConnectEvd::forget_data(Token object, const void* data) {
  if (own_) {
    own_->forget_data(object, data);
    return;
  }
  foreign_->forget_data(object, data);
  ways_.deliver_later(foreign_);
}

void ConnectEvd::let_go() {
  if (!foreign_) return;
  ways_.stop_feeding(foreign_);
  foreign_.reset();
}

} // namespace datum
