// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// siw/peer/verbs_connection.h: one connection of rdma_cm at a time, its queue pair and completions.
// Lives here: the calls of the connection manager and of the queue pair, and their events as text.
// Not here:   where the orders come from (orders.cc).
#pragma once

#include <rdma/rdma_cma.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "verbs_memory.h"

namespace datum::siw {

using PrivateData = std::vector<std::uint8_t>;

struct CmEvent {
  std::string name; // rdma_event_str() without its prefix
  int status = 0;
  PrivateData private_data;
  int reads_in = 0; // from the peer's ORD, as rdma_cm swaps the peer's two numbers
  int reads_out = 0;
};

struct Completion {
  std::string status; // ibv_wc_status_str()
  std::uint64_t cookie = 0;
  std::uint32_t length = 0;
};

class VerbsConnection {
 public:
  VerbsConnection();
  ~VerbsConnection();
  VerbsConnection(const VerbsConnection&) = delete;
  VerbsConnection& operator=(const VerbsConnection&) = delete;

  void listen(const std::string& address, std::uint16_t port);
  void unlisten();
  // Resolves the address and asks for a connection. An event reports the outcome.
  void connect(const std::string& address, std::uint16_t port, std::uint8_t reads,
               const PrivateData& private_data);
  // The next event of the connection manager. If it is a connection request, the connection of the
  // request becomes the connection of this object.
  std::optional<CmEvent> event(int milliseconds);
  void accept(std::uint8_t reads, const PrivateData& private_data);
  void reject(const PrivateData& private_data);
  void disconnect();
  // Ends the connection at once, by the error state of the queue pair.
  void abort();
  // Frees the queue pair and the identifier, whatever their states.
  void drop();

  VerbsMemory& memory() { return *memory_; }
  VerbsMemory& local_memory() { return *local_memory_; }
  void post_recv(std::uint64_t cookie, ibv_sge piece);
  // opcode: IBV_WR_SEND, IBV_WR_RDMA_WRITE or IBV_WR_RDMA_READ.
  void post(ibv_wr_opcode opcode, std::uint64_t cookie, ibv_sge piece, std::uint64_t remote_address,
            std::uint32_t stag);
  std::optional<Completion> completion(int milliseconds);
  // Takes all completions that are there. Returns how many Sends have succeeded since the
  // beginning.
  int sends_done();

 private:
  int take(ibv_wc& done);
  void prepare(rdma_cm_id* id);
  CmEvent await(rdma_cm_event_type wanted);

  rdma_event_channel* channel_;
  rdma_cm_id* listener_ = nullptr;
  rdma_cm_id* id_ = nullptr;
  ibv_pd* pd_ = nullptr; // of the device, created with the first connection
  ibv_cq* cq_ = nullptr;
  std::unique_ptr<VerbsMemory> memory_;       // peers may read and write it
  std::unique_ptr<VerbsMemory> local_memory_; // peers may neither read nor write it
  int sends_done_ = 0;
};

} // namespace datum::siw
