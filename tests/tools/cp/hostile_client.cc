// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-cp-hostile-client ATTACK PORT TOKEN [ARGUMENT...]: a client of a dat-cp server on this host.
// It breaks the rules in the way that ATTACK names, and prints how the copy ended.
#include <unistd.h>

#include <cstdio>
#include <map>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "common/address.h"
#include "common/tool_error.h"
#include "cp/handshake.h"
#include "cp/hello.h"
#include "hostile_caller.h"
#include "hostile_source.h"

namespace {

using namespace datum::cp;
using datum::cp::test::HostileCaller;
using datum::cp::test::HostileSource;
namespace tools = datum::tools;

struct Call {
  tools::Interface ia{"datum"};
  std::uint64_t port;
  Token token;
  std::vector<std::string> arguments;
};
using Attack = void (*)(Call&);

std::string greeting_of(const Call& call) {
  return encode(Hello{kProtocolVersion, static_cast<std::uint32_t>(getpid()), call.token});
}

std::unique_ptr<Channel> connect(const Call& call) {
  auto channel = std::make_unique<Channel>(call.ia, std::chrono::minutes(1));
  channel->connect(tools::resolve("127.0.0.1"), call.port, greeting_of(call), "victim");
  return channel;
}

Job job_of(Direction direction, const std::string& destination) {
  return {direction, Method::Write, Mode::Copy, 4096, 2, 1, 0, 0, destination};
}

void exchange_slots(Channel& channel, const Job& job) {
  channel.set_peer_slots(expect<Slots>(channel, "no slots"));
  channel.send(channel.make_slots(job.chunk_size, job.depth, DAT_MEM_PRIV_REMOTE_WRITE_FLAG));
}

void wait_for_the_end(Channel& channel) {
  for (;;) {
    const LinkEvent event = channel.next();
    const auto* message = std::get_if<Message>(&event);
    if (message == nullptr) continue;
    if (const auto* abort = std::get_if<Abort>(message)) obey(*abort);
    if (std::holds_alternative<Offer>(*message))
      fmt::print("offered {}\n", std::get<Offer>(*message).path);
  }
}

// A put that begins according to the rules.
struct Put {
  explicit Put(const Call& call, const std::string& destination = "", bool into_folder = true)
      : channel(connect(call)), job(job_of(Direction::Put, destination)),
        source(*channel, {Method::Write, Mode::Copy, job.chunk_size, job.depth}) {
    job.into_folder = into_folder ? 1 : 0;
    channel->send(job);
    exchange_slots(*channel, job);
  }
  std::unique_ptr<Channel> channel;
  Job job;
  HostileSource source;
};

void give_argument(Call& call) {
  Put put(call);
  put.source.give(call.arguments.at(0), "evil");
  put.source.done();
}

void destination_argument(Call& call) {
  Put put(call, call.arguments.at(0));
  put.source.give("x", "evil");
  put.source.done();
}

void folder_then_argument(Call& call) {
  Put put(call);
  put.source.folder("d");
  put.source.give(call.arguments.at(0), "evil");
  put.source.end_folder("d");
  put.source.done();
}

void through_its_own_link(Call& call) {
  Put put(call);
  put.source.folder("d");
  put.source.await_result(put.source.link("d/link", call.arguments.at(0)));
  put.source.give("d/link/x", "evil");
  put.source.end_folder("d");
  put.source.done();
}

void end_of_argument(Call& call) {
  Put put(call);
  put.source.end_folder(call.arguments.at(0), 0777);
  put.source.done();
}

void twice(Call& call) {
  Put put(call);
  put.source.give("f", "first");
  put.source.give("f", "again");
  put.source.done();
}

void two_for_one_name(Call& call) {
  Put put(call, "new", false);
  put.source.give("f", "first");
  put.source.give("g", "again");
  put.source.done();
}

void longer_than_announced(Call& call) {
  Put put(call);
  const std::uint64_t id = put.source.file("f", 4);
  put.source.await_want(id);
  put.source.chunk(id, 0, "evil");
  put.source.chunk(id, 4, "more");
  put.source.end(id, "evilmore");
  put.source.done();
}

void data_without_an_offer(Call& call) {
  Put put(call);
  put.source.chunk(1, 0, "evil");
  put.source.end(1, "evil");
  put.source.done();
}

void folders_without_end(Call& call) {
  Put put(call);
  for (int i = 1000; i < 2000; ++i) put.source.await_result(put.source.folder(std::to_string(i)));
  put.source.done();
}

// The server would work on the hole for days if it did not notice that the client has gone.
void hole_and_away(Call& call) {
  Put put(call);
  const std::uint64_t id = put.source.file("f", 1ULL << 43U);
  put.source.await_want(id);
  put.channel->send(Hole{id, 0, 1ULL << 43U});
  put.channel->finish();
}

void stop_in_the_middle(Call& call) {
  Put put(call);
  const std::uint64_t id = put.source.file("f", 8);
  put.source.await_want(id);
  put.source.chunk(id, 0, "evil");
  put.source.stay();
}

void write_beside_the_slots(Call& call) {
  Put put(call);
  put.channel->make_slots(put.job.chunk_size, put.job.depth + 1, DAT_MEM_PRIV_NONE_FLAG);
  put.channel->write_slot(put.job.depth, 4096);
  put.source.stay();
}

void get_argument(Call& call) {
  const auto channel = connect(call);
  const Job job = job_of(Direction::Get, "");
  channel->send(job);
  for (const std::string& path : call.arguments) channel->send(Path{path});
  channel->send(PathsEnd{});
  exchange_slots(*channel, job);
  wait_for_the_end(*channel);
}

void too_many_paths(Call& call) {
  const auto channel = connect(call);
  channel->send(job_of(Direction::Get, ""));
  for (int i = 0; i < 5000; ++i) channel->send(Path{"."});
  wait_for_the_end(*channel);
}

void job_with(Call& call, std::uint32_t chunk_size, std::uint32_t depth) {
  const auto channel = connect(call);
  Job job = job_of(Direction::Put, "");
  job.chunk_size = chunk_size;
  job.depth = depth;
  channel->send(job);
  wait_for_the_end(*channel);
}

void chunks_of_nothing(Call& call) {
  job_with(call, 0, 8);
}

void chunks_of_4_gib(Call& call) {
  job_with(call, UINT32_MAX, 64);
}

void no_slots(Call& call) {
  job_with(call, 4096, 0);
}

void slots_without_number(Call& call) {
  job_with(call, 4096, UINT32_MAX);
}

void another_size_of_slots(Call& call) {
  const auto channel = connect(call);
  channel->send(job_of(Direction::Put, ""));
  channel->send(Slots{1, 1, 8192, 2});
  wait_for_the_end(*channel);
}

void abort_with_controls(Call& call) {
  const auto channel = connect(call);
  channel->send(Abort{1, "\x1b]0;evil\x07\r\x7f\xc2\x9b"
                         "2J\xe2\x80\xae\xff\ndat-cp: forged"});
  wait_for_the_end(*channel);
}

void say_nothing(Call& call) {
  wait_for_the_end(*connect(call));
}

// The server owes an answer to each offer, and it has no credit to send one.
void ask_without_credits(Call& call) {
  HostileCaller caller(call.ia);
  caller.connect(call.port, greeting_of(call));
  caller.send(job_of(Direction::Put, ""));
  caller.send(Slots{1, 1, 4096, 2});
  for (std::uint64_t id = 1; id < 100'000; ++id)
    if (!caller.send(Offer{id, Kind::File, 04755, {}, 0, std::to_string(1'000'000 + id), ""}))
      return;
  throw tools::ToolError(tools::ExitCode::Failed, "it took all of them");
}

// Grants one credit for every two frames of offers. The answers to two frames do not fit in the one
// frame that the credit allows, so answers pile up in the server.
void one_credit_at_a_time(Call& call) {
  HostileCaller caller(call.ia);
  caller.connect(call.port, greeting_of(call));
  caller.send(job_of(Direction::Put, ""));
  caller.send(Slots{1, 1, 4096, 2});
  caller.send(Offer{1, Kind::Directory, 0755, {}, 0, "d", ""});
  std::uint64_t id = 2;
  for (int frames = 1; frames < 10'000; ++frames) {
    std::vector<Message> offers;
    for (; offers.size() < 240; ++id)
      offers.push_back(Offer{id, Kind::File, 04755, {}, 0, fmt::format("d/{:08}", id), ""});
    // The server has used up its first credits once it has sent kRecvs frames.
    if (!caller.send(offers, caller.heard() >= kRecvs && frames % 2 == 0 ? 1 : 0)) return;
  }
  throw tools::ToolError(tools::ExitCode::Failed, fmt::format("it took all {} of them", id));
}

void grant_too_much(Call& call) {
  HostileCaller caller(call.ia);
  caller.connect(call.port, greeting_of(call));
  caller.send(job_of(Direction::Put, ""), 65535);
  while (caller.send(KeepAlive{})) continue;
}

void cut_a_message(Call& call) {
  HostileCaller caller(call.ia);
  caller.connect(call.port, greeting_of(call));
  caller.send_cut_message();
  while (caller.send(KeepAlive{})) continue;
}

// Calls as a release with version 1 of the protocol would.
void call_as_version_1(Call& call) {
  Channel channel(call.ia, std::chrono::minutes(1));
  const auto answer = decode_answer(channel.connect(tools::resolve("127.0.0.1"), call.port,
                                                    encode(Hello{1, 1, call.token}), "victim"));
  fmt::print("refused: {}, it speaks version {}\n", answer->answer == Answer::WrongVersion,
             answer->version);
}

// Callers with a wrong token. They stay connected until this process is killed.
void strangers(Call& call) {
  std::vector<std::unique_ptr<HostileCaller>> callers;
  for (int i = 0; i < 12; ++i) {
    callers.push_back(std::make_unique<HostileCaller>(call.ia));
    callers.back()->dial(call.port, encode(Hello{kProtocolVersion, 1, Token{}}));
  }
  fmt::print("12 callers stay\n");
  std::fflush(stdout);
  pause();
}

const std::map<std::string, Attack> kAttacks = {
    {"give", give_argument},
    {"destination", destination_argument},
    {"folder-then", folder_then_argument},
    {"through-its-own-link", through_its_own_link},
    {"end-of", end_of_argument},
    {"twice", twice},
    {"two-for-one-name", two_for_one_name},
    {"longer", longer_than_announced},
    {"data-without-an-offer", data_without_an_offer},
    {"folders-without-end", folders_without_end},
    {"hole-and-away", hole_and_away},
    {"stop", stop_in_the_middle},
    {"write-beside", write_beside_the_slots},
    {"get", get_argument},
    {"too-many-paths", too_many_paths},
    {"chunks-of-nothing", chunks_of_nothing},
    {"chunks-of-4-gib", chunks_of_4_gib},
    {"no-slots", no_slots},
    {"slots-without-number", slots_without_number},
    {"another-size-of-slots", another_size_of_slots},
    {"abort-controls", abort_with_controls},
    {"say-nothing", say_nothing},
    {"strangers", strangers},
    {"ask-without-credits", ask_without_credits},
    {"one-credit-at-a-time", one_credit_at_a_time},
    {"grant-too-much", grant_too_much},
    {"cut-message", cut_a_message},
    {"version-1", call_as_version_1},
};

} // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  Call call;
  call.port = std::stoull(words.at(1));
  call.token = parse_token(words.at(2)).value();
  call.arguments.assign(words.begin() + 3, words.end());
  try {
    kAttacks.at(words.at(0))(call);
    fmt::print("ended well\n");
  } catch (const tools::ToolError& error) {
    fmt::print("ended by the server: {}\n", error.what());
  }
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "dat-cp-hostile-client: {}\n", error.what());
  return 1;
}
