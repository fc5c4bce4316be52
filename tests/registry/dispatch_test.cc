// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/dispatch_test.cc: the 66 forwarded calls. Each must reach the right slot with the
// right arguments, and no handle may cause a crash.
#include <cstring>
#include <sys/mman.h>
#include <vector>

#include "arguments.h"
#include "every_call.h"
#include "libdat_fixture.h"

namespace {

constexpr std::size_t kPage = 4096;

class Dispatch : public testing::Test {
 protected:
  Dispatch() : opened_(open_ia("plain")) {}
  ~Dispatch() override { close_ia(opened_.ia); }

  // The call must arrive with `object` in place of `handle`, and with all other arguments
  // unchanged.
  template <class... Rest>
  void expect_forwarded(const char* name, DAT_RETURN (*function)(DAT_HANDLE, Rest...), int slot,
                        DAT_HANDLE handle, DAT_HANDLE object) {
    SCOPED_TRACE(name);
    const std::tuple<Rest...> rest = rest_of(function);
    StubCall expected;
    std::apply([&](Rest... r) { record_arguments(expected, object, r...); }, rest);
    stub().last = {};
    const DAT_RETURN ret = std::apply([&](Rest... r) { return function(handle, r...); }, rest);
    EXPECT_EQ(ret, 0x40000000U + static_cast<DAT_RETURN>(slot));
    EXPECT_EQ(stub().last.slot, slot);
    EXPECT_EQ(stub().last.size, expected.size);
    EXPECT_EQ(std::memcmp(stub().last.arguments, expected.arguments, sizeof expected.arguments), 0);
  }

  template <class... Rest>
  static void expect_refused(const char* name, DAT_RETURN (*function)(DAT_HANDLE, Rest...),
                             int subtype, DAT_HANDLE handle) {
    SCOPED_TRACE(testing::Message() << name << " of " << handle);
    const DAT_RETURN ret =
        std::apply([&](Rest... r) { return function(handle, r...); }, rest_of(function));
    EXPECT_EQ(ret, 0x80050000U + static_cast<DAT_RETURN>(subtype));
  }

  static void expect_all_refuse(DAT_HANDLE handle) {
#define REFUSED(function, slot, subtype) expect_refused(#function, &function, subtype, handle);
    DATUM_CALLS_ON_IAS(REFUSED)
    DATUM_CALLS_ON_ANYTHING(REFUSED)
    DATUM_CALLS_ON_OBJECTS(REFUSED)
#undef REFUSED
    EXPECT_EQ(close_ia(handle), 0x8005000bU);
    DAT_IA_HANDLE other = DAT_HANDLE_NULL;
    EXPECT_EQ(dats_get_ia_handle(handle, &other), 0x8005000bU);
  }

  const OpenResult opened_;
};

DAT_HANDLE at(std::uintptr_t address) {
  return reinterpret_cast<DAT_HANDLE>(address);
}

class Mapping {
 public:
  Mapping(std::size_t pages, int protection)
      : size_(pages * kPage),
        base_(::mmap(nullptr, size_, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~Mapping() { ::munmap(base_, size_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  std::uintptr_t base() const { return reinterpret_cast<std::uintptr_t>(base_); }

 private:
  std::size_t size_;
  void* base_;
};

} // namespace

TEST_F(Dispatch, EveryCallOnAnObjectReachesItsSlot) {
  const DAT_HANDLE object = new_stub_object();
#define FORWARDED(function, slot, subtype)                                                         \
  expect_forwarded(#function, &function, slot, object, object);
  DATUM_CALLS_ON_OBJECTS(FORWARDED)
  DATUM_CALLS_ON_ANYTHING(FORWARDED)
#undef FORWARDED
}

TEST_F(Dispatch, EveryCallOnAnIaReachesItsSlotWithTheObject) {
  DAT_IA_HANDLE object = DAT_HANDLE_NULL;
  ASSERT_EQ(dats_get_ia_handle(opened_.ia, &object), 0U);
#define FORWARDED(function, slot, subtype)                                                         \
  expect_forwarded(#function, &function, slot, opened_.ia, object);                                \
  expect_forwarded(#function, &function, slot, object, object);
  DATUM_CALLS_ON_IAS(FORWARDED)
  DATUM_CALLS_ON_ANYTHING(FORWARDED)
#undef FORWARDED
}

TEST_F(Dispatch, CallOnAnIaRefusesOtherObjects) {
  const DAT_HANDLE object = new_stub_object();
#define REFUSED(function, slot, subtype) expect_refused(#function, &function, subtype, object);
  DATUM_CALLS_ON_IAS(REFUSED)
#undef REFUSED
}

TEST_F(Dispatch, SlotThatIsMissingIsNotImplemented) {
  const OpenResult partial = open_ia("partial");
  const DAT_HANDLE object = new_stub_object();
  EXPECT_EQ(dat_ep_query(object, 0, nullptr), 0xffff0000U);
  EXPECT_EQ(close_ia(partial.ia), 0U);
}

TEST_F(Dispatch, NumbersAreNoHandles) {
  for (const std::uintptr_t number :
       {std::uintptr_t{0}, std::uintptr_t{2}, std::uintptr_t{3}, std::uintptr_t{4095},
        std::uintptr_t{4096}, std::uintptr_t{0xdeadbeef}, std::uintptr_t{0xdeadbeef000},
        std::uintptr_t{0x00007ffffffff000}, std::uintptr_t{0x0000800000000000},
        std::uintptr_t{0x8000000000000000}, ~std::uintptr_t{0}, ~std::uintptr_t{7}})
    expect_all_refuse(at(number));
}

TEST_F(Dispatch, MisalignedHandlesAreRefused) {
  const auto object = reinterpret_cast<std::uintptr_t>(new_stub_object());
  for (std::uintptr_t i = 1; i < 8; ++i) expect_all_refuse(at(object + i));
}

TEST_F(Dispatch, UnreadableMemoryIsRefused) {
  const Mapping hidden(1, PROT_NONE);
  expect_all_refuse(at(hidden.base()));
  std::uintptr_t gone = 0;
  {
    const Mapping mapped(1, PROT_READ);
    gone = mapped.base();
  }
  expect_all_refuse(at(gone));
}

TEST_F(Dispatch, ReadableMemoryWithoutATableIsRefused) {
  const Mapping zeros(1, PROT_READ);
  expect_all_refuse(at(zeros.base()));
  void* words[] = {&words, reinterpret_cast<void*>(&dat_ep_free), at(0xdeadbeef000)};
  for (void*& word : words) expect_all_refuse(&word);
  expect_all_refuse(reinterpret_cast<DAT_HANDLE>(reinterpret_cast<std::uintptr_t>(&dat_ep_free) &
                                                 ~std::uintptr_t{15}));
}

TEST_F(Dispatch, NeighboursOfAGoodHandleAreRefused) {
  // One page contains an object; the next page is unmapped. Both most likely belong to the same
  // frame of a large page.
  const Mapping mapped(2, PROT_READ | PROT_WRITE);
  auto* object = reinterpret_cast<void**>(mapped.base() + kPage - sizeof(void*));
  std::memcpy(object, new_stub_object(), sizeof(void*));
  EXPECT_EQ(dat_ep_free(object), 0x40000000U + 38U);
  EXPECT_EQ(dat_ep_free(object), 0x40000000U + 38U);
  ASSERT_EQ(::mprotect(at(mapped.base() + kPage), kPage, PROT_NONE), 0);
  expect_all_refuse(at(mapped.base() + kPage));
  expect_all_refuse(at(mapped.base() + kPage - 2 * sizeof(void*)));
}

TEST_F(Dispatch, HandleWhoseMemoryWentAwayWithItsIaIsRefused) {
  DAT_HANDLE handle = DAT_HANDLE_NULL;
  {
    const Mapping mapped(1, PROT_READ | PROT_WRITE);
    handle = at(mapped.base());
    std::memcpy(handle, new_stub_object(), sizeof(void*));
    EXPECT_EQ(dat_ep_free(handle), 0x40000000U + 38U);
    const OpenResult other = open_ia("both");
    ASSERT_EQ(close_ia(other.ia), 0U);
  }
  expect_all_refuse(handle);
}
