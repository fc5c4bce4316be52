// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "session/situations.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);

namespace {

using datum::fuzz::kSituations;

// libFuzzer clears this array before each input and reads it afterwards.
[[gnu::section("__libfuzzer_extra_counters")]] std::uint8_t of_this_input[2 * kSituations];
std::array<std::uint64_t, 2 * kSituations> of_all;

constexpr unsigned kAsResponder = 1;
constexpr unsigned kAsInitiator = 2;
constexpr unsigned kAsEither = kAsResponder | kAsInitiator;

// In the order of the enumeration.
struct Demand {
  unsigned roles;
  const char* name;
};
constexpr Demand kDemands[] = {
    {kAsEither, "a Read of ours is answered"},
    {kAsEither, "an Atomic of ours is answered"},
    {kAsEither, "requests end by an acknowledgement of one of our own kind"},
    {kAsEither, "a Read of the peer is answered"},
    {kAsEither, "an Atomic of the peer is answered"},
    {kAsEither, "a Read of the peer is refused for protection"},
    {kAsEither, "the peer refuses a request of ours by name"},
    {kAsEither, "payload is copied and its CRC computed in one pass"},
    {kAsEither, "long payload leaves from where it lies, with a CRC"},
    {kAsEither, "FPDUs without CRC"},
    {kAsEither, "FPDUs with markers in them"},
    {kAsEither, "a request leaves within the call that starts it"},
    {kAsEither, "the MSN passes 0"},
    {kAsEither, "a message is cut to what the peer's Hello allows"},
    {kAsEither, "our startup frame has private data"},
    {kAsEither, "a peer of our own kind closes"},
    {kAsInitiator, "a silent peer gets a Write of nothing"},
    {kAsInitiator, "a Hello comes late"},
    {kAsInitiator, "a request of revision 1 is granted"},
    {kAsInitiator, "the request is refused by the peer's provider"},
    {kAsResponder, "the request is refused by our provider"},
};
static_assert(std::size(kDemands) == kSituations);

int replay(const char* folder) {
  std::size_t inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> octets{std::istreambuf_iterator<char>(file), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(octets.data()), octets.size());
    ++inputs;
  }
  std::size_t demanded = 0;
  std::size_t missing = 0;
  for (std::size_t i = 0; i < 2 * kSituations; ++i) {
    const bool initiator = i % 2 != 0;
    const Demand& demand = kDemands[i / 2];
    if ((demand.roles & (initiator ? kAsInitiator : kAsResponder)) == 0) continue;
    ++demanded;
    if (of_all[i] != 0) continue;
    ++missing;
    std::printf("no input reaches, as %s: %s\n", initiator ? "initiator" : "responder",
                demand.name);
  }
  std::printf("%s: %zu inputs reach %zu of %zu situations\n", folder, inputs, demanded - missing,
              demanded);
  return missing == 0 ? 0 : 1;
}

} // namespace

void datum::fuzz::saw(Situation what, bool initiator) {
  const std::size_t at = 2 * static_cast<std::size_t>(what) + (initiator ? 1 : 0);
  of_this_input[at] = 1;
  ++of_all[at];
}

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc == 3 && std::strcmp((*argv)[1], "--situations") == 0) std::exit(replay((*argv)[2]));
  return 0;
}
