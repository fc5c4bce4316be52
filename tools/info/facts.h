// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/facts.h: the properties of this machine that matter to DAT.
// Lives here: the queries of the system.
// Not here:   judging the results (check.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "info/adapters.h"
#include "info/foreign_registry.h"
#include "info/held_names.h"
#include "info/kernel_calls.h"

namespace datum::info {

struct Limit {
  std::uint64_t soft = 0, hard = 0; // UINT64_MAX: none
};

struct Facts {
  ConfFile conf;
  std::vector<Adapter> adapters;
  std::vector<std::pair<std::string, std::string>> environment; // DAT_* and DATUM_*
  ForeignRegistry foreign_registry;
  std::string module;                             // the file of libdatum1.so or libdatum2.so in use
  std::optional<Limit> open_files, locked_memory; // nothing: a sandbox refuses the question
  unsigned cores = 0;
  std::string kernel; // "6.1.0-25-amd64"
  std::vector<KernelCall> missing_calls;
  bool proc_mounted = true;
  std::optional<long> ptrace_scope; // of Yama; empty: there is no Yama
  // process_vm_readv(2) and _writev(2) work between two children of this process
  bool sibling_access = false;
  std::string sibling_error; // why they do not work
  std::string memfd_error;   // "memfd_create: Too many open files"; empty: memory files work
  std::vector<RefusedCall> refused_calls;
  std::optional<std::uint64_t> shm_free;      // free bytes of /dev/shm; empty: not mounted
  bool own_network = false, own_pids = false; // namespaces other than those of process 1
  bool namespaces_known = false;
  bool root = false;
  std::string ephemeral_ports; // "32768 60999"
  std::optional<long> first_unprivileged_port;
  std::vector<HeldName> held_names;
  std::vector<std::string> rdma_devices;
  std::string shmem_huge_pages;       // "always within_size advise [never] deny force"
  bool huge_pages_on_request = false; // the kernel has just made one by MADV_COLLAPSE
  std::optional<long> huge_pages_free;
};

Facts gather_facts();

} // namespace datum::info
