// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/iwarp/no_memory.h: times in which a session gets no memory.
#pragma once

namespace datum::iwarp::test {

// While one lives, operator new of this thread fails (no_memory.cc).
class NoMemory {
 public:
  NoMemory() { ++depth; }
  ~NoMemory() { --depth; }
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;
  inline static thread_local int depth = 0;
};

// What the test itself notes down meanwhile does not count.
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
