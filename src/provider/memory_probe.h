// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/memory_probe.h: finds out whether memory may be registered, whether it is shared, and
// which file is behind it.
// Lives here: questions to the kernel, and descriptors of files that peers may map.
// Not here:   what follows from the answers (core/).
// Threads:    the adapter's lock.
#pragma once

#include <map>
#include <utility>

#include "core/adapter/interface_adapter.h"
#include "provider/mappings.h"

namespace datum {

class KernelMemoryProbe final : public MemoryProbe {
 public:
  // Method::Text reads /proc/self/maps as text, as on kernels before 6.11, which cannot be queried
  // for one mapping. For tests.
  explicit KernelMemoryProbe(Mappings::Method method = Mappings::Method::Query) : method_(method) {}
  ~KernelMemoryProbe() override;
  KernelMemoryProbe(const KernelMemoryProbe&) = delete;
  KernelMemoryProbe& operator=(const KernelMemoryProbe&) = delete;

  Found usable(std::uint64_t address, std::uint64_t length, Access access) override;
  Found shared(std::uint64_t address, std::uint64_t length) override;
  bool backing(std::uint64_t address, std::uint64_t length, std::int32_t& fd,
               std::uint64_t& offset) override;

 private:
  using FileId = std::pair<dev_t, std::uint64_t>;
  int descriptor_of(const FileId& file);

  const Mappings::Method method_;
  // Datum's own descriptors of files that the consumer has mapped. While a region lives, the
  // consumer may close its own descriptors of the file, and the numbers may then name other files.
  std::map<FileId, int> descriptors_;
};

} // namespace datum
