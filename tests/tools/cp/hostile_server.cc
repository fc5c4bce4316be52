// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-cp-hostile-server ATTACK [ARGUMENT...]: a server for one dat-cp client. It breaks the rules
// in the way that ATTACK names. It prints its port, and how the copy ended.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "common/dat_events.h"
#include "common/tool_error.h"
#include "cp/handshake.h"
#include "cp/hello.h"
#include "hostile_source.h"

namespace {

using namespace datum::cp;
using datum::cp::test::HostileSource;
namespace tools = datum::tools;

struct Victim {
  Channel& channel;
  Job job;
  Terms terms;
  std::vector<std::string> arguments;
};
using Attack = void (*)(Victim&, HostileSource&);

const std::string kTerminal = "\x1b]0;evil\x07\r\x7f\xc2\x9b"
                              "2J\xe2\x80\xae"
                              "\xff"
                              "\ndat-cp: forged";

template <class M>
void await(Channel& channel) {
  for (;;) {
    const LinkEvent event = channel.next();
    const auto* message = std::get_if<Message>(&event);
    if (message != nullptr && std::holds_alternative<M>(*message)) return;
  }
}

// Sends the file that the argument names, and nothing that the client asked for.
void give_argument(Victim& victim, HostileSource& source) {
  source.give(victim.arguments.at(0), "evil");
  source.done();
}

void give_asked_then_argument(Victim& victim, HostileSource& source) {
  source.give("f", "asked for");
  source.give(victim.arguments.at(0), "evil");
  source.done();
}

void folder_argument(Victim& victim, HostileSource& source) {
  const std::string& folder = victim.arguments.at(0);
  source.folder(folder);
  source.give(folder + "/authorized_keys", "evil");
  source.end_folder(folder);
  source.done();
}

void end_of_argument(Victim& victim, HostileSource& source) {
  source.give("f", "asked for");
  source.end_folder(victim.arguments.at(0), 0777);
  source.done();
}

void nothing(Victim&, HostileSource& source) {
  source.done();
}

void folder_then_argument(Victim& victim, HostileSource& source) {
  source.folder("d");
  source.give(victim.arguments.at(0), "evil");
  source.end_folder("d");
  source.done();
}

void through_its_own_link(Victim& victim, HostileSource& source) {
  source.folder("d");
  source.await_result(source.link("d/link", victim.arguments.at(0)));
  source.give("d/link/x", "evil");
  source.end_folder("d");
  source.done();
}

// Replaces a folder by a link once the client wants a file in it. The arguments are the folder and
// the target of the link.
void swap_a_link_in(Victim& victim, HostileSource& source) {
  source.folder("d");
  const std::uint64_t id = source.file("d/a", 4);
  if (!source.await_want(id)) return;
  std::filesystem::rename(victim.arguments.at(0), victim.arguments.at(0) + ".moved");
  std::filesystem::create_directory_symlink(victim.arguments.at(1), victim.arguments.at(0));
  source.chunk(id, 0, "evil");
  source.end(id, "evil");
  source.await_result(id);
  source.give("d/b", "evil");
  source.await_result(source.folder("d/c"));
  source.await_result(source.link("d/l", "evil"));
  source.end_folder("d/c");
  source.end_folder("d", 0777);
  source.done();
}

void twice(Victim&, HostileSource& source) {
  source.give("f", "first");
  source.give("f", "again");
  source.done();
}

void longer_than_announced(Victim&, HostileSource& source) {
  const std::uint64_t id = source.file("f", 4);
  if (!source.await_want(id)) return;
  source.chunk(id, 0, "evil");
  source.chunk(id, 4, "more");
  source.end(id, "evilmore");
  source.done();
}

void shorter_than_announced(Victim&, HostileSource& source) {
  const std::uint64_t id = source.file("f", 8);
  if (!source.await_want(id)) return;
  source.chunk(id, 0, "evil");
  source.end(id, "evil");
  source.stay();
}

void data_without_an_offer(Victim&, HostileSource& source) {
  source.chunk(1, 0, "evil");
  source.end(1, "evil");
  source.done();
}

void too_many_at_once(Victim&, HostileSource& source) {
  source.folder("d");
  for (int i = 1000; i < 2100; ++i) source.file(fmt::format("d/{}", i), 4);
  source.stay();
}

void as_large_as_can_be(Victim& victim, HostileSource& source) {
  const std::uint64_t id = source.file("f", INT64_MAX);
  if (!source.await_want(id)) return;
  victim.channel.send(Hole{id, 0, INT64_MAX});
  victim.channel.finish();
}

void a_kind_that_is_none(Victim& victim, HostileSource& source) {
  victim.channel.send(Offer{1, static_cast<Kind>(3), 0644, {1, 0}, 0, "f", ""});
  source.stay();
}

void with_privileges(Victim&, HostileSource& source) {
  source.give("f", "evil", 04755);
  source.done();
}

void silence(Victim&, HostileSource& source) {
  const std::uint64_t id = source.file("f", 8);
  if (source.await_want(id)) source.chunk(id, 0, "evil");
  source.stay();
}

void abort_with_controls(Victim& victim, HostileSource& source) {
  victim.channel.send(Abort{1, kTerminal});
  source.stay();
}

void problem_with_controls(Victim& victim, HostileSource& source) {
  victim.channel.send(Problem{Severity::Error, kTerminal});
  source.done();
}

void name_with_controls(Victim&, HostileSource& source) {
  source.give(kTerminal, "evil");
  source.done();
}

// From here on the victim is a client that puts a file "f" of six octets.

void say_to_a_put(Victim& victim, HostileSource& source, const Message& message) {
  await<Offer>(victim.channel);
  victim.channel.send(message);
  source.stay();
}

void ask_for_a_path(Victim& victim, HostileSource& source) {
  say_to_a_put(victim, source, Path{"secret"});
}

void offer_to_a_put(Victim& victim, HostileSource& source) {
  say_to_a_put(victim, source, Offer{1, Kind::File, 0644, {1, 0}, 4, ".bashrc", ""});
}

void want_another(Victim& victim, HostileSource& source) {
  say_to_a_put(victim, source, Want{2, 0});
}

void want_all(Victim& victim, HostileSource& source) {
  say_to_a_put(victim, source, Want{1, 0});
}

void want_what_is_behind(Victim& victim, HostileSource& source) {
  say_to_a_put(victim, source, Want{1, 7});
}

void lie_about_the_result(Victim& victim, HostileSource& source) {
  say_to_a_put(victim, source, Result{1, Outcome::Copied, ""});
}

void result_with_controls(Victim& victim, HostileSource& source) {
  await<Offer>(victim.channel);
  victim.channel.send(Result{1, Outcome::Differs, kTerminal});
  await<Done>(victim.channel);
  victim.channel.send(Bye{});
  source.stay();
}

// With --method read the client has granted the right to read its slots, and no other memory.
void read_beside_the_slots(Victim& victim, HostileSource& source) {
  await<Offer>(victim.channel);
  victim.channel.read_slot(victim.terms.depth, 4096);
  source.stay();
}

const std::map<std::string, Attack> kAttacks = {
    {"nothing", nothing},
    {"give", give_argument},
    {"give-asked-then", give_asked_then_argument},
    {"folder", folder_argument},
    {"end-of", end_of_argument},
    {"folder-then", folder_then_argument},
    {"through-its-own-link", through_its_own_link},
    {"swap-a-link-in", swap_a_link_in},
    {"twice", twice},
    {"longer", longer_than_announced},
    {"shorter", shorter_than_announced},
    {"data-without-an-offer", data_without_an_offer},
    {"too-many", too_many_at_once},
    {"large", as_large_as_can_be},
    {"kind", a_kind_that_is_none},
    {"privileges", with_privileges},
    {"silence", silence},
    {"abort-controls", abort_with_controls},
    {"problem-controls", problem_with_controls},
    {"name-controls", name_with_controls},
    {"ask-for-a-path", ask_for_a_path},
    {"offer-to-a-put", offer_to_a_put},
    {"want-another", want_another},
    {"want-all", want_all},
    {"want-behind", want_what_is_behind},
    {"lie", lie_about_the_result},
    {"result-controls", result_with_controls},
    {"read-beside", read_beside_the_slots},
};

tools::Cr await_caller(const tools::Evd& requests) {
  for (;;) {
    const auto event = tools::wait_event(requests, tools::kNever);
    if (event && event->event_number == DAT_CONNECTION_REQUEST_EVENT)
      return tools::Cr(event->event_data.cr_arrival_event_data.cr_handle);
  }
}

Job take_job(Channel& channel) {
  Job job = expect<Job>(channel, "no job");
  if (job.direction == Direction::Get) await<PathsEnd>(channel);
  return job;
}

void serve(const tools::Interface& ia, const tools::Evd& requests, Attack attack,
           std::vector<std::string> arguments) {
  Channel channel(ia, std::chrono::minutes(1));
  channel.accept(
      await_caller(requests),
      encode(HelloAnswer{kProtocolVersion, static_cast<std::uint32_t>(getpid()), Answer::Welcome}),
      "victim");
  const Job job = take_job(channel);
  // One slot more than the client has, as room to read into.
  const Terms terms = {job.method, job.mode, job.chunk_size, job.depth};
  Slots slots = channel.make_slots(terms.chunk_size, terms.depth + 1,
                                   DAT_MEM_PRIV_REMOTE_READ_FLAG | DAT_MEM_PRIV_REMOTE_WRITE_FLAG);
  slots.depth = terms.depth;
  channel.send(slots);
  channel.set_peer_slots(expect<Slots>(channel, "no slots"));
  Victim victim = {channel, job, terms, std::move(arguments)};
  HostileSource source(channel, terms);
  attack(victim, source);
  channel.await_disconnect();
}

} // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const Attack attack = kAttacks.at(words.at(0));
  const tools::Interface ia("datum");
  const tools::Evd requests = make_evd(ia, 16, DAT_EVD_CR_FLAG);
  DAT_CONN_QUAL port = 0;
  const tools::Psp listener = tools::listen(ia, port, requests);
  fmt::print("port {}\n", port);
  std::fflush(stdout);
  try {
    serve(ia, requests, attack, {words.begin() + 1, words.end()});
    fmt::print("ended well\n");
  } catch (const tools::ToolError& error) {
    fmt::print("ended by the client: {}\n", error.what());
  }
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "dat-cp-hostile-server: {}\n", error.what());
  return 1;
}
