// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/orders/machine.h: plays one execution of a scene, step by step, over a weak memory.
// Lives here: which accesses are steps, which thread may go on, spinning and sleeping, system
// calls.
// Not here:   the choices (explorer.h), the values of reads (weak_memory.h), how the
//             product's accesses get here (instrument.cc, kernel.cc).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "fiber.h"
#include "weak_memory.h"

namespace datum::test {

// What other threads can notice of the next step of a thread.
struct Step {
  std::uint64_t key = 0; // of the word or object; 0: no other thread can notice the step
  bool writes = false;
  bool by_any_word = false; // the thread waits until any of several words changes
  bool depends_on(const Step& other) const {
    if (by_any_word || other.by_any_word) return true;
    return key == other.key && key != 0 && (writes || other.writes);
  }
};

// The threads that have ever used a word, in any execution so far. Steps of a word that only one
// thread uses need not be tried in different orders.
struct Usage {
  std::uint8_t by = 0;
  std::uint8_t written_by = 0;
};

class Machine final : private Chooser {
 public:
  enum class Spins : std::uint8_t {
    Both,    // a spin may end by a count, or wait for another value
    Waiting, // every spin waits for another value
  };
  // Makes the choices.
  class Guide {
   public:
    virtual ~Guide() = default;
    virtual std::size_t choose(std::size_t count) = 0;
    // Chooses one of `able`, which is not empty. `steps`: the next step of each thread.
    virtual std::size_t choose_thread(std::uint32_t able, const std::vector<Step>& steps) = 0;
  };

  explicit Machine(Guide& guide) : memory_(*this), guide_(guide) {}
  ~Machine() override = default;

  // --- the scene -------------------------------------------------------------------------------
  // Makes this memory shared between threads. The machine plays only accesses to shared memory.
  // share_alias() adds a second address of bytes that are shared already.
  void share(const void* begin, std::size_t size, const char* name);
  void share_alias(const void* begin, const void* of);
  // Allows threads to read these fields while another thread writes them. A thread must not rely on
  // a value that it read so.
  void may_race(const void* begin, std::size_t size);
  void add(std::function<void()> body);
  Spins spins = Spins::Both;

  // --- called by threads
  void fail(const std::string& what);
  // Begins a series of reads of fields that may_race() was called for.
  void begin_reading();
  // From here on the thread relies on the reads of the series. It is a failure if another thread
  // wrote one of the fields meanwhile.
  void rely_on_what_was_read();
  std::size_t current() const { return current_; }
  // A step on an object that is not in the model. The step waits until ready() is true.
  void act(const void* object, const std::function<bool()>& ready,
           const std::function<void()>& action);
  // Orders threads as a lock or a descriptor does. A thread that calls this later sees all that a
  // thread saw when it called this earlier.
  void synchronize(const void* object);

  // --- accesses of instrumented code
  // The machine. It is nullptr if no scene is played or the address is not shared, and then the
  // caller makes the access itself.
  static Machine* of(const volatile void* address);
  static Machine* running() {
    return running_ != nullptr && running_->inside_ ? running_ : nullptr;
  }
  std::uint64_t load(const volatile void* address, std::size_t size, Order order);
  void store(const volatile void* address, std::size_t size, std::uint64_t value, Order order);
  std::uint64_t exchange(const volatile void* address, std::size_t size, Order order,
                         const std::function<std::uint64_t(std::uint64_t)>& change);
  bool compare_exchange(const volatile void* address, std::size_t size, std::uint64_t& expected,
                        std::uint64_t desired, Order success, Order failure);
  void fence(Order order);
  void light_fence();
  void heavy_fence();
  void plain_access(const volatile void* address, std::size_t size, bool write);
  long futex_wait(const volatile void* address, std::uint32_t expected, bool bounded);
  long futex_wake(const volatile void* address, int count);

  // --- what the explorer needs
  enum class End : std::uint8_t { Finished, Quiet, GivenUp };
  void begin();
  End run();
  // Whether, since forget_growth(), a thread used or wrote a word for the first time in all
  // executions.
  bool usage_grew() const { return usage_grew_; }
  void forget_growth() { usage_grew_ = false; }
  WeakMemory& memory() { return memory_; }
  const std::string& failure() const { return failure_; }
  std::string trace() const;
  void keep_trace(bool keep) { keeps_trace_ = keep; }
  std::uint64_t steps() const { return steps_; }
  void clear();

 private:
  static constexpr int kLongestSpin = 150;         // loads
  static constexpr std::size_t kLongestPeriod = 8; // loads in one round of a spin
  static constexpr std::uint64_t kFences = 1;      // the key that all fences share
  enum class State : std::uint8_t { Able, Awaiting, Acting, Asleep, Over };

  struct Region {
    std::uintptr_t begin = 0;
    std::size_t size = 0;
    std::uint64_t key = 0;
    const char* name = "";
    bool may_race = false;
  };
  struct Actor {
    Fiber fiber;
  };
  struct Load {
    const void* site = nullptr;
    Word word;
    std::uint64_t value = 0;
    bool is(const Load& other) const {
      return site == other.site && word.key == other.word.key && value == other.value;
    }
  };
  struct ThreadState {
    State state = State::Able;
    Step next;
    const std::function<bool()>* ready = nullptr;
    std::uint64_t asleep_on = 0;
    bool bounded = false;
    bool timed_out = false;
    std::uint32_t reading_since = 0;
    std::string race;                                               // since begin_reading()
    std::vector<std::pair<std::uint32_t, std::uint32_t>> relied_on; // ranges of steps
    // The loads since the thread's last other step. A thread that repeats its loads spins.
    std::vector<Load> loads;
    std::size_t period = 0; // length of the loop in which the thread spins, in loads
    bool spins_on = false;  // the thread sees the same values until it does something else
    int repeats = 0;
    std::uint64_t demanded = 0; // the word whose next load must return a newer value
  };
  struct TraceLine {
    std::size_t thread;
    std::string what;
    const void* site;
  };

  std::size_t choose(std::size_t count) override { return guide_.choose(count); }
  void give_up() override;
  const Region* region(const volatile void* address) const;
  Word word(const volatile void* address, std::size_t size) const;
  // Called before each step. Other threads may take steps first.
  void before(const Step& step, bool waits = false);
  bool concerns_others(const Step& step);
  bool goes_on_spinning(const Word& word, std::uint64_t& value);
  std::size_t spin_before(const Word& word) const;
  bool sees_newer(std::size_t thread);
  void demand_newer();
  void note_load(const Word& word, std::uint64_t value);
  void pause_until_chosen();
  bool is_able(std::size_t thread);
  std::uint32_t able();
  bool let_time_pass();
  void go_on(std::size_t thread);
  void not_a_load() {
    threads_[current_].loads.clear();
    threads_[current_].spins_on = false;
    threads_[current_].demanded = 0;
  }
  void note_race(const WeakMemory::Race& race, const std::string& what, bool write);
  void note(std::string what);
  std::string name_of(std::uint64_t key) const;

  static Machine* running_;
  WeakMemory memory_;
  Guide& guide_;
  std::vector<Region> regions_;
  std::vector<std::unique_ptr<Actor>> actors_;
  std::size_t used_actors_ = 0;
  std::vector<ThreadState> threads_;
  std::vector<std::function<void()>> bodies_;
  std::unordered_map<std::uint64_t, Usage> usage_;
  bool usage_grew_ = false;
  std::size_t current_ = 0;
  bool inside_ = false;
  bool given_up_ = false;
  bool keeps_trace_ = false;
  std::uint64_t steps_ = 0;
  std::vector<TraceLine> trace_;
  std::string failure_;
};

// The site of the current access, for traces and mutants. instrument.cc sets it.
extern const void* current_site;

} // namespace datum::test
