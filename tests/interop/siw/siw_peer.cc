// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "siw_peer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>
#include <system_error>

#include "processes.h"

namespace datum::siw {
namespace {

constexpr const char* kPatience = "10000"; // ms, since emulated processors are slow

// The n-th word of the line, counted from 0.
std::string word(const std::string& line, int n) {
  std::istringstream words(line);
  std::string one;
  for (int i = 0; i <= n; ++i) words >> one;
  return one;
}

std::string from_hexadecimal(const std::string& text) {
  std::string octets;
  if (text == "-") return octets;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    octets += static_cast<char>(std::stoul(text.substr(i, 2), nullptr, 16));
  return octets;
}

} // namespace

std::string siw_address() {
  return setting("DATUM_SIW_ADDRESS");
}

std::uint16_t free_port() {
  static std::uint16_t next = 7300;
  return next++;
}

std::string hexadecimal(std::string_view octets) {
  if (octets.empty()) return "-";
  std::string text;
  char two[3];
  for (const char octet : octets) {
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(octet));
    text += two;
  }
  return text;
}

SiwPeer::SiwPeer() {
  const std::string program = setting("DATUM_SIW_PEER");
  int orders[2];
  int answers[2];
  if (pipe2(orders, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe2");
  process_ = start_beside_siw({program}, orders[0], answers[1]);
  close(orders[0]);
  close(answers[1]);
  orders_ = fdopen(orders[1], "w");
  answers_ = fdopen(answers[0], "r");
}

SiwPeer::~SiwPeer() {
  // The peer ends at the end of its orders.
  fclose(orders_);
  if (process_ > 0) waitpid(process_, nullptr, 0);
  fclose(answers_);
}

std::string SiwPeer::ask(const std::string& order) {
  begin(order);
  return answer();
}

void SiwPeer::begin(const std::string& order) {
  std::fprintf(orders_, "%s\n", order.c_str());
  std::fflush(orders_);
  last_order_ = order;
}

std::string SiwPeer::answer() {
  char line[4096];
  if (std::fgets(line, sizeof line, answers_) == nullptr) {
    ADD_FAILURE() << "the peer is gone; last order: " << last_order_;
    return "";
  }
  std::string answer = line;
  if (answer.back() == '\n') answer.pop_back();
  return answer;
}

void SiwPeer::expect(const std::string& order, const std::string& answer) {
  EXPECT_EQ(ask(order), answer) << "order: " << order;
}

std::string SiwPeer::expect_event(const std::string& name) {
  const std::string event = ask(std::string("event ") + kPatience);
  EXPECT_EQ(word(event, 0), name) << "siw's event: " << event;
  return word(event, 0) == name ? from_hexadecimal(word(event, 2)) : "";
}

void SiwPeer::expect_done(std::uint64_t cookie, std::size_t length) {
  expect(std::string("done ") + kPatience,
         std::to_string(cookie) + ' ' + std::to_string(length) + " success");
}

void SiwPeer::expect_failed(std::uint64_t cookie, const std::string& status) {
  const std::string done = ask(std::string("done ") + kPatience);
  EXPECT_EQ(word(done, 0), std::to_string(cookie)) << done;
  const std::size_t behind_length = done.find(' ', done.find(' ') + 1);
  EXPECT_EQ(done.substr(behind_length + 1), status) << done;
}

Remote SiwPeer::memory(const std::string& order) {
  std::istringstream words(ask(order));
  Remote remote;
  words >> remote.stag >> remote.address;
  return remote;
}

void SiwPeer::die() {
  std::fprintf(orders_, "die\n");
  std::fflush(orders_);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

std::uint64_t SiwPeer::end_by(const std::string& way) {
  const bool dies = way == "die";
  if (!dies) must(way);
  std::uint64_t sent = 0;
  std::istringstream(ask("sent")) >> sent;
  if (dies) die();
  return sent;
}

} // namespace datum::siw
