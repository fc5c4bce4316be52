// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/registration.h: dat_lmr_create() in all its forms.
// Lives here: the arguments with usual values, to be changed one at a time; mapped memory.
// Not here:   registered buffers for transfers (memory.h).
#pragma once

#include "dat.h"

#include <array>
#include <cstddef>

#include "objects.h"

namespace datum::test {

// The arguments and the results of dat_lmr_create(). The results are meaningful after success.
struct Registration {
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
  DAT_MEM_TYPE type = DAT_MEM_TYPE_VIRTUAL;
  DAT_REGION_DESCRIPTION region{};
  DAT_VLEN length = 0;
  DAT_PZ_HANDLE pz = DAT_HANDLE_NULL;
  DAT_MEM_PRIV_FLAGS privileges = DAT_MEM_PRIV_ALL_FLAG;

  Lmr lmr;
  DAT_LMR_CONTEXT lmr_context = 0;
  DAT_RMR_CONTEXT rmr_context = 0;
  DAT_VLEN registered_size = 0;
  DAT_VADDR registered_address = 0;

  Registration(DAT_IA_HANDLE ia_handle, DAT_PZ_HANDLE pz_handle, void* address, DAT_VLEN bytes);
  DAT_RETURN create();
};

using SharedId = std::array<char, DAT_LMR_COOKIE_SIZE>;

// Makes `registration` one of shared memory, which has the name `id` for other processes.
void make_shared(Registration& registration, SharedId& id);

// Whole pages, which the destructor unmaps.
class Pages {
 public:
  static Pages private_memory(std::size_t count);
  static Pages shared_memory(std::size_t count); // a memfd, mapped shared
  Pages(Pages&& other) noexcept;
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  Pages& operator=(Pages&&) = delete;
  ~Pages();

  char* data() const { return data_; }
  std::size_t size() const { return size_; }
  static std::size_t page();
  void unmap_from(std::size_t offset); // from `offset` to the end

 private:
  Pages(void* data, std::size_t size) : data_(static_cast<char*>(data)), size_(size) {}

  char* data_;
  std::size_t size_;
};

} // namespace datum::test
