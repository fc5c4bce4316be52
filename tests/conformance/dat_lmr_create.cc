// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_lmr_create(3DAT): memory types, privileges, arguments.
#include "each_kind.h"
#include "fixture.h"
#include "registration.h"

namespace datum::test {
namespace {

class DatLmrCreate : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    pz = create_pz(ia);
  }

  Registration registration() { return {ia, pz, memory, sizeof memory}; }

  alignas(64) char memory[4096] = {};
  Pz pz;
};

DAT_VADDR address(const void* pointer) {
  return reinterpret_cast<DAT_VADDR>(pointer);
}

// Rules: dat_lmr_create.R1 dat_lmr_create.R2 dat_lmr_create.R3
TEST_F(DatLmrCreate, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_IA, [&](DAT_HANDLE handle) {
    Registration r = registration();
    r.ia = handle;
    return r.create();
  });
}

// Rules: dat_lmr_create.R4 dat_lmr_create.R26 C-29
TEST_F(DatLmrCreate, Virtual) {
  std::vector<char> heap(100'000);
  Registration r(ia, pz, heap.data() + 3, 99'990);
  ASSERT_DAT_OK(r.create());
  EXPECT_NE(r.lmr.get(), DAT_HANDLE_NULL);
  EXPECT_LE(r.registered_address, address(heap.data() + 3));
  EXPECT_GE(r.registered_address + r.registered_size, address(heap.data() + 3) + 99'990);
}

TEST_F(DatLmrCreate, R5StronglyOrderedVirtual) {
  Registration r = registration();
  r.type = kStronglyOrdered;
  EXPECT_DAT_OK(r.create());
  EXPECT_NE(r.rmr_context, 0U);
}

TEST_F(DatLmrCreate, R6OfAnotherLmr) {
  Registration first = registration();
  first.privileges = DAT_MEM_PRIV_LOCAL_READ_FLAG;
  ASSERT_DAT_OK(first.create());
  const Pz other_pz = create_pz(ia);
  Registration second(ia, other_pz, nullptr, sizeof memory);
  second.type = DAT_MEM_TYPE_LMR;
  second.region.for_lmr_handle = first.lmr;
  second.privileges = DAT_MEM_PRIV_LOCAL_WRITE_FLAG;
  ASSERT_DAT_OK(second.create());
  DAT_LMR_PARAM param{};
  ASSERT_DAT_OK(dat_lmr_query(second.lmr, DAT_LMR_FIELD_ALL, &param));
  EXPECT_EQ(param.pz_handle, other_pz);
  EXPECT_EQ(param.mem_priv, DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
  EXPECT_NE(second.lmr_context, first.lmr_context);
  EXPECT_LE(second.registered_address, address(memory));
  EXPECT_GE(second.registered_address + second.registered_size, address(memory) + sizeof memory);
}

TEST_F(DatLmrCreate, R7TheLengthOfAnLmrIsIgnored) {
  Registration first = registration();
  ASSERT_DAT_OK(first.create());
  for (const DAT_VLEN length : {DAT_VLEN{0}, DAT_VLEN{1}, ~DAT_VLEN{0}}) {
    Registration second(ia, pz, nullptr, length);
    second.type = DAT_MEM_TYPE_LMR;
    second.region.for_lmr_handle = first.lmr;
    EXPECT_DAT_OK(second.create()) << length;
    DAT_LMR_PARAM param{};
    EXPECT_DAT_OK(dat_lmr_query(second.lmr, DAT_LMR_FIELD_ALL, &param));
    EXPECT_EQ(param.length, sizeof memory);
  }
}

TEST_F(DatLmrCreate, R8Shared) {
  const Pages pages = Pages::shared_memory(2);
  SharedId id{"a name that two processes share"};
  Registration r(ia, pz, pages.data(), pages.size());
  make_shared(r, id);
  ASSERT_DAT_OK(r.create());
  Registration again(ia, pz, pages.data(), pages.size());
  make_shared(again, id);
  EXPECT_DAT_OK(again.create());
}

TEST_F(DatLmrCreate, R9SharedOfPrivateMemory) {
  const Pages pages = Pages::private_memory(1);
  SharedId id{"private"};
  Registration r(ia, pz, pages.data(), pages.size());
  make_shared(r, id);
  EXPECT_DAT_TYPE(r.create(), DAT_INVALID_STATE);
}

// Rules: dat_lmr_create.R10 dat_lmr_create.R11
TEST_F(DatLmrCreate, TheNameHas40Bytes) {
  const Pages pages = Pages::shared_memory(2);
  SharedId id{};
  id[20] = 'x'; // behind a NUL byte: the id is no string
  Registration first(ia, pz, pages.data(), pages.size());
  make_shared(first, id);
  ASSERT_DAT_OK(first.create());
  Registration shorter(ia, pz, pages.data(), Pages::page());
  make_shared(shorter, id);
  EXPECT_DAT_TYPE(shorter.create(), DAT_INVALID_PARAMETER) << "same name, other length";
  SharedId other = id;
  other[39] = 'y';
  Registration renamed(ia, pz, pages.data(), Pages::page());
  make_shared(renamed, other);
  EXPECT_DAT_OK(renamed.create()) << "the last byte makes it another name";
}

// Rules: dat_lmr_create.R8 dat_lmr_create.R11
TEST_F(DatLmrCreate, TheNameMeansOneLengthInAllOpenIas) {
  const Pages pages = Pages::shared_memory(2);
  SharedId id{"several opens"};
  const Ia other_ia = open_ia();
  const Pz other_pz = create_pz(other_ia);
  Registration other(other_ia, other_pz, pages.data(), pages.size());
  make_shared(other, id);
  ASSERT_DAT_OK(other.create());
  {
    Registration same(ia, pz, pages.data(), pages.size());
    make_shared(same, id);
    EXPECT_DAT_OK(same.create());
  }
  Registration shorter(ia, pz, pages.data(), Pages::page());
  make_shared(shorter, id);
  EXPECT_DAT_TYPE(shorter.create(), DAT_INVALID_PARAMETER);
  other.lmr.free();
  EXPECT_DAT_OK(shorter.create()) << "nobody uses the name any more";
}

TEST_F(DatLmrCreate, R12SharedWithoutName) {
  const Pages pages = Pages::shared_memory(1);
  SharedId unused{};
  Registration r(ia, pz, pages.data(), pages.size());
  make_shared(r, unused);
  r.region.for_shared_memory.shared_memory_id = nullptr;
  EXPECT_DAT_TYPE(r.create(), DAT_INVALID_PARAMETER);
}

// Rules: dat_lmr_create.R13 dat_lmr_query.R12
TEST_F(DatLmrCreate, TheNameIsCopied) {
  const Pages pages = Pages::shared_memory(1);
  SharedId id{"original"};
  Registration r(ia, pz, pages.data(), pages.size());
  make_shared(r, id);
  ASSERT_DAT_OK(r.create());
  id.fill('z');
  DAT_LMR_PARAM param{};
  ASSERT_DAT_OK(dat_lmr_query(r.lmr, DAT_LMR_FIELD_ALL, &param));
  const DAT_SHARED_MEMORY& shared = param.region_desc.for_shared_memory;
  EXPECT_EQ(shared.virtual_address, pages.data());
  ASSERT_NE(shared.shared_memory_id, nullptr);
  EXPECT_NE(*shared.shared_memory_id, id.data());
  EXPECT_STREQ(*shared.shared_memory_id, "original");
}

TEST_F(DatLmrCreate, R14UnknownType) {
  Registration r = registration();
  for (const int type : {4, 7, -1}) {
    r.type = any_value<DAT_MEM_TYPE>(type);
    EXPECT_DAT_ERROR(r.create(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2) << type;
  }
}

TEST_F(DatLmrCreate, R15NullAddress) {
  Registration r(ia, pz, nullptr, 64);
  EXPECT_DAT_ERROR(r.create(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
}

TEST_F(DatLmrCreate, R16LengthZero) {
  Registration r(ia, pz, memory, 0);
  EXPECT_DAT_ERROR(r.create(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
}

TEST_F(DatLmrCreate, R17LengthThatWraps) {
  Registration r(ia, pz, memory, ~DAT_VLEN{0});
  EXPECT_DAT_ERROR(r.create(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
}

// Rules: dat_lmr_create.R18 PROTECT.1
TEST_F(DatLmrCreate, UnmappedMemory) {
  Pages pages = Pages::private_memory(4);
  pages.unmap_from(2 * Pages::page());
  Registration inside(ia, pz, pages.data(), 2 * Pages::page());
  EXPECT_DAT_OK(inside.create());
  Registration across(ia, pz, pages.data(), 3 * Pages::page());
  const DAT_RETURN status = across.create();
  EXPECT_NE(status, DAT_SUCCESS);
  EXPECT_NE(status & DAT_CLASS_ERROR, 0U);
}

TEST_F(DatLmrCreate, R19NullPz) {
  Registration r(ia, DAT_HANDLE_NULL, memory, sizeof memory);
  EXPECT_DAT_ERROR(r.create(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
}

TEST_F(DatLmrCreate, R20NotAPzOfThisInstance) {
  const Cno cno = create_cno(ia);
  Registration wrong_kind(ia, cno, memory, sizeof memory);
  EXPECT_DAT_ERROR(wrong_kind.create(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
  const Ia other = open_ia();
  const Pz foreign = create_pz(other);
  Registration wrong_ia(ia, foreign, memory, sizeof memory);
  EXPECT_DAT_ERROR(wrong_ia.create(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
}

TEST_F(DatLmrCreate, R21UnknownPrivileges) {
  Registration r = registration();
  for (const int bits : {0x04, 0x08, kUnknownPrivilege, 0x200}) {
    r.privileges = any_value<DAT_MEM_PRIV_FLAGS>(bits);
    EXPECT_DAT_ERROR(r.create(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6) << bits;
  }
}

TEST_F(DatLmrCreate, R22NullLmrPointer) {
  DAT_REGION_DESCRIPTION region{};
  region.for_va = memory;
  EXPECT_DAT_ERROR(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, sizeof memory, pz,
                                  DAT_MEM_PRIV_ALL_FLAG, nullptr, nullptr, nullptr, nullptr,
                                  nullptr),
                   DAT_INVALID_PARAMETER, kArgLmrHandle);
}

TEST_F(DatLmrCreate, R23OtherPointersMayBeNull) {
  Lmr lmr;
  DAT_REGION_DESCRIPTION region{};
  region.for_va = memory;
  EXPECT_DAT_OK(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, sizeof memory, pz,
                               DAT_MEM_PRIV_ALL_FLAG, lmr.out(), nullptr, nullptr, nullptr,
                               nullptr));
}

// Rules: dat_lmr_create.R24 dat_lmr_create.R25 dat_lmr_create.R30
TEST_F(DatLmrCreate, RemoteContextGoesWithRemotePrivileges) {
  const struct {
    int bits;
    bool remote;
  } cases[] = {{0x00, false}, {0x01, false}, {0x10, false}, {0x11, false},
               {0x02, true},  {0x20, true},  {0x33, true}};
  for (const auto& [bits, remote] : cases) {
    Registration r = registration();
    r.privileges = any_value<DAT_MEM_PRIV_FLAGS>(bits);
    r.rmr_context = remote ? 0 : 77;
    EXPECT_DAT_OK(r.create()) << bits;
    EXPECT_EQ(r.rmr_context != 0, remote) << bits;
  }
}

// Rules: dat_lmr_create.R27 dat_lmr_create.R28
TEST_F(DatLmrCreate, NotAnLmrOfThisInstance) {
  const Ia other = open_ia();
  const Pz other_pz = create_pz(other);
  Buffer foreign(other, other_pz, 64);
  const DAT_HANDLE bad[] = {DAT_HANDLE_NULL, pz, foreign.lmr(),
                            destroyed_handle(ia, DAT_HANDLE_TYPE_LMR)};
  for (const DAT_HANDLE handle : bad) {
    Registration r(ia, pz, nullptr, 64);
    r.type = DAT_MEM_TYPE_LMR;
    r.region.for_lmr_handle = handle;
    EXPECT_DAT_ERROR(r.create(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_LMR);
  }
}

TEST_F(DatLmrCreate, R29LongerThanTheIaAllows) {
  const DAT_VLEN most = ia_attributes(ia).max_lmr_block_size;
  if (most == ~SegmentLength{0}) GTEST_SKIP() << "no longer block exists";
  Registration r(ia, pz, memory, most + 1);
  EXPECT_NE(r.create(), DAT_SUCCESS);
}

// Rules: dat_lmr_create.R31
TEST_F(DatLmrCreate, TwoLmrsOverOneRange) {
  Registration first = registration();
  Registration second = registration();
  ASSERT_DAT_OK(first.create());
  ASSERT_DAT_OK(second.create());
  EXPECT_NE(first.lmr_context, second.lmr_context);
  EXPECT_NE(first.rmr_context, second.rmr_context);
}

} // namespace
} // namespace datum::test
