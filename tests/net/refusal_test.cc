// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the test program prints if the kernel gives no namespaces.
#include "refusal.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>

namespace datum::net {
namespace {

std::string own_program() {
  std::array<char, PATH_MAX> name{};
  EXPECT_GT(::readlink("/proc/self/exe", name.data(), name.size() - 1), 0);
  return name.data();
}

struct Ended {
  int status = 0; // as waitpid() returns it
  std::string said;
};

// Runs the program in a user namespace of its own, so that other processes keep their limits.
Ended run_without_namespaces(const std::string& environment) {
  const std::string command =
      "unshare --user --map-root-user sh -c 'cd /proc/sys/user && echo 0 >max_user_namespaces && "
      "echo 0 >max_net_namespaces && exec env -u CI -u DATUM_NET_INSIDE " +
      environment + " " + own_program() + " --gtest_filter=-*' 2>&1";
  FILE* output = ::popen(command.c_str(), "r");
  if (output == nullptr) return {-1, "no shell"};
  Ended ended;
  for (int octet = std::fgetc(output); octet != EOF; octet = std::fgetc(output))
    ended.said += static_cast<char>(octet);
  ended.status = ::pclose(output);
  return ended;
}

class NetWithout : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("unshare --user --map-root-user true 2>/dev/null") != 0)
      GTEST_SKIP() << "no user namespaces, whose limits could be set: a chroot, or a container";
  }
};

TEST_F(NetWithout, NamespacesCiFailsAndSaysWhatHelps) {
  const Ended ended = run_without_namespaces("CI=true");
  ASSERT_TRUE(WIFEXITED(ended.status)) << ended.said;
  EXPECT_EQ(WEXITSTATUS(ended.status), 2) << ended.said;
  EXPECT_NE(ended.said.find("No space left on device (errno 28)"), std::string::npos) << ended.said;
  EXPECT_NE(ended.said.find("user.max_user_namespaces"), std::string::npos) << ended.said;
}

TEST_F(NetWithout, NamespacesOthersSkipTheTestsWithOneLine) {
  const Ended ended = run_without_namespaces("");
  EXPECT_EQ(ended.status, 0) << ended.said;
  EXPECT_EQ(ended.said,
            "[  SKIPPED ] no hosts here, the kernel refuses a user namespace with a network "
            "namespace in it: No space left on device (errno 28); with CI=true: what helps\n");
}

TEST(NetRefusal, IsExplainedByItsError) {
  EXPECT_NE(explain_refusal(EPERM).find("chroot"), std::string::npos);
  EXPECT_NE(explain_refusal(EPERM).find("kernel.unprivileged_userns_clone"), std::string::npos);
  EXPECT_NE(explain_refusal(EPERM).find("seccomp"), std::string::npos);
  EXPECT_NE(explain_refusal(EINVAL).find("CONFIG_USER_NS"), std::string::npos);
}

TEST(NetRefusal, IsNoneWhereTheTestsRun) {
  EXPECT_EQ(refusal(), 0);
}

} // namespace
} // namespace datum::net
