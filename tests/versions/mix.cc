// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Compiled with the sources of tests/stress into one library for each DAT version. Each library
// hides the names of those sources, because both libraries have the same names.
#include "versions/mix.h"

#include <atomic>
#include <optional>
#include <thread>

#include "stress/must.h"
#include "stress/node.h"

namespace {

namespace stress = datum::stress;
using datum::test::Mix;
using datum::test::MixLoad;

class MixOfThisVersion final : public Mix {
 public:
  explicit MixOfThisVersion(const MixLoad& load)
      : node_(std::in_place, stress::Load{.ia = load.ia,
                                          .seed = load.seed,
                                          .pairs = load.threads / 2,
                                          .lanes = load.lanes}) {}

  std::string target() const override { return node_->own_target().text(); }
  void start(const std::string& target_of_other) override {
    constexpr DAT_TIMEOUT kTurn = 20'000; // us; after each turn it checks whether it is to leave
    stress::Target target;
    MUST(stress::Target::parse(target_of_other, target));
    node_->set_target(target);
    node_->start_responders();
    answering_ = std::thread([this] {
      while (!leaving_) node_->answer_requests(kTurn);
    });
    node_->start_initiators();
  }
  std::uint64_t rounds() const override { return node_->rounds(); }
  void stop() override {
    node_->tell_initiators_to_stop();
    node_->join_initiators();
  }
  void leave() override {
    leaving_ = true;
    answering_.join();
    node_->answer_until_idle();
    node_->stop_responders();
    node_.reset();
  }

 private:
  std::optional<stress::Node> node_;
  std::atomic<bool> leaving_{false};
  std::thread answering_;
};

Mix* open_mix(const MixLoad& load) {
  stress::set_rerun(load.rerun.c_str());
  return new MixOfThisVersion(load);
}

} // namespace

#if DATUM_DAT_MAJOR == 1
Mix* datum_open_mix_of_dat1(const MixLoad& load) {
  return open_mix(load);
}
#else
Mix* datum_open_mix_of_dat2(const MixLoad& load) {
  return open_mix(load);
}
#endif
