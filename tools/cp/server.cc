// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/server.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "common/dat_events.h"
#include "common/human.h"
#include "common/interrupt.h"
#include "common/std_streams.h"
#include "common/text_line.h"
#include "cp/descriptors.h"
#include "cp/file_error.h"
#include "cp/hello.h"
#include "cp/refused_callers.h"
#include "cp/roots.h"
#include "cp/safe_path.h"
#include "cp/serving.h"

namespace datum::cp {

using tools::ExitCode;
using tools::ToolError;

namespace {

constexpr DAT_COUNT kBacklog = 16; // clients that wait while another client is served

UniqueFd open_served(const std::string& folder) {
  UniqueFd opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) throw ToolError(ExitCode::Usage, FileError("serve", folder, errno).what());
  return opened;
}

std::string real_path(const std::string& folder) {
  std::string path = without_links(folder);
  if (path.empty()) throw ToolError(ExitCode::Usage, FileError("serve", folder, errno).what());
  return path;
}

class Server {
 public:
  explicit Server(const ServerOptions& options);
  ExitCode run();

 private:
  void print_token() const;
  std::optional<ExitCode> answer(tools::Cr request);
  std::optional<ExitCode> answer(tools::Cr request, const Hello& hello, const std::string& who);
  [[nodiscard]] Answer judge(const Hello& hello) const;
  static std::string reason_of(Answer verdict, const Hello& hello);
  ExitCode serve(Channel& channel, const std::string& who);
  void log(const std::string& text) const;

  ServerOptions options_;
  std::string folder_name_;
  UniqueFd folder_;
  SpareDescriptors spare_; // declared before ia_, because ia_ would take all descriptors
  Token token_ = make_token();
  tools::Interface ia_;
  tools::Evd requests_;
  DAT_CONN_QUAL port_;
  tools::Psp listener_;
  RefusedCallers refused_; // declared after ia_, so the channels end before it
};

Server::Server(const ServerOptions& options)
    : options_(options), folder_name_(real_path(options.folder)),
      folder_(open_served(folder_name_)), ia_(options.common.ia),
      requests_(make_evd(ia_, kBacklog, DAT_EVD_CR_FLAG)), port_(options.port),
      listener_(tools::listen(ia_, port_, requests_)) {}

void Server::log(const std::string& text) const {
  if (!options_.quiet) tools::log_line(fmt::format("dat-cp: {}", text));
}

void Server::print_token() const {
  tools::print_line("token: {}", token_text(token_));
  tools::flush_output(); // without the token the server is useless, so a failed write ends it
}

ExitCode Server::run() {
  tools::outlive_readers("dat-cp");
  tools::print_line("dat-cp: serving {} on {} ({}), port {}, process {}", shown(folder_name_),
                    ia_.name(), ia_.address(), port_, getpid());
  print_token();
  for (;;) {
    spare_.take(); // takes back the descriptors that the last copy has freed
    const auto event = tools::wait_event(requests_, refused_.next_expiry());
    refused_.let_go();
    if (!event || event->event_number != DAT_CONNECTION_REQUEST_EVENT) continue;
    const auto code = answer(tools::Cr(event->event_data.cr_arrival_event_data.cr_handle));
    if (!code) continue;
    if (options_.once) return *code;
    tools::throw_if_interrupted();
    if (!options_.reuse_token) print_token();
  }
}

Answer Server::judge(const Hello& hello) const {
  if (hello.version != kProtocolVersion) return Answer::WrongVersion;
  return same_token(hello.token, token_) ? Answer::Welcome : Answer::WrongToken;
}

// Returns how the copy ended; nothing if there was no copy. A client that cannot be served is
// refused, and the server goes on.
std::optional<ExitCode> Server::answer(tools::Cr request) {
  const auto [address, data] = tools::caller_of(request);
  const std::optional<Hello> hello = decode_hello(data);
  if (!hello) {
    log(fmt::format("refused {}: it is not dat-cp", address));
    return std::nullopt;
  }
  const std::string who = fmt::format("{} process {}", address, hello->pid);
  try {
    return answer(std::move(request), *hello, who);
  } catch (const ToolError& error) {
    if (error.code() == ExitCode::Interrupted) throw;
    const std::string_view text = error.what(); // errors of the connection name the client already
    log(text.starts_with(who) ? std::string(text) : fmt::format("refused {}: {}", who, text));
  } catch (const std::exception& error) {
    log(fmt::format("refused {}: {}", who, error.what()));
  }
  return std::nullopt;
}

std::string Server::reason_of(Answer verdict, const Hello& hello) {
  if (verdict == Answer::WrongToken) return "wrong token";
  return fmt::format("it speaks version {} of the protocol, we {}; install the same release on "
                     "both sides",
                     hello.version, kProtocolVersion);
}

std::optional<ExitCode> Server::answer(tools::Cr request, const Hello& hello,
                                       const std::string& who) {
  const Answer verdict = judge(hello);
  const std::string words =
      encode(HelloAnswer{kProtocolVersion, static_cast<std::uint32_t>(getpid()), verdict});
  auto channel = std::make_unique<Channel>(ia_, options_.timeout);
  if (verdict != Answer::Welcome) {
    channel->answer(std::move(request), words, who);
    refused_.add(std::move(channel));
    log(fmt::format("refused {}: {}", who, reason_of(verdict, hello)));
    return std::nullopt;
  }
  channel->accept(std::move(request), words, who);
  // The token is used up now, even if the copy fails: it cannot start a second copy.
  if (!options_.reuse_token) token_ = make_token();
  return serve(*channel, who);
}

ExitCode Server::serve(Channel& channel, const std::string& who) {
  Reporter reporter;
  try {
    spare_.give_back();
    serve_job(channel, {folder_.get(), std::string(name_in(folder_name_))}, reporter);
  } catch (const ToolError& error) {
    if (error.code() == ExitCode::Interrupted) {
      log(fmt::format("{}: this server was stopped before the copy was complete", who));
      throw;
    }
    const std::string_view text = error.what(); // errors of the connection name the client already
    log(text.starts_with(who) ? std::string(text) : fmt::format("{}: {}", who, text));
    return error.code();
  } catch (const std::exception& error) {
    log(fmt::format("{}: {}", who, error.what()));
    return ExitCode::Failed;
  }
  const Summary& s = reporter.summary;
  log(fmt::format("{}: {} copied, {}{} unchanged, {} different, {} failed, {} moved", who, s.copied,
                  s.would_copy > 0 ? fmt::format("{} would be, ", s.would_copy) : "", s.unchanged,
                  s.differing, s.failed, tools::human_size(s.bytes_moved)));
  return s.failed == 0 && s.differing == 0 ? ExitCode::Ok : ExitCode::Failed;
}

} // namespace

ExitCode run_server(const ServerOptions& options) {
  return Server(options).run();
}

} // namespace datum::cp
