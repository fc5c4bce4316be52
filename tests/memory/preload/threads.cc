// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A program that knows nothing of Datum, run with libdatum-malloc.so preloaded: threads, streams,
// forks, and every function of the malloc family. Exit code 0: all as the C library promises.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <map>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "preload: %s\n", what);
  std::_Exit(1);
}

void check(bool right, const char* what) {
  if (!right) fail(what);
}

bool aligned_to(const void* block, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(block) % alignment == 0;
}

void check_family() {
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* block = nullptr;
  check(posix_memalign(&block, 48, 1) == EINVAL, "posix_memalign: alignment 48");
  check(posix_memalign(&block, 256, 1000) == 0 && aligned_to(block, 256), "posix_memalign");
  block = realloc(block, 100000);
  check(block != nullptr && malloc_usable_size(block) >= 100000, "realloc");
  free(block);
  block = aligned_alloc(4096, 8192);
  check(block != nullptr && aligned_to(block, 4096), "aligned_alloc");
  free(block);
  block = memalign(1024, 5);
  check(block != nullptr && aligned_to(block, 1024), "memalign");
  free(block);
  block = valloc(5);
  check(block != nullptr && aligned_to(block, page), "valloc");
  free(block);
  block = pvalloc(page + 1);
  check(block != nullptr && aligned_to(block, page) && malloc_usable_size(block) >= 2 * page,
        "pvalloc");
  free(block);
  errno = 0;
  volatile std::size_t too_much = PTRDIFF_MAX;
  check(malloc(too_much) == nullptr && errno == ENOMEM, "malloc: PTRDIFF_MAX");
  errno = 0;
  check(calloc(too_much, 4) == nullptr && errno == ENOMEM, "calloc: overflow");
  check(malloc_usable_size(nullptr) == 0, "malloc_usable_size: NULL");
}

// What the C library allocated may be resized and freed by the program.
void check_library_blocks() {
  for (int i = 0; i < 1000; ++i) {
    char* text = strdup("a string of the C library");
    text = static_cast<char*>(realloc(text, 5000));
    check(text != nullptr && std::strcmp(text, "a string of the C library") == 0,
          "strdup, realloc");
    free(text);
    char* line = nullptr;
    check(asprintf(&line, "%d", i) > 0 && std::atoi(line) == i, "asprintf");
    free(line);
  }
}

void churn(unsigned seed) {
  std::map<unsigned, std::string> words;
  for (unsigned i = 0; i < 20000; ++i) {
    seed = seed * 1664525u + 1013904223u;
    words[seed % 500] = std::string(seed % 3000, static_cast<char>('a' + seed % 26));
    if (seed % 7 == 0) words.erase(seed % 500);
  }
  for (const auto& [key, word] : words)
    check(word.find_first_not_of(word[0]) == std::string::npos, "churn");
}

void stream(unsigned number) {
  std::FILE* file = std::tmpfile();
  check(file != nullptr, "tmpfile");
  for (unsigned i = 0; i < 20000; ++i) std::fprintf(file, "%u %u\n", number, i);
  std::rewind(file);
  for (unsigned i = 0; i < 20000; ++i) {
    unsigned a = 0, b = 0;
    check(std::fscanf(file, "%u %u", &a, &b) == 2 && a == number && b == i, "stream");
  }
  std::fclose(file);
}

void fork_often() {
  std::string text(100000, 'p');
  for (int i = 0; i < 40; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const bool right = text == std::string(100000, 'p');
      text.assign(text.size(), 'c');
      std::vector<std::string> more(100, std::string(1000, 'x'));
      _exit(right && more.size() == 100 ? 0 : 1);
    }
    int status = 0;
    check(waitpid(child, &status, 0) == child && status == 0, "fork: child");
    check(text == std::string(100000, 'p'), "fork: parent sees the child's writes");
  }
}

// In a child of fork the C library resets the locks of all streams. The parent's locks must stay
// held.
void check_locks_of_streams() {
  std::FILE* file = std::tmpfile();
  check(file != nullptr, "tmpfile");
  flockfile(file);
  std::thread forker([file] {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    int status = 0;
    check(waitpid(child, &status, 0) == child && status == 0, "fork: child");
    check(ftrylockfile(file) != 0, "fork: the child released a lock of the parent's stream");
  });
  forker.join();
  funlockfile(file);
  std::fclose(file);
}

} // namespace

int main() {
  check_family();
  check_library_blocks();
  check_locks_of_streams();
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 3; ++i) threads.emplace_back(churn, i + 1);
  for (unsigned i = 0; i < 2; ++i) threads.emplace_back(stream, i);
  fork_often();
  for (std::thread& thread : threads) thread.join();
  std::puts("all as promised");
}
