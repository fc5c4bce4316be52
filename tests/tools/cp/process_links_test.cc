// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-cp and links, FIFOs and what lies outside the served folder.
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "cp_process.h"

namespace datum::cp::test {
namespace {

// A link that the user names as the destination is followed, as cp(1) does.
TEST_F(CpProcess, AGetToALinkGoesWhereTheLinkLeads) {
  std::filesystem::create_directory(there_ / "folder");
  there_.write("file", "before");
  std::filesystem::create_symlink("folder", there_ / "to-folder");
  std::filesystem::create_symlink("file", there_ / "to-file");
  Server server(here_.path(), {"--reuse-token"});
  const auto get = [&](const std::string& from, const std::string& to,
                       const std::string& option = "--method=write") {
    return client({"get", option, "--token", server.token, server.at(from), there_ / to});
  };
  for (const std::string option : {"--dry-run", "--method=write", "--verify"}) {
    SCOPED_TRACE(option);
    for (const char* to : {"to-folder", "to-file"}) {
      const Ended ended = get("t/a", to, option);
      EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
    }
    EXPECT_EQ(there_.read("file"), option == "--dry-run" ? "before" : "alpha");
    EXPECT_EQ(there_.read("folder/a"), option == "--dry-run" ? "<missing>" : "alpha");
  }
  const Ended tree = get("t", "to-folder");
  EXPECT_EQ(tree.code, 0) << tree.err;
  expect_tree(there_, "folder");
  EXPECT_EQ(get("t", "to-file").code, 1);
  EXPECT_TRUE(std::filesystem::is_symlink(there_ / "to-folder"));
  EXPECT_TRUE(std::filesystem::is_symlink(there_ / "to-file"));
}

TEST_F(CpProcess, AGetToALinkThatLeadsNowhereIsRefused) {
  std::filesystem::create_symlink("nowhere", there_ / "link");
  Server server(here_.path(), {"--reuse-token"});
  for (const char* option : {"--dry-run", "--method=write"}) {
    const Ended ended =
        client({"get", option, "--token", server.token, server.at("t/a"), there_ / "link"});
    EXPECT_EQ(ended.code, 1);
    EXPECT_TRUE(has(ended.err, "link\" is a symbolic link that leads nowhere: No such file"))
        << ended.err;
  }
  EXPECT_TRUE(std::filesystem::is_symlink(there_ / "link"));
  EXPECT_FALSE(there_.exists("nowhere"));
}

// A second run finds the link unchanged.
TEST_F(CpProcess, ALinkTakesThePlaceOfALink) {
  std::filesystem::create_symlink("t", here_ / "current");
  std::filesystem::create_directory(there_ / "t");
  std::filesystem::create_directory(there_ / "older");
  std::filesystem::create_symlink("older", there_ / "got");
  Server server(here_.path(), {"--reuse-token"});
  for (const char* said : {"get: 1 copied, 0 unchanged", "get: 0 copied, 1 unchanged"}) {
    const Ended ended =
        client({"get", "--token", server.token, server.at("current"), there_ / "got"});
    EXPECT_TRUE(has(ended.out, said)) << ended.out << ended.err;
    EXPECT_EQ(std::filesystem::read_symlink(there_ / "got"), "t");
  }
  EXPECT_TRUE(std::filesystem::is_empty(there_ / "t"));
  EXPECT_TRUE(std::filesystem::is_empty(there_ / "older"));
}

// The server does not trust the client's path: it follows no link below the served folder.
TEST_F(CpProcess, APutToALinkDoesNotGoWhereTheLinkLeads) {
  const Folder outside;
  outside.write("file", "mine");
  std::filesystem::create_symlink(outside.path(), there_ / "to-folder");
  std::filesystem::create_symlink(outside / "file", there_ / "to-file");
  Server server(there_.path(), {"--reuse-token"});
  for (const char* to : {"to-folder", "to-file"})
    EXPECT_EQ(client({"put", "--token", server.token, here_ / "t/a", server.at(to)}).code, 0);
  EXPECT_EQ(client({"put", "--token", server.token, here_ / "t", server.at("to-folder/new")}).code,
            1);
  EXPECT_EQ(outside.read("file"), "mine");
  EXPECT_FALSE(outside.exists("a"));
  EXPECT_FALSE(outside.exists("new"));
}

// A destination that has to be a folder may be a link to one, as with cp(1). A dry run ends as the
// copy does.
TEST_F(CpProcess, AFolderToCopyIntoThatIsALinkElsewhereIsToldAlike) {
  here_.write("plain", "x");
  std::filesystem::create_symlink(here_ / "plain", here_ / "file");
  std::filesystem::create_symlink(here_ / "nowhere", here_ / "dang");
  std::filesystem::create_symlink(here_ / "loop", here_ / "loop");
  there_.write("f", "x");
  Server server(there_.path(), {"--reuse-token"});
  const auto get = [&](const std::string& option, const std::string& to) {
    const Ended ended =
        client({"get", option, "--token", server.token, server.at("f"), here_ / to});
    EXPECT_EQ(ended.code, 1) << ended.out;
    return ended.err;
  };
  for (const std::string option : {"--dry-run", "--method=write"}) {
    SCOPED_TRACE(option);
    for (const char* plain : {"file/", "plain/"})
      EXPECT_EQ(get(option, plain),
                "dat-cp: cannot use as a folder \"" + (here_ / plain) +
                    "\": Not a directory (what has that name is not a folder: choose another name, "
                    "or remove it)\n");
    const std::string nowhere = "\" is a symbolic link that leads nowhere: ";
    const std::string step = " (remove it, or choose another name)\n";
    EXPECT_EQ(get(option, "dang/"),
              "dat-cp: \"" + (here_ / "dang/") + nowhere + "No such file or directory" + step);
    EXPECT_EQ(get(option, "loop/"), "dat-cp: \"" + (here_ / "loop/") + nowhere +
                                        "Too many levels of symbolic links" + step);
    EXPECT_TRUE(
        has(get(option, "loop/x"), "(symbolic links there lead to each other: remove one)"));
  }
}

TEST_F(CpProcess, NothingIsWrittenOutsideTheServedFolder) {
  there_.write("served/x", "");
  Folder outside;
  std::filesystem::create_directory_symlink(outside.path(), there_ / "served/out");
  Server server(there_ / "served", {"--reuse-token"});
  for (const std::string& path :
       {std::string("../copy"), std::string("/tmp/dat-cp-escape"), std::string("a/../../copy"),
        std::string("out/copy"), std::string("out/")}) {
    const Ended put = client({"put", "--token", server.token, here_ / "t", server.at(path)});
    EXPECT_EQ(put.code, 1) << path << put.err;
  }
  EXPECT_FALSE(there_.exists("copy"));
  EXPECT_TRUE(std::filesystem::is_empty(outside.path()));
}

TEST_F(CpProcess, NothingIsReadOutsideTheServedFolder) {
  there_.write("served/x", "");
  there_.write("secret", "s");
  std::filesystem::create_directory_symlink("..", there_ / "served/up");
  Server server(there_ / "served", {"--reuse-token"});
  for (const std::string& path : {std::string("../secret"), std::string("/etc/passwd"),
                                  std::string("up/secret"), std::string("x/../../secret")}) {
    const Ended get = client({"get", "--token", server.token, server.at(path), here_ / "stolen"});
    EXPECT_EQ(get.code, 1) << path << get.err;
    EXPECT_FALSE(here_.exists("stolen")) << path;
  }
  // The link itself is inside the served folder, and is copied as a link.
  EXPECT_EQ(client({"get", "--token", server.token, server.at("up"), here_ / "link"}).code, 0);
  EXPECT_EQ(std::filesystem::read_symlink(here_ / "link"), "..");
}

TEST_F(CpProcess, AFifoAskedForByNameIsAnError) {
  ASSERT_EQ(mkfifo((there_ / "fifo").c_str(), 0600), 0);
  Server server(there_.path());
  const Ended get = client({"get", "--token", server.token, server.at("fifo"), here_ / "got"});
  EXPECT_EQ(get.code, 1) << get.err;
  EXPECT_TRUE(has(get.err, "left out \"fifo\": neither file, folder nor symbolic link")) << get.err;
  EXPECT_FALSE(has(get.err, "did not come")) << get.err;
}

// If dat-cp replaced a FIFO or a device, a copy by root could take a device away from the whole
// machine.
TEST_F(CpProcess, AFifoAtTheDestinationStaysOne) {
  here_.write("file", "x");
  std::filesystem::create_symlink("file", here_ / "link");
  for (const char* name : {"file", "link", "got"})
    ASSERT_EQ(mkfifo((there_ / name).c_str(), 0600), 0);
  Server server(there_.path(), {"--reuse-token"});
  const std::vector<std::string> put = {"--token", server.token, here_ / "file", here_ / "link",
                                        server.at("")};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), put.begin(), put.end());
    return client(words);
  };
  const std::string said = "is a device, a named pipe or a socket there, which is not replaced";
  for (const Ended& ended : {with({"put"}), with({"put", "--dry-run"})}) {
    EXPECT_EQ(ended.code, 1) << ended.err;
    EXPECT_TRUE(has(ended.err, "\"file\" " + said)) << ended.err;
    EXPECT_TRUE(has(ended.err, "\"link\" " + said)) << ended.err;
  }
  const Ended verify = with({"put", "--verify"});
  EXPECT_EQ(verify.code, 1) << verify.err;
  EXPECT_TRUE(has(verify.out + verify.err, "no file there")) << verify.out << verify.err;
  Server sender(here_.path());
  const Ended get = client({"get", "--token", sender.token, sender.at("file"), there_ / "got"});
  EXPECT_EQ(get.code, 1) << get.err;
  EXPECT_TRUE(has(get.err, said)) << get.err;
  for (const char* name : {"file", "link", "got"})
    EXPECT_TRUE(std::filesystem::is_fifo(there_ / name)) << name;
}

} // namespace
} // namespace datum::cp::test
