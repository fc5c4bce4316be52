// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verbs_connection.h"

#include <arpa/inet.h>
#include <poll.h>

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

#include "must.h"

namespace datum::siw {
namespace {

constexpr std::size_t kMemory = std::size_t{2} << 20;
constexpr std::uint32_t kDepth = 256;
constexpr int kResolve = 5000; // ms

sockaddr_in name(const std::string& address, std::uint16_t port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  if (inet_pton(AF_INET, address.c_str(), &name.sin_addr) != 1)
    throw std::invalid_argument(address + " is no IPv4 address");
  return name;
}

rdma_conn_param parameters(std::uint8_t reads, const PrivateData& private_data) {
  rdma_conn_param parameters{};
  parameters.private_data = private_data.data();
  parameters.private_data_len = static_cast<std::uint8_t>(private_data.size());
  parameters.responder_resources = reads;
  parameters.initiator_depth = reads;
  return parameters;
}

CmEvent taken_from(rdma_cm_event* event) {
  CmEvent taken;
  taken.name = std::string(rdma_event_str(event->event)).substr(std::strlen("RDMA_CM_EVENT_"));
  taken.status = event->status;
  const rdma_conn_param& said = event->param.conn;
  const auto* octets = static_cast<const std::uint8_t*>(said.private_data);
  if (octets != nullptr) taken.private_data.assign(octets, octets + said.private_data_len);
  taken.reads_in = said.responder_resources;
  taken.reads_out = said.initiator_depth;
  return taken;
}

void create_queue_pair(rdma_cm_id* id, ibv_pd* pd, ibv_cq* cq) {
  ibv_qp_init_attr attributes{};
  attributes.send_cq = attributes.recv_cq = cq;
  attributes.qp_type = IBV_QPT_RC;
  attributes.sq_sig_all = 1;
  attributes.cap.max_send_wr = attributes.cap.max_recv_wr = kDepth;
  attributes.cap.max_send_sge = attributes.cap.max_recv_sge = 1;
  must(rdma_create_qp(id, pd, &attributes), "rdma_create_qp");
}

} // namespace

VerbsConnection::VerbsConnection() : channel_(must(rdma_create_event_channel(), "event channel")) {}

VerbsConnection::~VerbsConnection() {
  drop();
  unlisten();
  memory_.reset();
  local_memory_.reset();
  if (cq_ != nullptr) ibv_destroy_cq(cq_);
  if (pd_ != nullptr) ibv_dealloc_pd(pd_);
  rdma_destroy_event_channel(channel_);
}

void VerbsConnection::listen(const std::string& address, std::uint16_t port) {
  sockaddr_in here = name(address, port);
  must(rdma_create_id(channel_, &listener_, nullptr, RDMA_PS_TCP), "rdma_create_id");
  must(rdma_bind_addr(listener_, reinterpret_cast<sockaddr*>(&here)), "rdma_bind_addr");
  prepare(listener_);
  must(rdma_listen(listener_, 8), "rdma_listen");
}

void VerbsConnection::unlisten() {
  if (listener_ != nullptr) rdma_destroy_id(std::exchange(listener_, nullptr));
}

void VerbsConnection::prepare(rdma_cm_id* id) {
  if (pd_ != nullptr) return;
  pd_ = must(ibv_alloc_pd(id->verbs), "ibv_alloc_pd");
  cq_ = must(ibv_create_cq(id->verbs, 2 * kDepth, nullptr, nullptr, 0), "ibv_create_cq");
  memory_ = std::make_unique<VerbsMemory>(
      pd_, kMemory, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE);
  local_memory_ = std::make_unique<VerbsMemory>(pd_, kMemory, IBV_ACCESS_LOCAL_WRITE);
}

CmEvent VerbsConnection::await(rdma_cm_event_type wanted) {
  const std::string text =
      std::string(rdma_event_str(wanted)).substr(std::strlen("RDMA_CM_EVENT_"));
  const std::optional<CmEvent> came = event(kResolve);
  if (!came || came->name != text)
    throw std::runtime_error("wanted " + text + ", came " + (came ? came->name : "nothing"));
  return *came;
}

void VerbsConnection::connect(const std::string& address, std::uint16_t port, std::uint8_t reads,
                              const PrivateData& private_data) {
  sockaddr_in there = name(address, port);
  must(rdma_create_id(channel_, &id_, nullptr, RDMA_PS_TCP), "rdma_create_id");
  must(rdma_resolve_addr(id_, nullptr, reinterpret_cast<sockaddr*>(&there), kResolve),
       "rdma_resolve_addr");
  await(RDMA_CM_EVENT_ADDR_RESOLVED);
  must(rdma_resolve_route(id_, kResolve), "rdma_resolve_route");
  await(RDMA_CM_EVENT_ROUTE_RESOLVED);
  prepare(id_);
  create_queue_pair(id_, pd_, cq_);
  rdma_conn_param wanted = parameters(reads, private_data);
  must(rdma_connect(id_, &wanted), "rdma_connect");
}

std::optional<CmEvent> VerbsConnection::event(int milliseconds) {
  pollfd waiting{channel_->fd, POLLIN, 0};
  if (poll(&waiting, 1, milliseconds) != 1) return std::nullopt;
  rdma_cm_event* event = nullptr;
  must(rdma_get_cm_event(channel_, &event), "rdma_get_cm_event");
  const CmEvent taken = taken_from(event);
  if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) id_ = event->id;
  must(rdma_ack_cm_event(event), "rdma_ack_cm_event");
  if (taken.name == "CONNECT_REQUEST") create_queue_pair(id_, pd_, cq_);
  return taken;
}

void VerbsConnection::accept(std::uint8_t reads, const PrivateData& private_data) {
  rdma_conn_param offered = parameters(reads, private_data);
  must(rdma_accept(id_, &offered), "rdma_accept");
}

void VerbsConnection::reject(const PrivateData& private_data) {
  must(rdma_reject(id_, private_data.data(), static_cast<std::uint8_t>(private_data.size())),
       "rdma_reject");
}

void VerbsConnection::disconnect() {
  must(rdma_disconnect(id_), "rdma_disconnect");
}

void VerbsConnection::abort() {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_ERR;
  must(ibv_modify_qp(id_->qp, &attributes, IBV_QP_STATE), "ibv_modify_qp");
}

void VerbsConnection::drop() {
  if (id_ == nullptr) return;
  if (id_->qp != nullptr) rdma_destroy_qp(id_);
  rdma_destroy_id(std::exchange(id_, nullptr));
  // Completions of this connection must not be taken for completions of the next connection.
  if (cq_ != nullptr) sends_done();
}

void VerbsConnection::post_recv(std::uint64_t cookie, ibv_sge piece) {
  ibv_recv_wr work{};
  work.wr_id = cookie;
  work.sg_list = &piece;
  work.num_sge = 1;
  ibv_recv_wr* bad = nullptr;
  must(ibv_post_recv(id_->qp, &work, &bad), "ibv_post_recv");
}

void VerbsConnection::post(ibv_wr_opcode opcode, std::uint64_t cookie, ibv_sge piece,
                           std::uint64_t remote_address, std::uint32_t stag) {
  ibv_send_wr work{};
  work.wr_id = cookie;
  work.sg_list = &piece;
  work.num_sge = piece.length == 0 ? 0 : 1;
  work.opcode = opcode;
  work.wr.rdma.remote_addr = remote_address;
  work.wr.rdma.rkey = stag;
  ibv_send_wr* bad = nullptr;
  must(ibv_post_send(id_->qp, &work, &bad), "ibv_post_send");
}

std::optional<Completion> VerbsConnection::completion(int milliseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  ibv_wc done{};
  do {
    const int count = take(done);
    if (count < 0) throw std::runtime_error("ibv_poll_cq");
    if (count == 1) return Completion{ibv_wc_status_str(done.status), done.wr_id, done.byte_len};
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < end);
  return std::nullopt;
}

int VerbsConnection::sends_done() {
  ibv_wc done{};
  while (take(done) > 0) {
  }
  return sends_done_;
}

int VerbsConnection::take(ibv_wc& done) {
  const int count = ibv_poll_cq(cq_, 1, &done);
  if (count == 1 && done.status == IBV_WC_SUCCESS && done.opcode == IBV_WC_SEND) ++sends_done_;
  return count;
}

} // namespace datum::siw
