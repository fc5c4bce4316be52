// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-cp: the command line. client.h and server.h carry it out.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/file_limit.h"
#include "common/human.h"
#include "common/interrupt.h"
#include "common/options.h"
#include "cp/client.h"
#include "cp/server.h"

namespace {

using datum::cp::ClientOptions;
using datum::cp::Direction;
using datum::cp::Method;
using datum::cp::Mode;
using datum::cp::ServerOptions;
using datum::tools::ExitCode;
using datum::tools::ToolError;

constexpr const char* kPutPaths = "SRC... HOST[:PORT]:DEST";
constexpr const char* kGetPaths = "HOST[:PORT]:SRC... DEST";

struct CommandLine {
  ServerOptions server;
  ClientOptions client;
  std::string chunk = "1MiB";
  unsigned timeout = 30;
  bool dry_run = false, verify = false;
};

void add_timeout(CLI::App& app, CommandLine& line) {
  app.add_option("--timeout", line.timeout, "give up when the other side is silent this long")
      ->type_name("SECONDS")
      ->check(datum::tools::whole_number(1, 3600))
      ->capture_default_str();
}

CLI::App* add_serve(CLI::App& app, CommandLine& line) {
  ServerOptions& o = line.server;
  CLI::App* serve = app.add_subcommand("serve", "let clients copy into and out of one folder");
  datum::tools::add_ia_option(*serve, o.common);
  serve->add_option("--port", o.port, "connection qualifier to listen on; 0: any free one")
      ->type_name("QUAL")
      ->check(datum::tools::whole_number(0))
      ->capture_default_str();
  serve->add_flag("--once", o.once, "end after one copy");
  serve->add_flag("--reuse-token", o.reuse_token, "one token for many copies");
  serve->add_flag("-q,--quiet", o.quiet, "no log on stderr");
  serve->add_option("DIR", o.folder, "the folder; nothing outside it is touched")->required();
  add_timeout(*serve, line);
  return serve;
}

// Shows the names of the paths in the help. CLI11's own help says only how many paths there are.
class PathsUsage final : public CLI::Formatter {
 public:
  explicit PathsUsage(std::string paths) : paths_(std::move(paths)) {}
  std::string make_usage(const CLI::App* app, std::string) const override {
    return fmt::format("{}\nUsage: dat-cp {} [OPTIONS] {}\n", app->get_description(),
                       app->get_name(), paths_);
  }
  std::string make_description(const CLI::App*) const override { return ""; }
  std::string make_positionals(const CLI::App*) const override { return ""; }

 private:
  std::string paths_;
};

// Changes the word into the number that CLI11 expects for an enumerator.
CLI::Validator method_word() {
  const auto number = [words = datum::tools::one_of({"write", "read"})](std::string& text) {
    if (std::string problem = words(text); !problem.empty()) return problem;
    const Method method = text == "write" ? Method::Write : Method::Read;
    text = std::to_string(static_cast<int>(method));
    return std::string();
  };
  return {number, ""};
}

CLI::App* add_client(CLI::App& app, CommandLine& line, const char* name, const char* what,
                     const char* paths) {
  ClientOptions& o = line.client;
  CLI::App* sub = app.add_subcommand(name, what);
  datum::tools::add_ia_option(*sub, o.common);
  datum::tools::add_json_option(*sub, o.common);
  sub->add_option("--token", o.token,
                  "what the server printed; else DAT_CP_TOKEN in the environment")
      ->type_name("TOKEN");
  sub->add_option("--method", o.method,
                  "who moves the bytes: the side that has them writes, or the other reads")
      ->type_name("write|read")
      ->transform(method_word());
  auto* dry = sub->add_flag("--dry-run", line.dry_run, "say what would be copied; copy nothing");
  auto* verify =
      sub->add_flag("--verify", line.verify, "compare contents on both sides; copy nothing")
          ->excludes(dry);
  sub->add_flag("--checksum", o.compare,
                "compare the contents of files whose size, time and permissions agree")
      ->excludes(dry)
      ->excludes(verify);
  sub->add_flag("-q,--quiet", o.quiet, "no progress bar, no summary");
  sub->add_option("--chunk", line.chunk, "bytes per RDMA operation, 4k to 16M")
      ->type_name("SIZE")
      ->capture_default_str();
  sub->add_option("--depth", o.depth, "chunks in flight")
      ->type_name("N")
      ->check(datum::tools::whole_number(datum::cp::kMinDepth, datum::cp::kMaxDepth))
      ->capture_default_str();
  add_timeout(*sub, line);
  sub->add_option("SRC", o.paths, paths)->required()->expected(1, 4097);
  sub->formatter(std::make_shared<PathsUsage>(paths));
  return sub;
}

// Wherever several values are allowed, CLI11 takes "[a,b]" for a list of two. For dat-cp it is the
// name of one file, or an address. So GuardedWords puts a character before it, which is removed
// after CLI11 has parsed the line.
constexpr char kGuard = '\x02';

bool needs_guard(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of(kGuard), word.size()));
  return word.starts_with('[') && word.ends_with(']');
}

class GuardedWords {
 public:
  GuardedWords(int argc, char** argv) {
    words_.assign(argv, argv + argc);
    for (std::string& word : words_) {
      if (needs_guard(word)) word.insert(word.begin(), kGuard);
      pointers_.push_back(word.data());
    }
    pointers_.push_back(nullptr);
  }
  char** argv() { return pointers_.data(); }
  static void take_off(std::string& word) {
    if (word.starts_with(kGuard) && needs_guard(word)) word.erase(0, 1);
  }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

void take_off_guards(CommandLine& line) {
  for (std::string& path : line.client.paths) GuardedWords::take_off(path);
  for (std::string* word :
       {&line.server.folder, &line.server.common.ia, &line.client.common.ia, &line.chunk})
    GuardedWords::take_off(*word);
}

ExitCode run_copy(CommandLine& line, Direction direction) {
  ClientOptions& o = line.client;
  o.direction = direction;
  if (o.paths.size() < 2)
    throw ToolError(ExitCode::Usage,
                    fmt::format("\"{}\" is all that is named; there has to be a source and a "
                                "destination: {}",
                                datum::tools::printable(o.paths[0]),
                                direction == Direction::Put ? kPutPaths : kGetPaths));
  o.mode = line.dry_run ? Mode::DryRun : line.verify ? Mode::Verify : Mode::Copy;
  o.timeout = std::chrono::seconds(line.timeout);
  std::uint64_t chunk = 0;
  if (!datum::tools::parse_size(line.chunk, chunk) || chunk < datum::cp::kMinChunk ||
      chunk > datum::cp::kMaxChunk)
    throw ToolError(ExitCode::Usage,
                    fmt::format("--chunk \"{}\": not a size between 4k and 16M", line.chunk));
  o.chunk_size = static_cast<std::uint32_t>(chunk);
  return run_client(o);
}

} // namespace

int main(int argc, char** argv) try {
  CLI::App app("Copies files and folders between two processes by RDMA.", "dat-cp");
  CommandLine line;
  app.require_subcommand(1);
  CLI::App* serve = add_serve(app, line);
  CLI::App* put = add_client(app, line, "put", "copy to a server", kPutPaths);
  add_client(app, line, "get", "copy from a server", kGetPaths);
  app.footer(
      "A destination that ends in / is a folder to copy into; else it is the new name.\n"
      "Exit: 0 done, 1 some of it failed or differs, 2 usage or set-up, 3 interrupted,\n"
      "4 the other side was lost, 5 refused (token, version, nobody listens). See dat-cp(1).");
  GuardedWords words(argc, argv);
  return datum::tools::run_tool(app, argc, words.argv(), [&] {
    take_off_guards(line);
    datum::tools::catch_interrupts();
    datum::tools::raise_file_limit();
    if (*serve) {
      line.server.timeout = std::chrono::seconds(line.timeout);
      return run_server(line.server);
    }
    return run_copy(line, *put ? Direction::Put : Direction::Get);
  });
} catch (const std::exception& error) {
  return datum::tools::out_of_memory("dat-cp", error);
}
