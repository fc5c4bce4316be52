// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-cp against a hostile server or client that tries to read or write files outside the copy.
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "folder.h"
#include <algorithm>

#include "program.h"

namespace datum::cp::test {
namespace {

const std::string kToken = "00112233445566778899aabbccddeeff"; // a hostile server takes any

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

unsigned mode_of(const std::string& path) {
  struct stat st = {};
  return lstat(path.c_str(), &st) == 0 ? st.st_mode & 07777 : 0;
}

class CpHostile : public testing::Test {
 protected:
  CpHostile() {
    home_.write("home/.bashrc", "mine");
    home_.write("home/.ssh/authorized_keys", "mine");
    home_.write("home/sub/x", "mine");
    home_.write("victim", "mine");
    chmod((home_ / "home/.ssh").c_str(), 0700);
  }
  void expect_untouched() {
    for (const char* name : {"home/.bashrc", "home/.ssh/authorized_keys", "home/sub/x", "victim"})
      EXPECT_EQ(home_.read(name), "mine") << name;
    EXPECT_EQ(mode_of(home_ / "home/.ssh"), 0700U);
    EXPECT_TRUE(std::filesystem::is_empty(outside_.path()));
    EXPECT_EQ(mode_of(outside_.path()), 0700U);
    EXPECT_EQ(home_.leftovers("home"), 0);
  }
  // The home must hold its former files and these names of the copy, and nothing else.
  void expect_only(std::vector<std::string> names) {
    names.insert(names.end(), {".bashrc", ".ssh", "sub"});
    std::sort(names.begin(), names.end());
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(home_ / "home"))
      found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, names);
    expect_untouched();
  }
  // No part of the text may move a cursor or begin a line.
  static void expect_plain(const std::string& text) {
    for (const char* bad : {"\x1b", "\x07", "\r", "\x7f", "\xc2\x9b", "\xe2\x80\xae", "\xff"})
      EXPECT_FALSE(has(text, bad)) << text;
    EXPECT_FALSE(has(text, "\ndat-cp: forged")) << text;
    EXPECT_TRUE(has(text, "dat-cp: forged")) << text;
  }
  Folder home_, outside_;
};

class CpHostileServer : public CpHostile {
 protected:
  // Runs a client against the attack. A word that begins with % is a path on the server.
  int run(std::vector<std::string> attack, std::vector<std::string> client) {
    attack.insert(attack.begin(), DAT_CP_HOSTILE_SERVER);
    Program server(attack);
    const std::string at = "127.0.0.1:" + server.line_after("port ") + ":";
    std::vector<std::string> words = {DAT_CP_PROGRAM, client.front(), "--token", kToken};
    for (std::size_t i = 1; i < client.size(); ++i)
      words.push_back(client[i].starts_with('%') ? at + client[i].substr(1) : client[i]);
    Program program(words);
    const int code = program.wait();
    out_ = program.out();
    err_ = program.err();
    EXPECT_EQ(server.wait(), 0) << server.err();
    seen_ = server.out();
    return code;
  }
  // Runs a get of "f" into the home and expects that the attack fails.
  void expect_refused(const std::vector<std::string>& attack, const std::string& why) {
    EXPECT_EQ(run(attack, {"get", "%f", home_ / "home/"}), 1) << err_;
    EXPECT_TRUE(has(err_, "dat-cp: " + why)) << err_;
    EXPECT_FALSE(has(out_, "get: ")) << out_;
  }
  std::string out_, err_, seen_;
};

TEST_F(CpHostileServer, GivesAnotherFileThanTheOneAskedFor) {
  expect_refused({"give", ".bashrc"}, R"(the other side offered ".bashrc": it was not asked for)");
  expect_only({});
}

TEST_F(CpHostileServer, GivesNothing) {
  EXPECT_EQ(run({"nothing"}, {"get", "%f", home_ / "home/"}), 1) << err_;
  EXPECT_TRUE(has(err_, R"(dat-cp: "f" did not come: the other side has ended the copy)")) << err_;
  expect_only({});
}

TEST_F(CpHostileServer, GivesAnotherFileAfterTheOneAskedFor) {
  expect_refused({"give-asked-then", ".profile"},
                 R"(the other side offered ".profile": it was not asked for)");
  expect_only({"f"});
}

TEST_F(CpHostileServer, GivesAnotherFolder) {
  expect_refused({"folder", ".ssh"}, R"(the other side offered ".ssh": it was not asked for)");
  expect_only({});
}

TEST_F(CpHostileServer, GivesAnotherNameThanTheOneOfTheCopy) {
  EXPECT_EQ(run({"give", ".bashrc"}, {"get", "%f", home_ / "home"}), 1);
  EXPECT_TRUE(has(err_, R"(".bashrc": it was not asked for)")) << err_;
  expect_only({});
  EXPECT_EQ(run({"give", ".bashrc"}, {"get", "%f", home_ / "home/new"}), 1);
  EXPECT_TRUE(has(err_, R"(".bashrc": it was not asked for)")) << err_;
  expect_only({});
}

TEST_F(CpHostileServer, GivesAFileWhereAllThatItServesWasAskedFor) {
  EXPECT_EQ(run({"give", ".bashrc"}, {"get", "%.", home_ / "home/"}), 1);
  EXPECT_TRUE(has(err_, R"(".bashrc": it was not asked for)")) << err_;
  expect_only({});
}

TEST_F(CpHostileServer, GivesNamesThatLeadOut) {
  expect_refused({"give", "../victim"},
                 R"(the other side offered "../victim": it contains "." or "..")");
  expect_refused({"give", home_ / "victim"},
                 "the other side offered \"" + (home_ / "victim") + "\": it is absolute");
  expect_refused({"give", "f/../.bashrc"},
                 R"(the other side offered "f/../.bashrc": it contains "." or "..")");
  expect_refused({"give", "f//.bashrc"},
                 R"(the other side offered "f//.bashrc": it has an empty component)");
  expect_refused({"give", ""}, R"(the other side offered "": it is empty)");
  expect_refused({"give", "."}, R"(the other side offered ".": it contains "." or "..")");
  expect_refused({"give", "f/"}, R"(the other side offered "f/": it has an empty component)");
  expect_only({});
}

TEST_F(CpHostileServer, GivesNamesThatLeadOutOfTheFolderAskedFor) {
  for (const char* name : {"d/../.bashrc", "d/../../victim", "d/./../.bashrc", ".bashrc", "d2/x"}) {
    EXPECT_EQ(run({"folder-then", name}, {"get", "%d", home_ / "home/"}), 1) << name;
    EXPECT_TRUE(has(err_, "dat-cp: the other side offered \"" + std::string(name) + "\": it "))
        << err_;
  }
  expect_only({"d"});
}

TEST_F(CpHostileServer, GivesAFileInAFolderThatItHasNotOffered) {
  home_.write("home/d/.ssh/authorized_keys", "mine");
  EXPECT_EQ(run({"folder-then", "d/.ssh/authorized_keys"}, {"get", "%d", home_ / "home/"}), 1);
  EXPECT_TRUE(has(err_, "it is in no folder that was offered")) << err_;
  EXPECT_EQ(home_.read("home/d/.ssh/authorized_keys"), "mine");
}

TEST_F(CpHostileServer, GivesAFileBelowAFile) {
  expect_refused({"give-asked-then", "f/x"},
                 R"(the other side offered "f/x": it is in no folder that was offered)");
}

TEST_F(CpHostileServer, GivesDatCpsOwnFiles) {
  for (const char* name : {"d/.dat-cp-link", "d/.DAT-CP-link", "d/.dat-cp-0.journal"}) {
    EXPECT_EQ(run({"folder-then", name}, {"get", "%d", home_ / "home/"}), 1) << name;
    EXPECT_TRUE(has(err_, "names beginning with \".dat-cp-\" are dat-cp's own")) << err_;
  }
}

TEST_F(CpHostileServer, GivesALinkAndAFileBehindIt) {
  EXPECT_EQ(run({"through-its-own-link", outside_.path()}, {"get", "%d", home_ / "home/"}), 1);
  EXPECT_TRUE(has(err_, R"(the other side offered "d/link/x": it is in no folder)")) << err_;
  expect_untouched();
}

TEST_F(CpHostileServer, SwapsALinkInWhileTheCopyRuns) {
  EXPECT_EQ(
      run({"swap-a-link-in", home_ / "home/d", outside_.path()}, {"get", "%d", home_ / "home/"}),
      1);
  EXPECT_TRUE(has(err_, "a symbolic link on the way; dat-cp follows none")) << err_;
  EXPECT_TRUE(has(seen_, "ended well")) << seen_;
  expect_untouched();
  EXPECT_EQ(home_.read("home/d.moved/a"), "evil") << "it was begun in that folder";
}

TEST_F(CpHostileServer, EndsAFolderThatIsNotOfTheCopy) {
  expect_refused(
      {"end-of", ".ssh"},
      R"(the other side offered ".ssh": it is the end of a folder that was not offered)");
  expect_only({"f"});
}

TEST_F(CpHostileServer, GivesANameTwice) {
  expect_refused({"twice"}, R"(the other side offered "f": it was not asked for)");
  EXPECT_EQ(home_.read("home/f"), "first");
}

TEST_F(CpHostileServer, GivesMoreThanAnnounced) {
  expect_refused({"longer"}, "protocol error: the other side sent data beside the place agreed");
  expect_refused({"shorter"},
                 "protocol error: the other side sent the End of a file before its end");
  expect_refused({"data-without-an-offer"},
                 "protocol error: the other side sent data for a file nobody wanted");
  expect_only({});
}

TEST_F(CpHostileServer, OffersMoreThanTheWindow) {
  EXPECT_EQ(run({"too-many"}, {"get", "%d", home_ / "home/"}), 1);
  EXPECT_TRUE(has(err_, "protocol error: the other side sent more offers than agreed")) << err_;
  expect_only({"d"});
  EXPECT_EQ(home_.leftovers("home/d"), 0);
}

TEST_F(CpHostileServer, OffersAKindThatIsNone) {
  expect_refused({"kind"}, "protocol error: the other side sent a message that cannot be decoded");
  expect_only({});
}

TEST_F(CpHostileServer, GivesSetUserId) {
  EXPECT_EQ(run({"privileges"}, {"get", "%f", home_ / "home/"}), 1);
  EXPECT_TRUE(has(err_, "mode, time or size is not one that a file can have")) << err_;
  expect_only({});
}

TEST_F(CpHostileServer, OffersAHoleOfAllThatCanBeAndLeaves) {
  EXPECT_EQ(run({"large"}, {"get", "%f", home_ / "home/"}), 4);
  EXPECT_FALSE(home_.exists("home/f"));
}

TEST_F(CpHostileServer, FallsSilentInTheMiddle) {
  EXPECT_EQ(run({"silence"}, {"get", "--timeout", "1", "%f", home_ / "home/"}), 4);
  EXPECT_TRUE(has(err_, "silent for 1 s")) << err_;
  expect_only({});
}

TEST_F(CpHostileServer, SaysWhatWouldDisturbATerminal) {
  EXPECT_EQ(run({"abort-controls"}, {"get", "%f", home_ / "home/"}), 1);
  expect_plain(err_);
  EXPECT_EQ(run({"problem-controls"}, {"get", "%f", home_ / "home/"}), 1);
  expect_plain(err_);
  EXPECT_EQ(run({"name-controls"}, {"get", "%f", home_ / "home/"}), 1);
  expect_plain(err_);
  home_.write("f", "secret");
  EXPECT_EQ(run({"result-controls"}, {"put", "--verify", home_ / "f", "%"}), 1);
  expect_plain(out_ + err_);
}

class CpHostileDestination : public CpHostileServer {
 protected:
  CpHostileDestination() { home_.write("f", "secret"); }
  void expect_put_ended(const std::vector<std::string>& attack, const std::string& why,
                        std::vector<std::string> options = {}) {
    options.insert(options.begin(), "put");
    options.insert(options.end(), {home_ / "f", "%"});
    EXPECT_EQ(run(attack, options), 1) << err_;
    EXPECT_TRUE(has(err_, "dat-cp: protocol error: the other side sent " + why)) << err_;
    expect_untouched();
  }
};

TEST_F(CpHostileDestination, AsksForAnotherFile) {
  expect_put_ended({"ask-for-a-path"}, "Path to the source");
  expect_put_ended({"want-another"}, "an unknown id");
}

TEST_F(CpHostileDestination, OffersAFileItself) {
  expect_put_ended({"offer-to-a-put"}, "Offer to the source");
}

TEST_F(CpHostileDestination, WantsMoreThanTheFile) {
  expect_put_ended({"want-behind"}, "a Want that does not fit");
}

TEST_F(CpHostileDestination, WantsContentsThatWereNotToBeCopied) {
  expect_put_ended({"want-all"}, "a Want that does not fit", {"--dry-run"});
  expect_put_ended({"want-all"}, "a Want that does not fit", {"--verify"});
}

TEST_F(CpHostileDestination, ClaimsToHaveTheFile) {
  expect_put_ended({"lie"}, "a Result that does not fit");
}

TEST_F(CpHostileDestination, ReadsBesideTheSlots) {
  EXPECT_EQ(run({"read-beside"}, {"put", "--method", "read", home_ / "f", "%"}), 4);
  EXPECT_TRUE(has(seen_, "RDMA Read failed")) << seen_;
}

class CpHostileClient : public CpHostile {
 protected:
  // Runs the attack against the server of the home and then an honest put.
  void attack(const std::string& name, const std::vector<std::string>& arguments,
              const std::string& why, const std::vector<std::string>& options = {}) {
    Server server(home_ / "home", options);
    std::vector<std::string> words = {DAT_CP_HOSTILE_CLIENT, name, server.port, server.token};
    words.insert(words.end(), arguments.begin(), arguments.end());
    Program client(words);
    EXPECT_EQ(client.wait(), 0) << client.err();
    seen_ = client.out();
    EXPECT_TRUE(has(seen_, why)) << seen_;
    expect_served(server, server.next_token());
    server.program.signal(SIGTERM);
    server.program.wait();
    log_ = server.program.err();
  }
  void expect_served(const Server& server, const std::string& token) {
    Folder honest;
    honest.write("good", "good");
    Program put({DAT_CP_PROGRAM, "put", "--token", token, honest / "good", server.at("good")});
    EXPECT_EQ(put.wait(), 0) << put.err();
    EXPECT_EQ(home_.read("home/good"), "good");
    std::filesystem::remove(home_ / "home/good");
  }
  std::string seen_, log_;
};

TEST_F(CpHostileClient, PutsOutsideTheServedFolder) {
  for (const std::string& name :
       {std::string("../victim"), home_ / "victim", std::string("sub/../../victim")})
    attack("give", {name}, "the other side offered \"" + name + "\": it ");
  attack("destination", {"../new"}, "is outside the served folder");
  attack("destination", {home_ / "new"}, "is outside the served folder");
  attack("folder-then", {"d/../../victim"}, "it contains \".\" or \"..\"");
  EXPECT_FALSE(home_.exists("new"));
  expect_only({"d"});
}

TEST_F(CpHostileClient, PutsThroughALink) {
  std::filesystem::create_directory_symlink(outside_.path(), home_ / "home/link");
  attack("destination", {"link"}, "a symbolic link on the way; dat-cp follows none");
  attack("through-its-own-link", {outside_.path()}, "it is in no folder that was offered");
  EXPECT_TRUE(std::filesystem::is_empty(outside_.path()));
}

TEST_F(CpHostileClient, PutsWhatItHasNotAnnounced) {
  attack("folder-then", {"sub/x"}, R"("sub/x": it is in no folder that was offered)");
  attack("end-of", {".ssh"}, R"(".ssh": it is the end of a folder that was not offered)");
  attack("data-without-an-offer", {}, "data for a file nobody wanted");
  attack("longer", {}, "data beside the place agreed");
  expect_only({"d"});
}

TEST_F(CpHostileClient, PutsANameTwice) {
  attack("twice", {}, R"(the other side offered "f": it was offered before)");
  EXPECT_EQ(home_.read("home/f"), "first");
  attack("two-for-one-name", {}, R"("g": it is one more than there is a place for)");
  EXPECT_EQ(home_.read("home/new"), "first");
}

TEST_F(CpHostileClient, PutsDatCpsOwnFiles) {
  attack("give", {".dat-cp-link"}, "names beginning with \".dat-cp-\" are dat-cp's own");
  attack("give", {".Dat-Cp-0.part"}, "names beginning with \".dat-cp-\" are dat-cp's own");
  expect_only({});
}

TEST_F(CpHostileClient, GetsWhatIsNotServed) {
  std::filesystem::create_directory_symlink("..", home_ / "home/up");
  home_.write("home/.dat-cp-0.part", "somebody's");
  for (const std::string& name : {std::string("../victim"), home_ / "victim",
                                  std::string("up/victim"), std::string("sub/../../victim")}) {
    // For a link the server gives up only the file, and waits for what else the client wants.
    attack("get", {name}, "ended by the server", {"--timeout", "1"});
    EXPECT_FALSE(has(seen_, "offered ")) << name << seen_;
  }
  attack("get", {".dat-cp-0.part"}, "dat-cp's own");
  attack("get", {".DAT-CP-0.part"}, "dat-cp's own");
}

TEST_F(CpHostileClient, AsksForMoreThanThereIsMemoryFor) {
  attack("too-many-paths", {}, "more than 4096 paths in one get");
  attack("get", {".", "."}, R"(two of the sources are called ".")");
  attack("chunks-of-nothing", {}, "protocol error");
  attack("chunks-of-4-gib", {}, "protocol error");
  attack("no-slots", {}, "protocol error");
  attack("slots-without-number", {}, "protocol error");
  attack("another-size-of-slots", {}, "slots of another size than agreed");
}

TEST_F(CpHostileClient, MakesFoldersWithoutEnd) {
  attack("folders-without-end", {}, "it is one of too many folders without an end");
}

TEST_F(CpHostileClient, LeavesTheServerWithADaysWork) {
  attack("hole-and-away", {}, "ended well");
  EXPECT_FALSE(home_.exists("home/f"));
}

TEST_F(CpHostileClient, StopsInTheMiddle) {
  attack("stop", {}, "silent for 1 s", {"--timeout", "1"});
  attack("say-nothing", {}, "silent for 1 s", {"--timeout", "1"});
  expect_only({});
}

TEST_F(CpHostileClient, WritesBesideTheSlots) {
  attack("write-beside", {}, "RDMA Write failed");
  expect_only({});
}

TEST_F(CpHostileClient, SendsMoreThanItHasCreditsFor) {
  attack("ask-without-credits", {}, "ended well");
  EXPECT_TRUE(has(log_, "the other side sent more frames than it has credits for")) << log_;
  attack("grant-too-much", {}, "ended well");
  EXPECT_TRUE(has(log_, "the other side sent a frame with wrong credits")) << log_;
}

TEST_F(CpHostileClient, SendsAFrameThatEndsWithinAMessage) {
  attack("cut-message", {}, "ended well");
  EXPECT_TRUE(has(log_, "the other side sent a frame that ends within a message")) << log_;
}

// Rules: VERSION.11
TEST_F(CpHostileClient, SpeaksTheProtocolOfAnEarlierRelease) {
  Server server(home_ / "home");
  Program client({DAT_CP_HOSTILE_CLIENT, "version-1", server.port, server.token});
  EXPECT_EQ(client.wait(), 0) << client.err();
  EXPECT_EQ(client.out(), "refused: true, it speaks version 2\nended well\n");
  expect_served(server, server.token); // the token was not used up
  server.program.signal(SIGTERM);
  server.program.wait();
  EXPECT_TRUE(has(server.program.err(),
                  "it speaks version 1 of the protocol, we 2; install the same "
                  "release on both sides"))
      << server.program.err();
}

TEST_F(CpHostileClient, TakesNoAnswersAndAsksOn) {
  attack("one-credit-at-a-time", {}, "ended well");
  // A server that seldom runs takes many frames at once, and checks their number first.
  EXPECT_TRUE(has(log_, "the other side sent requests, and too few credits for the answers") ||
              has(log_, "the other side sent more frames than it has credits for"))
      << log_;
}

TEST_F(CpHostileClient, SaysWhatWouldDisturbATerminal) {
  attack("abort-controls", {}, "ended by the server");
  expect_plain(log_);
}

TEST_F(CpHostileClient, CallersWithoutTheTokenThatStayHoldNobodyUp) {
  Server server(home_ / "home");
  Program strangers({DAT_CP_HOSTILE_CLIENT, "strangers", server.port, kToken});
  EXPECT_EQ(strangers.line(), "12 callers stay");
  expect_served(server, server.token);
}

} // namespace
} // namespace datum::cp::test
