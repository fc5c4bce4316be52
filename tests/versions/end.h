// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// versions/end.h: one end of a connection. Its library is compiled for either DAT version.
// Lives here: the calls by which a test of two versions uses an end of either version.
// Not here:   a DAT header; the test includes none, since it cannot include both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace datum::test {

struct PeerMemory {
  std::uint32_t context = 0;
  std::uint64_t address = 0;
};

// Only DAT 2.0 has the last two: a Write that ends with a number, and a Send that unbinds a window
// of the peer's.
enum class Operation : std::uint8_t { Send, Write, Read, Receive, WriteImmediate, SendInvalidate };

// An IA of its own with one endpoint and kMemory registered octets. Waiting is bounded.
class End {
 public:
  static constexpr std::size_t kMemory = 1 << 16;
  static constexpr int kEstablished = 0x4001;
  static constexpr int kPeerRejected = 0x4002;
  static constexpr int kDisconnected = 0x4005;
  static constexpr int kDatagramsFailed = 0x40004;

  struct ConnectionEvent {
    int number = 0;
    std::string data;
  };

  virtual ~End() = default;
  // The qualifier on which it listens; 0: it failed.
  virtual std::uint64_t listen() = 0;
  virtual bool connect(std::uint64_t qualifier, const std::string& data) = 0;
  // Waits for a request first. `said` gets the private data of the request.
  virtual bool accept(const std::string& data, std::string& said) = 0;
  // DAT 1.2 cannot carry the data.
  virtual bool reject(const std::string& data) = 0;
  // Connects another endpoint, one for datagrams, which only DAT 2.0 offers.
  virtual bool connect_datagrams(std::uint64_t qualifier) = 0;
  virtual bool disconnect() = 0;
  // The handle of its EVD for connections, and the code that dat_ep_create() returns for an EVD of
  // that kind.
  virtual void* connection_evd() = 0;
  virtual std::uint32_t create_endpoint(void* connection_evd) = 0;
  virtual ConnectionEvent connection_event() = 0;

  virtual char* bytes() = 0;
  // With `zero_based` the peer counts addresses from 0, which only DAT 2.0 offers.
  virtual PeerMemory memory(bool zero_based) = 0;
  // Binds a window to all the octets, which stays until it is unbound. Context 0: the bind failed.
  virtual PeerMemory bind_window() = 0;
  virtual bool window_is_bound() = 0;
  // Transfers between the octets `at`...`at + length` here and those at `peer.address` at the peer.
  virtual bool post(Operation operation, std::size_t at, std::size_t length, PeerMemory peer) = 0;
  // The length of the next such operation that completes; -1: it failed, or none came.
  virtual long completed(Operation operation) = 0;
  // Orders the caller and this end's threads for ThreadSanitizer. Everything that they have done
  // for peers comes before the caller's next step. Everything that they will do comes after the
  // caller's last step. ThreadSanitizer sees no order through the kernel or through memory that is
  // mapped twice.
  virtual void catch_up() = 0;
};

} // namespace datum::test

extern "C" {
// nullptr: the IA cannot be opened.
__attribute__((visibility("default"))) datum::test::End*
datum_open_end_of_dat1(const std::string& ia_name);
__attribute__((visibility("default"))) datum::test::End*
datum_open_end_of_dat2(const std::string& ia_name);
}
