// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "crash_note.h"

#include <unistd.h>

#include <charconv>
#include <csignal>
#include <string_view>

namespace datum::test {
namespace {

#ifdef DATUM_SANITIZED
constexpr int kSignals[] = {SIGABRT};
#else
constexpr int kSignals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
#endif

volatile std::uint64_t noted = 0;

void put(std::string_view words) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, words.data(), words.size());
}

// Calls only functions that a signal handler may call.
void write_note(int number) {
  char digits[20];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, std::uint64_t{noted});
  put("seed ");
  put({digits, static_cast<std::size_t>(end - digits)});
  put(": ended by a signal\n");
  std::raise(number); // the signal has its default action again
}

} // namespace

void note_at_a_crash(std::uint64_t seed) {
  noted = seed;
  static const bool installed = [] {
    struct sigaction action {};
    action.sa_handler = write_note;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const int number : kSignals) sigaction(number, &action, nullptr);
    return true;
  }();
  static_cast<void>(installed);
}

} // namespace datum::test
