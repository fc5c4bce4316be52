// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace datum::test {

namespace {

constexpr const char* kTransportVariable = "DATUM_TEST_TRANSPORT";
// Names a dat.conf to use instead of that of this build. A test of another release's providers sets
// it.
constexpr const char* kConfVariable = "DATUM_TEST_DAT_CONF";
constexpr const char* kOption = "--transport=";

std::string from_environment() {
  const char* name = std::getenv(kTransportVariable);
  return name == nullptr ? "shm" : name;
}

void take_option(int* argc, char** argv) {
  int kept = 0;
  for (int i = 0; i < *argc; ++i) {
    if (std::strncmp(argv[i], kOption, std::strlen(kOption)) == 0) {
      setenv(kTransportVariable, argv[i] + std::strlen(kOption), 1);
    } else {
      argv[kept++] = argv[i];
    }
  }
  argv[kept] = nullptr;
  *argc = kept;
}

int number(const char* name, int unless_given) {
  const char* given = std::getenv(name);
  return given == nullptr ? unless_given : std::atoi(given);
}

// TCP over IPv6 has a transport name of its own.
bool is_tcp(const std::string& name) {
  return name == "tcp" || name == "tcp6";
}

bool has_ipv6() {
  sockaddr_in6 loopback{};
  loopback.sin6_family = AF_INET6;
  loopback.sin6_addr = in6addr_loopback;
  const int fd = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const int rc = ::bind(fd, reinterpret_cast<const sockaddr*>(&loopback), sizeof loopback);
  ::close(fd);
  return rc == 0;
}

} // namespace

const char* const kIaAlias = "stand-in";

const std::string& transport() {
  static const std::string name = is_tcp(from_environment()) ? "tcp" : from_environment();
  return name;
}

const std::string& ia_name() {
  static const std::string name = from_environment() + "0";
  return name;
}

const std::string& other_address() {
  static const char* const given = std::getenv("DATUM_TEST_ADDRESS");
  static const std::string address = given == nullptr ? "" : given;
  return address;
}

int times_as_patient() {
  static const int times = number("DATUM_TEST_PATIENCE", 1);
  return times;
}

std::chrono::microseconds time_on_the_way() {
  static const std::chrono::microseconds time(number("DATUM_TEST_WAY", 0));
  return time;
}

std::size_t more_than_is_held() {
  // TCP's buffers grow to some megabytes.
  return transport() == "tcp" ? std::size_t{48} << 20U : std::size_t{256} << 10U;
}

void choose_transport(int* argc, char** argv) {
  take_option(argc, argv);
  const char* current = std::getenv("DAT_OVERRIDE");
  const char* given = std::getenv(kConfVariable);
  const char* conf = given != nullptr ? given : DATUM_CONFORMANCE_DAT_CONF;
  if (current != nullptr && std::strcmp(current, conf) == 0) return;
  // One provider offers both shared memory and TCP; this variable makes it take TCP.
  if (is_tcp(from_environment())) setenv("DATUM_TRANSPORT", "tcp", 1);
  if (from_environment() == "tcp6" && !has_ipv6()) {
    std::puts("conformance: this host has no ::1, so nothing can be said of TCP over IPv6");
    std::exit(0);
  }
  setenv("DAT_OVERRIDE", conf, 1);
  setenv("DATUM_ALIAS", (std::string(kIaAlias) + "=" + ia_name()).c_str(), 1);
  execv("/proc/self/exe", argv);
  std::perror("conformance: cannot start again with DAT_OVERRIDE set");
  std::exit(2);
}

} // namespace datum::test
