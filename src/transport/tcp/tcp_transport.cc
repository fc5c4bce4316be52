// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/tcp_transport.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <vector>

#include "base/log.h"
#include "base/scoped_flag.h"
#include "base/text.h"
#include "transport/tcp/tcp_channel.h"
#include "transport/tcp/tcp_listener.h"

namespace datum {
namespace {

// How many pending connections run in one turn.
constexpr int kRunsAtOnce = 64;
// A DDP message is shorter than 2^32 (RFC 5041 section 5.2).
constexpr std::uint64_t kLongestMessage = 0xffffffff;

const char* to_text(CrcPolicy policy) {
  switch (policy) {
  case CrcPolicy::On: return "on";
  case CrcPolicy::Off: return "off";
  case CrcPolicy::Auto: break;
  }
  return "between hosts";
}

} // namespace

TcpTransport::Regions::Regions() {
  void* memory = ::mmap(nullptr, RegionTable::kStorageBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory != MAP_FAILED) memory_ = memory;
}

TcpTransport::Regions::~Regions() {
  if (memory_ != nullptr) ::munmap(memory_, RegionTable::kStorageBytes);
}

std::span<RegionEntry> TcpTransport::Regions::entries() {
  return {static_cast<RegionEntry*>(memory_), RegionTable::kCapacity};
}

Result<std::unique_ptr<TcpTransport>> TcpTransport::create(const Address& address, Reactor& reactor,
                                                           const TcpOptions& options) {
  const auto host = read_address(address);
  if (!host) return fail(Type::InvalidAddress, Detail::AddressUnsupported);
  if (host->is_unspecified() || host->is_multicast())
    return fail(Type::InvalidAddress, Detail::AddressMalformed);
  std::unique_ptr<TcpTransport> made(new TcpTransport(address, *host, reactor, options));
  if (!made->regions_) {
    log(LogLevel::Warn,
        "{} octets of memory for the table of regions cannot be had (mmap): {}; look at `ulimit "
        "-v` "
        "and at what the sandbox of this process allows",
        RegionTable::kStorageBytes, std::strerror(errno));
    return fail(Type::InsufficientResources, Detail::ResourceMemory);
  }
  return made;
}

TcpTransport::TcpTransport(const Address& address, const HostAddress& host, Reactor& reactor,
                           const TcpOptions& options)
    : address_(address), context_(reactor, host, options) {
  limits_.max_message_size = kLongestMessage;
  limits_.max_rdma_size = kLongestMessage;
}

TcpTransport::~TcpTransport() {
  try {
    send_last_messages();
  } catch (const std::bad_alloc&) {
    // Without memory, the IA does not wait for its connections.
  }
  while (context_.give_up_oldest()) {
  }
}

// The IA has been closed, and its thread is gone, so last messages leave from here. This also waits
// until the peers have ended their streams: a socket that is closed while its peer still sends
// resets the connection, and the last message is lost.
void TcpTransport::send_last_messages() {
  if (context_.ending.empty()) return;
  const Instant until = context_.now() + context_.options.close_timeout;
  do {
    progress();
  } while (!context_.ending.empty() && context_.now() < until && look_at_ending(until));
}

// False: poll() has failed.
bool TcpTransport::look_at_ending(Instant until) {
  // look() gets the events of poll() as if they were events of epoll.
  static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT && EPOLLERR == POLLERR &&
                EPOLLHUP == POLLHUP);
  std::vector<TcpConnection*> those;
  std::vector<pollfd> sockets;
  context_.ending.for_each([&](TcpConnection& each) {
    those.push_back(&each);
    sockets.push_back({each.socket(), each.awaited(), 0});
    until = std::min(until, each.next_look());
  });
  const Duration left = std::max<Duration>(until - context_.now(), 0);
  const auto most = has_work() ? 0 : static_cast<int>(left / kMillisecond) + 1;
  if (::poll(sockets.data(), sockets.size(), most) < 0) return errno == EINTR;
  const Instant now = context_.now();
  for (std::size_t i = 0; i < those.size(); ++i)
    if (sockets[i].revents != 0 || now >= those[i]->next_look())
      those[i]->look(sockets[i].revents, now);
  return true;
}

NamedAttributes TcpTransport::attributes() const {
  NamedAttributes own = {
      {"tcp.address", context_.options.every_address ? "*" : datum::to_text(context_.host)},
      {"tcp.crc", to_text(context_.options.crc)}};
  if (context_.options.only_way) {
    const std::string& lack = context_.options.no_shared_memory;
    const bool chosen = lack.empty();
    own.emplace_back("path.this_host", way_to_this_host() + (chosen ? "" : "; " + lack));
    own.emplace_back("path.other_hosts", way_to_other_hosts());
    own.emplace_back("path.reason", chosen ? "DATUM_TRANSPORT=tcp" : "DATUM_TRANSPORT=auto");
  }
  return own;
}

std::string TcpTransport::way_to_other_hosts() const {
  if (context_.scope() && context_.host.is_loopback())
    return "none: the address of this IA belongs to the loopback interface";
  return way_to_this_host();
}

std::string TcpTransport::way_to_this_host() const {
  return has_no_network() ? text("none: {}", kNoNetwork) : "TCP";
}

std::span<RegionEntry> TcpTransport::region_storage() {
  return regions_.entries();
}

Result<std::unique_ptr<Listener>> TcpTransport::listen(ConnQual qualifier, ListenerEvents& events) {
  return TcpListener::open(context_, qualifier, events);
}

Result<std::unique_ptr<Listener>> TcpTransport::listen_any(ListenerEvents& events) {
  return TcpListener::open_any(context_, events);
}

Result<std::unique_ptr<Channel>> TcpTransport::connect(const Address& address, ConnQual qualifier,
                                                       PrivateData data, ChannelEvents& events,
                                                       const ChannelOptions& options) {
  return connect(address, qualifier, data, events, options, context_.why_alone(), nullptr);
}

Result<std::unique_ptr<Channel>> TcpTransport::connect(const Address& address, ConnQual qualifier,
                                                       PrivateData data, ChannelEvents& events,
                                                       const ChannelOptions& options,
                                                       const std::string& why,
                                                       PreferredWay* preferred) {
  const auto host = read_address(address);
  if (!host) return fail(Type::InvalidAddress, Detail::AddressUnsupported);
  if (host->is_unspecified() || host->is_multicast())
    return fail(Type::InvalidAddress, Detail::AddressMalformed);
  if (log_enabled(LogLevel::Debug))
    log(LogLevel::Debug, "connecting to {} qualifier {} over TCP: {}", datum::to_text(*host),
        qualifier, why);
  auto channel = std::make_unique<TcpChannel>(context_, events, options, why);
  if (const Status s = channel->dial(*host, qualifier, data, preferred); !s.ok()) return fail(s);
  return channel;
}

bool TcpTransport::progress() {
  context_.begin_turn();
  bool any = run_pending();
  any = continue_others() || any;
  if (!context_.untold.empty()) {
    tell_ends();
    any = true;
  }
  if (context_.some_ended) reap();
  while (context_.endings > context_.options.max_ending) context_.give_up_oldest();
  return any;
}

bool TcpTransport::run_pending() {
  bool any = false;
  for (int i = 0; i < kRunsAtOnce && context_.turn.to_send() != 0; ++i) {
    TcpConnection* next = context_.pending.pop_front();
    if (next == nullptr) break;
    next->run(context_.others_wait(*next) ? TcpTurn::kShare : TcpTurn::kAll);
    any = true;
  }
  return any;
}

// Runs one connection in any case, since `pending` may use up every turn.
bool TcpTransport::continue_others() {
  bool any = false;
  do {
    TcpConnection* next = context_.continuing.pop_front();
    if (next == nullptr) break;
    next->run(std::max(context_.turn.to_send(), TcpTurn::kShare));
    any = true;
  } while (context_.turn.to_send() != 0);
  return any;
}

// The consumer gets the events of several connections in the order in which a peer caused them.
// When an end is found at one socket, an earlier event may have come to another socket that had
// just been read. So this reads all sockets once more. Establishments are reported as they are
// found. Then come the ends, older connections first, and then the new requests, whose peers may
// have ended other connections before. But this reading, too, may find an end and have missed an
// earlier event. So that end, and everything sorted behind it, waits for the next call.
void TcpTransport::tell_ends() {
  ++context_.looks;
  {
    const ScopedFlag looking(context_.looking);
    context_.reactor.handle_all();
  }
  context_.untold.sort([](const TcpConnection& one, const TcpConnection& other) {
    if (!one.has_untold_end()) return false;
    return !other.has_untold_end() || one.serial() < other.serial();
  });
  for (TcpConnection* next = context_.untold.front(); next != nullptr && next->may_be_told();
       next = context_.untold.front()) {
    context_.untold.pop_front();
    next->tell_late();
  }
}

void TcpTransport::reap() {
  context_.some_ended = false;
  context_.ending.for_each([](TcpConnection& each) {
    if (each.is_over()) delete &each;
  });
}

bool TcpTransport::set_attention(Attention attention) {
  context_.attention = attention;
  return has_work();
}

} // namespace datum
