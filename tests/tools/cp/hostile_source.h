// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The source of a copy that breaks the rules, for both hostile programs. It encodes and moves bytes
// as dat-cp does, without any of dat-cp's checks.
#pragma once

#include <cstring>
#include <string>
#include <variant>

#include "cp/channel.h"
#include "cp/digest.h"
#include "cp/session.h"

namespace datum::cp::test {

class HostileSource {
 public:
  HostileSource(Channel& channel, const Terms& terms) : channel_(channel), terms_(terms) {}

  // Each of these sends one entry and returns its id.
  std::uint64_t file(const std::string& path, std::uint64_t size, std::uint32_t mode = 0644) {
    return offer({0, Kind::File, mode, {1, 0}, size, path, ""});
  }
  std::uint64_t folder(const std::string& path) {
    return offer({0, Kind::Directory, 0755, {1, 0}, 0, path, ""});
  }
  std::uint64_t link(const std::string& path, const std::string& target) {
    return offer({0, Kind::Symlink, 0777, {1, 0}, 0, path, target});
  }
  std::uint64_t end_folder(const std::string& path, std::uint32_t mode = 0755) {
    channel_.send(DirectoryEnd{next_id_, mode, {1, 0}, path});
    return next_id_++;
  }

  // True: the sink wants the file. False: the sink has answered with its result.
  bool await_want(std::uint64_t id) {
    return await([&](const Message& message) {
      if (const auto* want = std::get_if<Want>(&message)) return want->id == id ? 1 : -1;
      const auto* result = std::get_if<Result>(&message);
      return result != nullptr && result->id == id ? 0 : -1;
    });
  }
  void await_result(std::uint64_t id) {
    await([&](const Message& message) {
      const auto* result = std::get_if<Result>(&message);
      return result != nullptr && result->id == id ? 1 : -1;
    });
  }
  void chunk(std::uint64_t id, std::uint64_t offset, const std::string& bytes) {
    const std::uint32_t slot = next_slot_++ % terms_.depth;
    std::memcpy(channel_.slot(slot).data(), bytes.data(), bytes.size());
    const auto length = static_cast<std::uint32_t>(bytes.size());
    if (terms_.method == Method::Write) channel_.write_slot(slot, length);
    channel_.send(Load{slot, length});
    channel_.send(Chunk{id, offset, length});
  }
  void end(std::uint64_t id, const std::string& content) {
    FileDigest digest;
    digest.update(std::as_bytes(std::span(content)));
    channel_.send(End{id, digest.finish(), ""});
  }
  // Sends all of a file, if the sink wants it.
  void give(const std::string& path, const std::string& content, std::uint32_t mode = 0644) {
    const std::uint64_t id = file(path, content.size(), mode);
    if (!await_want(id)) return;
    chunk(id, 0, content);
    end(id, content);
    await_result(id);
  }
  void done() {
    channel_.send(Done{});
    await([](const Message& message) { return std::holds_alternative<Bye>(message) ? 1 : -1; });
  }
  // Reads until the other side ends the connection.
  void stay() {
    await([](const Message&) { return -1; });
  }

 private:
  std::uint64_t offer(Offer offer) {
    offer.id = next_id_;
    channel_.send(offer);
    return next_id_++;
  }
  // Reads messages while `said` returns -1. An Abort, or the end of the connection, throws.
  template <class F>
  bool await(F said) {
    for (;;) {
      const LinkEvent event = channel_.next();
      const auto* message = std::get_if<Message>(&event);
      if (message == nullptr) continue;
      if (const auto* abort = std::get_if<Abort>(message)) obey(*abort);
      if (const int answer = said(*message); answer >= 0) return answer == 1;
    }
  }

  Channel& channel_;
  Terms terms_;
  std::uint64_t next_id_ = 1;
  std::uint32_t next_slot_ = 0;
};

} // namespace datum::cp::test
