// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/memory_file.h"

#include <cerrno>
#include <sys/mman.h>

#include "base/write_signals.h"

namespace datum {
namespace {

constexpr unsigned kMfdNoexecSeal = 8; // MFD_NOEXEC_SEAL, newer than the C library's headers

// Takes SIGXFSZ away if the failed call raised it.
void take_away(const WriteSignals& signals) {
  if (errno == EFBIG) signals.take_away();
}

} // namespace

UniqueFd make_memory_file(const char* name) {
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  // With vm.memfd_noexec=2 the kernel requires this flag. A kernel before Linux 6.3 refuses it.
  UniqueFd file(::memfd_create(name, kFlags | kMfdNoexecSeal));
  if (!file && errno == EINVAL) file = UniqueFd(::memfd_create(name, kFlags));
  return file;
}

bool set_length(const UniqueFd& file, std::size_t length) {
  const WriteSignals signals;
  if (::ftruncate(file.get(), static_cast<off_t>(length)) == 0) return true;
  take_away(signals);
  return false;
}

bool append(const UniqueFd& file, std::string_view text) {
  const WriteSignals signals;
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      take_away(signals);
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

} // namespace datum
