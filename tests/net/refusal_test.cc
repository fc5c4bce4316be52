// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A kernel that gives no namespaces: what the test program says then.
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

// In a user namespace of its own, so that its limit is nobody else's.
TEST(NetRefusal, EndsTheProgramWithWhatHelps) {
  const std::string command =
      "unshare --user --map-root-user sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && "
      "exec env -u DATUM_NET_INSIDE " +
      own_program() + " --gtest_filter=-*' 2>&1";
  FILE* output = ::popen(command.c_str(), "r");
  ASSERT_NE(output, nullptr);
  std::string said;
  for (int octet = std::fgetc(output); octet != EOF; octet = std::fgetc(output))
    said += static_cast<char>(octet);
  const int status = ::pclose(output);
  ASSERT_TRUE(WIFEXITED(status)) << said;
  EXPECT_EQ(WEXITSTATUS(status), 2) << said;
  EXPECT_NE(said.find("No space left on device (errno 28)"), std::string::npos) << said;
  EXPECT_NE(said.find("user.max_user_namespaces"), std::string::npos) << said;
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
