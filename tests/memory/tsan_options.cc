// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// fork takes every lock of the allocator, more than ThreadSanitizer's search for deadlocks can
// count (64). The tests need only its search for races.
extern "C" const char* __tsan_default_options();
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options() {
  return "detect_deadlocks=0";
}
