// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The socket at which another process can ask what an open IA does (docs/design/inquiry.md).
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "objects.h"
#include "tests/abstract_name.h"

namespace datum::test {
namespace {

using std::chrono::milliseconds;

// "socket:[123]" for each socket that this process has.
std::set<std::string> own_sockets() {
  std::set<std::string> links;
  DIR* folder = opendir("/proc/self/fd");
  while (const dirent* entry = readdir(folder)) {
    char link[64] = {};
    if (readlinkat(dirfd(folder), entry->d_name, link, sizeof link - 1) > 0) links.insert(link);
  }
  closedir(folder);
  return links;
}

// The names of this process's sockets for inquiries, without the "@" that stands for NUL.
std::vector<std::string> names() {
  const std::set<std::string> sockets = own_sockets();
  std::vector<std::string> found;
  std::ifstream table("/proc/self/net/unix");
  for (std::string line; std::getline(table, line);) {
    std::istringstream fields(line);
    std::string skipped;
    std::string inode;
    std::string name;
    for (int i = 0; i != 6; ++i) fields >> skipped;
    fields >> inode >> name;
    if (name.starts_with("@datum-info/") && sockets.contains("socket:[" + inode + "]"))
      found.push_back(name.substr(1));
  }
  return found;
}

bool connect_to(int socket, const std::string& name) {
  sockaddr_un address;
  const socklen_t length = to_sockaddr(name, address);
  return connect(socket, reinterpret_cast<const sockaddr*>(&address), length) == 0;
}

milliseconds processor_time() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return milliseconds((used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
                      (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000);
}

// During its lifetime this object holds all descriptors that the process may have.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit fewer = before_;
    fewer.rlim_cur = 256;
    setrlimit(RLIMIT_NOFILE, &fewer);
    for (int fd = open("/dev/null", O_RDONLY); fd >= 0; fd = dup(fd)) taken_.push_back(fd);
  }
  ~NoDescriptors() {
    for (const int fd : taken_) close(fd);
    setrlimit(RLIMIT_NOFILE, &before_);
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
  std::vector<int> taken_;
};

TEST(Inquiry, OfAnIaThereIsOneName) {
  EXPECT_EQ(names().size(), 0U);
  const Ia ia = open_ia();
  EXPECT_EQ(names().size(), 1U);
}

TEST(Inquiry, AChildIsNotAskedForItsParent) {
  const Ia ia = open_ia();
  const pid_t child = fork();
  if (child == 0) _exit(names().empty() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// Rules: PROGRESS.6
TEST(Inquiry, WithoutDescriptorsNothingSpinsAndTheAnswerComesLater) {
  const Ia ia = open_ia();
  const std::vector<std::string> asked = names();
  ASSERT_EQ(asked.size(), 1U);
  const int asker = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  {
    const NoDescriptors none;
    ASSERT_TRUE(connect_to(asker, asked[0]));
    const milliseconds before = processor_time();
    std::this_thread::sleep_for(
        std::chrono::seconds(1)); // what is measured is what is used by then
    EXPECT_LT(processor_time() - before, milliseconds(100));
  }
  pollfd answered{.fd = asker, .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&answered, 1, 2000), 1);
  char greeting = 0;
  EXPECT_EQ(recv(asker, &greeting, 1, 0), 1);
  close(asker);
}

// The report is a file, and a file over the limit raises SIGXFSZ. That signal must not end the
// program that is asked. Returns the first octet of the answer: 3 for a report, 2 for a report that
// is longer than a file may be.
int answer_under_file_limit(rlim_t limit) {
  const Ia ia = open_ia();
  const std::vector<std::string> asked = names();
  std::signal(SIGXFSZ, SIG_DFL);
  const rlimit most{limit, limit};
  const int asker = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (asked.size() != 1 || setrlimit(RLIMIT_FSIZE, &most) != 0 || !connect_to(asker, asked[0]))
    return 0;
  pollfd answered{.fd = asker, .events = POLLIN, .revents = 0};
  char kind = 0;
  if (poll(&answered, 1, 2000) != 1 || recv(asker, &kind, 1, 0) != 1) return 0;
  return kind;
}

TEST(InquiryDeathTest, AFileLimitDoesNotEndTheProgramThatIsAsked) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_exit(answer_under_file_limit(RLIM_INFINITY)), testing::ExitedWithCode(3), "");
  for (const rlim_t limit : {rlim_t{0}, rlim_t{5}})
    EXPECT_EXIT(_exit(answer_under_file_limit(limit)), testing::ExitedWithCode(2), "") << limit;
}

} // namespace
} // namespace datum::test
