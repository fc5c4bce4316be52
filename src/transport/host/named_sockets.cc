// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/host/named_sockets.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/tcp.h>
#include <optional>
#include <span>
#include <sys/socket.h>

#include "base/socket_call.h"
#include "transport/host/diagnostics.h"

namespace datum {
namespace {

using Look = std::function<bool(const NamedSocket&)>;

struct NamesQuestion {
  nlmsghdr header;
  unix_diag_req request;
};

NamesQuestion ask_for(Which which) {
  NamesQuestion question{};
  question.header.nlmsg_len = sizeof question;
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  question.request.sdiag_family = AF_UNIX;
  question.request.udiag_states = which == Which::All ? ~0U : 1U << TCP_LISTEN;
  question.request.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_UID;
  return question;
}

// Takes an nlattr, or a message with its header, from the front of `left`. Empty: `left` does not
// hold all of it.
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

NamedSocket::State state_of(std::uint8_t state) {
  if (state == TCP_LISTEN) return NamedSocket::State::Listens;
  return state == TCP_CLOSE ? NamedSocket::State::Rests : NamedSocket::State::IsConnected;
}

// Reads what the kernel reports about one socket. `has_user` becomes true if it reports the user.
bool read_socket(std::span<const std::byte> message, NamedSocket& socket, bool& has_user) {
  unix_diag_msg about{};
  if (!copy_out(message, about)) return false;
  socket.type = about.udiag_type;
  socket.state = state_of(about.udiag_state);
  auto left = message.subspan(sizeof about);
  for (nlattr header{}; copy_out(left, header);) {
    const auto attribute = split<nlattr>(left, header.nla_len);
    if (attribute.empty()) break;
    const auto value = attribute.subspan(sizeof header);
    if (header.nla_type == UNIX_DIAG_UID && copy_out(value, socket.user)) has_user = true;
    if (header.nla_type == UNIX_DIAG_NAME)
      socket.name = {reinterpret_cast<const char*>(value.data()), value.size()};
  }
  return true;
}

enum class After : std::uint8_t { GoOn, Enough, All, Untold };

After read_part(std::span<const std::byte> left, const Look& look) {
  for (nlmsghdr header{}; copy_out(left, header);) {
    const auto message = split<nlmsghdr>(left, header.nlmsg_len);
    if (!message.empty() && header.nlmsg_type == NLMSG_DONE) return After::All;
    if (message.empty() || header.nlmsg_type != SOCK_DIAG_BY_FAMILY) return After::Untold;
    NamedSocket socket;
    bool has_user = false;
    if (!read_socket(message.subspan(sizeof header), socket, has_user)) return After::Untold;
    if (!socket.name.starts_with('\0')) continue; // the name is a file's, or there is none
    socket.name.remove_prefix(1);
    if (!has_user) return After::Untold;
    if (!look(socket)) return After::Enough;
  }
  return After::GoOn;
}

} // namespace

OrErrno<bool> look_through_names(Which which, const Look& look) {
  const auto socket = open_diagnostics();
  if (!socket) return tl::unexpected(socket.error());
  const NamesQuestion question = ask_for(which);
  if (send_octets(socket->get(), std::as_bytes(std::span(&question, 1))) < 0) return false;
  // The kernel makes no part longer than the reader's last buffer.
  alignas(nlmsghdr) std::byte part[8 * 1024];
  for (After after = After::GoOn; after == After::GoOn;) {
    const ssize_t length = receive_octets(socket->get(), part);
    if (length <= 0) return false;
    after = read_part(std::span(part).first(static_cast<std::size_t>(length)), look);
    if (after == After::Untold) return false;
  }
  return true;
}

} // namespace datum
