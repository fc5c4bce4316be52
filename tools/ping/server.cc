// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ping/server.h"

#include <unistd.h>

#include <cstring>
#include <map>
#include <memory>
#include <new>

#include <fmt/format.h>

#include "common/greeting.h"
#include "common/interrupt.h"
#include "common/std_streams.h"
#include "common/text_line.h"
#include "ping/connection.h"
#include "ping/facts.h"
#include "ping/payload.h"

namespace datum::ping {

using tools::ExitCode;
using tools::ToolError;

namespace {

constexpr DAT_COUNT kEvents = 4096;
constexpr std::size_t kMostClients = 256;

class Server {
 public:
  explicit Server(const ServerOptions& options)
      : options_(options), ia_(options.ia),
        evd_(make_evd(ia_, kEvents, DAT_EVD_CR_FLAG | DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG)),
        port_(options.port), listener_(tools::listen(ia_, port_, evd_)) {}
  ExitCode run();

 private:
  struct Client {
    std::string address;
    std::uint64_t answered = 0;
    std::unique_ptr<Connection> connection;
    std::string hello;
  };

  void handle(const DAT_EVENT& event);
  void admit(tools::Cr request);
  void accept(tools::Cr request, const std::string& address, const std::string& hello);
  void tell_facts(DAT_EP_HANDLE ep) const;
  void answer(const DAT_DTO_COMPLETION_EVENT_DATA& done);
  void forget(DAT_EP_HANDLE ep, const char* why);
  void log(const std::string& text) const;

  ServerOptions options_;
  tools::Interface ia_;
  tools::Evd evd_;
  DAT_CONN_QUAL port_;
  tools::Psp listener_;
  std::map<DAT_EP_HANDLE, Client> clients_;
};

void Server::log(const std::string& text) const {
  if (!options_.quiet) tools::log_line(fmt::format("dat-ping: {}", text));
}

ExitCode Server::run() {
  tools::outlive_readers("dat-ping");
  tools::print_line("dat-ping: answering on {} ({}), port {}, process {}", ia_.name(),
                    ia_.address(), port_, getpid());
  tools::flush_output();
  for (;;)
    if (const auto event = tools::wait_event(evd_, tools::kNever)) handle(*event);
}

void Server::handle(const DAT_EVENT& event) {
  if (event.event_number == DAT_CONNECTION_REQUEST_EVENT)
    admit(tools::Cr(event.event_data.cr_arrival_event_data.cr_handle));
  else if (event.event_number == DAT_DTO_COMPLETION_EVENT)
    answer(event.event_data.dto_completion_event_data);
  else if (event.event_number == DAT_CONNECTION_EVENT_DISCONNECTED)
    forget(event.event_data.connect_event_data.ep_handle, "closed");
  else if (event.event_number == DAT_CONNECTION_EVENT_ESTABLISHED)
    tell_facts(event.event_data.connect_event_data.ep_handle);
  else
    forget(event.event_data.connect_event_data.ep_handle, "lost");
}

// An error with one client must not end the service for the other clients.
void Server::admit(tools::Cr request) {
  const auto [address, hello] = tools::caller_of(request);
  try {
    const std::string why = tools::objection_to(hello, "dat-ping", kProtocolVersion);
    if (!why.empty()) throw ToolError(ExitCode::Failed, why);
    if (clients_.size() >= kMostClients) throw ToolError(ExitCode::Failed, "too many clients");
    accept(std::move(request), address, hello);
  } catch (const ToolError& error) {
    log(fmt::format("refused {}: {}", address, error.what()));
  } catch (const std::bad_alloc&) {
    log(fmt::format("refused {}: no memory for another client", address));
  }
}

void Server::accept(tools::Cr request, const std::string& address, const std::string& hello) {
  Client client{address, 0, std::make_unique<Connection>(ia_, evd_, kMost), hello};
  const DAT_EP_HANDLE ep = client.connection->ep().get();
  tools::accept(std::move(request), ep, address, kHello);
  log(fmt::format("{} connected", address));
  clients_.emplace(ep, std::move(client));
}

// The path of a connection is known after ESTABLISHED.
void Server::tell_facts(DAT_EP_HANDLE ep) const {
  const auto found = clients_.find(ep);
  if (!options_.verbose || found == clients_.end()) return;
  const Client& client = found->second;
  const Facts facts = facts_of(client.connection->ep());
  log(fmt::format("{} port {}: path {}; private data: {}", client.address, facts.peer.port,
                  text_of(facts.way), private_data_text(client.hello)));
}

void Server::answer(const DAT_DTO_COMPLETION_EVENT_DATA& done) {
  const auto found = clients_.find(done.ep_handle);
  // A connection event follows a failed completion and removes the client.
  if (found == clients_.end() || done.status != DAT_DTO_SUCCESS || !Connection::is_receive(done))
    return;
  Connection& connection = *found->second.connection;
  const std::span<std::byte> bytes = connection.arrived(done);
  std::memcpy(connection.outgoing().data(), bytes.data(), bytes.size());
  try {
    connection.receive_again(done);
    connection.send(bytes.size());
    ++found->second.answered;
  } catch (const ToolError& error) {
    // A client that sends pings but takes no answers is dropped.
    forget(done.ep_handle, error.what());
  }
}

void Server::forget(DAT_EP_HANDLE ep, const char* why) {
  const auto found = clients_.find(ep);
  if (found == clients_.end()) return;
  log(fmt::format("{} {}, {} answered", found->second.address, why, found->second.answered));
  clients_.erase(found);
}

} // namespace

ExitCode run_server(const ServerOptions& options) {
  return Server(options).run();
}

} // namespace datum::ping
