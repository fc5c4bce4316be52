// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registration.h"

#include <sys/mman.h>
#include <unistd.h>

#include <utility>

namespace datum::test {

Registration::Registration(DAT_IA_HANDLE ia_handle, DAT_PZ_HANDLE pz_handle, void* address,
                           DAT_VLEN bytes)
    : ia(ia_handle), length(bytes), pz(pz_handle) {
  region.for_va = address;
}

DAT_RETURN Registration::create() {
  return dat_lmr_create(ia, type, region, length, pz, privileges, lmr.out(), &lmr_context,
                        &rmr_context, &registered_size, &registered_address);
}

void make_shared(Registration& registration, SharedId& id) {
  registration.type = DAT_MEM_TYPE_SHARED_VIRTUAL;
  void* const address = registration.region.for_va;
  registration.region.for_shared_memory.virtual_address = address;
  registration.region.for_shared_memory.shared_memory_id =
      reinterpret_cast<DAT_LMR_COOKIE>(id.data());
}

Pages Pages::private_memory(std::size_t count) {
  void* const data =
      mmap(nullptr, count * page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(data, MAP_FAILED);
  return {data, count * page()};
}

Pages Pages::shared_memory(std::size_t count) {
  const int file = memfd_create("conformance", MFD_CLOEXEC);
  EXPECT_GE(file, 0);
  EXPECT_EQ(ftruncate(file, static_cast<off_t>(count * page())), 0);
  void* const data = mmap(nullptr, count * page(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  EXPECT_NE(data, MAP_FAILED);
  close(file);
  return {data, count * page()};
}

Pages::Pages(Pages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Pages::~Pages() {
  if (size_ > 0) munmap(data_, size_);
}

std::size_t Pages::page() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void Pages::unmap_from(std::size_t offset) {
  munmap(data_ + offset, size_ - offset);
  size_ = offset;
}

} // namespace datum::test
