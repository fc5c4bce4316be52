// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/tcp_transport.h"

#include <sys/mman.h>

#include "transport/tcp/tcp_channel.h"
#include "transport/tcp/tcp_listener.h"

namespace datum {
namespace {

// A turn of those that have something to do; then others poll.
constexpr int kRunsAtOnce = 64;
// A DDP message is shorter than 2^32 (RFC 5041 section 5).
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
  if (!made->regions_) return fail(Type::InsufficientResources, Detail::ResourceMemory);
  return made;
}

TcpTransport::TcpTransport(const Address& address, const HostAddress& host, Reactor& reactor,
                           const TcpOptions& options)
    : address_(address), context_(reactor, host, options) {
  limits_.max_message_size = kLongestMessage;
  limits_.max_rdma_size = kLongestMessage;
}

TcpTransport::~TcpTransport() {
  while (TcpConnection* last = context_.ending.pop_front()) {
    last->leave();
    delete last;
  }
}

NamedAttributes TcpTransport::attributes() const {
  return {{"tcp.address", context_.options.every_address ? "*" : datum::to_text(context_.host)},
          {"tcp.crc", to_text(context_.options.crc)}};
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
  return connect(address, qualifier, data, events, options, "DATUM_TRANSPORT=tcp");
}

Result<std::unique_ptr<Channel>> TcpTransport::connect(const Address& address, ConnQual qualifier,
                                                       PrivateData data, ChannelEvents& events,
                                                       const ChannelOptions& options,
                                                       const char* why) {
  const auto host = read_address(address);
  if (!host) return fail(Type::InvalidAddress, Detail::AddressUnsupported);
  if (host->is_unspecified() || host->is_multicast())
    return fail(Type::InvalidAddress, Detail::AddressMalformed);
  auto channel = std::make_unique<TcpChannel>(context_, events, options, why);
  if (const Status s = channel->dial(*host, qualifier, data); !s.ok()) return fail(s);
  return channel;
}

bool TcpTransport::progress() {
  bool any = false;
  for (int i = 0; i < kRunsAtOnce; ++i) {
    TcpConnection* next = context_.pending.pop_front();
    if (next == nullptr) break;
    next->run();
    any = true;
  }
  if (context_.some_ended) reap();
  return any;
}

void TcpTransport::reap() {
  context_.some_ended = false;
  context_.ending.for_each([](TcpConnection& each) {
    if (each.is_over()) delete &each;
  });
}

bool TcpTransport::set_attention(Attention attention) {
  context_.attention = attention;
  return !context_.pending.empty();
}

} // namespace datum
