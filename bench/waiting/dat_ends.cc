// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Both sides over DAT 1.2: one IA, one endpoint, ordinary memory.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <sys/mman.h>

#include "common/dat_error.h"
#include "common/dat_events.h"
#include "common/dat_objects.h"
#include "waiting/ends.h"

namespace waiting {
namespace {

namespace tools = datum::tools;
using tools::check;

constexpr char kIa[] = "datum";
// kForAll: the Recvs of a target that never takes their completions. kForNow: the Recvs of a target
// that posts each Recv again.
constexpr DAT_COUNT kForAll = 60'000;
constexpr DAT_COUNT kForNow = 64;
constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kMemory = 4096;
// Offsets in the memory of each side, each in a cache line of its own.
constexpr std::size_t kOwn = 0;    // the source of Writes and Sends, and the target of Reads
constexpr std::size_t kFirst = 64; // the peer writes and reads this word, and Recvs fill it
constexpr std::size_t kSecond = 128;

void choose(Transport transport) {
  setenv("DATUM_TRANSPORT", transport == Transport::Shm ? "shm" : "tcp", 1);
}

// Pages that only this process uses.
class Memory {
 public:
  Memory()
      : at_(mmap(nullptr, kMemory, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)) {
    if (at_ == MAP_FAILED) throw std::runtime_error("mmap of a page failed");
  }
  ~Memory() { munmap(at_, kMemory); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(at_), kMemory}; }
  template <typename Value>
  Value read(std::size_t offset) const {
    return __atomic_load_n(reinterpret_cast<Value*>(bytes().data() + offset), __ATOMIC_ACQUIRE);
  }
  void write(std::size_t offset, std::uint64_t value) const {
    std::memcpy(bytes().data() + offset, &value, sizeof value);
  }

 private:
  void* at_;
};

struct Cno {
  explicit Cno(const tools::Interface& ia) {
    check(dat_cno_create(ia.get(), DAT_OS_WAIT_PROXY_AGENT_NULL, &handle), "dat_cno_create");
  }
  ~Cno() { dat_cno_free(handle); }
  Cno(const Cno&) = delete;
  Cno& operator=(const Cno&) = delete;
  DAT_CNO_HANDLE handle = nullptr;
};

// An IA with one connected endpoint.
class DatEnd {
 public:
  DatEnd(Place& place, const Cell& cell, DAT_COUNT recvs)
      : operation_(cell.operation), ia_((choose(cell.transport), kIa)), pz_(make_pz(ia_)),
        cno_(ia_), connections_(make_evd(ia_, 8, DAT_EVD_CONNECTION_FLAG | DAT_EVD_CR_FLAG)),
        requests_(make_evd(ia_, 64, DAT_EVD_DTO_FLAG)),
        region_(ia_, pz_, memory_.bytes(), DAT_MEM_PRIV_ALL_FLAG) {
    const bool by_cno = place.side == Side::Target && cell.target == Target::Cno;
    make_receives(by_cno, recvs);
    make_endpoint(recvs);
    for (DAT_COUNT i = 0; i < recvs; ++i) post_recv();
    meet(place);
  }

  DAT_EVD_HANDLE requests() const { return requests_.get(); }
  DAT_EVD_HANDLE receives() const { return receives_.get(); }
  DAT_CNO_HANDLE cno() const { return cno_.handle; }
  const Memory& memory() const { return memory_; }

  void post_recv() {
    DAT_LMR_TRIPLET into = region_.local(kFirst, kWord);
    check(dat_ep_post_recv(ep_.get(), 1, &into, {}, DAT_COMPLETION_DEFAULT_FLAG),
          "dat_ep_post_recv");
  }
  void post(Operation operation, std::size_t to = kFirst, std::size_t length = kWord) {
    DAT_LMR_TRIPLET own = region_.local(kOwn, length);
    DAT_RMR_TRIPLET there = {};
    there.rmr_context = peer_.context;
    there.target_address = peer_.address + to;
    there.segment_length = length;
    constexpr auto kFlags = DAT_COMPLETION_DEFAULT_FLAG;
    DAT_RETURN ret = DAT_SUCCESS;
    if (operation == Operation::Send)
      ret = dat_ep_post_send(ep_.get(), 1, &own, {}, kFlags);
    else if (operation == Operation::Read)
      ret = dat_ep_post_rdma_read(ep_.get(), 1, &own, {}, &there, kFlags);
    else
      ret = dat_ep_post_rdma_write(ep_.get(), 1, &own, {}, &there, kFlags);
    if (ret != DAT_SUCCESS) [[unlikely]]
      check(ret, "posting");
  }
  // True: an operation has ended successfully.
  static bool take(DAT_EVD_HANDLE evd) {
    DAT_EVENT event;
    const DAT_RETURN ret = dat_evd_dequeue(evd, &event);
    if (ret == DAT_SUCCESS) return examine(event);
    if (!tools::is_type(ret, DAT_QUEUE_EMPTY)) [[unlikely]]
      check(ret, "dat_evd_dequeue");
    return false;
  }
  static bool examine(const DAT_EVENT& event) {
    if (event.event_number == DAT_DTO_COMPLETION_EVENT &&
        event.event_data.dto_completion_event_data.status == DAT_DTO_SUCCESS) [[likely]]
      return true;
    throw std::runtime_error("an operation failed, or the connection did");
  }

  Operation operation() const { return operation_; }

 private:
  void make_receives(bool by_cno, DAT_COUNT recvs) {
    DAT_EVD_HANDLE evd = nullptr;
    check(dat_evd_create(ia_.get(), recvs + 1, by_cno ? cno_.handle : DAT_HANDLE_NULL,
                         DAT_EVD_DTO_FLAG, &evd),
          "dat_evd_create");
    receives_ = tools::Evd(evd);
  }
  void make_endpoint(DAT_COUNT recvs) {
    DAT_EP_ATTR attr = {};
    attr.service_type = DAT_SERVICE_TYPE_RC;
    attr.max_message_size = attr.max_rdma_size = 64;
    attr.qos = DAT_QOS_BEST_EFFORT;
    attr.max_recv_dtos = recvs + 1;
    attr.max_request_dtos = 16;
    attr.max_recv_iov = attr.max_request_iov = 1;
    attr.max_rdma_read_iov = attr.max_rdma_write_iov = 1;
    attr.max_rdma_read_in = attr.max_rdma_read_out = 4;
    DAT_EP_HANDLE ep = nullptr;
    check(dat_ep_create(ia_.get(), pz_.get(), receives_.get(), requests_.get(), connections_.get(),
                        &attr, &ep),
          "dat_ep_create");
    ep_ = tools::Ep(ep);
  }
  // The target listens, and the initiator connects.
  void meet(Place& place) {
    Control::Told& own = place.own();
    own.context = region_.rmr_context();
    own.address = region_.address();
    tools::Psp listener;
    DAT_CONN_QUAL port = 0;
    if (place.side == Side::Target) {
      listener = tools::listen(ia_, port, connections_);
      own.port = port;
    }
    place.meet();
    peer_ = place.peer();
    if (place.side == Side::Initiator)
      connect();
    else
      accept();
    place.meet();
  }
  void connect() {
    tools::connect(ep_, connections_, tools::resolve(ia_.address()), peer_.port, {},
                   std::chrono::seconds(10), "the target");
  }
  void accept() {
    const auto soon = tools::after(std::chrono::seconds(10));
    const auto request = tools::wait_event(connections_, soon);
    if (!request) throw std::runtime_error("nobody connected");
    tools::accept(tools::Cr(request->event_data.cr_arrival_event_data.cr_handle), ep_.get(),
                  "the initiator");
    const auto event = tools::wait_event(connections_, soon);
    if (!event || event->event_number != DAT_CONNECTION_EVENT_ESTABLISHED)
      throw std::runtime_error("the connection was not established");
  }

  const Operation operation_;
  Memory memory_;
  tools::Interface ia_;
  tools::Pz pz_;
  Cno cno_;
  tools::Evd connections_;
  tools::Evd requests_;
  tools::Evd receives_;
  tools::Region region_;
  tools::Ep ep_;
  Control::Told peer_;
};

class DatInitiator final : public InitiatorEnd {
 public:
  DatInitiator(Place& place, const Cell& cell) : end_(place, cell, kForNow) {}
  void post(std::uint64_t number) override {
    end_.memory().write(kOwn, number);
    end_.post(end_.operation());
  }
  bool completed() override { return DatEnd::take(end_.requests()); }
  void wake_target() override { end_.post(Operation::Send); }

 private:
  DatEnd end_;
};

bool takes_completions(Target habit) {
  return habit == Target::SameEvd || habit == Target::Block || habit == Target::Cno ||
         habit == Target::Turns;
}

class DatTarget final : public TargetEnd {
 public:
  DatTarget(Place& place, const Cell& cell)
      : posts_again_(takes_completions(cell.target)),
        end_(place, cell, posts_again_ ? kForNow : kForAll) {}
  void poll() override {
    if (DatEnd::take(end_.receives())) received();
  }
  void poll_elsewhere() override { DatEnd::take(end_.requests()); }
  void sleep() override {
    DAT_EVENT event;
    DAT_COUNT more = 0;
    const DAT_RETURN ret = dat_evd_wait(end_.receives(), DAT_TIMEOUT_INFINITE, 1, &event, &more);
    if (ret != DAT_SUCCESS) [[unlikely]]
      check(ret, "dat_evd_wait");
    if (DatEnd::examine(event)) received();
  }
  void sleep_by_cno() override {
    while (DatEnd::take(end_.receives())) received();
    DAT_EVD_HANDLE evd = nullptr;
    const DAT_RETURN ret = dat_cno_wait(end_.cno(), DAT_TIMEOUT_INFINITE, &evd);
    if (ret != DAT_SUCCESS) [[unlikely]]
      check(ret, "dat_cno_wait");
  }
  std::uint64_t word() const override { return end_.memory().read<std::uint64_t>(kFirst); }
  std::uint64_t polled() const override {
    return end_.operation() == Operation::Send ? received_ : word();
  }

 private:
  void received() {
    ++received_;
    if (posts_again_) end_.post_recv();
  }

  const bool posts_again_;
  DatEnd end_;
  std::uint64_t received_ = 0;
};

class DatTwoWords final : public TwoWordsEnd {
 public:
  DatTwoWords(Place& place, const Cell& cell) : end_(place, cell, kForNow) {}
  void write_first(std::uint64_t round) override {
    end_.memory().write(kOwn, round);
    end_.post(Operation::Write, kFirst, sizeof round);
  }
  void write_second(std::uint32_t round) override {
    end_.post(Operation::Write, kSecond, sizeof round);
  }
  unsigned poll() override { return DatEnd::take(end_.requests()) ? 1 : 0; }
  std::uint64_t first() override { return end_.memory().read<std::uint64_t>(kFirst); }
  std::uint32_t second() override { return end_.memory().read<std::uint32_t>(kSecond); }

 private:
  DatEnd end_;
};

class DatContest final : public Contest {
 public:
  explicit DatContest(const Cell& cell) : cell_(cell) {}
  std::string name() const override { return "dat"; }
  std::unique_ptr<InitiatorEnd> initiator(Place& place) override {
    return std::make_unique<DatInitiator>(place, cell_);
  }
  std::unique_ptr<TargetEnd> target(Place& place) override {
    return std::make_unique<DatTarget>(place, cell_);
  }
  std::unique_ptr<TwoWordsEnd> two_words(Place& place) override {
    return std::make_unique<DatTwoWords>(place, cell_);
  }

 private:
  const Cell cell_;
};

} // namespace

std::unique_ptr<Contest> dat_contest(const Cell& cell) {
  return std::make_unique<DatContest>(cell);
}

} // namespace waiting
