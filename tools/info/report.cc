// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/report.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/unique_fd.h"

namespace datum::info {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::seconds(2);

// Reads the fields of one line in order. If one is missing or malformed, good() is false.
class Fields {
 public:
  explicit Fields(std::string_view line) : left_(line) {}
  std::string_view next() {
    if (done_) good_ = false;
    const std::size_t end = left_.find('\t');
    const std::string_view field = left_.substr(0, end);
    done_ = end == std::string_view::npos;
    left_.remove_prefix(done_ ? left_.size() : end + 1);
    return field;
  }
  std::string text() {
    const std::string_view field = next();
    return field == "-" ? std::string() : std::string(field);
  }
  std::uint64_t number() {
    const std::string_view field = next();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(field.begin(), field.end(), value);
    if (error != std::errc() || end != field.end()) good_ = false;
    return value;
  }
  Fill fill() {
    Fill fill;
    fill.held = number();
    fill.most = number();
    return fill;
  }
  Moved moved() {
    Moved moved;
    moved.messages = number();
    moved.bytes = number();
    return moved;
  }
  [[nodiscard]] bool good() const { return good_ && done_; }

 private:
  std::string_view left_;
  bool done_ = false;
  bool good_ = true;
};

EndpointReport endpoint_of(Fields& fields) {
  EndpointReport endpoint;
  endpoint.number = fields.number();
  endpoint.state = fields.text();
  endpoint.path = fields.text();
  endpoint.peer = fields.text();
  endpoint.port = fields.text();
  endpoint.posted = fields.moved();
  endpoint.received = fields.moved();
  endpoint.requests = fields.fill();
  endpoint.recvs = fields.fill();
  endpoint.stalls = fields.number();
  endpoint.reason = fields.text();
  return endpoint;
}

EvdReport evd_of(Fields& fields) {
  EvdReport evd;
  evd.number = fields.number();
  evd.streams = fields.number();
  evd.events = fields.fill();
  evd.completions = fields.number();
  evd.waits = fields.number();
  return evd;
}

LeniencyReport leniency_of(Fields& fields) {
  LeniencyReport leniency;
  leniency.name = fields.text();
  leniency.uses = fields.number();
  return leniency;
}

std::string why_not(const std::string& what, int error) {
  const char* reason =
      error == ECONNREFUSED ? "nobody answers in this network namespace (nsenter -t PID -n)"
      : error == EAGAIN     ? "no answer within two seconds (is it stopped, or in a debugger?)"
                            : std::strerror(error);
  return fmt::format("what an IA says itself: {}: {}", what, reason);
}

// Sets the timeouts of the socket to the time left until the deadline. Never sets 0, which would
// mean no timeout.
void wait_until(Clock::time_point deadline, int socket) {
  using std::chrono::microseconds;
  const auto left = std::chrono::duration_cast<microseconds>(deadline - Clock::now());
  const long us = std::max<long>(left.count(), 1000);
  const timeval patience{.tv_sec = us / 1000000, .tv_usec = us % 1000000};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

struct Asked {
  UniqueFd socket;
  int error = 0; // why there is no socket
};

Asked connect_to(const std::string& name, Clock::time_point deadline) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() > sizeof address.sun_path) return {{}, ENAMETOOLONG};
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket) return {{}, errno};
  std::memcpy(address.sun_path + 1, name.data() + 1, name.size() - 1); // '@' stands for NUL
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  wait_until(deadline, socket.get());
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0)
    return {{}, errno};
  return {std::move(socket), 0};
}

// The first octet of an IA's answer (provider/inquiry.cc). If the answer has a file, this octet is
// the version of the report's form. Form 1, of the first release, is form 3 without leniencies.
constexpr std::byte kFirstReport{1};
constexpr std::byte kTooLong{2};
constexpr std::byte kReport{3};

// Without a file and with errno 0, the IA closed the connection without an answer, or its answer
// consisted of `kind` alone.
UniqueFd receive_file(int socket, std::byte& kind) {
  iovec piece{.iov_base = &kind, .iov_len = sizeof kind};
  alignas(cmsghdr) std::byte control[CMSG_SPACE(sizeof(int))];
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  errno = 0;
  if (::recvmsg(socket, &message, MSG_CMSG_CLOEXEC) <= 0) return {};
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len != CMSG_LEN(sizeof(int)))
    return {};
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return UniqueFd(fd);
}

std::string why_no_file(std::byte kind) {
  return kind == kTooLong
             ? "what an IA says itself: it is longer than a file of that program may be "
               "(ulimit -f; `prlimit --fsize=unlimited --pid PID` raises it)"
             : "what an IA says itself: it does not tell this user, or has no memory or descriptor "
               "left to do so";
}

// A read of a file in memory returns at once. A call on any other file may block as long as its
// file system wants (FUSE).
bool is_memory(int file) {
  return ::fcntl(file, F_GET_SEALS) >= 0;
}

// Subtracts the length of the answer from `room`.
Answer read_answer(int file, std::size_t& room) {
  Answer strange{.report = {},
                 .gap = "what an IA says itself: not what this dat-info understands (is it "
                        "of another version?)"};
  struct stat facts {};
  if (!is_memory(file) || ::fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) return strange;
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size > room)
    return {.report = {},
            .gap =
                fmt::format("what an IA says itself: left out: {} octets, and the answers of one "
                            "process may be {} together",
                            size, kMostOctets)};
  room -= size;
  std::string text(size, '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got =
        ::pread(file, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (got <= 0) return strange;
    done += static_cast<std::size_t>(got);
  }
  Answer answer{.report = parse_report(text), .gap = {}};
  return answer.report ? answer : strange;
}

Answer receive_answer(const Asked& asked, Clock::time_point deadline, std::size_t& room) {
  if (!asked.socket) return {.report = {}, .gap = why_not("connecting", asked.error)};
  wait_until(deadline, asked.socket.get());
  std::byte kind{};
  const UniqueFd file = receive_file(asked.socket.get(), kind);
  if (!file && errno != 0) return {.report = {}, .gap = why_not("waiting", errno)};
  if (!file) return {.report = {}, .gap = why_no_file(kind)};
  if (kind != kReport && kind != kFirstReport)
    return {.report = {},
            .gap = fmt::format("what an IA says itself: its answer has form {}, this dat-info "
                               "knows forms {} and {}; use the dat-info of that program's release",
                               std::to_integer<int>(kind), std::to_integer<int>(kFirstReport),
                               std::to_integer<int>(kReport))};
  return read_answer(file.get(), room);
}

} // namespace

std::optional<IaReport> parse_report(std::string_view text) {
  IaReport report;
  bool named = false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    Fields fields(text.substr(0, end));
    text.remove_prefix(end + 1);
    const std::string_view kind = fields.next();
    if (kind == "ia" && !named) {
      report.name = fields.text();
      named = true;
    } else if (kind == "ep") {
      report.endpoints.push_back(endpoint_of(fields));
    } else if (kind == "leniency") {
      report.leniencies.push_back(leniency_of(fields));
    } else if (kind == "evd") {
      report.evds.push_back(evd_of(fields));
    } else {
      return std::nullopt;
    }
    if (!fields.good()) return std::nullopt;
  }
  if (!named) return std::nullopt;
  return report;
}

std::vector<Answer> ask(const std::vector<std::string>& names) {
  const std::size_t count = std::min(names.size(), kMostAsked);
  const Clock::time_point deadline = Clock::now() + kPatience;
  std::vector<Asked> asked;
  asked.reserve(count);
  for (std::size_t i = 0; i < count; ++i) asked.push_back(connect_to(names[i], deadline));
  std::vector<Answer> answers;
  answers.reserve(count + 1);
  std::size_t room = kMostOctets;
  for (const Asked& each : asked) answers.push_back(receive_answer(each, deadline, room));
  if (names.size() > count)
    answers.push_back({.report = {},
                       .gap = fmt::format("what {} more IAs say themselves: left out: {} are asked",
                                          names.size() - count, count)});
  return answers;
}

} // namespace datum::info
