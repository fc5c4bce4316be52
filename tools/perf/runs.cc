// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/runs.h"

#include <algorithm>
#include <cstring>

#include "common/interrupt.h"
#include "common/tool_error.h"
#include "limits/limits.h"
#include "perf/stopwatch.h"

namespace datum::perf {
namespace {

// How often memory is read between two readings of the clock.
constexpr std::uint32_t kMemoryLooks = 1U << 20U;

unsigned char load(const unsigned char* byte) {
  return __atomic_load_n(byte, __ATOMIC_ACQUIRE);
}

void store(unsigned char* byte, unsigned char value) {
  __atomic_store_n(byte, value, __ATOMIC_RELEASE);
}

// Two consecutive rounds have different marks, and no mark is 0, which fresh memory holds.
unsigned char mark_of(std::uint64_t round) {
  return static_cast<unsigned char>(round % 251 + 1);
}

void await_mark(Link& link, const unsigned char* byte, unsigned char mark) {
  const bool polls = link.task().target == Target::Poll;
  double since = 0;
  for (;;) {
    for (std::uint32_t i = 0; i < kMemoryLooks; ++i) {
      if (load(byte) == mark) return;
      if (polls) link.poll();
    }
    if (since == 0) since = now_ns();
    link.check_alive(since);
  }
}

std::uint32_t endpoint_of(const Link& link, std::uint64_t round) {
  return static_cast<std::uint32_t>(round % link.endpoints());
}

// The last request on an endpoint is signalled, so that drain() gets its completion.
bool is_last(const Link& link, std::uint64_t round, std::uint64_t total) {
  return round + link.endpoints() >= total;
}

// Link looks for Ctrl-C only while nothing completes. A loop in which operations complete all the
// time calls this for each round. 64 rounds end soon even for the largest size.
void look_for_interrupt(std::uint64_t round) {
  if (round % 64 == 0) tools::throw_if_interrupted();
}

// Runs a round many times: work(i) is called with 0, 1, 2, ...; the warm-up rounds come first and
// are not timed.
template <typename Round>
Outcome run_rounds(const Order& order, Round&& work) {
  const auto round = [&](std::uint64_t i) {
    look_for_interrupt(i);
    work(i);
  };
  Outcome outcome;
  if (order.each) outcome.ticks.reserve(order.rounds);
  std::uint64_t i = 0;
  for (; i < order.warm_up; ++i) round(i);
  const std::uint64_t total = order.warm_up + order.rounds;
  const double start = now_ns();
  if (order.each) {
    std::uint64_t before = ticks();
    for (; i < total; ++i) {
      round(i);
      const std::uint64_t after = ticks();
      outcome.ticks.push_back(after - before);
      before = after;
    }
  } else {
    for (; i < total; ++i) round(i);
  }
  outcome.ns = outcome.took_ns = now_ns() - start;
  return outcome;
}

// Each side sends first and posts its receive again afterwards, so that posting does not delay the
// message.
Outcome send_pingpong(Link& link, const Order& order) {
  const std::uint64_t total = order.warm_up + order.rounds;
  std::uint32_t ep = 0;
  return run_rounds(order, [&](std::uint64_t i) {
    link.post(Op::Send, endpoint_of(link, i), is_last(link, i, total));
    if (i != 0) link.post_recv(ep);
    ep = link.await_recv();
    if (i + 1 == total) link.post_recv(ep);
  });
}

void answer_sends(Link& link, std::uint64_t rounds) {
  for (std::uint64_t i = 0; i < rounds; ++i) {
    look_for_interrupt(i);
    const std::uint32_t ep = link.await_recv();
    link.post(Op::Send, ep, is_last(link, i, rounds));
    link.post_recv(ep);
  }
}

Outcome write_pingpong(Link& link, const Order& order) {
  const std::uint64_t total = order.warm_up + order.rounds;
  unsigned char* const last_out = link.out() + link.task().size - 1;
  const unsigned char* const last_in = link.in() + link.task().size - 1;
  return run_rounds(order, [&](std::uint64_t i) {
    store(last_out, mark_of(i));
    link.post(Op::Write, endpoint_of(link, i), is_last(link, i, total));
    await_mark(link, last_in, mark_of(i));
  });
}

void answer_writes(Link& link, std::uint64_t rounds) {
  unsigned char* const last_out = link.out() + link.task().size - 1;
  const unsigned char* const last_in = link.in() + link.task().size - 1;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    look_for_interrupt(i);
    await_mark(link, last_in, mark_of(i));
    store(last_out, mark_of(i));
    link.post(Op::Write, endpoint_of(link, i), is_last(link, i, rounds));
  }
}

Outcome read_one_by_one(Link& link, const Order& order) {
  return run_rounds(order, [&](std::uint64_t i) {
    const std::uint32_t ep = endpoint_of(link, i);
    link.post(Op::Read, ep, true);
    link.await_requests(ep, 0);
  });
}

// All requests are complete before the clock stops. A stream of sends ends with the target's
// answer.
Outcome stream(Link& link, const Order& order) {
  const Op op = link.task().op;
  const std::uint64_t total = order.warm_up + order.rounds;
  return run_rounds(order, [&](std::uint64_t i) {
    link.post(op, endpoint_of(link, i), is_last(link, i, total));
    if (i + 1 < total) return;
    link.drain();
    if (op == Op::Send) link.post_recv(link.await_recv());
  });
}

void swallow_sends(Link& link, std::uint64_t rounds) {
  for (std::uint64_t i = 0; i < rounds; ++i) {
    look_for_interrupt(i);
    link.post_recv(link.await_recv());
  }
  link.post_answer();
  link.drain();
}

// Only the posts are timed. They go in bursts of half a window, and each burst is drained before
// the next. Draining takes longer than posting, since each message moves its bytes meanwhile.
Outcome post_cost(Link& link, const Order& order) {
  const std::uint64_t burst = std::max<std::uint64_t>(1, link.task().window / 2);
  const std::uint64_t total = order.warm_up + order.rounds;
  const double begin = now_ns();
  double inside = 0;
  for (std::uint64_t done = 0; done < total;) {
    tools::throw_if_interrupted();
    const std::uint64_t count = std::min(burst, total - done);
    const double start = now_ns();
    for (std::uint64_t i = 0; i < count; ++i)
      link.post(Op::Send, endpoint_of(link, done + i), is_last(link, i, count));
    inside += now_ns() - start;
    link.drain();
    done += count;
  }
  link.post_recv(link.await_recv());
  const double share = static_cast<double>(order.rounds) / static_cast<double>(total);
  return {inside * share, (now_ns() - begin) * share, {}};
}

Outcome empty_dequeues(Link& link, const Order& order) {
  return run_rounds(order, [&](std::uint64_t) { link.poll(); });
}

// Changes the bytes that are read, again and again, so that each read finds a line that the target
// has just written.
void rewrite_until_stopped(Link& link) {
  const bool polls = link.task().target == Target::Poll;
  const bool rewrites = link.task().kind == Kind::Latency;
  unsigned char* const word = link.out();
  std::uint64_t looks = 0;
  while (load(link.stop_line()) == 0) {
    ++looks;
    if (rewrites) store(word, static_cast<unsigned char>(looks));
    if (polls)
      link.poll();
    else
      limits::breathe();
    if (looks % kMemoryLooks == 0) link.check_alive(now_ns());
  }
  store(link.stop_line(), 0);
}

bool is_one_sided(const Task& task) {
  return task.op == Op::Read || (task.op == Op::Write && task.kind != Kind::Latency);
}

} // namespace

bool responder_counts(const Task& task) {
  return !(task.op == Op::None || (is_one_sided(task) && task.target == Target::Sleep));
}

void prepare(Link& link) {
  link.top_up_receives(link.receives_wanted());
  std::memset(link.out(), 0, link.task().size);
  std::memset(link.in(), 0, link.task().size);
  store(link.stop_line(), 0);
}

Outcome initiate(Link& link, const Order& order) {
  const Task& task = link.task();
  if (task.kind == Kind::Dequeue) return empty_dequeues(link, order);
  if (task.kind == Kind::Post) return post_cost(link, order);
  Outcome outcome;
  if (is_stream(task))
    outcome = stream(link, order);
  else if (task.op == Op::Send)
    outcome = send_pingpong(link, order);
  else if (task.op == Op::Write)
    outcome = write_pingpong(link, order);
  else
    outcome = read_one_by_one(link, order);
  link.drain();
  if (is_one_sided(task) && task.target != Target::Sleep) link.write_stop_line();
  return outcome;
}

void respond(Link& link, Control& control, std::uint64_t rounds) {
  const Task& task = link.task();
  if (!responder_counts(task)) {
    const Message stop = control.receive();
    if (stop.verb != "stop")
      throw tools::ToolError(tools::ExitCode::Failed,
                             "the client said \"" + stop.verb + "\", not \"stop\"");
  } else if (is_one_sided(task)) {
    rewrite_until_stopped(link);
  } else if (task.kind != Kind::Latency) {
    swallow_sends(link, rounds);
  } else if (task.op == Op::Send) {
    answer_sends(link, rounds);
  } else {
    answer_writes(link, rounds);
  }
  link.drain();
}

} // namespace datum::perf
