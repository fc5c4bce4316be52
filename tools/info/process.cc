// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/process.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "common/tool_error.h"
#include "info/proc.h"

namespace fs = std::filesystem;

namespace datum::info {
namespace {

constexpr std::string_view kSegmentPrefix = "/memfd:datum-";

bool is_dat_library(const std::string& path) {
  const std::string name = fs::path(path).filename();
  return name.starts_with("libdat.so") || name.starts_with("libdat2.so") ||
         name.starts_with("libdatum");
}

// The soft limit in /proc/PID/limits: "Max open files   1024   4096   files".
std::string open_files_limit(const std::string& limits) {
  const std::size_t line = limits.find("Max open files");
  if (line == std::string::npos) return {};
  const std::size_t first = limits.find_first_of("0123456789u", line + 14);
  const std::size_t last = std::min(limits.find(' ', first), limits.size());
  return limits.substr(std::min(first, limits.size()), last - first);
}

class Viewer {
 public:
  explicit Viewer(pid_t pid) : base_(fmt::format("/proc/{}/", pid)) { view_.pid = pid; }
  ProcessView view();

 private:
  void look_at_program();
  void look_at_maps();
  void look_at_descriptors();
  void look_at_network(const std::set<std::uint64_t>& sockets);
  void look_at_threads();
  void take(Answer answer);
  [[nodiscard]] std::string hidden(const char* what, int error) const;
  void add_segment(const MapLine& map);

  std::string base_;
  ProcessView view_;
};

void Viewer::add_segment(const MapLine& map) {
  const std::string name = map.path.substr(std::string_view("/memfd:").size());
  auto found = std::find_if(view_.segments.begin(), view_.segments.end(),
                            [&](const SharedSegment& s) { return s.name == name; });
  if (found == view_.segments.end())
    found = view_.segments.insert(view_.segments.end(), SharedSegment{name, 0, 0});
  ++found->count;
  found->bytes += map.size;
}

std::string Viewer::hidden(const char* what, int error) const {
  if (error != EACCES && error != EPERM)
    return fmt::format("{}: {} (did it end meanwhile?)", what, std::strerror(error));
  if (view_.user != std::to_string(geteuid()) && geteuid() != 0)
    return fmt::format("{}: another user's process (run as that user, or as root)", what);
  return fmt::format("{}: {} (it lets nobody look, or a sandbox forbids it)", what,
                     std::strerror(error));
}

void Viewer::look_at_maps() {
  errno = 0;
  const std::string text = read_text(base_ + "maps");
  if (text.empty() && errno != 0) {
    view_.gaps.push_back(hidden("its mappings", errno));
    return;
  }
  view_.mappings_seen = true;
  for (const MapLine& map : parse_maps(text)) {
    if (map.path.starts_with(kSegmentPrefix)) {
      add_segment(map);
    } else if (is_dat_library(map.path)) {
      const bool known = std::any_of(view_.libraries.begin(), view_.libraries.end(),
                                     [&](const MappedLibrary& l) { return l.path == map.path; });
      if (!known) view_.libraries.push_back({map.path, map.deleted});
    }
  }
}

void Viewer::look_at_descriptors() {
  std::set<std::uint64_t> sockets;
  std::error_code error;
  for (fs::directory_iterator at(base_ + "fd", error), end; !error && at != end;
       at.increment(error)) {
    ++view_.descriptors;
    const std::string link = read_link(at->path());
    if (const auto inode = socket_inode(link)) sockets.insert(*inode);
    if (const auto peer = process_of_memory(link)) view_.direct.push_back(std::to_string(*peer));
  }
  if (error) {
    view_.gaps.push_back(hidden("its descriptors and sockets", error.value()));
    return;
  }
  view_.descriptors_seen = true;
  look_at_network(sockets);
}

// Reads the tables of that process's network namespace.
void Viewer::look_at_network(const std::set<std::uint64_t>& sockets) {
  const std::string own = read_link("/proc/self/ns/net"), its = read_link(base_ + "ns/net");
  if (!own.empty() && !its.empty())
    view_.network = own == its ? ProcessView::Network::Same : ProcessView::Network::Other;
  SocketTables tables;
  tables.names = parse_unix_sockets(read_text(base_ + "net/unix"));
  tables.tcp = parse_tcp_sockets(read_text(base_ + "net/tcp"));
  for (TcpSocket& socket : parse_tcp_sockets(read_text(base_ + "net/tcp6"))) // empty without IPv6
    tables.tcp.push_back(std::move(socket));
  std::vector<std::string> ias;
  for (const UnixSocket& socket : tables.names) {
    if (!sockets.contains(socket.inode)) continue;
    if (socket.listening && socket.name.starts_with(kInquiryName)) ias.push_back(socket.name);
    if (!socket.name.starts_with("@datum/")) continue;
    if (socket.listening || socket.name.starts_with(kMappedQualifier))
      view_.listeners.push_back(socket.name);
    else if (socket.connected)
      ++view_.accepted;
  }
  for (Answer& answer : ask(ias)) take(std::move(answer));
  for (const TcpSocket& socket : tables.tcp) {
    if (!sockets.contains(socket.inode)) continue;
    if (socket.listening())
      view_.tcp_listeners.push_back(socket.local);
    else if (socket.remote.port != 0)
      view_.tcp_connections.push_back(explain(socket, tables, view_.transport.value_or("")));
  }
}

void Viewer::take(Answer answer) {
  if (answer.report)
    view_.reports.push_back(std::move(*answer.report));
  else
    view_.gaps.push_back(std::move(answer.gap));
}

void Viewer::look_at_threads() {
  std::error_code error;
  for (fs::directory_iterator at(base_ + "task", error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = first_line(at->path() / "comm");
    if (name.starts_with("datum-")) view_.threads.push_back(name);
  }
  view_.threads_seen = !error;
  if (error) view_.gaps.push_back(hidden("its threads", error.value()));
}

void Viewer::look_at_program() {
  errno = 0;
  std::string program = read_link(base_ + "exe");
  // A kernel thread has no program.
  if (!program.empty() || errno == ENOENT) view_.program = std::move(program);
  errno = 0;
  const std::string environment = read_text(base_ + "environ");
  if (!environment.empty() || errno == 0)
    view_.transport = environment_value(environment, "DATUM_TRANSPORT");
}

ProcessView Viewer::view() {
  const std::string status = read_text(base_ + "status");
  if (status.empty() && read_text("/proc/self/status").empty())
    throw tools::ToolError(tools::ExitCode::Usage,
                           fmt::format("process {}: /proc is not mounted, and nothing else tells "
                                       "about other processes (mount -t proc proc /proc)",
                                       view_.pid));
  if (status.empty())
    throw tools::ToolError(tools::ExitCode::Usage,
                           fmt::format("process {}: there is none, or it is in a pid namespace "
                                       "that cannot be seen from here (see ps)",
                                       view_.pid));
  view_.command = status_field(status, "Name");
  view_.state = status_field(status, "State");
  view_.user = status_field(status, "Uid");
  view_.user.resize(std::min(view_.user.find('\t'), view_.user.size()));
  view_.descriptor_limit = open_files_limit(read_text(base_ + "limits"));
  if (view_.state.starts_with('Z')) {
    view_.gaps.emplace_back("anything else: it has ended, and its parent has not asked for that");
    return view_;
  }
  look_at_program();
  look_at_maps();
  look_at_descriptors();
  look_at_threads();
  return view_;
}

} // namespace

unsigned ProcessView::links() const {
  for (const SharedSegment& segment : segments)
    if (segment.name == "datum-link") return segment.count;
  return 0;
}

ProcessView view_process(pid_t pid) {
  return Viewer(pid).view();
}

} // namespace datum::info
