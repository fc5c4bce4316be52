// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/check.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/variables.h"
#include "common/dat.h"
#include "common/human.h"
#include "info/check_environment.h"

namespace datum::info {
namespace {

using Findings = std::vector<Finding>;

constexpr std::uint64_t kFewFiles = 1024;
// Measured: the descriptors that a program has for each process with which it has a link.
constexpr std::uint64_t kFilesPerLink = 4;
// Measured: descriptors of a program with one adapter that listens and has a link to one process.
constexpr std::uint64_t kFilesForOne = 17;
constexpr std::uint64_t kFilesForOneOverTcp = 10; // the same with DATUM_TRANSPORT=tcp
constexpr std::uint64_t kLittleShm = std::uint64_t{64} << 20U;

void judge_conf(const Facts& facts, Findings& out) {
  const ConfFile& file = facts.conf;
  const std::string name = file.overridden ? "DAT_OVERRIDE=" + file.path : file.path;
  if (!file.present) {
    if (file.overridden)
      out.push_back({Grade::Problem, "dat.conf",
                     name + ": there is no such file; only built-in IAs are offered",
                     "correct or unset DAT_OVERRIDE"});
    else
      out.push_back(
          {Grade::Fine,
           "dat.conf",
           fmt::format("{} is not there, and not needed: the built-in IAs are offered", name),
           {}});
    return;
  }
  if (!file.error.empty()) {
    out.push_back({Grade::Problem, "dat.conf",
                   fmt::format("{}: {}; only built-in IAs are offered", name, file.error),
                   file.permissions  ? "correct its permissions"
                   : file.overridden ? "have DAT_OVERRIDE name a file, or unset it"
                                     : "put a file there, or nothing: it is not needed"});
    return;
  }
  for (const conf::Diagnostic& d : file.document.diagnostics)
    out.push_back({Grade::Problem, "dat.conf", fmt::format("{}:{}: {}", file.path, d.line, d.text),
                   "correct the line; the others count"});
  if (file.document.diagnostics.empty())
    out.push_back({Grade::Fine,
                   "dat.conf",
                   fmt::format("{}: {} entries, no bad line", name, file.document.entries.size()),
                   {}});
}

void judge_module(const Facts& facts, Findings& out) {
  const bool library_missing =
      std::any_of(facts.adapters.begin(), facts.adapters.end(),
                  [](const Adapter& a) { return a.obstacle == Obstacle::Library; });
  if (!facts.module.empty())
    out.push_back({Grade::Fine, "module", facts.module, {}});
  else if (library_missing)
    out.push_back(
        {Grade::Problem, "module",
         fmt::format("{} was not loaded by any adapter", tools::kBuiltInLibrary),
         fmt::format("install it beside {}, or where the loader looks", tools::kRegistryLibrary)});
  else
    out.push_back(
        {Grade::Note,
         "module",
         fmt::format("{} is not in use: no adapter that needs it is open", tools::kBuiltInLibrary),
         {}});
}

void judge_open_adapter(const Adapter& adapter, const std::string& name, Findings& out) {
  // The text for an adapter of the loopback interface begins differently. Such an adapter is not
  // meant to reach other hosts.
  constexpr std::string_view kNoNetwork = "none: no network interface";
  const std::string text = fmt::format("{} opens, {}", name, adapter.address);
  if (adapter.to_other_hosts.starts_with(kNoNetwork))
    out.push_back({Grade::Note, "adapter",
                   fmt::format("{}; over TCP it reaches {}", text, adapter.to_other_hosts),
                   "`ip address` shows the interfaces, their state and addresses"});
  else
    out.push_back({Grade::Fine, "adapter", text, {}});
}

std::string step_for(const Adapter& adapter) {
  if (adapter.by_alias && adapter.obstacle == Obstacle::Unknown)
    return step_for_alias(adapter.name);
  return tools::step_for(adapter.obstacle, adapter.origin);
}

// If shared memory is not available, it is missing for all adapters of the process. So the first
// adapter is enough.
void judge_same_host(const std::vector<Adapter>& adapters, Findings& out) {
  constexpr std::string_view kLack = "shared memory is not available";
  constexpr std::string_view kDescriptors = "descriptors";
  const auto found = std::find_if(adapters.begin(), adapters.end(), [&](const Adapter& a) {
    return a.to_this_host.find(kLack) != std::string::npos;
  });
  if (found == adapters.end()) return;
  const std::string& said = found->to_this_host;
  const bool none = said.starts_with("none");
  out.push_back({none ? Grade::Problem : Grade::Note, "this host",
                 (none ? "way to its processes: " : "its processes are reached over ") + said,
                 said.find(kDescriptors) != std::string::npos
                     ? "look at `open files` below"
                     : "allow it: RestrictAddressFamilies= and SystemCallFilter= of a systemd "
                       "service, the seccomp profile of a container"});
}

// The registry has already logged a warning for each library that it cannot load.
void judge_foreign(const std::vector<Adapter>& foreign, Findings& out) {
  const bool any_tried = std::any_of(foreign.begin(), foreign.end(),
                                     [](const Adapter& adapter) { return adapter.tried; });
  out.push_back({Grade::Note, "adapters", text_of_foreign(foreign),
                 any_tried
                     ? "nothing, unless a program asks for one of them: warnings of libraries "
                       "that cannot be loaded are about these"
                     : ""});
}

void judge_adapters(const Facts& facts, bool all, Findings& out) {
  if (facts.adapters.empty())
    out.push_back({Grade::Problem, "adapters", "no interface adapter at all",
                   "reinstall libdat; its built-in IAs need no configuration"});
  std::vector<Adapter> adapters = facts.adapters;
  const std::vector<Adapter> foreign = all ? std::vector<Adapter>() : take_foreign(adapters);
  for (const Adapter& adapter : adapters) {
    const std::string name = fmt::format("{} u{}.{} ({})", adapter.name, adapter.major,
                                         adapter.minor, adapter.origin.text);
    if (adapter.opens)
      judge_open_adapter(adapter, name, out);
    else if (adapter.major != DAT_VERSION_MAJOR)
      out.push_back({Grade::Note, "adapter", fmt::format("{}: {}", name, adapter.state), {}});
    else
      out.push_back({Grade::Problem, "adapter", fmt::format("{}: {}", name, adapter.state),
                     step_for(adapter)});
  }
  judge_same_host(adapters, out);
  if (!foreign.empty()) judge_foreign(foreign, out);
  judge_module(facts, out);
}

// A foreign registry for DAT 2.0 does not matter to programs of DAT 1.2.
void judge_registry(const Facts& facts, Findings& out) {
  const ForeignRegistry& registry = facts.foreign_registry;
  if (registry.path.empty()) return;
  if (registry.offers_datum) {
    out.push_back({Grade::Fine,
                   "registry 2.0",
                   fmt::format("{} is another maker's, and {} leads its programs to Datum",
                               registry.path, registry.conf),
                   {}});
    return;
  }
  out.push_back(
      {DAT_VERSION_MAJOR == 2 ? Grade::Problem : Grade::Note, "registry 2.0",
       fmt::format("{} is another maker's: programs of DAT 2.0 find Datum only if {} "
                   "names it, and it does not",
                   registry.path, registry.conf),
       fmt::format("as root: {}; or, for one program: dat-run PROGRAM", registry.remedy)});
}

std::string count_text(std::uint64_t value) {
  return value == UINT64_MAX ? "unlimited" : std::to_string(value);
}

// A shell can raise the soft limit at most to the hard limit.
std::string more_files(const Limit& files) {
  if (files.soft < files.hard) return "ulimit -n " + count_text(files.hard);
  return "as root raise the hard limit, in /etc/security/limits.conf or by LimitNOFILE= of the "
         "service";
}

std::string peers_text(std::uint64_t count) {
  return count == 1 ? "one peer process" : fmt::format("some {} peer processes", count);
}

void judge_open_files(const Limit& files, Findings& out) {
  const std::string text =
      fmt::format("{} (at most {}); a process that one is linked with costs about {}",
                  count_text(files.soft), count_text(files.hard), kFilesPerLink);
  if (files.soft < kFilesForOne)
    out.push_back({files.soft < kFilesForOneOverTcp ? Grade::Problem : Grade::Note, "open files",
                   fmt::format("{}; a program with one adapter and one peer process has about {} "
                               "open, or {} over TCP, which DATUM_TRANSPORT=auto takes where there "
                               "are no more",
                               text, kFilesForOne, kFilesForOneOverTcp),
                   more_files(files)});
  else if (files.soft <= kFewFiles)
    out.push_back({Grade::Note, "open files", text,
                   fmt::format("for more than {}: {}",
                               peers_text((files.soft - kFilesForOne) / kFilesPerLink + 1),
                               more_files(files))});
  else
    out.push_back({Grade::Fine, "open files", text, {}});
}

std::string text_of_locked(const std::optional<Limit>& memory) {
  if (!memory) return "unknown";
  return memory->soft == UINT64_MAX ? "unlimited" : tools::human_size(memory->soft);
}

void judge_limits(const Facts& facts, Findings& out) {
  if (facts.open_files)
    judge_open_files(*facts.open_files, out);
  else
    out.push_back({Grade::Note, "open files", "unknown: the limits of this process cannot be read",
                   "look at `system calls` below, and at `ulimit -n`"});
  out.push_back({Grade::Fine,
                 "locked memory",
                 fmt::format("{}; Datum locks none, RDMA hardware would need it",
                             text_of_locked(facts.locked_memory)),
                 {}});
  if (facts.cores < 2)
    out.push_back({Grade::Note, "cores", "one core: nobody spins, every wait sleeps",
                   "give the process a second core for low latencies"});
  else
    out.push_back({Grade::Fine, "cores", fmt::format("{} usable", facts.cores), {}});
}

void judge_kernel(const Facts& facts, Findings& out) {
  if (facts.missing_calls.empty()) {
    out.push_back({Grade::Fine,
                   "kernel",
                   fmt::format("Linux {}: every system call that Datum prefers", facts.kernel),
                   {}});
    return;
  }
  std::vector<std::string> missing;
  for (const KernelCall& call : facts.missing_calls)
    if (call.absence == Absence::Lacking)
      missing.push_back(fmt::format("{} (Linux {}): {}", call.name, call.since, call.instead));
  if (missing.empty())
    out.push_back(
        {Grade::Fine,
         "kernel",
         fmt::format("Linux {}: new enough for every system call that Datum prefers", facts.kernel),
         {}});
  else
    out.push_back({Grade::Note, "kernel",
                   fmt::format("Linux {}: works, but without {}", facts.kernel,
                               fmt::join(missing, "; without ")),
                   "a newer kernel has them"});
}

void judge_access(const Facts& facts, Findings& out) {
  if (!facts.proc_mounted) {
    out.push_back({Grade::Note, "direct access",
                   "/proc is not mounted, through which a peer's memory is found: large transfers "
                   "take two copies instead of one, memory cannot be registered by a shared name, "
                   "and less can be checked here",
                   "mount -t proc proc /proc"});
    return;
  }
  if (facts.sibling_access) {
    out.push_back({Grade::Fine,
                   "direct access",
                   "processes of this user may copy between each other's memory (process_vm_*)",
                   {}});
    return;
  }
  const std::string scope =
      facts.ptrace_scope ? fmt::format(" (kernel.yama.ptrace_scope is {})", *facts.ptrace_scope)
                         : "";
  out.push_back(
      {Grade::Note, "direct access",
       fmt::format("process_vm_readv or process_vm_writev between two processes of this user: "
                   "{}{}; large transfers of "
                   "ordinary memory take two copies instead of one, shareable memory may be slower",
                   facts.sibling_error, scope),
       facts.ptrace_scope.value_or(0) > 0
           ? "sysctl kernel.yama.ptrace_scope=0 as root, if your security policy allows"
           : "a container's seccomp profile may forbid them; allow process_vm_readv, "
             "process_vm_writev and ptrace"});
}

constexpr const char* kWhereAllowed =
    "SystemCallFilter= of a systemd service, the seccomp profile of a container";

// The calls that Datum prefers and that are missing although the kernel is new enough.
void judge_preferred_calls(const Facts& facts, Findings& out) {
  std::vector<std::string> refused, unclear;
  for (const KernelCall& call : facts.missing_calls) {
    const char* const error = std::strerror(call.error);
    if (call.absence == Absence::Refused)
      refused.push_back(fmt::format("{} ({}): {}", call.name, error, call.instead));
    if (call.absence == Absence::RefusedOrLacking)
      unclear.push_back(
          fmt::format("{} ({}; Linux {}): {}", call.name, error, call.since, call.instead));
  }
  if (!refused.empty())
    out.push_back({Grade::Note, "system calls",
                   fmt::format("the sandbox of this process (seccomp) refuses some that Datum can "
                               "do without: {}",
                               fmt::join(refused, "; ")),
                   fmt::format("allow them: {}", kWhereAllowed)});
  if (!unclear.empty())
    out.push_back(
        {Grade::Note, "system calls",
         fmt::format("a sandbox (seccomp) refuses, or this kernel was built without, some "
                     "that Datum can do without: {}",
                     fmt::join(unclear, "; ")),
         fmt::format("if there is a sandbox, allow them: {}", kWhereAllowed)});
}

// "sendmsg (Operation not permitted), sendto (Operation not permitted): connections go over TCP
// alone", one text for each consequence.
std::vector<std::string> refusals_by_consequence(const std::vector<RefusedCall>& calls) {
  std::map<std::string, std::vector<std::string>> refused; // by the consequence
  for (const RefusedCall& call : calls)
    refused[call.then].push_back(fmt::format("{} ({})", call.name, std::strerror(call.error)));
  std::vector<std::string> texts;
  texts.reserve(refused.size());
  for (const auto& [then, names] : refused)
    texts.push_back(fmt::format("{}: {}", fmt::join(names, ", "), then));
  return texts;
}

void judge_calls(const Facts& facts, Findings& out) {
  judge_preferred_calls(facts, out);
  if (facts.refused_calls.empty()) {
    out.push_back({Grade::Fine, "system calls", "no filter refuses those that Datum needs", {}});
    return;
  }
  out.push_back({Grade::Problem, "system calls",
                 fmt::format("the sandbox of this process (seccomp) refuses {}",
                             fmt::join(refusals_by_consequence(facts.refused_calls), "; ")),
                 fmt::format("allow them: {}", kWhereAllowed)});
}

void judge_memory(const Facts& facts, Findings& out) {
  if (facts.memfd_error.empty())
    out.push_back({Grade::Fine, "shared memory", "memfd_create works", {}});
  else
    out.push_back(
        {Grade::Problem, "shared memory", facts.memfd_error,
         "links between processes need it; look at `ulimit -n` and `ulimit -f`, at seccomp "
         "profiles and at memory limits of the control group"});
  if (!facts.shm_free)
    out.push_back({Grade::Note,
                   "/dev/shm",
                   "not mounted; only programs that share memory by "
                   "shm_open miss it",
                   {}});
  else if (*facts.shm_free < kLittleShm)
    out.push_back({Grade::Note, "/dev/shm",
                   fmt::format("{} free; Datum does not use it, programs that share memory by "
                               "shm_open do",
                               tools::human_size(*facts.shm_free)),
                   "in a container: --shm-size"});
  const bool transparent = facts.shmem_huge_pages.find("[never]") == std::string::npos &&
                           facts.shmem_huge_pages.find("[deny]") == std::string::npos &&
                           !facts.shmem_huge_pages.empty();
  if (transparent || facts.huge_pages_free.value_or(0) > 0)
    out.push_back({Grade::Fine,
                   "huge pages",
                   fmt::format("for shared memory: {}; {} in the pool",
                               transparent ? "transparent" : "not transparent",
                               facts.huge_pages_free.value_or(0)),
                   {}});
  else
    out.push_back(
        {Grade::Note, "huge pages",
         fmt::format("shareable memory gets base pages only{}",
                     facts.huge_pages_on_request ? ", except of datum_memory_alloc_huge" : ""),
         "as root: echo advise >/sys/kernel/mm/transparent_hugepage/shmem_enabled, or "
         "sysctl vm.nr_hugepages=N"});
}

// The TCP ports that connection qualifiers above 65535 are mapped to.
PortRange mapped_ports(const Facts& facts) {
  constexpr PortRange kMappedPorts{16384, 24575};
  for (const auto& [name, value] : facts.environment)
    if (name == about(Variable::PortRange).name) return parse_ports(value).value_or(kMappedPorts);
  return kMappedPorts;
}

void judge_ports(const Facts& facts, Findings& out) {
  const std::string found =
      fmt::format("ephemeral {}, privileged below {}",
                  facts.ephemeral_ports.empty() ? "unknown" : facts.ephemeral_ports,
                  facts.first_unprivileged_port.value_or(1024));
  const PortRange mapped = mapped_ports(facts);
  unsigned low = 0, high = 0; // the range of ephemeral ports
  std::istringstream in(facts.ephemeral_ports);
  const bool overlap = in >> low >> high && low <= mapped.high && mapped.low <= high;
  if (!overlap) {
    out.push_back({Grade::Fine, "ports", found, {}});
    return;
  }
  out.push_back(
      {Grade::Note, "ports",
       fmt::format("{}; {} to {} stand for connection qualifiers above 65535, and an outgoing "
                   "connection of any program may have taken one: such a qualifier can be in use, "
                   "or be found later",
                   found, mapped.low, mapped.high),
       fmt::format("as root, if such qualifiers are used: sysctl "
                   "net.ipv4.ip_local_port_range=\"LOW HIGH\" without {} to {}",
                   mapped.low, mapped.high)});
}

// Shows only the first few, since any user can hold any number of names.
void judge_names(const Facts& facts, Findings& out) {
  constexpr std::size_t kShown = 8;
  const std::size_t count = facts.held_names.size();
  for (std::size_t i = 0; i < std::min(count, kShown); ++i) {
    const auto& [name, owner] = facts.held_names[i];
    out.push_back(
        {Grade::Note, "names",
         fmt::format(
             "port {} belongs to user {}, but the socket name @{}/{}/{} is held by user {}: a "
             "service point made there while it is held is reached over TCP alone",
             name.port, owner, name.family, name.host, name.port, name.holder),
         fmt::format("`ss -xap | grep @{}/` as root shows the process; end it, and make a service "
                     "point at {} that was made meanwhile anew",
                     name.family, name.port)});
  }
  if (count > kShown)
    out.push_back({Grade::Note, "names", fmt::format("{} more of that kind", count - kShown), {}});
}

void judge_network(const Facts& facts, Findings& out) {
  if (facts.own_network)
    out.push_back(
        {Grade::Note, "namespaces",
         "this process is in a network namespace of its own (a container?): it meets only "
         "processes of the same one by shared memory",
         "containers of one pod share it; otherwise let them share the host's network"});
  else
    out.push_back(
        {Grade::Fine,
         "namespaces",
         facts.namespaces_known ? fmt::format("the network of process 1{}",
                                              facts.own_pids ? ", another pid namespace" : "")
         : !facts.proc_mounted  ? "unknown without /proc"
         : facts.root ? "those of process 1 cannot be seen, not even as root: a container or a "
                        "sandbox hides them"
                      : "those of process 1 cannot be seen by this user",
         {}});
  judge_ports(facts, out);
  judge_names(facts, out);
}

void judge_devices(const Facts& facts, Findings& out) {
  if (facts.rdma_devices.empty())
    out.push_back({Grade::Fine, "RDMA devices", "none, and none needed", {}});
  else
    out.push_back({Grade::Note,
                   "RDMA devices",
                   fmt::format("{}: present; the IAs of Datum listed here do not use them",
                               fmt::join(facts.rdma_devices, ", ")),
                   {}});
}

} // namespace

std::vector<Finding> judge(const Facts& facts, bool all) {
  Findings findings;
  judge_conf(facts, findings);
  judge_adapters(facts, all, findings);
  judge_registry(facts, findings);
  judge_environment(facts, findings);
  judge_limits(facts, findings);
  judge_kernel(facts, findings);
  judge_access(facts, findings);
  judge_calls(facts, findings);
  judge_memory(facts, findings);
  judge_network(facts, findings);
  judge_devices(facts, findings);
  return findings;
}

bool any_problem(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& f) { return f.grade == Grade::Problem; });
}

const char* name_of(Grade grade) {
  switch (grade) {
  case Grade::Fine: return "ok";
  case Grade::Note: return "note";
  case Grade::Problem: return "problem";
  }
  return "?";
}

} // namespace datum::info
