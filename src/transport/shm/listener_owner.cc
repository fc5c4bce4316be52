// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/listener_owner.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <span>
#include <string>
#include <sys/socket.h>

#include "base/shortage.h"
#include "base/socket_call.h"
#include "transport/host/diagnostics.h"
#include "transport/host/text_file.h"

namespace datum {
namespace {

struct DiagnosticsRequest {
  nlmsghdr header;
  inet_diag_req_v2 request;
};

// Asks for a single socket, not for a dump. The kernel then finds the socket that would answer a
// SYN, also if that socket is bound to a wildcard address or is dual-stack. The result is empty if
// no socket listens or if the kernel cannot answer: ENOENT stands for "no such listener" and for
// "no such module".
OrErrno<std::optional<uid_t>> ask_kernel(const HostAddress& host, std::uint16_t port) {
  const auto socket = open_diagnostics();
  if (!socket) return tl::unexpected(socket.error());
  DiagnosticsRequest question{};
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
  if (send_octets(socket->get(), std::as_bytes(std::span(&question, 1))) < 0) return std::nullopt;

  struct {
    nlmsghdr header;
    inet_diag_msg found;
    std::byte attributes[1024];
  } answer{};
  const ssize_t length =
      receive_octets(socket->get(), std::as_writable_bytes(std::span(&answer, 1)));
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
std::string address_in_proc(std::span<const std::uint8_t> octets) {
  std::string text;
  for (std::size_t i = 0; i < octets.size(); i += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, octets.data() + i, 4);
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

// ::ffff:192.0.2.1: the address under which a socket of IPv6 answers IPv4.
std::string mapped_in_proc(std::span<const std::uint8_t> ipv4) {
  std::array<std::uint8_t, 16> octets{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  std::copy(ipv4.begin(), ipv4.end(), octets.begin() + 12);
  return address_in_proc(octets);
}

// True: no socket answers IPv4 at that port, since this process can bind to it. False: a socket may
// answer, or this process cannot bind for another reason, such as a privilege, a policy, or an
// address that no interface has.
bool is_free_of_ipv4(const HostAddress& host, std::uint16_t port) {
  const UniqueFd probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!probe) return false;
  // With SO_REUSEADDR only a listening socket makes bind() fail. Another process that sets the
  // option, too, can bind while the probe is bound.
  const int on = 1;
  ::setsockopt(probe.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_storage address{};
  const socklen_t length = to_sockaddr(host, port, address);
  return ::bind(probe.get(), reinterpret_cast<sockaddr*>(&address), length) == 0;
}

// A missing file counts as an empty one.
OrErrno<std::string> read_listeners(const char* path) {
  errno = 0;
  std::string listeners = read_text_file(path);
  if (shortage_of(errno).lack != Lack::Other) return tl::unexpected(errno);
  return listeners;
}

} // namespace

std::optional<FoundListener> find_listener(std::string_view v4, std::string_view v6,
                                           const HostAddress& host, std::uint16_t port) {
  char digits[6];
  std::snprintf(digits, sizeof digits, ":%04X", port);
  const std::span<const std::uint8_t> octets(host.bytes);
  const std::string every = std::string(32, '0') + digits;
  if (host.family != AF_INET) {
    for (const std::string& local : {address_in_proc(octets) + digits, every})
      if (const auto owner = find_line(v6, local)) return FoundListener{*owner};
    return std::nullopt;
  }
  constexpr std::array<std::uint8_t, 4> kEveryIpv4{};
  for (const auto& each : {octets.first(4), std::span<const std::uint8_t>(kEveryIpv4)}) {
    if (const auto owner = find_line(v4, address_in_proc(each) + digits))
      return FoundListener{*owner};
    if (const auto owner = find_line(v6, mapped_in_proc(each) + digits))
      return FoundListener{*owner};
  }
  const auto owner = find_line(v6, every);
  return owner ? std::optional(FoundListener{*owner, true}) : std::nullopt;
}

OrErrno<std::optional<uid_t>> tcp_listener_owner(const HostAddress& host, std::uint16_t port) {
  const auto owner = ask_kernel(host, port);
  if (!owner || *owner) return owner;
  const auto v4 = read_listeners("/proc/net/tcp");
  if (!v4) return tl::unexpected(v4.error());
  const auto v6 = read_listeners("/proc/net/tcp6");
  if (!v6) return tl::unexpected(v6.error());
  const auto found = find_listener(*v4, *v6, host, port);
  // An IPv6 socket answers IPv4 by default. If the files do not tell, it counts as the listener
  // unless the port is free for IPv4.
  if (!found || (found->may_be_ipv6_only && is_free_of_ipv4(host, port))) return std::nullopt;
  return found->owner;
}

} // namespace datum
