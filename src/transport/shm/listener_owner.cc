// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/listener_owner.h"

#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <sys/socket.h>

#include "base/shortage.h"
#include "transport/inet/diagnostics.h"
#include "transport/inet/text_file.h"

namespace datum {
namespace {

struct Question {
  nlmsghdr header;
  inet_diag_req_v2 request;
};

// The exact lookup is the one a SYN from anywhere would meet, wildcard and dual-stack included.
// Nothing also when the kernel cannot tell: ENOENT stands for "no such listener" and for "no such
// module".
OrErrno<std::optional<uid_t>> ask_kernel(const HostAddress& host, std::uint16_t port) {
  const auto socket = open_diagnostics();
  if (!socket) return tl::unexpected(socket.error());
  Question question{};
  question.header.nlmsg_len = sizeof question;
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.request.sdiag_family = static_cast<std::uint8_t>(host.family);
  question.request.sdiag_protocol = IPPROTO_TCP;
  question.request.idiag_states = 1U << TCP_LISTEN;
  question.request.id.idiag_sport = htons(port);
  std::memcpy(question.request.id.idiag_src, host.bytes.data(), host.bytes.size());
  question.request.id.idiag_if = host.scope;
  question.request.id.idiag_cookie[0] = static_cast<std::uint32_t>(INET_DIAG_NOCOOKIE);
  question.request.id.idiag_cookie[1] = static_cast<std::uint32_t>(INET_DIAG_NOCOOKIE);
  if (::send(socket->get(), &question, sizeof question, 0) < 0) return std::nullopt;

  struct {
    nlmsghdr header;
    inet_diag_msg found;
    std::byte attributes[1024];
  } answer{};
  const ssize_t length = ::recv(socket->get(), &answer, sizeof answer, 0);
  if (length < static_cast<ssize_t>(sizeof answer.header + sizeof answer.found) ||
      answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY || answer.found.idiag_state != TCP_LISTEN)
    return std::nullopt;
  return std::optional<uid_t>(answer.found.idiag_uid);
}

std::string_view take_word(std::string_view& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  const std::size_t end = std::min(line.find(' ', begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

// The kernel prints each 32-bit word of an address as it lies in memory.
std::string address_in_proc(const HostAddress& host) {
  std::string text;
  const std::size_t words = host.family == AF_INET ? 1 : 4;
  for (std::size_t i = 0; i < words; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, host.bytes.data() + 4 * i, 4);
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08X", word);
    text += digits;
  }
  return text;
}

// "  sl  local_address rem_address st tx:rx tr:when retrnsmt uid ..."
std::optional<uid_t> find_line(std::string_view file, std::string_view local) {
  while (!file.empty()) {
    const std::size_t end = std::min(file.find('\n'), file.size());
    std::string_view line = file.substr(0, end);
    file.remove_prefix(std::min(end + 1, file.size()));
    take_word(line);
    const std::string_view address = take_word(line);
    take_word(line);
    const std::string_view state = take_word(line);
    if (address != local || state != "0A") continue;
    for (int skipped = 0; skipped < 3; ++skipped) take_word(line);
    const std::string_view word = take_word(line);
    uid_t owner = 0;
    const auto end_of_number = std::from_chars(word.data(), word.data() + word.size(), owner);
    if (end_of_number.ec == std::errc{}) return owner;
  }
  return std::nullopt;
}

// A missing file is an empty one.
OrErrno<std::string> read_listeners(const char* path) {
  errno = 0;
  std::string listeners = read_text_file(path);
  if (shortage_of(errno).lack != Lack::Other) return tl::unexpected(errno);
  return listeners;
}

} // namespace

std::optional<uid_t> find_listener(std::string_view v4, std::string_view v6,
                                   const HostAddress& host, std::uint16_t port) {
  char digits[6];
  std::snprintf(digits, sizeof digits, ":%04X", port);
  const bool is_v4 = host.family == AF_INET;
  if (const auto owner = find_line(is_v4 ? v4 : v6, address_in_proc(host) + digits)) return owner;
  if (is_v4)
    if (const auto owner = find_line(v4, std::string("00000000") + digits)) return owner;
  return find_line(v6, std::string(32, '0') + digits);
}

OrErrno<std::optional<uid_t>> tcp_listener_owner(const HostAddress& host, std::uint16_t port) {
  const auto owner = ask_kernel(host, port);
  if (!owner || *owner) return owner;
  const auto v4 = read_listeners("/proc/net/tcp");
  if (!v4) return tl::unexpected(v4.error());
  const auto v6 = read_listeners("/proc/net/tcp6");
  if (!v6) return tl::unexpected(v6.error());
  return find_listener(*v4, *v6, host, port);
}

} // namespace datum
