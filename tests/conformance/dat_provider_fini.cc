// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_provider_fini(3DAT) of the library that is installed for programs.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "belongings.h"
#include "fixture.h"

namespace datum::test {
namespace {

// The library and the parameters in the dat.conf entry of this run's IA.
struct Line {
  std::string library;
  std::string parameters;
};

Line line_of_this_ia() {
  std::ifstream conf(std::getenv("DAT_OVERRIDE"));
  for (std::string text; std::getline(conf, text);) {
    std::istringstream words(text);
    std::string name, api, safety, is_default, version;
    Line line;
    words >> name >> api >> safety >> is_default >> line.library >> version;
    std::getline(std::getline(words, version, '"'), line.parameters, '"');
    if (name == ia_name()) return line;
  }
  return {};
}

// A provider that the program loads itself and registers as "loaded-by-hand".
class LoadedByHand {
 public:
  LoadedByHand() {
    const Line line = line_of_this_ia();
    void* const library = ::dlopen(line.library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) ADD_FAILURE() << line.library << ": " << ::dlerror();
    if (library == nullptr) return;
    std::strncpy(info_.ia_name, kName, sizeof info_.ia_name - 1);
    info_.dapl_version_major = kApiMajor;
    info_.dapl_version_minor = kApiMinor;
    info_.is_thread_safe = DAT_FALSE;
    const auto init =
        reinterpret_cast<DAT_PROVIDER_INIT_FUNC>(::dlsym(library, DAT_PROVIDER_INIT_FUNC_STR));
    fini_ = reinterpret_cast<DAT_PROVIDER_FINI_FUNC>(::dlsym(library, DAT_PROVIDER_FINI_FUNC_STR));
    init(&info_, line.parameters.c_str());
  }
  void fini() const { fini_(&info_); }

  static DAT_RETURN open(Ia& ia) {
    std::string name = kName;
    DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
    return dat_ia_open(name.data(), 8, &async, ia.out());
  }

 private:
  static constexpr const char* kName = "loaded-by-hand";
  DAT_PROVIDER_INFO info_{};
  DAT_PROVIDER_FINI_FUNC fini_ = nullptr;
};

// Counts the threads while two open instances and a connection between them exist.
std::ptrdiff_t threads_while_connected(Ia& one, Ia& other) {
  Side active(one);
  Side passive(other);
  establish(active, passive);
  return threads_alive();
}

TEST(DatProviderFini, R1NoThreadAndNoRegistrationIsLeft) {
  const std::ptrdiff_t before = threads_alive();
  const LoadedByHand provider;
  ASSERT_FALSE(HasFailure());
  Ia one;
  Ia other;
  ASSERT_DAT_OK(LoadedByHand::open(one));
  ASSERT_DAT_OK(LoadedByHand::open(other));
  EXPECT_GT(threads_while_connected(one, other), before);
  one.free();
  other.free();
  provider.fini();
  EXPECT_EQ(threads_alive(), before);
  EXPECT_DAT_TYPE(LoadedByHand::open(one), DAT_PROVIDER_NOT_FOUND);
}

// The registry calls dat_provider_fini() after the last close.
TEST(DatProviderFini, R1NoThreadIsLeftAfterTheLastClose) {
  const std::ptrdiff_t before = threads_alive();
  Ia one = open_ia();
  Ia other = open_ia();
  EXPECT_GT(threads_while_connected(one, other), before);
  other.free();
  EXPECT_GT(threads_alive(), before);
  one.free();
  EXPECT_EQ(threads_alive(), before);
}

} // namespace
} // namespace datum::test
