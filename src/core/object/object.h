// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/object/object.h: what all core objects share: their adapter, kind, handle and context.
// Threads:    every object of an adapter is touched only with the adapter's lock held.
#pragma once

#include <cstdint>
#include <memory>

#include "base/intrusive_list.h"
#include "core/object/tally.h"
#include "core/port/types.h"

namespace datum {

class AdapterContext;
class Object;

// The values of DAT_HANDLE_TYPE.
enum class ObjectKind : std::uint8_t {
  ConnectionRequest = 0,
  Endpoint = 1,
  EventDispatcher = 2,
  InterfaceAdapter = 3,
  MemoryRegion = 4,
  PublicServicePoint = 5,
  ProtectionZone = 6,
  MemoryWindow = 7,
  ReservedServicePoint = 8,
  NotificationObject = 9,
  SharedReceiveQueue = 10,
  CommonServicePoint = 11,
  None = 255,
};

// Gives objects their handles. A facade implements it: a token is the handle that the consumer
// sees. After withdraw() the handle names no object.
class HandleSource {
 public:
  virtual ~HandleSource() = default;
  // nullptr: no handle left.
  virtual Token issue(ObjectKind kind, Object& object) = 0;
  virtual void withdraw(Token token) = 0;
};

struct ObjectListTag;

class Object : public ListHook<ObjectListTag> {
 public:
  Object(AdapterContext& adapter, ObjectKind kind) : adapter_(adapter), kind_(kind) {}
  virtual ~Object();
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  AdapterContext& adapter() const { return adapter_; }
  ObjectKind kind() const { return kind_; }
  Token token() const { return token_; }
  // Gets the handle. False: there is none left. The creator of the object calls it once.
  bool issue_token(HandleSource& source);
  std::uint64_t context() const { return context_; }
  void set_context(std::uint64_t context) { context_ = context; }
  // nullptr: no counter of the object was ever reset or stopped.
  const CounterMarks* counter_marks() const { return marks_.get(); }
  CounterMarks& make_counter_marks() {
    if (!marks_) marks_ = std::make_unique<CounterMarks>();
    return *marks_;
  }

 private:
  void withdraw_token();

  AdapterContext& adapter_;
  HandleSource* source_ = nullptr;
  Token token_ = nullptr;
  std::uint64_t context_ = 0;
  ObjectKind kind_;
  std::unique_ptr<CounterMarks> marks_;
};

} // namespace datum
