// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// TcpTransport: which connection sends first if all of them together have more to send than one
// turn moves.
#include <array>
#include <deque>
#include <gtest/gtest.h>

#include "station.h"
#include "transport/tcp/tcp_state.h"

namespace datum::test {
namespace {

constexpr std::size_t kMost = 8 * 1024 * 1024; // many turns
constexpr std::size_t kShare = 64 * 1024;      // sixteen shares use up a turn

class TurnOrder : public testing::Test {
 protected:
  static constexpr std::size_t kLines = 17;

  TurnOrder() {
    for (std::size_t i = 0; i < kLines; ++i) {
      lines_.push_back(stations_.connect());
      lines_.back()->far.events.add_region_at(kStag, base_of(target_), kMost, kRemoteWrite);
    }
    stations_.let_posters_come_back_soon(*lines_.front());
    stations_.near.turn(); // does what the connects have left to do
    EXPECT_FALSE(near().has_work());
  }
  void write(std::size_t line, std::size_t size) {
    const LocalTriplet& local = locals_.emplace_back(LocalTriplet{1, base_of(source_), size});
    WorkRequest& request = requests_.emplace_back();
    request.opcode = Opcode::RdmaWrite;
    request.length = size;
    request.local = {&local, 1};
    request.remote = {kStag, base_of(target_), size};
    EXPECT_EQ(lines_[line]->near.channel->start(request), StartResult::Started);
  }
  // All octets that TCP was ever given on this connection.
  std::uint64_t given(std::size_t line) const {
    const int socket = lines_[line]->near.socket;
    return tcp_state(socket).acknowledged + unacknowledged(socket);
  }
  // Lets everything arrive, so that every socket has room for more than a turn.
  void all_arrives() {
    for (const auto& line : lines_)
      while (unacknowledged(line->near.socket) != 0) stations_.far.turn();
  }
  // Each of these lines uses its share of a turn, and still has much to send.
  void let_continue(const std::vector<std::size_t>& lines) {
    for (const std::size_t line : lines) write(line, kMost);
    for (const std::size_t line : lines)
      for (const std::uint64_t before = given(line); given(line) == before; all_arrives())
        near().progress();
    all_arrives();
  }
  TcpTransport& near() { return *stations_.near.transport; }

 private:
  static constexpr Stag kStag = 5;
  static std::uint64_t base_of(const iwarp::test::Bytes& memory) {
    return reinterpret_cast<std::uint64_t>(memory.data());
  }
  const iwarp::test::Bytes source_ = iwarp::test::Bytes(kMost);
  iwarp::test::Bytes target_ = iwarp::test::Bytes(kMost);
  std::deque<LocalTriplet> locals_;
  std::deque<WorkRequest> requests_; // until they have ended
  TwoStations stations_;
  std::vector<std::unique_ptr<Line>> lines_;
};

// Rules: PROGRESS.3
TEST_F(TurnOrder, WhoBeginsGoesBeforeThoseThatContinue) {
  let_continue({0, 1, 2, 3, 4});
  for (int turn = 0; turn < 3; ++turn) {
    write(5, 8);
    write(5, 8); // the second one waits for a turn
    const std::uint64_t before = given(5);
    near().progress();
    EXPECT_NE(given(5), before) << "turn " << turn;
    all_arrives();
  }
}

// Rules: PROGRESS.3
TEST_F(TurnOrder, WhoBeginsWithMoreThanAShareHoldsUpThoseBehindForAShare) {
  constexpr std::size_t kBefore = 7; // so many shares are less than a turn
  for (std::size_t line = 0; line < kBefore; ++line) {
    write(line, 8);
    write(line, 4 * kShare); // the second one waits for a turn
  }
  write(kBefore, 8);
  const std::uint64_t before = given(kBefore);
  near().progress();
  EXPECT_NE(given(kBefore), before);
}

// Rules: PROGRESS.3
TEST_F(TurnOrder, OneContinuesThoughThoseThatBeginUseUpEachTurn) {
  let_continue({0});
  for (int turn = 0; turn < 5; ++turn) {
    for (std::size_t line = 1; line < kLines; ++line) write(line, kShare);
    const std::uint64_t before = given(0);
    near().progress();
    EXPECT_NE(given(0), before) << "turn " << turn;
    all_arrives();
  }
}

// Rules: PROGRESS.3
TEST_F(TurnOrder, ThoseThatContinueTakeTurns) {
  let_continue({0, 1, 2});
  const std::array<std::uint64_t, 3> before = {given(0), given(1), given(2)};
  for (std::size_t turn = 0; turn < before.size(); ++turn) {
    near().progress();
    all_arrives();
  }
  for (std::size_t line = 0; line < before.size(); ++line)
    EXPECT_NE(given(line), before[line]) << "line " << line;
}

} // namespace
} // namespace datum::test
