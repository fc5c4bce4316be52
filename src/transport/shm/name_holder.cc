// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/name_holder.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/tcp.h>
#include <span>
#include <string_view>
#include <sys/socket.h>

#include "transport/shm/diagnostics.h"

namespace datum {
namespace {

struct NamesQuestion {
  nlmsghdr header;
  unix_diag_req request;
};

NamesQuestion for_listeners() {
  NamesQuestion question{};
  question.header.nlmsg_len = sizeof question;
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  question.request.sdiag_family = AF_UNIX;
  question.request.udiag_states = 1U << TCP_LISTEN;
  question.request.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_UID;
  return question;
}

// An nlattr, or a message with its header, of what is left; empty: there is none that is whole.
template <class Header>
std::span<const std::byte> split(std::span<const std::byte>& left, std::size_t length) {
  if (length < sizeof(Header) || length > left.size()) return {};
  const auto taken = left.first(length);
  left = left.subspan(std::min(left.size(), (length + 3) & ~std::size_t{3}));
  return taken;
}

template <class T>
bool copy_out(std::span<const std::byte> from, T& into) {
  if (from.size() < sizeof into) return false;
  std::memcpy(&into, from.data(), sizeof into);
  return true;
}

// Of one socket: whose it is, if that is its name.
std::optional<uid_t> holder_in(std::span<const std::byte> message, std::string_view name) {
  unix_diag_msg about{};
  if (!copy_out(message, about) || about.udiag_type != SOCK_SEQPACKET) return std::nullopt;
  auto left = message.subspan(sizeof about);
  bool is_it = false;
  std::optional<uid_t> owner;
  for (nlattr header{}; copy_out(left, header);) {
    const auto attribute = split<nlattr>(left, header.nla_len);
    if (attribute.empty()) break;
    const auto value = attribute.subspan(sizeof header);
    uid_t uid = 0;
    if (header.nla_type == UNIX_DIAG_UID && copy_out(value, uid)) owner = uid;
    if (header.nla_type == UNIX_DIAG_NAME)
      is_it = std::string_view(reinterpret_cast<const char*>(value.data()), value.size()) == name;
  }
  return is_it ? owner : std::nullopt;
}

// False: it is over. `owner`: as soon as it is known.
bool read_part(std::span<const std::byte> left, std::string_view name,
               std::optional<uid_t>& owner) {
  for (nlmsghdr header{}; copy_out(left, header);) {
    const auto message = split<nlmsghdr>(left, header.nlmsg_len);
    if (message.empty() || header.nlmsg_type != SOCK_DIAG_BY_FAMILY) return false;
    owner = holder_in(message.subspan(sizeof header), name);
    if (owner) return false;
  }
  return true;
}

} // namespace

OrErrno<std::optional<uid_t>> name_holder(const std::string& name) {
  const auto socket = open_diagnostics();
  if (!socket) return tl::unexpected(socket.error());
  const NamesQuestion question = for_listeners();
  if (::send(socket->get(), &question, sizeof question, 0) < 0) return std::nullopt;
  const std::string abstract = '\0' + name;
  std::optional<uid_t> owner;
  // The kernel makes no part longer than whoever reads it has had room for.
  alignas(nlmsghdr) std::byte part[8 * 1024];
  for (bool more = true; more;) {
    const ssize_t length = ::recv(socket->get(), part, sizeof part, 0);
    if (length <= 0) break;
    more = read_part(std::span(part).first(static_cast<std::size_t>(length)), abstract, owner);
  }
  return owner;
}

} // namespace datum
