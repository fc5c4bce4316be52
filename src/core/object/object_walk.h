// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/object/object_walk.h: a walk over the objects of one kind, in steps. The lock is free
// between steps.
// Lives here: the position of the walk while objects are made and freed. The walk visits new
//             objects last, and freed objects never.
// Threads:    the adapter's lock.
#pragma once

#include "base/intrusive_list.h"
#include "core/object/object.h"

namespace datum {

using ObjectList = IntrusiveList<Object, ObjectListTag>;

struct ObjectWalkTag;
class ObjectWalk;
using ObjectWalks = IntrusiveList<ObjectWalk, ObjectWalkTag>;

class ObjectWalk : public ListHook<ObjectWalkTag> {
 public:
  ObjectWalk(ObjectList& objects, ObjectWalks& walks) : objects_(objects), next_(objects.front()) {
    walks.push_back(*this);
  }
  // The next object; nullptr: there is none.
  Object* take() {
    Object* const taken = next_;
    if (taken != nullptr) next_ = objects_.after(*taken);
    return taken;
  }
  // `leaving` is about to leave its list.
  void pass(const Object& leaving) {
    if (next_ == &leaving) next_ = objects_.after(leaving);
  }

 private:
  ObjectList& objects_;
  Object* next_;
};

} // namespace datum
