// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "provider/mappings.h"

#include <cerrno>
#include <cinttypes>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

namespace datum {
namespace {

// <linux/fs.h> of Linux 6.11: struct procmap_query and its flags, which older headers lack.
struct ProcmapQuery {
  std::uint64_t size = sizeof(ProcmapQuery);
  std::uint64_t query_flags = 0; // 0: the mapping that covers query_addr
  std::uint64_t query_addr = 0;
  std::uint64_t vma_start = 0;
  std::uint64_t vma_end = 0;
  std::uint64_t vma_flags = 0;
  std::uint64_t vma_page_size = 0;
  std::uint64_t vma_offset = 0;
  std::uint64_t inode = 0;
  std::uint32_t dev_major = 0;
  std::uint32_t dev_minor = 0;
  std::uint32_t vma_name_size = 0;
  std::uint32_t build_id_size = 0;
  std::uint64_t vma_name_addr = 0;
  std::uint64_t build_id_addr = 0;
};
static_assert(sizeof(ProcmapQuery) == 104);

constexpr std::uint64_t kReadable = 0x01;
constexpr std::uint64_t kWritable = 0x02;
constexpr std::uint64_t kShared = 0x08;
constexpr unsigned long kProcmapQuery = _IOWR('f', 17, ProcmapQuery);

} // namespace

Mappings::Mappings(Method preferred)
    : text_(std::fopen("/proc/self/maps", "re")), error_(valid() ? 0 : errno), method_(preferred) {
  if (!valid() || method_ == Method::Text) return;
  ProcmapQuery probe;
  probe.query_addr = reinterpret_cast<std::uint64_t>(this);
  if (::ioctl(::fileno(text_), kProcmapQuery, &probe) != 0) method_ = Method::Text;
}

Mappings::~Mappings() {
  if (valid()) std::fclose(text_);
}

bool Mappings::find(std::uint64_t address, ProcessMapping& mapping) {
  if (error_ != 0) return false;
  return method_ == Method::Query ? query(address, mapping) : read(address, mapping);
}

bool Mappings::query(std::uint64_t address, ProcessMapping& mapping) {
  ProcmapQuery answer;
  answer.query_addr = address;
  if (::ioctl(::fileno(text_), kProcmapQuery, &answer) != 0) {
    if (errno != ENOENT) error_ = errno; // ENOENT: nothing is mapped there
    return false;
  }
  mapping.start = answer.vma_start;
  mapping.end = answer.vma_end;
  mapping.readable = (answer.vma_flags & kReadable) != 0;
  mapping.writable = (answer.vma_flags & kWritable) != 0;
  mapping.shared = (answer.vma_flags & kShared) != 0;
  mapping.offset = answer.vma_offset;
  mapping.device = makedev(answer.dev_major, answer.dev_minor);
  mapping.inode = answer.inode;
  return true;
}

bool Mappings::read(std::uint64_t address, ProcessMapping& mapping) {
  // proc(5): start-end rwxp offset major:minor inode path
  while (last_.end <= address) {
    char line[512];
    if (std::fgets(line, sizeof line, text_) == nullptr) {
      if (std::ferror(text_) != 0) error_ = errno;
      return false;
    }
    char rights[5] = {};
    unsigned major = 0;
    unsigned minor = 0;
    const int fields =
        std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64, &last_.start,
                    &last_.end, rights, &last_.offset, &major, &minor, &last_.inode);
    if (fields != 7) continue; // the rest of a line with a long path
    last_.readable = rights[0] == 'r';
    last_.writable = rights[1] == 'w';
    last_.shared = rights[3] == 's';
    last_.device = makedev(major, minor);
  }
  mapping = last_;
  return address >= last_.start;
}

} // namespace datum
