// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Runs the tests, and checks after each of them that it leaves no descriptor and no mapping of a
// memfd.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

namespace {

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator());
}

int memfd_mappings() {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);)
    if (line.find("/memfd:") != std::string::npos) ++count;
  return count;
}

class Leftovers : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override {
    descriptors_ = open_descriptors();
    mappings_ = memfd_mappings();
  }
  void OnTestEnd(const testing::TestInfo&) override {
    EXPECT_EQ(open_descriptors(), descriptors_) << "descriptors were left open";
    EXPECT_EQ(memfd_mappings(), mappings_) << "shared memory was left mapped";
  }
  std::ptrdiff_t descriptors_ = 0;
  int mappings_ = 0;
};

} // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new Leftovers);
  return RUN_ALL_TESTS();
}
