// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/fifo.h: a queue in one piece of memory. The memory grows and is then kept, so the
// data path allocates nothing after its largest load. make_room() returns false for lack of memory,
// since no exception may leave a channel.
#pragma once

#include <cassert>
#include <cstddef>
#include <new>
#include <vector>

namespace datum::iwarp {

template <class T>
class Fifo {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& front() { return items_[head_]; }
  T& back() { return items_[index(size_ - 1)]; }
  T& operator[](std::size_t at) { return items_[index(at)]; }
  const T& operator[](std::size_t at) const { return items_[index(at)]; }
  // True: there is a place for one more element. False: there is no memory for it.
  bool make_room() {
    if (size_ != items_.size()) return true;
    try {
      grow();
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }
  // make_room() must have returned true.
  void push(const T& item) {
    assert(size_ != items_.size());
    items_[index(size_)] = item;
    ++size_;
  }
  void pop() {
    head_ = index(1);
    --size_;
  }
  void clear() { head_ = size_ = 0; }

 private:
  std::size_t index(std::size_t at) const { return (head_ + at) & (items_.size() - 1); }
  void grow() {
    std::vector<T> larger(items_.empty() ? kFirst : 2 * items_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = items_[index(i)];
    items_ = std::move(larger);
    head_ = 0;
  }

  static constexpr std::size_t kFirst = 8; // a power of two, like all later sizes
  std::vector<T> items_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

} // namespace datum::iwarp
