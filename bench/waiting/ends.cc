// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "waiting/ends.h"

#include <utility>

namespace waiting {
namespace {

// The time that a run may take in addition to its bound, to open, to connect and to end.
constexpr double kGrace = 20; // s

// The end is not destroyed before the process exits, since a second thread may be using it.
template <typename End>
void stay_until_the_end(Place& place, std::unique_ptr<End> end) {
  place.meet();
  static_cast<void>(end.release());
}

} // namespace

std::unique_ptr<Contest> limit_contest(const Cell& cell) {
  return cell.transport == Transport::Shm ? memory_contest(cell) : socket_contest(cell);
}

Outcome run(Contest& contest, const Cell& cell, std::array<int, 2> cores, const Bounds& bounds) {
  if (cell.cores == Cores::One) cores[1] = cores[0];
  const bool two_words = cell.operation == Operation::TwoWords;
  const Work initiator = [&](Place& place) {
    if (two_words) {
      auto end = contest.two_words(place);
      place.meet();
      place.control.figures = measure_two_words(*end, place, bounds);
      stay_until_the_end(place, std::move(end));
    } else {
      auto end = contest.initiator(place);
      place.meet();
      place.control.figures = post_again_and_again(*end, place, cell, bounds);
      stay_until_the_end(place, std::move(end));
    }
  };
  const Work target = [&](Place& place) {
    if (two_words) {
      auto end = contest.two_words(place);
      place.meet();
      answer_two_words(*end, place);
      stay_until_the_end(place, std::move(end));
    } else {
      auto end = contest.target(place);
      place.meet();
      keep_to_habit(*end, place, cell);
      stay_until_the_end(place, std::move(end));
    }
  };
  return run_pair(cores, bounds.seconds + kGrace, initiator, target);
}

} // namespace waiting
