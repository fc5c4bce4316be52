// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A peer process: PID FD OFFSET INODE LENGTH. Opens the file through /proc, expects 'p' in every
// byte of the range and writes 'q' there. Exit code 0: everything was as expected.
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const std::string path = std::string("/proc/") + argv[1] + "/fd/" + argv[2];
  const std::size_t offset = std::strtoull(argv[3], nullptr, 10);
  const std::size_t length = std::strtoull(argv[5], nullptr, 10);
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return 3;
  struct stat status {};
  if (fstat(fd, &status) != 0 || std::to_string(status.st_ino) != argv[4]) return 4;
  void* whole = mmap(nullptr, offset + length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (whole == MAP_FAILED) return 5;
  char* range = static_cast<char*>(whole) + offset;
  for (std::size_t i = 0; i < length; ++i)
    if (range[i] != 'p') return 6;
  std::memset(range, 'q', length);
  return 0;
}
