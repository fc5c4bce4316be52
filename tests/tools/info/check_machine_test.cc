// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What dat-info finds in the machine: kernel, system calls, ports, limits, shared memory.
#include <gtest/gtest.h>

#include <cerrno>

#include "good_facts.h"

namespace datum::info {
namespace {

TEST(InfoCheck, AnOlderKernelIsANoteThatSaysWhatIsDifferent) {
  Facts facts = good();
  facts.kernel = "4.18.0-80.el8";
  facts.missing_calls = {{"pidfd_open", "5.3", "one thing"}, {"openat2", "5.6", "another"}};
  expect(facts,
         "Linux 4.18.0-80.el8: works, but without pidfd_open (Linux 5.3): one thing; without "
         "openat2 (Linux 5.6): another",
         Grade::Note);
}

// A newer kernel would not help against a filter.
TEST(InfoCheck, ACallThatAFilterRefusesIsToldApartFromOneThatTheKernelLacks) {
  Facts facts = good();
  facts.kernel = "6.1.0";
  facts.missing_calls = {{"membarrier", "4.14", "one thing", Absence::Refused, EPERM},
                         {"openat2", "5.6", "another", Absence::RefusedOrLacking, ENOSYS}};
  expect(facts, "Linux 6.1.0: new enough for every system call that Datum prefers", Grade::Fine);
  expect(facts,
         "(seccomp) refuses some that Datum can do without: membarrier (Operation not "
         "permitted): one thing",
         Grade::Note);
  expect(facts,
         "a sandbox (seccomp) refuses, or this kernel was built without, some that Datum can "
         "do without: openat2 (Function not implemented; Linux 5.6): another",
         Grade::Note);
  expect(facts, "no filter refuses those that Datum needs", Grade::Fine);
  for (const Finding& finding : judge(facts))
    EXPECT_EQ(finding.step.find("newer kernel"), std::string::npos) << finding.step;
}

TEST(InfoCheck, APortRangeMustBeTwoPortsInOrder) {
  for (const char* text :
       {"", "20000", "20000-", "30000-20000", "80-2000", "2000-65536", "1-2x", "a-b"}) {
    Facts facts = good();
    facts.environment = {{"DATUM_PORT_RANGE", text}};
    expect(facts, std::string("DATUM_PORT_RANGE=") + text + ": not two ports", Grade::Problem);
  }
  Facts facts = good();
  facts.environment = {{"DATUM_PORT_RANGE", "20000-29999"}};
  expect(facts, "DATUM_PORT_RANGE=20000-29999 is set", Grade::Note);
}

TEST(InfoCheck, EphemeralPortsThatStandForQualifiersAreANote) {
  Facts facts = good();
  facts.first_unprivileged_port = 1024;
  facts.ephemeral_ports = "20000\t60999";
  expect(facts, "16384 to 24575 stand for connection qualifiers above 65535", Grade::Note);
  facts.ephemeral_ports = "1024\t16384";
  expect(facts, "16384 to 24575 stand for", Grade::Note);
  for (const char* beside : {"24576\t60999", "1024\t16383", "32768\t60999"}) {
    facts.ephemeral_ports = beside;
    expect(facts, std::string("ephemeral ") + beside + ", privileged below 1024", Grade::Fine);
  }
  // With this range its ports stand for the qualifiers.
  facts.environment = {{"DATUM_PORT_RANGE", "40000-40009"}};
  expect(facts, "40000 to 40009 stand for", Grade::Note);
  facts.ephemeral_ports = "20000\t39999";
  expect(facts, "ephemeral 20000\t39999", Grade::Fine);
}

TEST(InfoCheck, ForbiddenDirectAccessIsANoteThatNamesYama) {
  Facts facts = good();
  facts.sibling_access = false;
  facts.sibling_error = "Operation not permitted";
  facts.ptrace_scope = 1;
  expect(facts, "kernel.yama.ptrace_scope is 1", Grade::Note);
}

TEST(InfoCheck, WithoutMemfdThereAreNoLinks) {
  Facts facts = good();
  facts.memfd_error = "memfd_create: Function not implemented";
  expect(facts, "memfd_create: Function not implemented", Grade::Problem);
}

TEST(InfoCheck, FewOpenFilesAreANote) {
  Facts facts = good();
  facts.open_files = {1024, 4096};
  expect(facts, "1024 (at most 4096)", Grade::Note);
}

TEST(InfoCheck, TooFewOpenFilesForOnePeerAreAProblem) {
  Facts facts = good();
  facts.open_files = {9, 4096};
  expect(facts, "9 (at most 4096)", Grade::Problem);
  EXPECT_EQ(find(judge(facts), "9 (at most 4096)")->step, "ulimit -n 4096");
  facts.open_files = {17, 4096};
  EXPECT_EQ(find(judge(facts), "17 (at most 4096)")->step,
            "for more than one peer process: ulimit -n 4096");
}

TEST(InfoCheck, OpenFilesForTcpAloneAreANote) {
  Facts facts = good();
  facts.open_files = {10, 4096};
  expect(facts, "10 over TCP, which DATUM_TRANSPORT=auto takes", Grade::Note);
  facts.open_files = {16, 4096};
  expect(facts, "has about 17 open", Grade::Note);
  EXPECT_EQ(find(judge(facts), "16 (at most 4096)")->step, "ulimit -n 4096");
}

TEST(InfoCheck, NobodyIsToldToSetALimitThatIsSet) {
  Facts facts = good();
  facts.open_files = {32, 4096};
  EXPECT_EQ(find(judge(facts), "32 (at most 4096)")->step,
            "for more than some 4 peer processes: ulimit -n 4096");
  facts.open_files = {8, 8};
  const std::string step = find(judge(facts), "8 (at most 8)")->step;
  EXPECT_EQ(step.find("ulimit"), std::string::npos) << step;
  EXPECT_NE(step.find("as root raise the hard limit"), std::string::npos) << step;
}

TEST(InfoCheck, LimitsThatCannotBeReadAreNotTakenForNone) {
  Facts facts = good();
  facts.open_files.reset();
  expect(facts, "unknown: the limits of this process cannot be read", Grade::Note);
  const auto findings = judge(facts);
  EXPECT_EQ(find(findings, "0 (at most 0)"), nullptr);
}

TEST(InfoCheck, WhatRootDoesNotSeeIsNotBlamedOnTheUser) {
  Facts facts = good();
  facts.namespaces_known = false;
  expect(facts, "those of process 1 cannot be seen by this user", Grade::Fine);
  facts.root = true;
  expect(facts, "those of process 1 cannot be seen, not even as root", Grade::Fine);
  EXPECT_EQ(find(judge(facts), "by this user"), nullptr);
}

TEST(InfoCheck, ANetworkOfItsOwnIsANote) {
  Facts facts = good();
  facts.own_network = true;
  expect(facts, "network namespace", Grade::Note);
}

TEST(InfoCheck, AnAdapterWithoutANetworkIsANote) {
  Facts facts = good();
  facts.adapters[0].to_other_hosts = "none: no network interface of this host is up";
  expect(facts, "over TCP it reaches none: no network interface of this host is up", Grade::Note);
}

TEST(InfoCheck, ARefusedSystemCallIsAProblemThatSaysWhatFollows) {
  Facts facts = good();
  facts.refused_calls = {{"accept4", "nobody is answered", EPERM},
                         {"sendmsg", "TCP alone", EPERM},
                         {"sendto", "TCP alone", ENOSYS}};
  expect(facts,
         "refuses sendmsg (Operation not permitted), sendto (Function not implemented): TCP alone; "
         "accept4 (Operation not permitted): nobody is answered",
         Grade::Problem);
}

TEST(InfoCheck, AnAdapterWithoutSharedMemoryIsANoteWhereTcpIsLeft) {
  Facts facts = good();
  facts.adapters[0].to_this_host = "TCP; shared memory is not available: it takes 9 descriptors";
  expect(facts, "its processes are reached over TCP; shared memory is not available: it takes 9",
         Grade::Note);
}

TEST(InfoCheck, AnAdapterWithoutSharedMemoryAndTcpIsAProblem) {
  Facts facts = good();
  facts.adapters[0].to_this_host = "none; shared memory is not available: this process";
  expect(facts, "way to its processes: none; shared memory is not available: this process",
         Grade::Problem);
}

// Rules: PROTECT.13
TEST(InfoCheck, ANameThatAnotherUserHoldsIsANote) {
  Facts facts = good();
  facts.held_names = {{{"192.0.2.1", 5000, 1001}, 1000}};
  expect(facts,
         "port 5000 belongs to user 1000, but the socket name @datum/1/192.0.2.1/5000 is held by "
         "user 1001",
         Grade::Note);
}

TEST(InfoCheck, OfManyNamesAFewAreShown) {
  Facts facts = good();
  facts.held_names.assign(1000, {{"*", 5000, 1001}, 1000});
  expect(facts, "992 more", Grade::Note);
  EXPECT_LT(judge(facts).size(), 40U);
}

TEST(InfoCheck, WithoutProcThereIsOneNoteWithItsRemedy) {
  Facts facts = good();
  facts.proc_mounted = false;
  facts.namespaces_known = false;
  expect(facts, "/proc is not mounted", Grade::Note);
  EXPECT_EQ(find(judge(facts), "/proc is not mounted")->step, "mount -t proc proc /proc");
  expect(facts, "unknown without /proc", Grade::Fine);
}

// As DatumMemoryAllocHuge finds on a kernel with the setting "never".
TEST(InfoCheck, HugePagesOnRequestAreNotDenied) {
  const auto text = [](const char* setting, bool on_request) {
    Facts facts = good();
    facts.shmem_huge_pages = setting;
    facts.huge_pages_on_request = on_request;
    const auto findings = judge(facts);
    const Finding* const finding = find(findings, "shareable memory gets");
    return finding != nullptr ? finding->text : "";
  };
  const std::string none = "shareable memory gets base pages only";
  EXPECT_EQ(text("always [never] deny", true), none + ", except of datum_memory_alloc_huge");
  EXPECT_EQ(text("always [never] deny", false), none);
  EXPECT_EQ(text("always never [deny]", false), none);
  EXPECT_EQ(text("", false), none);
  EXPECT_EQ(text("[advise] never", true), "");
}

} // namespace
} // namespace datum::info
