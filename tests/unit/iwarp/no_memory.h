// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/iwarp/no_memory.h: NoMemory, during whose lifetime a session gets no memory.
#pragma once

namespace datum::iwarp::test {

// While a NoMemory exists, operator new of this thread fails (no_memory.cc). The first `first`
// calls still succeed.
class NoMemory {
 public:
  explicit NoMemory(int first = 0) {
    ++depth;
    left = first;
  }
  ~NoMemory() { --depth; }
  static bool fails() { return depth != 0 && left-- <= 0; }
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;
  inline static thread_local int depth = 0;
  inline static thread_local int left = 0;
};

// While a MemoryOfTheTest exists, operator new succeeds again, for what the test itself records.
class MemoryOfTheTest {
 public:
  MemoryOfTheTest() : depth_(NoMemory::depth) { NoMemory::depth = 0; }
  ~MemoryOfTheTest() { NoMemory::depth = depth_; }
  MemoryOfTheTest(const MemoryOfTheTest&) = delete;
  MemoryOfTheTest& operator=(const MemoryOfTheTest&) = delete;

 private:
  const int depth_;
};

} // namespace datum::iwarp::test
