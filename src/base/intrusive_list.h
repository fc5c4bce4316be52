// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/intrusive_list.h: a doubly linked list whose links sit inside its elements, so that
// joining and leaving allocate nothing. An element leaves its list when it is destroyed.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "base/assertion.h"

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
  bool holds_others(const T& element) const { return !empty() && !holds_only(element); }
  void push_back(T& element) {
    Hook& hook = element;
    DATUM_ASSERT(!hook.linked());
    hook.prev_ = head_.prev_;
    hook.next_ = &head_;
    head_.prev_->next_ = &hook;
    head_.prev_ = &hook;
  }
  // A stable sort that takes no memory, and about count * log2(count) steps.
  template <class F>
  void sort(F&& goes_before) {
    // runs[i] is null or a sorted chain of 2^i elements. A longer chain has earlier elements.
    std::array<Hook*, 64> runs{};
    for (Hook* next = unchain(); next != nullptr;) {
      Hook* run = next;
      next = next->next_;
      run->next_ = nullptr;
      std::size_t i = 0;
      for (; runs[i] != nullptr; ++i)
        run = merge(std::exchange(runs[i], nullptr), run, goes_before);
      runs[i] = run;
    }
    Hook* all = nullptr;
    for (Hook* run : runs) all = merge(run, all, goes_before);
    chain(all);
  }
  T* front() { return empty() ? nullptr : static_cast<T*>(head_.next_); }
  // nullptr: `element` is the last one.
  T* after(const T& element) {
    const Hook& hook = element;
    DATUM_ASSERT(hook.linked());
    return hook.next_ == &head_ ? nullptr : static_cast<T*>(hook.next_);
  }
  T* pop_front() {
    T* element = front();
    if (element != nullptr) static_cast<Hook*>(element)->unlink();
    return element;
  }
  // Visits every element. During its visit an element may leave the list; other elements may not.
  template <class F>
  void for_each(F&& visit) {
    for (Hook* hook = head_.next_; hook != &head_;) {
      Hook* next = hook->next_;
      visit(static_cast<T&>(*hook));
      DATUM_ASSERT(next == &head_ || next->linked());
      hook = next;
    }
  }

 private:
  // Takes all elements out, as a chain by `next_` that ends in a null pointer.
  Hook* unchain() {
    if (empty()) return nullptr;
    Hook* first = head_.next_;
    head_.prev_->next_ = nullptr;
    head_.prev_ = head_.next_ = &head_;
    return first;
  }
  void chain(Hook* next) {
    DATUM_ASSERT(empty());
    Hook* last = &head_;
    for (; next != nullptr; next = next->next_) {
      last->next_ = next;
      next->prev_ = last;
      last = next;
    }
    last->next_ = &head_;
    head_.prev_ = last;
  }
  // Merges two sorted chains. Of two equal elements, the element of `earlier` comes first.
  template <class F>
  static Hook* merge(Hook* earlier, Hook* later, F&& goes_before) {
    Hook* merged = nullptr;
    Hook** end = &merged;
    while (earlier != nullptr && later != nullptr) {
      const bool swap = goes_before(static_cast<const T&>(*later), static_cast<const T&>(*earlier));
      Hook*& from = swap ? later : earlier;
      *end = from;
      from = from->next_;
      end = &(*end)->next_;
    }
    *end = earlier != nullptr ? earlier : later;
    return merged;
  }

  Hook head_;
};

} // namespace datum
