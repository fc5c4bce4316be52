// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/session.h"

#include <unistd.h>

#include <fmt/format.h>

#include "common/interrupt.h"
#include "common/tool_error.h"

namespace datum::perf {

using tools::ExitCode;
using tools::ToolError;

namespace {

constexpr auto kRunPatience = std::chrono::seconds(60);

} // namespace

Session::Session(const tools::Interface& ia, const Peer& peer, std::chrono::milliseconds timeout,
                 Probe* probe)
    : ia_(ia), peer_(peer), timeout_(timeout), probe_(probe), control_(ia) {
  control_.connect(peer.address, peer.port, timeout, peer.name);
}

Session::~Session() {
  if (peer_lost_ || tools::interrupted()) return;
  try {
    control_.ask({"bye", {}, {}});
    control_.close();
  } catch (const ToolError&) {
    // The measurement is over, or its failure is reported already.
  }
}

void Session::expect(const Message& message, const char* verb) const {
  if (message.verb != verb)
    throw ToolError(ExitCode::Failed, fmt::format("{}: \"{}\" instead of \"{}\"; is it of another "
                                                  "version?",
                                                  peer_.name, message.verb.substr(0, 32), verb));
}

void Session::begin(const Task& task) {
  link_ = std::make_unique<Link>(ia_, task, peer_.name);
  remark_ = link_->remark();
  Message order = to_message(task);
  const RemoteMemory own = link_->own_memory();
  order.numbers["rmr"] = own.rmr_context;
  order.numbers["base"] = own.base;
  const Message memory = control_.ask(order);
  expect(memory, "memory");
  link_->set_peer_memory(
      {static_cast<DAT_RMR_CONTEXT>(memory.number("rmr")), memory.number("base")});
  session_ = session_ * 1'000'000 + static_cast<std::uint64_t>(getpid()) + 1;
  expect(control_.ask({"accept", {{"session", session_}}, {}}), "accepting");
  const std::string hello = fmt::format("{}{}", kDataHello, session_);
  for (std::uint32_t i = 0; i < link_->connections(); ++i)
    tools::connect(link_->ep(i), link_->evd(), peer_.address, peer_.port, hello, timeout_,
                   peer_.name);
  expect(control_.receive(kRunPatience), "done");
}

void Session::end() {
  expect(control_.ask({"end", {}, {}}), "done");
  link_.reset();
}

Outcome Session::run(const Order& order) {
  prepare(*link_);
  expect(control_.ask({"run", {{"rounds", order.warm_up + order.rounds}}, {}}), "ready");
  Outcome outcome = initiate(*link_, order);
  if (!responder_counts(link_->task())) control_.send({"stop", {}, {}});
  expect(control_.receive(kRunPatience), "done");
  return outcome;
}

double Session::churn(std::uint32_t at_once, std::uint64_t count) {
  expect(control_.ask({"churn", {}, {}}), "ready");
  const double ns = connect_churn(ia_, {peer_.address, peer_.port, at_once}, count);
  expect(control_.ask({"stop", {}, {}}), "done");
  return ns;
}

std::uint64_t Session::programs() {
  const Message programs = control_.ask({"tools", {}, {}});
  expect(programs, "tools");
  if (programs.number("allowed") == 0)
    throw ToolError(ExitCode::Usage,
                    fmt::format("{} was started without --compare, so it runs no other tools; "
                                "start it there as: dat-perf --server --compare --port {}",
                                peer_.name, peer_.port));
  return programs.number("installed");
}

Message Session::start_tool(const Message& wanted) {
  Message ports = control_.ask(wanted);
  expect(ports, "tool");
  return ports;
}

void Session::end_tool() {
  expect(control_.ask({"tool_end", {}, {}}), "done");
}

double Session::probe() {
  if (probe_ == nullptr) return 0;
  control_.send({"probe", {}, {}});
  const double ns = probe_->lead();
  expect(control_.receive(kRunPatience), "done");
  return ns;
}

std::uint64_t Session::peer_processor_time() {
  const Message cpu = control_.ask({"cpu", {}, {}});
  expect(cpu, "cpu");
  return cpu.number("us");
}

Usage Session::peer_usage() {
  const Message usage = control_.ask({"usage", {}, {}});
  expect(usage, "usage");
  return {usage.number("memory"), usage.number("descriptors")};
}

} // namespace datum::perf
