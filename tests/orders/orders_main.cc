// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Plays the scenes: datum-orders all|long|seeds FIRST LAST|sites|mutants [SCENE...]
//   all      plays each scene in every way, or under its seeds if every way would take long
//   long     plays also the long scenes in every way
//   seeds    plays each scene under these seeds
//   sites    prints the accesses with an order that each scene executes. Each has a line `SCENE
//            ADDRESS ACCESS ORDER`, with the address as addr2line(1) takes it
//   mutants  reads lines `NAME ORDER SCENE,SCENE... ADDRESS:ACCESS...` and prints for each whether
//            one of the scenes fails when these accesses have that order
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>

#include "instrument.h"
#include "scenes.h"

extern const char __executable_start; // from the linker

namespace datum::test {
namespace {

constexpr const char* kAccesses[] = {"load", "store", "update", "fence", "light", "heavy"};
constexpr const char* kOrders[] = {"relaxed", "consume", "acquire",
                                   "release", "acq_rel", "seq_cst"};

std::uintptr_t offset_of(const void* site) {
  return reinterpret_cast<std::uintptr_t>(site) -
         reinterpret_cast<std::uintptr_t>(&__executable_start) - 1;
}
const void* site_at(std::uintptr_t offset) {
  return &__executable_start + offset + 1;
}

std::vector<NamedScene> scenes(const std::vector<std::string>& wanted) {
  std::vector<NamedScene> all;
  for (const auto& some :
       {ring_scenes, lock_scenes, link_scenes, region_scenes, waiting_scenes, copy_scenes})
    for (NamedScene& scene : some())
      if (wanted.empty() || std::find(wanted.begin(), wanted.end(), scene.name) != wanted.end())
        all.push_back(std::move(scene));
  return all;
}

bool is_searched(const NamedScene& scene, bool long_ones) {
  return scene.effort == Effort::All || (long_ones && scene.effort == Effort::Long);
}

Found play(const NamedScene& scene, bool long_ones = false) {
  const std::unique_ptr<Scene> made = scene.make();
  Search search = scene.search;
  if (long_ones && scene.effort == Effort::All) search.promises = true;
  return is_searched(scene, long_ones) ? search_all(*made, search)
                                       : search_seeds(*made, 1, scene.seeds, scene.search);
}

// Prints the failure, with the lines of the source if addr2line(1) exists.
void print(const std::string& failure) {
  std::istringstream lines(failure);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find("  @0x");
    if (at != std::string::npos) {
      const auto address = std::strtoull(line.c_str() + at + 3, nullptr, 16);
      std::array<char, 256> command{};
      std::snprintf(
          command.data(), command.size(),
          "addr2line -i -e /proc/%d/exe %llx 2>/dev/null | grep -m 1 -v -e '/include/c++/'",
          static_cast<int>(::getpid()),
          static_cast<unsigned long long>(offset_of(reinterpret_cast<void*>(address))));
      std::array<char, 512> place{};
      if (FILE* found = ::popen(command.data(), "r")) {
        if (std::fgets(place.data(), place.size(), found) != nullptr) {
          place[std::strcspn(place.data(), " (\n")] = '\0';
          const char* name = std::strrchr(place.data(), '/');
          line = line.substr(0, at) + "  " + (name != nullptr ? name + 1 : place.data());
        }
        ::pclose(found);
      }
    }
    std::cout << line << "\n";
  }
}

int play_all(const std::vector<NamedScene>& chosen, bool long_ones) {
  int failed = 0;
  for (const NamedScene& scene : chosen) {
    const auto start = std::chrono::steady_clock::now();
    const Found found = play(scene, long_ones);
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - start);
    std::printf("%-24s %8llu executions, %8llu others, %s, %lld ms\n", scene.name,
                static_cast<unsigned long long>(found.executions),
                static_cast<unsigned long long>(found.given_up), found.all ? "all" : "not all",
                static_cast<long long>(took.count()));
    std::fflush(stdout);
    if (found.failure.empty() && (found.all || !is_searched(scene, long_ones))) continue;
    ++failed;
    print(found.failure.empty() ? "more than it is worth" : found.failure);
  }
  return failed == 0 ? 0 : 1;
}

int play_seeds(const std::vector<NamedScene>& chosen, std::uint64_t first, std::uint64_t last) {
  int failed = 0;
  for (const NamedScene& scene : chosen) {
    Found found = search_seeds(*scene.make(), first, last);
    // A random promise is mostly not kept, and its execution is lost. So promises come second.
    if (found.failure.empty()) {
      const Found promised = search_seeds(*scene.make(), first, last, {.promises = true});
      found.executions += promised.executions;
      found.given_up += promised.given_up;
      found.failure = promised.failure;
    }
    std::printf("%-24s %8llu executions, %8llu others\n", scene.name,
                static_cast<unsigned long long>(found.executions),
                static_cast<unsigned long long>(found.given_up));
    std::fflush(stdout);
    if (found.failure.empty()) continue;
    ++failed;
    print(found.failure);
  }
  return failed == 0 ? 0 : 1;
}

int print_sites(const std::vector<NamedScene>& chosen) {
  for (const NamedScene& scene : chosen) {
    std::map<Site, std::uint64_t> sites;
    note_sites(&sites);
    play(scene);
    note_sites(nullptr);
    for (const auto& [site, count] : sites)
      std::printf("%s %zx %s %s\n", scene.name, static_cast<std::size_t>(offset_of(site.address)),
                  kAccesses[static_cast<std::size_t>(site.access)],
                  kOrders[static_cast<std::size_t>(site.order)]);
  }
  return 0;
}

std::size_t index_of(const char* const* names, std::size_t count, const std::string& name) {
  for (std::size_t i = 0; i < count; ++i)
    if (name == names[i]) return i;
  std::abort();
}

// Runs in a process of its own, since a mutant may crash it.
bool is_found(const std::vector<NamedScene>& chosen, const std::vector<Mutant>& mutants) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::freopen("/dev/null", "w", stderr);
    set_mutants(mutants);
    for (const NamedScene& scene : chosen)
      if (!play(scene).failure.empty()) ::_exit(1);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status != 0;
}

int play_mutants() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string name;
    std::string order;
    std::string list;
    words >> name >> order >> list;
    std::vector<Mutant> mutants;
    for (std::string place; words >> place;) {
      const std::size_t colon = place.find(':');
      mutants.push_back(
          {site_at(std::strtoull(place.c_str(), nullptr, 16)),
           static_cast<Access>(index_of(kAccesses, std::size(kAccesses), place.substr(colon + 1))),
           static_cast<Order>(index_of(kOrders, std::size(kOrders), order))});
    }
    std::vector<std::string> wanted;
    std::istringstream names(list);
    for (std::string one; std::getline(names, one, ',');) wanted.push_back(one);
    const bool found = is_found(scenes(wanted), mutants);
    std::printf("%s %s %s\n", name.c_str(), order.c_str(), found ? "found" : "survived");
    std::fflush(stdout);
  }
  return 0;
}

int run(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "all";
  const int first_scene = what == "seeds" ? 4 : 2;
  const std::vector<std::string> wanted(argv + std::min(first_scene, argc), argv + argc);
  if (what == "all" || what == "long") return play_all(scenes(wanted), what == "long");
  if (what == "seeds" && argc >= 4)
    return play_seeds(scenes(wanted), std::strtoull(argv[2], nullptr, 10),
                      std::strtoull(argv[3], nullptr, 10));
  if (what == "sites") return print_sites(scenes(wanted));
  if (what == "mutants") return play_mutants();
  std::cerr << "datum-orders all|long|seeds FIRST LAST|sites|mutants [SCENE...]\n";
  return 2;
}

} // namespace
} // namespace datum::test

int main(int argc, char** argv) {
  return datum::test::run(argc, argv);
}
