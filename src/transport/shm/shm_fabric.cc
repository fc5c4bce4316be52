// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/shm_fabric.h"
#include "base/text.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>

#include "base/log.h"
#include "base/random.h"
#include "transport/host/port_rules.h"
#include "transport/host/unix_sockets.h"
#include "transport/shm/half_open.h"
#include "transport/shm/peer_process.h"
#include "transport/shm/shm_dial.h"
#include "transport/shm/shm_listener.h"

namespace datum {

Result<std::unique_ptr<ShmFabric>> ShmFabric::create(const Address& address, Reactor& reactor,
                                                     const ShmOptions& options) {
  const auto host = read_address(address);
  if (!host) return fail(Type::InvalidAddress, Detail::AddressUnsupported);
  if (host->is_unspecified() || host->is_multicast())
    return fail(Type::InvalidAddress, Detail::AddressMalformed);
  SealedMemory table = make_sealed_memory("datum-regions", RegionTable::kStorageBytes);
  if (!table.mapping) {
    const int error = errno;
    log(LogLevel::Warn,
        "{} bytes of memory to share with peers cannot be had (memfd): {}; look at `ulimit -n`, "
        "`ulimit -f` and `ulimit -v`, and at what the sandbox of this process allows",
        RegionTable::kStorageBytes, std::strerror(error));
    const bool no_number = error == EMFILE || error == ENFILE;
    return fail(Type::InsufficientResources,
                no_number ? Detail::ResourceDevice : Detail::ResourceMemory);
  }
  return std::unique_ptr<ShmFabric>(
      new ShmFabric(address, *host, reactor, options, std::move(table)));
}

ShmFabric::ShmFabric(const Address& address, const HostAddress& host, Reactor& reactor,
                     const ShmOptions& options, SealedMemory table)
    : address_(address), host_(host), table_(std::move(table)), life_(LifeToken::make()),
      fences_(shared_heavy_fence_ready()), nonce_(KernelRandom().next()),
      context_(reactor, options), quiescence_(context_, region_storage()) {
  context_.self = introduce();
  context_.self_pidfd = own_pidfd();
}

ShmFabric::~ShmFabric() {
  context_.half_open.clear();
  context_.links.clear();
}

Greeting ShmFabric::introduce() const {
  // The id comes from the kernel, not from the generator of a seed: no two adapters may have the
  // same id, even if they use the same seed.
  KernelRandom random;
  Greeting self;
  self.preamble.kind = MessageKind::Hello;
  self.id = {random.next(), random.next()};
  self.address = write_address(host_);
  struct stat table {};
  struct stat life {};
  if (!context_.options.allow_direct || !life_ || ::fstat(table_.file.get(), &table) != 0 ||
      ::fstat(life_.file(), &life) != 0)
    return self;
  self.direct.nonce = nonce_;
  self.direct.nonce_address = reinterpret_cast<std::uintptr_t>(&nonce_);
  self.direct.device = table.st_dev;
  self.direct.table_inode = table.st_ino;
  self.direct.life_inode = life.st_ino;
  self.direct.table_fd = table_.file.get();
  self.direct.life_fd = life_.file();
  return self;
}

NamedAttributes ShmFabric::attributes() const {
  const char* direct = !context_.options.allow_direct ? "off"
                       : life_                        ? "where allowed"
                                                      : "no life token";
  NamedAttributes own = {{"shm.address", context_.options.every_address ? "*" : to_text(host_)},
                         {"shm.direct", direct},
                         {"shm.links", text("{}", context_.links.size())}};
  // With TCP beside it, the shared memory transport does not decide which path a connection takes.
  // So it reports none.
  if (!context_.options.ports_are_claimed) {
    const auto refusal = refusal_of_unix_sockets();
    own.emplace_back("path.this_host", refusal ? text("none; {}", no_shared_memory(*refusal))
                                               : std::string("shared memory"));
    own.emplace_back("path.other_hosts", "none");
    own.emplace_back("path.reason", "DATUM_TRANSPORT=shm");
  }
  return own;
}

std::span<RegionEntry> ShmFabric::region_storage() {
  return {reinterpret_cast<RegionEntry*>(table_.mapping.data()), RegionTable::kCapacity};
}

void ShmFabric::attach(const TransportHost& host, FabricEvents& events) {
  context_.host = host;
  context_.events = &events;
}

std::optional<HostAddress> ShmFabric::scope() const {
  if (context_.options.every_address) return std::nullopt;
  return host_;
}

Result<std::unique_ptr<PublishedName>> ShmFabric::publish(ConnQual qualifier) {
  return ShmListener::open(context_, scope(), qualifier);
}

Result<std::unique_ptr<PublishedName>> ShmFabric::publish_any() {
  const std::optional<PortRange>& wanted = context_.options.any_ports;
  auto name = ShmListener::open_any(context_, scope(), wanted ? *wanted : any_port_range());
  if (wanted || name || name.error().type() != Type::ConnQualInUse) return name;
  return ShmListener::open_given(context_, scope());
}

Result<std::unique_ptr<Dial>> ShmFabric::dial(const Address& address, ConnQual qualifier,
                                              DialEvents& events) {
  const auto host = read_address(address);
  if (!host) return fail(Type::InvalidAddress, Detail::AddressUnsupported);
  if (host->is_unspecified() || host->is_multicast())
    return fail(Type::InvalidAddress, Detail::AddressMalformed);
  GuardedFd found = std::move(found_.rendezvous);
  if (found_.host != *host || found_.qualifier != qualifier) found.reset();
  return std::make_unique<ShmDial>(context_, *host, qualifier, std::move(found), events);
}

Finding ShmFabric::find(const HostAddress& host, ConnQual qualifier) {
  found_ = {host, qualifier, {}};
  return find_rendezvous(host, qualifier, context_.holders, context_.now(), found_.rendezvous);
}

bool ShmFabric::is_offered(const HostAddress& host, ConnQual qualifier) {
  GuardedFd socket;
  return find_rendezvous(host, qualifier, context_.holders, context_.now(), socket).what ==
         Lookup::Found;
}

} // namespace datum
