// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Compiled into one library for each DAT version. Each library is linked only with that version's
// libdat, because both libdats export the same names.
#include "versions/end.h"

#include "dat.h"

#if DATUM_DAT_MAJOR == 2
#include <dat2/dat_ib_extensions.h>
#endif

#include <array>
#include <cstring>

namespace {

using namespace datum::test;

constexpr DAT_TIMEOUT kPatience = 20'000'000;
constexpr DAT_COUNT kDepth = 64;
constexpr int kOrdinary = DAT_DTO_COMPLETION_EVENT;
constexpr int kExtended = 0x40000;

DAT_COUNT count(const std::string& data) {
  return static_cast<DAT_COUNT>(data.size());
}
DAT_PVOID bytes_of(const std::string& data) {
  return const_cast<char*>(data.data());
}

class EndOfThisVersion final : public End {
 public:
  ~EndOfThisVersion() override {
    // The abrupt close also frees what is left of the IA's objects.
    if (ia_ != DAT_HANDLE_NULL) dat_ia_close(ia_, DAT_CLOSE_ABRUPT_FLAG);
  }

  bool open(std::string name) {
    DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
    DAT_IA_ATTR attributes{};
    if (dat_ia_open(name.data(), 8, &async, &ia_) != DAT_SUCCESS) {
      ia_ = DAT_HANDLE_NULL;
      return false;
    }
    if (dat_ia_query(ia_, &async, DAT_IA_FIELD_ALL, &attributes, DAT_PROVIDER_FIELD_NONE,
                     nullptr) != DAT_SUCCESS ||
        dat_pz_create(ia_, &zone_) != DAT_SUCCESS)
      return false;
    address_ = attributes.ia_address_ptr;
    return make_evd(requests_) && make_evd(receives_, DAT_EVD_DTO_FLAG) &&
           make_evd(connections_, DAT_EVD_CONNECTION_FLAG) &&
           make_evd(arrivals_, DAT_EVD_CR_FLAG) && register_memory() && make_endpoint();
  }

  std::uint64_t listen() override {
    DAT_CONN_QUAL qualifier = 0;
    DAT_PSP_HANDLE point = DAT_HANDLE_NULL;
    const bool listens = dat_psp_create_any(ia_, &qualifier, arrivals_, DAT_PSP_CONSUMER_FLAG,
                                            &point) == DAT_SUCCESS;
    return listens ? qualifier : 0;
  }
  bool connect(std::uint64_t qualifier, const std::string& data) override {
    return dat_ep_connect(ep_, address_, qualifier, kPatience, count(data), bytes_of(data),
                          DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG) == DAT_SUCCESS;
  }
  bool accept(const std::string& data, std::string& said) override {
    const DAT_CR_HANDLE request = arrived();
    DAT_CR_PARAM param{};
    if (request == DAT_HANDLE_NULL ||
        dat_cr_query(request, DAT_CR_FIELD_ALL, &param) != DAT_SUCCESS)
      return false;
    said.assign(static_cast<const char*>(param.private_data),
                static_cast<std::size_t>(param.private_data_size));
    return dat_cr_accept(request, ep_, count(data), bytes_of(data)) == DAT_SUCCESS;
  }
  bool reject(const std::string& data) override {
    const DAT_CR_HANDLE request = arrived();
    if (request == DAT_HANDLE_NULL) return false;
#if DATUM_DAT_MAJOR == 1
    static_cast<void>(data);
    return dat_cr_reject(request) == DAT_SUCCESS;
#else
    return dat_cr_reject(request, count(data), bytes_of(data)) == DAT_SUCCESS;
#endif
  }
  bool connect_datagrams(std::uint64_t qualifier) override {
#if DATUM_DAT_MAJOR == 1
    static_cast<void>(qualifier);
    return false;
#else
    DAT_EP_ATTR attributes{};
    attributes.service_type = static_cast<DAT_SERVICE_TYPE>(DAT_IB_SERVICE_TYPE_UD);
    attributes.max_recv_dtos = attributes.max_request_dtos = 4;
    attributes.max_recv_iov = attributes.max_request_iov = 1;
    DAT_EP_HANDLE ep = DAT_HANDLE_NULL;
    return dat_ep_create(ia_, zone_, receives_, requests_, connections_, &attributes, &ep) ==
               DAT_SUCCESS &&
           dat_ep_connect(ep, address_, qualifier, kPatience, 0, nullptr, DAT_QOS_BEST_EFFORT,
                          DAT_CONNECT_DEFAULT_FLAG) == DAT_SUCCESS;
#endif
  }
  bool disconnect() override {
    return dat_ep_disconnect(ep_, DAT_CLOSE_GRACEFUL_FLAG) == DAT_SUCCESS;
  }
  void* connection_evd() override {
    return connections_;
  }
  std::uint32_t create_endpoint(void* connection_evd) override {
    DAT_EP_HANDLE ep = DAT_HANDLE_NULL;
    return dat_ep_create(ia_, zone_, receives_, requests_, connection_evd, nullptr, &ep);
  }
  ConnectionEvent connection_event() override {
    DAT_EVENT event{};
    if (!next(connections_, event)) return {};
    const DAT_CONNECTION_EVENT_DATA& data = event.event_data.connect_event_data;
    ConnectionEvent said{static_cast<int>(event.event_number), {}};
    if (data.private_data_size != 0)
      said.data.assign(static_cast<const char*>(data.private_data),
                       static_cast<std::size_t>(data.private_data_size));
    return said;
  }

  char* bytes() override {
    return bytes_.data();
  }
  PeerMemory memory(bool zero_based) override {
    if (!zero_based) return {for_peers_, reinterpret_cast<std::uint64_t>(bytes_.data())};
    PeerMemory made;
#if DATUM_DAT_MAJOR == 2
    DAT_REGION_DESCRIPTION region{};
    region.for_va = bytes_.data();
    DAT_LMR_HANDLE lmr = DAT_HANDLE_NULL;
    DAT_LMR_CONTEXT context = 0;
    dat_lmr_create(ia_, DAT_MEM_TYPE_VIRTUAL, region, kMemory, zone_, DAT_MEM_PRIV_ALL_FLAG,
                   DAT_VA_TYPE_ZB, &lmr, &context, &made.context, nullptr, nullptr);
#endif
    return made;
  }
  PeerMemory bind_window() override {
    PeerMemory bound;
    const DAT_LMR_TRIPLET all =
        local_part(own_, reinterpret_cast<DAT_VADDR>(bytes_.data()), kMemory);
    DAT_EVENT event{};
    if (dat_rmr_create(zone_, &window_) != DAT_SUCCESS ||
        dat_rmr_bind(window_, &all, DAT_MEM_PRIV_REMOTE_WRITE_FLAG, ep_, DAT_RMR_COOKIE{},
                     DAT_COMPLETION_DEFAULT_FLAG, &bound.context) != DAT_SUCCESS ||
        !next(requests_, event) || event.event_number != DAT_RMR_BIND_COMPLETION_EVENT)
      return {};
    bound.address = reinterpret_cast<std::uint64_t>(bytes_.data());
    return bound;
  }
  bool window_is_bound() override {
    DAT_RMR_PARAM param{};
    return dat_rmr_query(window_, DAT_RMR_FIELD_ALL, &param) == DAT_SUCCESS &&
           param.rmr_context != 0;
  }

  bool post(Operation operation, std::size_t at, std::size_t length, PeerMemory peer) override {
    DAT_LMR_TRIPLET here =
        local_part(own_, reinterpret_cast<DAT_VADDR>(bytes_.data()) + at, length);
    DAT_RMR_TRIPLET there = remote_part(peer.context, peer.address, length);
    DAT_DTO_COOKIE cookie{};
    DAT_RETURN status = DAT_SUCCESS;
    switch (operation) {
    case Operation::Send:
      status = dat_ep_post_send(ep_, 1, &here, cookie, DAT_COMPLETION_DEFAULT_FLAG);
      break;
    case Operation::Receive:
      status = dat_ep_post_recv(ep_, 1, &here, cookie, DAT_COMPLETION_DEFAULT_FLAG);
      break;
    case Operation::Write:
      status = dat_ep_post_rdma_write(ep_, 1, &here, cookie, &there, DAT_COMPLETION_DEFAULT_FLAG);
      break;
    case Operation::Read:
      status = dat_ep_post_rdma_read(ep_, 1, &here, cookie, &there, DAT_COMPLETION_DEFAULT_FLAG);
      break;
#if DATUM_DAT_MAJOR == 2
    case Operation::WriteImmediate:
      status = dat_ib_post_rdma_write_immed(ep_, 1, &here, cookie, &there, 7,
                                            DAT_COMPLETION_DEFAULT_FLAG);
      break;
    case Operation::SendInvalidate:
      status = dat_ep_post_send_with_invalidate(ep_, 1, &here, cookie, DAT_COMPLETION_DEFAULT_FLAG,
                                                DAT_TRUE, peer.context);
      break;
#else
    default: return false;
#endif
    }
    return status == DAT_SUCCESS;
  }
  long completed(Operation operation) override {
    DAT_EVENT event{};
    if (!next(operation == Operation::Receive ? receives_ : requests_, event)) return -1;
    const DAT_DTO_COMPLETION_EVENT_DATA& data = event.event_data.dto_completion_event_data;
    const int number = operation == Operation::WriteImmediate ? kExtended : kOrdinary;
    if (static_cast<int>(event.event_number) != number || data.status != DAT_DTO_SUCCESS) return -1;
    return static_cast<long>(data.transfered_length);
  }
  void catch_up() override {
    DAT_EP_PARAM param{};
    dat_ep_query(ep_, DAT_EP_FIELD_EP_STATE, &param); // takes the lock that the threads held
  }

 private:
  bool make_evd(DAT_EVD_HANDLE& evd, DAT_EVD_FLAGS flags = kTransfers) {
    return dat_evd_create(ia_, kDepth, DAT_HANDLE_NULL, flags, &evd) == DAT_SUCCESS;
  }
  bool register_memory() {
    DAT_REGION_DESCRIPTION region{};
    region.for_va = bytes_.data();
    DAT_LMR_HANDLE lmr = DAT_HANDLE_NULL;
    return dat_lmr_create(ia_, DAT_MEM_TYPE_VIRTUAL, region, kMemory, zone_, DAT_MEM_PRIV_ALL_FLAG,
                          &lmr, &own_, &for_peers_, nullptr, nullptr) == DAT_SUCCESS;
  }
  bool make_endpoint() {
    return dat_ep_create(ia_, zone_, receives_, requests_, connections_, nullptr, &ep_) ==
           DAT_SUCCESS;
  }
  static constexpr auto kTransfers =
      static_cast<DAT_EVD_FLAGS>(DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG);
  static bool next(DAT_EVD_HANDLE evd, DAT_EVENT& event) {
    DAT_COUNT left = 0;
    return dat_evd_wait(evd, kPatience, 1, &event, &left) == DAT_SUCCESS;
  }
  DAT_CR_HANDLE arrived() {
    DAT_EVENT event{};
    if (!next(arrivals_, event)) return DAT_HANDLE_NULL;
    return event.event_data.cr_arrival_event_data.cr_handle;
  }

  std::array<char, kMemory> bytes_{};
  DAT_IA_HANDLE ia_ = DAT_HANDLE_NULL;
  DAT_IA_ADDRESS_PTR address_ = nullptr;
  DAT_PZ_HANDLE zone_ = DAT_HANDLE_NULL;
  DAT_EVD_HANDLE requests_ = DAT_HANDLE_NULL;
  DAT_EVD_HANDLE receives_ = DAT_HANDLE_NULL;
  DAT_EVD_HANDLE connections_ = DAT_HANDLE_NULL;
  DAT_EVD_HANDLE arrivals_ = DAT_HANDLE_NULL;
  DAT_LMR_CONTEXT own_ = 0;
  DAT_RMR_CONTEXT for_peers_ = 0;
  DAT_EP_HANDLE ep_ = DAT_HANDLE_NULL;
  DAT_RMR_HANDLE window_ = DAT_HANDLE_NULL;
};

End* open_end(const std::string& ia_name) {
  auto end = std::make_unique<EndOfThisVersion>();
  return end->open(ia_name) ? end.release() : nullptr;
}

} // namespace

#if DATUM_DAT_MAJOR == 1
End* datum_open_end_of_dat1(const std::string& ia_name) {
  return open_end(ia_name);
}
#else
End* datum_open_end_of_dat2(const std::string& ia_name) {
  return open_end(ia_name);
}
#endif
