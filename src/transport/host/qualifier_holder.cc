// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/host/qualifier_holder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "transport/host/abstract_name.h"
#include "transport/host/named_sockets.h"
#include "transport/host/qualifier_claim.h"
#include "transport/host/same_user.h"

namespace datum {
namespace {

constexpr ConnQual kLargestPort = 65535;

// Other users choose the names of their sockets. So a part of such a name is logged only if all its
// characters can be in an address.
bool is_address(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef:.%") == std::string_view::npos;
}

// The names that are in the way of a process that wants a qualifier at `host`.
class Names {
 public:
  Names(const std::optional<HostAddress>& host, ConnQual qualifier, NamesWanted wanted)
      : every_address_(!host), is_port_(qualifier <= kLargestPort), wanted_(wanted),
        suffix_(text("/{}", qualifier)),
        rendezvous_(abstract_name(kRendezvousNames, host, qualifier)),
        own_claims_{abstract_name(kMappedNames, host, qualifier),
                    abstract_name(kSameHostNames, host, qualifier)},
        other_claims_{abstract_name(kMappedNames, std::nullopt, qualifier),
                      abstract_name(kSameHostNames, std::nullopt, qualifier)} {}

  const std::string& rendezvous() const { return rendezvous_; }
  bool has(const NamedSocket& socket) const {
    if (socket.type == SOCK_SEQPACKET)
      return wanted_ != NamesWanted::Mapped && is_rendezvous(socket.name);
    if (wanted_ == NamesWanted::Mapped && socket.name != own_claims_[0]) return false;
    return socket.type == SOCK_DGRAM && wanted_ != NamesWanted::Rendezvous && is_claim(socket.name);
  }
  // True: the name of the socket is a mark. A process that claims a single address needs one free
  // mark. So marks are in its way only when all kMarks of them are taken.
  bool has_mark(const NamedSocket& socket) const {
    return socket.type == SOCK_DGRAM && wanted_ == NamesWanted::All && is_mark(socket.name);
  }
  // The part of a name that may be shown.
  std::string shown(std::string_view name) const {
    if (is_mark(name) || !name.starts_with(kRendezvousNames) || name == rendezvous_)
      return std::string(name);
    name.remove_prefix(kRendezvousNames.size() + 1);
    name.remove_suffix(suffix_.size());
    return text("{}/{}{}", kRendezvousNames, name == "*" || is_address(name) ? name : "?", suffix_);
  }

 private:
  bool is_of(std::string_view name, std::string_view family) const {
    return name.starts_with(family) && name.substr(family.size()).starts_with('/') &&
           name.ends_with(suffix_) && name.size() > family.size() + suffix_.size() + 1;
  }
  bool is_mark(std::string_view name) const {
    constexpr std::string_view kMark = "datum/m";
    if (!is_of(name, kMark)) return false;
    name.remove_prefix(kMark.size() + 1);
    name.remove_suffix(suffix_.size());
    return name.size() <= 2 && name.find_first_not_of("0123456789") == std::string_view::npos;
  }
  // A rendezvous for every address conflicts with one for a single address. This matters only at
  // ports that no TCP port protects: there bind_rendezvous() calls look_for_conflict().
  bool is_rendezvous(std::string_view name) const {
    if (name == rendezvous_) return true;
    if (wanted_ != NamesWanted::All || !is_port_ || !is_of(name, kRendezvousNames)) return false;
    name.remove_prefix(kRendezvousNames.size() + 1);
    name.remove_suffix(suffix_.size());
    return every_address_ != (name == "*");
  }
  bool is_claim(std::string_view name) const {
    if (every_address_ && is_mark(name)) return true;
    return std::ranges::find(own_claims_, name) != own_claims_.end() ||
           std::ranges::find(other_claims_, name) != other_claims_.end();
  }

  const bool every_address_, is_port_;
  const NamesWanted wanted_;
  const std::string suffix_, rendezvous_;
  const std::array<std::string, 2> own_claims_, other_claims_;
};

// Connects to the listener at `name`, to learn its process. nullopt: no process listens there, or
// the listener's queue is full.
OrErrno<std::optional<QualifierHolder>> knock_at(const std::string& name) {
  const UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return tl::unexpected(errno);
  sockaddr_un address{};
  const socklen_t length = to_sockaddr(name, address);
  ucred who{};
  socklen_t size = sizeof who;
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0)
    return std::nullopt;
  const auto ours = is_same_user(who.uid, ::geteuid());
  if (!ours) return tl::unexpected(ours.error());
  return QualifierHolder{name, who.uid, who.pid, *ours};
}

// Chooses the likeliest holder among the sockets that look() gets.
class Search {
 public:
  explicit Search(const Names& names) : names_(names) {}

  // False: no better socket can come, or error() is set.
  bool look(const NamedSocket& socket) {
    const bool mark = names_.has_mark(socket) && !names_.has(socket);
    if (!mark && !names_.has(socket)) return true;
    const auto ours = is_same_user(socket.user, ::geteuid());
    if (!ours) {
      error_ = ours.error();
      return false;
    }
    const bool connected =
        socket.type == SOCK_SEQPACKET && socket.state == NamedSocket::State::IsConnected;
    // Connected sockets of this user are links that a service point has made. A mark of this user
    // belongs to its claim of another address. Neither is in the way.
    if (*ours && (connected || mark)) return true;
    const int worth = *ours ? 3 : mark ? 1 : connected ? 0 : 2;
    if (worth > worth_) {
      worth_ = worth;
      found_ = {names_.shown(socket.name), socket.user, 0, *ours};
    }
    return worth < 3;
  }
  int error() const { return error_; }
  std::optional<QualifierHolder> take() { return std::move(found_); }

 private:
  const Names& names_;
  int worth_ = -1;
  int error_ = 0;
  std::optional<QualifierHolder> found_;
};

} // namespace

std::string to_text(const QualifierHolder& holder) {
  if (!holder.user)
    return text("the socket name @{} is held by somebody whom the kernel does not name",
                holder.name);
  return text("the socket name @{} is held by user {}{}", holder.name, *holder.user,
              holder.process > 0 ? text(" (taken by process {})", holder.process) : "");
}

OrErrno<std::optional<QualifierHolder>>
find_qualifier_holder(const std::optional<HostAddress>& host, ConnQual qualifier,
                      NamesWanted wanted) {
  const Names names(host, qualifier, wanted);
  OrErrno<std::optional<QualifierHolder>> asked = std::nullopt;
  if (wanted != NamesWanted::Mapped) asked = knock_at(names.rendezvous());
  if (!asked) return asked;
  if (*asked && ((*asked)->is_own_user || wanted == NamesWanted::Rendezvous)) return asked;
  Search search(names);
  const auto told =
      look_through_names(Which::All, [&](const NamedSocket& each) { return search.look(each); });
  if (!told) return tl::unexpected(told.error());
  if (search.error() != 0) return tl::unexpected(search.error());
  auto found = search.take();
  if (found && *asked && found->name == (*asked)->name && found->user == (*asked)->user)
    return asked;
  if (found) return found;
  if (*asked || *told) return asked;
  return QualifierHolder{names.rendezvous(), std::nullopt, 0, false};
}

// The array is filled in turn, so told_[next_] is the oldest entry.
bool HolderLog::may_tell(ConnQual qualifier, Instant now) {
  const auto recent = [&](const std::optional<Told>& each) {
    return each && each->qualifier == qualifier && now - each->at < kSilence;
  };
  if (std::ranges::any_of(told_, recent)) return false;
  told_[next_] = Told{qualifier, now};
  next_ = (next_ + 1) % kQualifiers;
  return true;
}

tl::unexpected<Status> held_by(HolderLog& told, Instant now, const ListenPlace& place,
                               const QualifierHolder& holder, std::string_view why) {
  if (told.may_tell(place.qualifier.value_or(0), now))
    log(LogLevel::Warn, "listening at {}: {}; {}: end that process, or choose another qualifier",
        to_text(place), to_text(holder), why);
  return fail(Type::ConnQualInUse);
}

tl::unexpected<Status> names_failure(ShortageLog& shortages, HolderLog& told, Instant now,
                                     const ListenPlace& place, int error, NamesWanted wanted,
                                     std::string_view why) {
  if (!is_taken(error) || !place.qualifier)
    return listen_failure(shortages, now, place, name_error(error));
  const auto holder = find_qualifier_holder(place.host, *place.qualifier, wanted);
  if (!holder) return listen_failure(shortages, now, place, name_error(holder.error()));
  const bool strange = *holder && !(*holder)->is_own_user && (*holder)->user;
  if (!strange) return listen_failure(shortages, now, place, name_error(error));
  return held_by(told, now, place, **holder, why);
}

} // namespace datum
