// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// siw/peer/orders.cc: a verbs program that carries out orders. Each line of its input is an order,
// and each line of its output is the answer to an order. kOrders lists the orders.
#include <unistd.h>

#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "verbs_connection.h"

namespace datum::siw {
namespace {

// The next word of the order. If it is missing, the exception names it.
template <typename T = std::string>
T next(std::istream& words, const char* what) {
  T value{};
  if (!(words >> value)) throw std::invalid_argument(std::string(what) + " is missing");
  return value;
}

std::uint64_t number(std::istream& words, const char* what) {
  return std::stoull(next(words, what), nullptr, 0);
}

// Reads octets in hexadecimal. "-" stands for no octets.
PrivateData octets(std::istream& words) {
  const auto text = next(words, "private data");
  PrivateData data;
  if (text == "-") return data;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    data.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
  return data;
}

std::string text(const PrivateData& data) {
  if (data.empty()) return "-";
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t octet : data) {
    text += kDigits[octet >> 4];
    text += kDigits[octet & 15];
  }
  return text;
}

struct Range {
  std::size_t offset;
  std::size_t length;
};

Range range(VerbsConnection& peer, std::istream& words) {
  const Range range{number(words, "offset"), number(words, "length")};
  if (!peer.memory().contains(range.offset, range.length))
    throw std::out_of_range("beyond the memory");
  return range;
}

ibv_sge piece(VerbsConnection& peer, std::istream& words) {
  const Range named = range(peer, words);
  return peer.memory().piece(named.offset, static_cast<std::uint32_t>(named.length));
}

using Order = std::string (*)(VerbsConnection&, std::istream&);

std::string post(VerbsConnection& peer, std::istream& words, ibv_wr_opcode opcode) {
  const std::uint64_t cookie = number(words, "cookie");
  const ibv_sge local = piece(peer, words);
  std::uint64_t address = 0;
  std::uint64_t stag = 0;
  if (opcode != IBV_WR_SEND) {
    stag = number(words, "STag");
    address = number(words, "address");
  }
  peer.post(opcode, cookie, local, address, static_cast<std::uint32_t>(stag));
  return "ok";
}

std::string describe(const VerbsMemory& memory) {
  return std::to_string(memory.stag()) + ' ' + std::to_string(memory.address()) + ' ' +
         std::to_string(memory.size());
}

const std::map<std::string, Order> kOrders = {
    // listen ADDRESS PORT
    {"listen",
     [](VerbsConnection& peer, std::istream& words) -> std::string {
       const auto address = next(words, "address");
       peer.listen(address, static_cast<std::uint16_t>(number(words, "port")));
       return "ok";
     }},
    {"unlisten",
     [](VerbsConnection& peer, std::istream&) -> std::string {
       peer.unlisten();
       return "ok";
     }},
    // connect ADDRESS PORT READS PRIVATE-DATA
    {"connect",
     [](VerbsConnection& peer, std::istream& words) -> std::string {
       const auto address = next(words, "address");
       const auto port = static_cast<std::uint16_t>(number(words, "port"));
       const auto reads = static_cast<std::uint8_t>(number(words, "reads"));
       peer.connect(address, port, reads, octets(words));
       return "ok";
     }},
    // event MILLISECONDS -> NAME STATUS PRIVATE-DATA READS-IN READS-OUT
    {"event",
     [](VerbsConnection& peer, std::istream& words) -> std::string {
       const auto event = peer.event(static_cast<int>(number(words, "milliseconds")));
       if (!event) return "nothing";
       return event->name + ' ' + std::to_string(event->status) + ' ' + text(event->private_data) +
              ' ' + std::to_string(event->reads_in) + ' ' + std::to_string(event->reads_out);
     }},
    // accept READS PRIVATE-DATA
    {"accept",
     [](VerbsConnection& peer, std::istream& words) -> std::string {
       const auto reads = static_cast<std::uint8_t>(number(words, "reads"));
       peer.accept(reads, octets(words));
       return "ok";
     }},
    {"reject",
     [](VerbsConnection& peer, std::istream& words) -> std::string {
       peer.reject(octets(words));
       return "ok";
     }},
    {"disconnect",
     [](VerbsConnection& peer, std::istream&) -> std::string {
       peer.disconnect();
       return "ok";
     }},
    // Brings the queue pair into its error state.
    {"abort",
     [](VerbsConnection& peer, std::istream&) -> std::string {
       peer.abort();
       return "ok";
     }},
    {"drop",
     [](VerbsConnection& peer, std::istream&) -> std::string {
       peer.drop();
       return "ok";
     }},
    // memory -> STAG ADDRESS SIZE
    {"memory", [](VerbsConnection& peer, std::istream&) { return describe(peer.memory()); }},
    {"local-memory",
     [](VerbsConnection& peer, std::istream&) { return describe(peer.local_memory()); }},
    // fill OFFSET LENGTH SEED
    {"fill",
     [](VerbsConnection& peer, std::istream& words) -> std::string {
       const Range filled = range(peer, words);
       peer.memory().fill(filled.offset, filled.length,
                          static_cast<std::uint8_t>(number(words, "seed")));
       return "ok";
     }},
    // check OFFSET LENGTH SEED
    {"check",
     [](VerbsConnection& peer, std::istream& words) -> std::string {
       const Range checked = range(peer, words);
       const std::size_t at = peer.memory().differs_at(
           checked.offset, checked.length, static_cast<std::uint8_t>(number(words, "seed")));
       return at == checked.offset + checked.length ? "ok" : "differs at " + std::to_string(at);
     }},
    // recv COOKIE OFFSET LENGTH
    {"recv",
     [](VerbsConnection& peer, std::istream& words) -> std::string {
       const std::uint64_t cookie = number(words, "cookie");
       peer.post_recv(cookie, piece(peer, words));
       return "ok";
     }},
    // send COOKIE OFFSET LENGTH
    {"send",
     [](VerbsConnection& peer, std::istream& words) { return post(peer, words, IBV_WR_SEND); }},
    // write and read: COOKIE OFFSET LENGTH STAG ADDRESS
    {"write", [](VerbsConnection& peer,
                 std::istream& words) { return post(peer, words, IBV_WR_RDMA_WRITE); }},
    {"read", [](VerbsConnection& peer,
                std::istream& words) { return post(peer, words, IBV_WR_RDMA_READ); }},
    // done MILLISECONDS -> COOKIE LENGTH STATUS
    {"done",
     [](VerbsConnection& peer, std::istream& words) -> std::string {
       const auto done = peer.completion(static_cast<int>(number(words, "milliseconds")));
       if (!done) return "nothing";
       return std::to_string(done->cookie) + ' ' + std::to_string(done->length) + ' ' +
              done->status;
     }},
    // sent -> the number of Sends that have completed with success
    {"sent",
     [](VerbsConnection& peer, std::istream&) { return std::to_string(peer.sends_done()); }},
    // Ends the process as if it had been killed, so that only the kernel cleans up.
    {"die", [](VerbsConnection&, std::istream&) -> std::string { _exit(0); }},
};

std::string obey(VerbsConnection& peer, const std::string& line) {
  std::istringstream words(line);
  try {
    const auto order = kOrders.find(next(words, "order"));
    if (order == kOrders.end()) return "error: unknown order: " + line;
    return order->second(peer, words);
  } catch (const std::exception& failure) {
    return "error: " + line + ": " + failure.what();
  }
}

} // namespace
} // namespace datum::siw

int main() {
  datum::siw::VerbsConnection peer;
  std::string line;
  while (std::getline(std::cin, line)) std::cout << datum::siw::obey(peer, line) << std::endl;
  return 0;
}
