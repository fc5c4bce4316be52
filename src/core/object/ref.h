// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/object/ref.h: a dependency between DAT objects: "while this exists, that may not be freed".
#pragma once

#include <utility>

#include "base/assertion.h"

namespace datum {

// A Ref holds its object (hold/release) for as long as the Ref lives.
template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* object) : object_(object) {
    if (object_ != nullptr) object_->hold();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->release();
  }
  T* get() const { return object_; }
  T* operator->() const {
    DATUM_ASSERT(object_ != nullptr);
    return object_;
  }
  T& operator*() const {
    DATUM_ASSERT(object_ != nullptr);
    return *object_;
  }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

} // namespace datum
