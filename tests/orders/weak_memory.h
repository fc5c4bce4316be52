// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/orders/weak_memory.h: which values each thread may read. The orders of the accesses decide
// that (docs/design/memory_model.md).
// Lives here: the messages of each word, the threads' views, fences, data races, promised reads.
// Not here:   which thread goes on (machine.h), what is tried next (explorer.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace datum::test {

inline constexpr std::size_t kMostThreads = 6;
using Clock = std::array<std::uint32_t, kMostThreads>;
inline void join(Clock& into, const Clock& from) {
  for (std::size_t i = 0; i < kMostThreads; ++i)
    if (from[i] > into[i]) into[i] = from[i];
}

// The orders of std::memory_order. A fence that a mutant leaves out is Relaxed.
enum class Order : std::uint8_t { Relaxed, Consume, Acquire, Release, AcqRel, SeqCst };
inline bool acquires(Order order) {
  return order != Order::Relaxed && order != Order::Release;
}
inline bool releases(Order order) {
  return order >= Order::Release;
}

// A word of shared memory: its address, and a name that is the same in every execution.
struct Word {
  std::uintptr_t address = 0;
  std::uint64_t key = 0;
  std::size_t size = 0;
};

// Makes the choice if the model allows several outcomes.
class Chooser {
 public:
  virtual ~Chooser() = default;
  // One of `count` outcomes. 0 is what a machine without reordering does.
  virtual std::size_t choose(std::size_t count) = 0;
  // Called if the execution is impossible or need not go on. Does not return to a thread of the
  // scene.
  virtual void give_up() = 0;
};

class WeakMemory {
 public:
  explicit WeakMemory(Chooser& chooser) : chooser_(chooser) {}
  void begin(std::size_t threads);

  std::uint64_t load(std::size_t thread, const Word& word, Order order);
  // A load by the kernel, which returns the newest value.
  std::uint64_t load_now(std::size_t thread, const Word& word);
  void store(std::size_t thread, const Word& word, std::uint64_t value, Order order);
  // Reads the value, and writes change(value) in the same step.
  template <class F>
  std::uint64_t exchange(std::size_t thread, const Word& word, Order order, F&& change) {
    const std::size_t at = location(word);
    const std::uint32_t read = choose_updated(thread, at, order, nullptr);
    const std::uint64_t value = locations_[at].messages[read].value;
    update(thread, at, read, change(value), order);
    return value;
  }
  // If it returns false, `expected` is the value that was found.
  bool compare_exchange(std::size_t thread, const Word& word, std::uint64_t& expected,
                        std::uint64_t desired, Order success, Order failure);
  void fence(std::size_t thread, Order order);
  // The two sides of membarrier(2). The light fence of the frequent side only keeps the compiler
  // from reordering. The heavy fence of the seldom side makes every processor fence.
  void light_fence(std::size_t thread);
  void heavy_fence(std::size_t thread);
  // System calls on one object follow each other. After its call a thread sees all that the
  // threads of earlier calls had seen.
  void kernel_call(std::size_t thread, std::uint64_t object);
  // The effect of an ordinary lock or descriptor: a release and an acquire.
  void synchronize(std::size_t thread, std::uint64_t object);
  // A data race between plain accesses.
  struct Race {
    const char* what = nullptr; // nullptr if there is no race
    std::size_t other = 0;      // the other thread
    std::uint32_t step = 0;     // the step of the other thread
  };
  Race plain_access(std::size_t thread, std::uint64_t key, std::size_t size, bool write);

  // Whether the thread could read a newer message of the word than it read last.
  bool has_newer(std::size_t thread, const Word& word);
  // Makes the thread's next load return a newer message. The thread has waited for that message.
  void demand_newer(std::size_t thread) { threads_[thread].demands_newer = true; }
  std::uint32_t steps_of(std::size_t thread) const { return threads_[thread].now.clock[thread]; }
  bool promises_kept() const { return promises_.empty(); }

  // --- kept from one execution to the next -----------------------------------------------------
  void allow_promises() { promised_reads_ = true; }
  // Keeps the values that a later execution may promise. Returns whether some of them are new.
  bool keep_values();

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct View {
    std::vector<std::uint32_t> at; // by location: the oldest message that may still be read
    Clock seen{};                  // by thread: the last step that is ordered before this view
  };
  struct Knowledge {
    View view;
    Clock clock{}; // by thread: the last step that happened before, for data races
  };
  struct Message {
    std::uint64_t value = 0;
    std::uint32_t released = kNone; // what an acquiring reader learns
    std::uint32_t position = 0;     // in the word's order of modification
    bool updates = false;           // no message may come between this one and the one before it
  };
  struct Location {
    Word word;
    std::vector<Message> messages;
    std::vector<std::uint32_t> order;
    std::uint32_t last_seq_cst = 0;
  };
  struct Thread {
    Knowledge now;
    Knowledge to_acquire;           // what the next acquire fence learns
    std::uint32_t released = kNone; // what the last release fence released
    View light;                     // the view at the last light fence
    std::uint32_t acquire_fences = 0;
    bool demands_newer = false;
  };
  // A load that returns a value which another thread will store only later. Hardware and compilers
  // may reorder a load with a later store (load buffering).
  struct Promise {
    std::size_t location = 0;
    std::uint64_t value = 0;
    std::size_t thread = 0;
    std::uint32_t step = 0;
    Order order = Order::Relaxed;
    std::uint32_t acquire_fences = 0;
    std::uint32_t last_seq_cst = 0;
    Knowledge then;
  };
  struct Shadow {
    Clock plain_write{}, plain_read{}, atomic_write{}, atomic_read{};
  };
  struct Stored {
    std::uint64_t key = 0;
    std::uint64_t value = 0;
    std::size_t thread = 0;
    auto operator<=>(const Stored&) const = default;
  };

  std::size_t location(const Word& word);
  std::uint32_t& in(View& view, std::size_t at) const;
  std::uint32_t in(const View& view, std::size_t at) const {
    return at < view.at.size() ? view.at[at] : 0;
  }
  std::uint32_t position(std::size_t at, std::uint32_t message) const {
    return locations_[at].messages[message].position;
  }
  void join(View& into, const View& from) const;
  void join(Knowledge& into, const Knowledge& from) const;
  bool within(const View& small, const View& large) const;
  std::uint32_t keep(const Knowledge& knowledge);
  std::uint32_t oldest_readable(std::size_t thread, std::size_t at, Order order) const;
  bool is_followed_by_update(const Location& location, std::uint32_t position) const;
  std::uint32_t choose_updated(std::size_t thread, std::size_t at, Order order,
                               const std::uint64_t* expected);
  void read(std::size_t thread, std::size_t at, std::uint32_t message, Order order);
  void update(std::size_t thread, std::size_t at, std::uint32_t read, std::uint64_t value,
              Order order);
  void place(std::size_t thread, std::size_t at, std::uint32_t position, std::uint64_t value,
             std::uint32_t released, bool updates, Order order);
  std::uint32_t released_by(std::size_t thread, Order order);
  void step(std::size_t thread) {
    Thread& me = threads_[thread];
    me.now.view.seen[thread] = ++me.now.clock[thread];
  }
  bool promised_by_one_seen(std::size_t thread, std::size_t at) const;
  std::uint64_t load_one(std::size_t thread, const Word& word, Order order, bool promised);
  std::uint64_t promise(std::size_t thread, std::size_t at, std::uint64_t value, Order order);
  void keep_promises(std::size_t thread, std::size_t at, std::uint32_t message);
  void learn_of(const Promise& promise, std::uint32_t message);
  void note_atomic(std::size_t thread, const Word& word, bool write);

  Chooser& chooser_;
  std::vector<Thread> threads_;
  std::vector<Location> locations_;
  std::unordered_map<std::uint64_t, std::size_t> known_;
  std::vector<Knowledge> kept_;
  std::size_t kept_used_ = 0;
  View seq_cst_;
  View heavy_;
  std::map<std::uint64_t, Knowledge> objects_;
  std::unordered_map<std::uint64_t, Shadow> shadows_;
  std::vector<Promise> promises_;
  bool promised_reads_ = false;
  std::set<Stored> stored_;
  std::vector<Stored> stored_now_;
};

} // namespace datum::test
