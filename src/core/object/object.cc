// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/object/object.h"

#include "base/assertion.h"

namespace datum {

Object::~Object() {
  withdraw_token();
}

bool Object::issue_token(HandleSource& source) {
  DATUM_ASSERT(source_ == nullptr);
  source_ = &source;
  token_ = source.issue(kind_, *this);
  return token_ != nullptr;
}

void Object::withdraw_token() {
  if (token_ != nullptr) source_->withdraw(token_);
  token_ = nullptr;
}

} // namespace datum
