// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/facts.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/unique_fd.h"
#include "base/variables.h"
#include "common/dat.h"
#include "common/memory_fd.h"
#include "info/loaded.h"
#include "info/proc.h"

namespace fs = std::filesystem;

namespace datum::info {
namespace {

// The C library has its own type for the first argument of getrlimit(2), hence decltype.
std::optional<Limit> limit_of(decltype(RLIMIT_NOFILE) resource) {
  rlimit limit = {};
  if (getrlimit(resource, &limit) != 0) return std::nullopt;
  const auto value = [](rlim_t v) { return v == RLIM_INFINITY ? UINT64_MAX : std::uint64_t{v}; };
  return Limit{value(limit.rlim_cur), value(limit.rlim_max)};
}

std::vector<std::pair<std::string, std::string>> dat_environment() {
  std::vector<std::pair<std::string, std::string>> found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) continue;
    if (text.starts_with("DAT_") || text.starts_with("DATUM_"))
      found.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  std::sort(found.begin(), found.end());
  return found;
}

// The names in DATUM_ALIAS, which programs will ask for.
std::vector<std::string> alias_names() {
  std::vector<std::string> names;
  const char* const setting = value_of(Variable::Alias);
  each_alias(setting == nullptr ? "" : setting, [&](std::string_view part) {
    if (const auto alias = parse_alias(part)) names.emplace_back(alias->first);
  });
  return names;
}

std::string test_memfd() {
  const UniqueFd fd = tools::make_memory_fd("dat-info");
  if (!fd) return fmt::format("memfd_create: {}", std::strerror(errno));
  if (ftruncate(fd.get(), 4096) == 0) return {};
  return fmt::format("memfd_create works, but the length of what it made cannot be set: "
                     "ftruncate: {}",
                     std::strerror(errno));
}

// Tries process_vm_readv(2) between two processes of this user, neither of which is the other's
// parent. Also checks whether the call process_vm_writev(2) itself is refused. Returns 0 or errno.
// The target process blocks in a read from a pipe until this process closes the other end.
int reach_sibling() {
  int hold[2];
  if (pipe(hold) != 0) return errno;
  static const char kSecret[] = "datum";
  const pid_t target = fork();
  if (target == 0) {
    char c = 0;
    close(hold[1]);
    _exit(read(hold[0], &c, 1) < 0 ? 1 : 0);
  }
  const pid_t reader = target < 0 ? -1 : fork();
  if (reader == 0) {
    char copy[sizeof kSecret] = {};
    const iovec local = {copy, sizeof copy};
    const iovec remote = {const_cast<char*>(kSecret), sizeof kSecret};
    const ssize_t got = process_vm_readv(target, &local, 1, &remote, 1, 0);
    const bool may = got == static_cast<ssize_t>(sizeof copy) &&
                     process_vm_writev(target, nullptr, 0, nullptr, 0, 0) == 0;
    _exit(may ? 0 : errno);
  }
  int status = 0;
  if (reader > 0) waitpid(reader, &status, 0);
  close(hold[0]);
  close(hold[1]);
  if (target > 0) waitpid(target, nullptr, 0);
  if (target < 0 || reader < 0) return EAGAIN;
  return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

void look_at_namespaces(Facts& facts) {
  const std::string net = read_link("/proc/1/ns/net"), pids = read_link("/proc/1/ns/pid");
  facts.namespaces_known = !net.empty() && !pids.empty();
  if (!facts.namespaces_known) return;
  facts.own_network = net != read_link("/proc/self/ns/net");
  facts.own_pids = pids != read_link("/proc/self/ns/pid");
}

// True: the kernel has put shareable memory on a huge page on request, as
// datum_memory_alloc_huge() asks it. Settings and the version alone do not tell: it needs free
// memory, too.
bool makes_huge_page() {
  constexpr int kCollapse = 25; // MADV_COLLAPSE is newer than many C libraries' headers
  constexpr std::size_t kHuge = std::size_t{2} << 20;
  const UniqueFd file = tools::make_memory_fd("a huge page");
  if (!file || ftruncate(file.get(), kHuge) != 0) return false;
  void* const room = mmap(nullptr, 2 * kHuge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return false;
  void* const aligned =
      reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(room) + kHuge - 1) & ~(kHuge - 1));
  // Pages that are not present cannot be collapsed.
  const bool made = mmap(aligned, kHuge, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_FIXED | MAP_POPULATE, file.get(), 0) != MAP_FAILED &&
                    madvise(aligned, kHuge, kCollapse) == 0;
  munmap(room, 2 * kHuge);
  return made;
}

std::vector<std::string> names_in(const char* folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    names.push_back(at->path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace

Facts gather_facts() {
  Facts facts;
  // This comes before the first use of DAT, because a child of a process with threads may do
  // little.
  const int denied = reach_sibling();
  facts.sibling_access = denied == 0;
  if (denied != 0) facts.sibling_error = std::strerror(denied);
  facts.conf = tools::read_conf_file();
  facts.adapters = list_adapters(facts.conf, alias_names());
  for (Adapter& adapter : facts.adapters) try_open(adapter);
  facts.foreign_registry = find_foreign_registry(facts.conf);
  facts.module = path_of_library(tools::kBuiltInLibrary);
  facts.root = geteuid() == 0;
  facts.environment = dat_environment();
  facts.open_files = limit_of(RLIMIT_NOFILE);
  facts.locked_memory = limit_of(RLIMIT_MEMLOCK);
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) == 0)
    facts.cores = static_cast<unsigned>(CPU_COUNT(&cores));
  utsname system = {};
  if (uname(&system) == 0) facts.kernel = system.release;
  facts.missing_calls = missing_kernel_calls(facts.kernel);
  facts.proc_mounted = access("/proc/self/maps", R_OK) == 0;
  facts.ptrace_scope = read_number("/proc/sys/kernel/yama/ptrace_scope");
  facts.memfd_error = test_memfd();
  facts.refused_calls = refused_kernel_calls();
  struct statvfs shm = {};
  if (statvfs("/dev/shm", &shm) == 0) facts.shm_free = std::uint64_t{shm.f_bavail} * shm.f_frsize;
  look_at_namespaces(facts);
  facts.ephemeral_ports = first_line("/proc/sys/net/ipv4/ip_local_port_range");
  std::replace(facts.ephemeral_ports.begin(), facts.ephemeral_ports.end(), '\t', ' ');
  facts.first_unprivileged_port = read_number("/proc/sys/net/ipv4/ip_unprivileged_port_start");
  facts.held_names = find_held_names();
  facts.rdma_devices = names_in("/sys/class/infiniband");
  facts.shmem_huge_pages = first_line("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  facts.huge_pages_on_request = makes_huge_page();
  facts.huge_pages_free = read_number("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages");
  return facts;
}

} // namespace datum::info
