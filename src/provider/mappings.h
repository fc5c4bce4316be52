// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/mappings.h: the kernel's view of the memory of this process.
// Lives here: reading /proc/self/maps: by query where the kernel offers queries (Linux 6.11), as
//             text elsewhere. A query costs microseconds. The text has to be read up to the
//             mapping, which takes milliseconds in a process with thousands of mappings.
#pragma once

#include <cstdint>
#include <cstdio>
#include <sys/types.h>

namespace datum {

struct ProcessMapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  bool readable = false;
  bool writable = false;
  bool shared = false;
  std::uint64_t offset = 0; // of `start` in the file
  dev_t device = 0;
  std::uint64_t inode = 0; // 0: no file
};

// A view of the mappings. Make a new object for each question: after a fork an old one would show
// the mappings of the parent.
class Mappings {
 public:
  enum class Method : std::uint8_t { Query, Text };
  // Method::Text: do not even try the query.
  explicit Mappings(Method preferred = Method::Query);
  ~Mappings();
  Mappings(const Mappings&) = delete;
  Mappings& operator=(const Mappings&) = delete;

  bool valid() const { return text_ != nullptr; }
  Method method() const { return method_; }
  // Finds the mapping that contains `address`. Ask in ascending order: the text is read once, and
  // an earlier mapping is not found again. False: there is none, or error() says why there is no
  // answer.
  bool find(std::uint64_t address, ProcessMapping& mapping);
  // 0, or the errno that says why the kernel cannot be asked.
  int error() const { return error_; }

 private:
  bool query(std::uint64_t address, ProcessMapping& mapping);
  bool read(std::uint64_t address, ProcessMapping& mapping);

  std::FILE* text_;
  int error_ = 0;
  Method method_;
  ProcessMapping last_; // Text: the line read last
};

} // namespace datum
