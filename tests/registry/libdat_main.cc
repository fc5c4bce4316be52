// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/libdat_main.cc: writes the dat.conf of these tests, then runs them.
#include <dlfcn.h>

#include "libdat_fixture.h"
#include "temporary.h"

namespace {

std::string line(const std::string& name, const std::string& words,
                 const std::string& key = "u1.2 nonthreadsafe",
                 const std::string& library = STUB_PROVIDER) {
  return name + " " + key + " default \"" + library + "\" stub.1.0 \"" + words + "\" \"\"\n";
}

std::string conf() {
  return line("plain", "") + line("both", "", "u1.2 nonthreadsafe") +
         line("both", "", "u1.2 threadsafe") + line("safe", "", "u1.2 threadsafe") +
         line("v13", "", "u1.3 nonthreadsafe") + line("v2", "", "u2.0 nonthreadsafe") +
         line("silent", "silent") + line("refusing", "refusing") + line("hollow", "hollow") +
         line("listing", "listing") + line("inward", "inward") + line("staying", "staying") +
         line("unmapping", "unmapping") + line("partial", "partial") +
         line("missing", "", "u1.2 nonthreadsafe", "/nowhere/libmissing.so") +
         line("not-a-provider", "", "u1.2 nonthreadsafe", NO_PROVIDER) +
         // Alternatives, tried in this order.
         line("chain", "", "u1.2 nonthreadsafe", "/nowhere/libmissing.so") +
         line("chain", "", "u1.2 nonthreadsafe", NO_PROVIDER) + line("chain", "silent") +
         line("chain", "") + line("chain", "refusing") +
         // Names for the thread tests.
         line("t0", "") + line("t1", "") + line("t2", "");
}

template <class F>
F from_stub(const char* name) {
  void* library = ::dlopen(STUB_PROVIDER, RTLD_NOW | RTLD_NOLOAD);
  return library == nullptr ? nullptr : reinterpret_cast<F>(::dlsym(library, name));
}

} // namespace

StubState& stub() {
  return *from_stub<StubState* (*)()>("stub_state")();
}
DAT_HANDLE new_stub_object() {
  return from_stub<DAT_HANDLE (*)()>("stub_object")();
}
bool stub_is_loaded() {
  return ::dlopen(STUB_PROVIDER, RTLD_NOW | RTLD_NOLOAD) != nullptr;
}

int main(int argc, char** argv) {
  const TemporaryDirectory directory;
  ::setenv("DAT_OVERRIDE", directory.write("dat.conf", conf()).c_str(), 1);
  ::unsetenv("DATUM_ALIAS");
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
