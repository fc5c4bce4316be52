// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/mappings.h: what the kernel says about the memory of this process.
// Lives here: reading /proc/self/maps, by query where the kernel answers queries (Linux 6.11), as
//             text elsewhere. A query costs microseconds, the text as much for each mapping as for
//             the first: milliseconds in a process with thousands of them.
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

// A look at the mappings; open for one question, since a fork would leave us with the parent's.
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
  // The mapping that contains `address`. Ask in ascending order. False: none, or see error().
  bool find(std::uint64_t address, ProcessMapping& mapping);
  // 0, or why the kernel cannot be asked: an errno.
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
