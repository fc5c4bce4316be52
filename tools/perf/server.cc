// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/server.h"

#include <unistd.h>

#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "common/std_streams.h"
#include "common/text_line.h"
#include "common/tool_error.h"
#include "perf/churn.h"
#include "perf/control.h"
#include "perf/link.h"
#include "perf/requests.h"
#include "perf/runs.h"
#include "perf/tool_server.h"
#include "perf/usage.h"

namespace datum::perf {

using tools::ExitCode;
using tools::ToolError;

namespace {

class Server {
 public:
  explicit Server(const ServerOptions& options)
      : options_(options), ia_(options.ia), requests_(ia_, options.quiet), port_(options.port),
        listener_(tools::listen(ia_, port_, requests_.evd())) {}
  ExitCode run();

 private:
  void serve(tools::Cr request);
  void obey(Control& control);
  Message answer(Control& control, const Message& message);
  Message set_up(const Message& message);
  Message start_tool(const Message& message);
  void log(const std::string& text) const;

  ServerOptions options_;
  tools::Interface ia_;
  Requests requests_;
  DAT_CONN_QUAL port_;
  tools::Psp listener_;
  std::string client_; // its address, for errors
  std::unique_ptr<Link> link_;
  std::unique_ptr<ToolServer> tool_; // at most one; it ends with its client
};

void Server::log(const std::string& text) const {
  if (!options_.quiet) tools::log_line(fmt::format("dat-perf: {}", text));
}

ExitCode Server::run() {
  if (options_.on_listening) {
    options_.on_listening(port_);
  } else {
    tools::outlive_readers("dat-perf");
    tools::print_line("dat-perf: listening on {} ({}), port {}, process {}", ia_.name(),
                      ia_.address(), port_, getpid());
    tools::flush_output();
  }
  for (;;) {
    tools::Cr request = requests_.next_client();
    ExitCode code = ExitCode::Ok; // remains Ok if the client closes in order
    try {
      serve(std::move(request));
    } catch (const ToolError& error) {
      if (error.code() == ExitCode::Interrupted) throw;
      log(error.what());
      code = error.code();
    }
    link_.reset();
    tool_.reset();
    if (options_.once) return code;
  }
}

void Server::serve(tools::Cr request) {
  Control control(ia_);
  client_ = fmt::format("client {}", tools::caller_of(request).address);
  control.accept(std::move(request), tools::after(options_.timeout), client_);
  obey(control);
}

void Server::obey(Control& control) {
  for (;;) {
    const Message message = control.receive();
    if (message.verb == "bye") {
      control.send({"bye", {}, {}});
      control.close();
      return;
    }
    try {
      control.send(answer(control, message));
    } catch (const ToolError& error) {
      // The client's options do not fit this side, or memory is short. The client gets the text of
      // the error.
      if (error.code() != ExitCode::Usage && error.code() != ExitCode::Failed) throw;
      control.send({"error", {}, error.what()});
    }
  }
}

Message Server::answer(Control& control, const Message& message) {
  if (message.verb == "probe") {
    if (options_.probe != nullptr) options_.probe->follow();
  } else if (message.verb == "task") {
    return set_up(message);
  } else if (message.verb == "accept" && link_ && !link_->established()) {
    const std::string wanted = fmt::format("{}{}", kDataHello, message.number("session"));
    const tools::Deadline deadline = tools::after(std::chrono::seconds(60));
    control.send({"accepting", {}, {}});
    for (std::uint32_t i = 0; i < link_->connections(); ++i)
      tools::accept(requests_.next_data(wanted, control, deadline), link_->ep(i).get(), client_);
    link_->await_established();
    prepare(*link_);
  } else if (message.verb == "run" && link_ && link_->established()) {
    prepare(*link_);
    control.send({"ready", {}, {}});
    respond(*link_, control, message.number("rounds"));
  } else if (message.verb == "churn") {
    control.send({"ready", {}, {}});
    accept_churn(ia_, requests_, control);
  } else if (message.verb == "end") {
    link_.reset();
  } else if (message.verb == "tools") {
    return {"tools",
            {{"allowed", options_.compare ? 1U : 0U},
             {"installed", options_.compare ? installed_programs() : 0U}},
            {}};
  } else if (message.verb == "tool") {
    return start_tool(message);
  } else if (message.verb == "tool_end") {
    tool_.reset();
  } else if (message.verb == "cpu") {
    return {"cpu", {{"us", processor_time_now()}}, {}};
  } else if (message.verb == "usage") {
    const Usage usage = usage_now();
    return {"usage", {{"memory", usage.memory}, {"descriptors", usage.descriptors}}, {}};
  } else {
    throw ToolError(ExitCode::Failed,
                    fmt::format("\"{}\" is not understood; is the client of another version?",
                                message.verb.substr(0, 32)));
  }
  return {"done", {}, {}};
}

// The peer asks this side to run a program. The user of this side must have allowed that with
// --compare.
Message Server::start_tool(const Message& message) {
  if (!options_.compare) throw ToolError(ExitCode::Failed, "was started without --compare");
  tool_.reset();
  tool_ = tool_server_for(message);
  return {"tool", {{"port", tool_->meeting().port}, {"data", tool_->meeting().data_port}}, {}};
}

Message Server::set_up(const Message& message) {
  const auto task = to_task(message);
  if (!task) throw ToolError(ExitCode::Failed, "unknown task; is the client of another version?");
  require_within_limits(ia_, *task);
  link_ = std::make_unique<Link>(ia_, *task, client_);
  link_->set_peer_memory(
      {static_cast<DAT_RMR_CONTEXT>(message.number("rmr")), message.number("base")});
  const RemoteMemory own = link_->own_memory();
  return {"memory", {{"rmr", own.rmr_context}, {"base", own.base}}, link_->remark()};
}

} // namespace

ExitCode run_server(const ServerOptions& options) {
  return Server(options).run();
}

} // namespace datum::perf
