// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The locks: only one thread has the lock at a time. It sees the stores of the thread that had the
// lock before, and no thread sleeps for ever.
#include <cstring>
#include <new>

#include "base/biased_mutex.h"
#include "base/mutex.h"
#include "scenes.h"

namespace datum::test {
namespace {

// How a thread uses the lock. The lock guards a number.
enum class Deed : std::uint8_t { Lock, TryLock, LetIn };
using Deeds = std::vector<Deed>;

template <class M>
struct Guarded {
  M lock;
  std::uint32_t number = 0;
};

template <class M>
class LockScene : public Scene {
 public:
  explicit LockScene(std::vector<Deeds> threads) : threads_(std::move(threads)) {}
  void begin(Machine& machine) override {
    if (guarded_ == nullptr) {
      guarded_ = new (&memory_) Guarded<M>;
      prefetch(guarded_->lock);
      std::memcpy(&warm_, &memory_, sizeof memory_);
    }
    std::memcpy(&memory_, &warm_, sizeof memory_);
    entered_ = 0;
    machine.share(guarded_, sizeof *guarded_, "lock");
    for (std::size_t i = 0; i < threads_.size(); ++i)
      machine.add([this, &machine, i] {
        for (const Deed deed : threads_[i]) act(machine, deed);
      });
  }
  void end(Machine& machine, bool finished) override {
    if (!finished) machine.fail("a thread sleeps for ever");
    if (finished && guarded_->number != entered_) machine.fail("two threads were inside at a time");
  }

 protected:
  virtual void prefetch(M&) {}

 private:
  void enter() {
    ++guarded_->number;
    ++entered_;
  }
  void act(Machine& machine, Deed deed) {
    M& lock = guarded_->lock;
    if constexpr (std::is_same_v<M, Mutex>) {
      if (deed == Deed::TryLock) {
        if (!lock.try_lock()) return;
        enter();
        return lock.unlock();
      }
    }
    lock.lock();
    enter();
    if (deed == Deed::LetIn) {
      lock.let_in();
      enter();
    }
    lock.unlock();
    static_cast<void>(machine);
  }

  const std::vector<Deeds> threads_;
  alignas(64) std::byte memory_[sizeof(Guarded<M>)];
  std::byte warm_[sizeof memory_];
  Guarded<M>* guarded_ = nullptr;
  std::uint32_t entered_ = 0; // not shared: fibers never run at the same time, so it is right
};

// At the beginning the first thread is the bias owner, or its next lock makes it the bias owner.
class BiasScene final : public LockScene<BiasedMutex> {
 public:
  BiasScene(std::vector<Deeds> threads, std::size_t bias_owner, int streak)
      : LockScene(std::move(threads)), bias_owner_(bias_owner), streak_(streak) {}

 private:
  void prefetch(BiasedMutex& lock) override {
    be_thread(bias_owner_);
    for (int i = 0; i < streak_; ++i) {
      lock.lock();
      lock.unlock();
    }
  }
  const std::size_t bias_owner_;
  const int streak_;
};

constexpr int kBiasOwner = 257; // the locks in a row that make a thread the bias owner
constexpr Deed kLock = Deed::Lock;

NamedScene mutex_scene(const char* name, std::vector<Deeds> threads, Effort effort = Effort::All) {
  return {name, [threads] { return std::make_unique<LockScene<Mutex>>(threads); }, {}, effort};
}
NamedScene bias_scene(const char* name, std::vector<Deeds> threads, int streak,
                      Effort effort = Effort::All, bool promises = false) {
  return {name,
          [=] { return std::make_unique<BiasScene>(threads, 0, streak); },
          {.promises = promises},
          effort};
}

} // namespace

std::vector<NamedScene> lock_scenes() {
  return {mutex_scene("mutex", {{kLock}, {kLock}}),
          mutex_scene("mutex-try", {{Deed::TryLock, Deed::TryLock}, {kLock}}),
          mutex_scene("mutex-let-in", {{Deed::LetIn}, {kLock}}),
          mutex_scene("mutex-three", {{Deed::LetIn}, {kLock, kLock}, {kLock}}, Effort::Seeds),
          bias_scene("bias-ends", {{kLock}, {kLock}}, kBiasOwner),
          bias_scene("bias-ends-late", {{kLock, kLock}, {kLock}}, kBiasOwner, Effort::Seeds),
          bias_scene("bias-begins", {{kLock}, {kLock}}, kBiasOwner - 1),
          bias_scene("bias-let-in", {{Deed::LetIn}, {kLock}}, kBiasOwner, Effort::Seeds),
          bias_scene("bias-three", {{kLock, kLock}, {kLock}, {Deed::LetIn}}, kBiasOwner - 1,
                     Effort::Seeds)};
}

} // namespace datum::test
