// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/arrival.h"

#include <fcntl.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "cp/file_io.h"
#include "cp/safe_path.h"

namespace datum::cp {
namespace {

Digest digest_file(int fd, std::uint64_t size, const std::function<void()>& tick) {
  FileDigest digest;
  std::vector<std::byte> buffer(kBlock);
  std::uint64_t at = 0;
  while (const std::size_t n = read_at(fd, buffer, at)) {
    digest.update(std::span(buffer).first(n));
    at += n;
    if (at > size) break;
    tick();
  }
  return at == size ? digest.finish() : Digest{};
}

} // namespace

Landed land(const WholeFile& file) {
  try {
    return {put_in_place(file), std::nullopt};
  } catch (const FileError& error) {
    return {false, error};
  }
}

Hashed hash(const WholeFile& file, const std::function<void()>& tick) {
  const std::string name(name_in(file.identity.path));
  const UniqueFd opened(
      openat(file.folder->get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!opened) return {{}, FileError("open", file.identity.path, errno)};
  try {
    return {digest_file(opened.get(), file.identity.size, tick), std::nullopt};
  } catch (const std::system_error& error) {
    return {{}, FileError("read", file.identity.path, error.code().value())};
  }
}

std::uint64_t Arrival::resume(const std::function<void()>& tick) {
  partial_ = std::make_unique<PartialFile>(file_.folder, file_.identity, file_.mode, tick);
  return partial_->offset();
}

template <class F>
Landed Arrival::attempt(F step) {
  if (landed_.error) return landed_;
  try {
    if (!partial_) resume([] {});
    step();
  } catch (const FileError& error) {
    landed_.error = error;
    partial_.reset();
  }
  return landed_;
}

Landed Arrival::append(std::span<const std::byte> bytes) {
  return attempt([&] { partial_->append(bytes); });
}

Landed Arrival::append_zeros(std::uint64_t length, const std::function<void()>& tick) {
  return attempt([&] { partial_->append_zeros(length, tick); });
}

Landed Arrival::finish(const Digest& digest) {
  attempt([&] {
    landed_.agrees = partial_->finish(digest, file_.existing);
    landed_.left_behind = partial_->left_behind();
  });
  partial_.reset();
  return landed_;
}

Landed Arrival::give_up() {
  partial_.reset();
  return landed_;
}

} // namespace datum::cp
