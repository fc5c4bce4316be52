// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "provider/environment.h"

#include "base/strict.h"
#include "base/variables.h"

namespace datum {
namespace {

void obey_milliseconds(Variable variable, Duration& value) {
  if (const auto read = read_number(variable)) value = static_cast<Duration>(*read) * kMillisecond;
}

template <class Size>
void obey_size(Variable variable, Size& value) {
  if (const auto read = read_number(variable)) value = static_cast<std::size_t>(*read);
}

// The values of the enumeration stand in the order of the words.
template <class Choice>
Choice read_choice(Variable variable, Choice otherwise) {
  const auto read = read_word(variable);
  return read ? static_cast<Choice>(*read) : otherwise;
}

void read_tcp(TcpOptions& tcp) {
  tcp.crc = read_choice(Variable::Crc, CrcPolicy::Auto);
  tcp.hello = read_choice(Variable::Hello, tcp.hello);
  obey_milliseconds(Variable::PeerTimeout, tcp.dead_peer_timeout);
  obey_size(Variable::HalfOpen, tcp.max_half_open);
  obey_milliseconds(Variable::RequestTimeout, tcp.request_timeout);
  obey_milliseconds(Variable::FirstFrameTimeout, tcp.first_fpdu_timeout);
  obey_size(Variable::Unreceived, tcp.most_unexpected);
  obey_size(Variable::ReadSize, tcp.read_size);
  obey_size(Variable::Unsent, tcp.most_unsent);
  obey_size(Variable::Ending, tcp.max_ending);
  obey_milliseconds(Variable::EndTimeout, tcp.end_timeout);
  obey_milliseconds(Variable::CloseTimeout, tcp.close_timeout);
}

} // namespace

std::optional<Duration> read_receive_timeout() {
  const auto read = read_number(Variable::RnrTimeout);
  if (!read) return std::nullopt;
  return static_cast<Duration>(*read) * kMillisecond;
}

IaEnvironment read_environment() {
  IaEnvironment found;
  found.strict = strict_mode();
  found.paths = read_choice(Variable::Transport, AllowedPaths::Every);
  found.ports = read_ports(Variable::PortRange);
  found.receive_timeout = read_receive_timeout();
  obey_milliseconds(Variable::ConnectGrace, found.connect_grace);
  read_tcp(found.tcp);
  return found;
}

} // namespace datum
