// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Marks: when our memory is taken away, no peer is still copying there. A peer only uses what the
// region table said of the memory.
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/port/region_table.h"
#include "link_world.h"
#include "scenes.h"
#include "transport/shm/quiesce.h"
#include "transport/shm/shm_context.h"

namespace datum::test {
namespace {

constexpr std::uint32_t kZone = 7;
constexpr std::size_t kOctets = 16;

class NoReactor final : public Reactor {
 public:
  Status add(int, std::uint32_t, FdHandler&) override { return kOk; }
  int change(int, std::uint32_t, FdHandler&) override { return 0; }
  void remove(int, FdHandler&) override {}
  void handle_all() override {}
};

class NoEvents final : public FabricEvents {
 public:
  void on_link(LinkPort&) override {}
  void on_doorbell(LinkPort&) override {}
  void on_link_lost(LinkPort&) override {}
  IdleLink judge_idle(LinkPort&) override { return IdleLink::InUse; }
};

class PeerEvents final : public ChannelEvents {
 public:
  void on_established(PrivateData, std::int32_t) override {}
  void on_connect_failed(ConnectFailure, PrivateData) override {}
  void on_placed(std::uint32_t) override {}
  void on_read_done() override {}
  void on_request_failed(RequestClass, DtoStatus, std::uint32_t) override {}
  void on_room() override {}
  bool recheck_local(const WorkRequest&, Access) const override { return true; }
  TakeResult take_receive(std::span<const LocalTriplet>&, std::uint64_t&) override {
    return TakeResult::NoReceive;
  }
  void complete_receive(std::uint64_t, bool) override {}
  bool place_message(const std::byte*, std::uint64_t, bool) override { return false; }
  void fail_receive(DtoStatus) override {}
  bool may_wait_on() override { return true; }
  void count_long_waits(std::size_t) override {}
  void on_wait_over(Duration) override {}
  AccessFault check_note(const MessageNote&) const override { return AccessFault::None; }
  void complete_noted(std::uint64_t, bool, const MessageNote&) override {}
  AccessFault check_remote(Stag, std::uint64_t, std::uint64_t, Access,
                           std::uint64_t&) const override {
    return AccessFault::BadStag;
  }
  void on_closed(CloseReason) override {}
};

// The state that the real fabric keeps for one link. The two adapters of the scene use its segment.
class OneLink {
 public:
  OneLink() : context(reactor, {}) {
    context.events = &events;
    context.host = {&progress, &timers, nullptr, nullptr};
    LinkParts parts;
    int sockets[2] = {-1, -1};
    static_cast<void>(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets));
    peers_socket_ = UniqueFd(sockets[1]);
    parts.socket = GuardedFd(UniqueFd(sockets[0]));
    parts.segment = Mapping(::mmap(nullptr, sizeof(LinkSegment), PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                            sizeof(LinkSegment));
    parts.side = 1;
    parts.peer.process = {::getpid(), ::geteuid()};
    parts.peer_has_direct = true;
    port = context.links.add(std::move(parts));
  }
  NoReactor reactor;
  NoEvents events;
  SceneProgress progress;
  TimerQueue timers;
  ShmContext context;
  ShmPort* port = nullptr;

 private:
  UniqueFd peers_socket_;
};

OneLink& one_link() {
  static OneLink link;
  return link;
}

std::span<RegionEntry> entries() {
  static const std::unique_ptr<RegionEntry[]> all(new RegionEntry[RegionTable::kCapacity]);
  return {all.get(), RegionTable::kCapacity};
}

class Gate final : public DirectAccessGate {
 public:
  explicit Gate(Quiescence& quiescence) : quiescence_(quiescence) {}
  void quiesce(Stag stag) override { quiescence_.wait_for(stag); }

 private:
  Quiescence& quiescence_;
};

// The peer's direct access. It finds a copy for which the peer read an entry of the region table
// while the owner changed that entry.
class WatchedDirect final : public DirectAccess {
 public:
  explicit WatchedDirect(Machine& machine) : machine_(machine) {}
  std::span<const RegionEntry> regions() override {
    if (Machine::running() != nullptr) machine_.begin_reading();
    return entries();
  }
  std::byte* map(const RegionEntry& entry, Stag, bool) override {
    machine_.rely_on_what_was_read();
    return reinterpret_cast<std::byte*>(entry.base);
  }
  bool write(std::uint64_t, std::span<const Segment>) override { return false; }
  bool read(std::uint64_t, std::span<const Segment>) override { return false; }

 private:
  Machine& machine_;
};

class Accepting final : public ListenerEvents {
 public:
  void on_request(std::unique_ptr<IncomingConnection> request) override {
    incoming = std::move(request);
  }
  std::unique_ptr<IncomingConnection> incoming;
};

struct Everything {
  explicit Everything(Machine& machine)
      : direct(machine), world(machine, one_link().port->segment(), true, &direct),
        quiescence(one_link().context, entries()), gate(quiescence), table(entries(), 1) {
    table.set_gate(&gate);
    connect();
  }
  void connect() {
    const auto listener = world.b.transport.listen(1, accepting);
    channel = std::move(*world.a.transport.connect({}, 1, {}, events, {}));
    world.a.fabric.dialling->on_dialled(*world.a.port);
    world.b.transport.progress();
    ChannelOptions options;
    options.zone = kZone;
    accepted = accepting.incoming->accept({}, events, options);
    while (world.a.transport.progress() || world.b.transport.progress()) {
    }
  }
  WatchedDirect direct;
  LinkWorld world;
  Quiescence quiescence;
  Gate gate;
  RegionTable table;
  PeerEvents events;
  Accepting accepting;
  std::unique_ptr<Channel> accepted;
  std::unique_ptr<Channel> channel;
};

class RegionScene final : public Scene {
 public:
  enum class Story : std::uint8_t { TakenAway, Published, TakenAndPublished };
  explicit RegionScene(Story story) : story_(story) {}

  void begin(Machine& machine) override {
    all_.reset();
    all_ = std::make_unique<Everything>(machine);
    old_ = all_->table.reserve();
    new_ = old_ ^ 1U; // the same entry with another key
    RegionEntry& entry = entries()[old_ >> 8U];
    new (&entry) RegionEntry;
    std::memset(memory_, 0, sizeof memory_);
    std::memset(from_, 1, sizeof from_);
    if (story_ != Story::Published) all_->table.publish(old_, describe(0));
    machine.spins = Machine::Spins::Waiting;
    machine.share(&entry, sizeof entry, "entry");
    machine.may_race(&entry.access, sizeof entry - sizeof entry.stag);
    machine.share(memory_, sizeof memory_, "memory");
    machine.add([this] { own(); });
    machine.add([this] { write(); });
  }
  void end(Machine& machine, bool finished) override {
    if (!finished) machine.fail("the owner waits for ever");
    if (story_ != Story::Published && memory_[0] != std::byte{2})
      machine.fail("memory that was given to another one was written to");
  }

 private:
  RegionTable::Description describe(std::size_t where) {
    RegionTable::Description description;
    description.access = kAllAccess;
    description.base = reinterpret_cast<std::uintptr_t>(memory_ + where);
    description.length = kOctets;
    description.zero_based = true;
    description.zone = kZone;
    description.backing_fd = 0;
    return description;
  }
  void own() {
    if (story_ != Story::Published) {
      all_->table.revoke(old_);
      // From here on the memory has a new owner.
      for (std::size_t i = 0; i < kOctets; ++i) memory_[i] = std::byte{2};
    }
    if (story_ != Story::TakenAway) {
      for (std::size_t i = 0; i < kOctets; ++i) memory_[kOctets + i] = std::byte{3};
      all_->table.publish(new_, describe(kOctets));
    }
  }
  void write() {
    if (story_ != Story::Published) write_through(old_);
    if (story_ != Story::TakenAway) write_through(new_);
  }
  void write_through(Stag stag) {
    const LocalTriplet local{0, reinterpret_cast<std::uintptr_t>(from_), kOctets};
    WorkRequest request;
    request.opcode = Opcode::RdmaWrite;
    request.length = kOctets;
    request.local = {&local, 1};
    request.remote = {stag, 0, kOctets};
    static_cast<void>(all_->channel->start_now(request));
  }

  const Story story_;
  std::unique_ptr<Everything> all_;
  Stag old_ = 0;
  Stag new_ = 0;
  alignas(64) std::byte memory_[2 * kOctets];
  alignas(64) std::byte from_[kOctets];
};

NamedScene scene(const char* name, RegionScene::Story story) {
  return {name, [story] { return std::make_unique<RegionScene>(story); }, {}, Effort::All};
}

} // namespace

std::vector<NamedScene> region_scenes() {
  using Story = RegionScene::Story;
  return {scene("region-taken-away", Story::TakenAway), scene("region-published", Story::Published),
          scene("region-again", Story::TakenAndPublished)};
}

} // namespace datum::test
