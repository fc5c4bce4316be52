// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/intrusive_list.h: a doubly linked list whose links sit inside its elements, so that
// joining and leaving allocate nothing. An element leaves its list when it is destroyed.
#pragma once

#include <cassert>

namespace datum {

template <class Tag>
class ListHook {
 public:
  ListHook() = default;
  ListHook(const ListHook&) = delete;
  ListHook& operator=(const ListHook&) = delete;
  ~ListHook() { unlink(); }

  bool linked() const { return next_ != this; }
  void unlink() {
    prev_->next_ = next_;
    next_->prev_ = prev_;
    prev_ = next_ = this;
  }

 private:
  template <class T, class U>
  friend class IntrusiveList;
  ListHook* prev_ = this;
  ListHook* next_ = this;
};

// T derives from ListHook<Tag>.
template <class T, class Tag>
class IntrusiveList {
 public:
  using Hook = ListHook<Tag>;
  bool empty() const { return !head_.linked(); }
  bool holds_only(const T& element) const {
    const Hook& hook = element;
    return head_.next_ == &hook && hook.next_ == &head_;
  }
  void push_back(T& element) {
    Hook& hook = element;
    assert(!hook.linked());
    hook.prev_ = head_.prev_;
    hook.next_ = &head_;
    head_.prev_->next_ = &hook;
    head_.prev_ = &hook;
  }
  // Before the last elements for which `is_later(element)` holds; takes a step for each of them.
  template <class F>
  void insert_before_later(T& element, F&& is_later) {
    Hook& hook = element;
    assert(!hook.linked());
    Hook* before = head_.prev_;
    while (before != &head_ && is_later(static_cast<const T&>(*before))) before = before->prev_;
    hook.prev_ = before;
    hook.next_ = before->next_;
    before->next_->prev_ = &hook;
    before->next_ = &hook;
  }
  T* front() { return empty() ? nullptr : static_cast<T*>(head_.next_); }
  // nullptr: it is the last one.
  T* after(const T& element) {
    const Hook& hook = element;
    return hook.next_ == &head_ ? nullptr : static_cast<T*>(hook.next_);
  }
  T* pop_front() {
    T* element = front();
    if (element != nullptr) static_cast<Hook*>(element)->unlink();
    return element;
  }
  // Visits every element; the visited one may leave the list meanwhile, others may not.
  template <class F>
  void for_each(F&& visit) {
    for (Hook* hook = head_.next_; hook != &head_;) {
      Hook* next = hook->next_;
      visit(static_cast<T&>(*hook));
      hook = next;
    }
  }

 private:
  Hook head_;
};

} // namespace datum
