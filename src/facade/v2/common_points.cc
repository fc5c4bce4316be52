// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v2/common_points.cc: common service points, which listen at a socket address, and
// connecting to them. The port of that address is the connection qualifier.
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>

#include "facade/v2/traits.h"

#include "facade/address.h"
#include "facade/answer.h"
#include "facade/ep_connect_calls.h"
#include "facade/ep_parts.h"
#include "facade/v2/common_points.h"

namespace datum {
namespace {

using LockedCsp = Locked<ObjectKind::CommonServicePoint>;

bool is_supported(const DAT_COMM& comm, int family) {
  return comm.domain == family && comm.type == SOCK_STREAM &&
         (comm.protocol == 0 || comm.protocol == IPPROTO_TCP);
}

// Both families of addresses have the port at the same place.
std::uint16_t port_of(const sockaddr& address) {
  sockaddr_in image;
  std::memcpy(&image, &address, sizeof image);
  return ntohs(image.sin_port);
}

Address with_port(Address address, ConnQual port) {
  sockaddr_in image;
  std::memcpy(&image, address.bytes, sizeof image);
  image.sin_port = htons(static_cast<std::uint16_t>(port));
  std::memcpy(address.bytes, &image, sizeof image);
  return address;
}

// True: bind(2) takes this address to mean every address of the host.
bool is_any(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in image;
    std::memcpy(&image, &address, sizeof image);
    return image.sin_addr.s_addr == htonl(INADDR_ANY);
  }
  if (address.sa_family != AF_INET6) return false;
  sockaddr_in6 image;
  std::memcpy(&image, &address, sizeof image);
  return IN6_IS_ADDR_UNSPECIFIED(&image.sin6_addr);
}

// The address by which peers reach the service point. The adapter listens in the same way for every
// `given`.
Result<Address> listening_address(const sockaddr& given, const Address& own) {
  if (is_any(given) && to_sockaddr(own)->sa_family == given.sa_family) return own;
  return parse_address(given);
}

// Returns a pointer to a static object. There are two, one for each family.
DAT_COMM* comm_of(const Address& address) {
  static DAT_COMM v4{AF_INET, SOCK_STREAM, 0};
  static DAT_COMM v6{AF_INET6, SOCK_STREAM, 0};
  return to_sockaddr(address)->sa_family == AF_INET6 ? &v6 : &v4;
}

} // namespace

DAT_RETURN csp_create(DAT_IA_HANDLE ia_handle, DAT_COMM* comm, DAT_IA_ADDRESS_PTR given,
                      DAT_EVD_HANDLE evd_handle, DAT_CSP_HANDLE* csp_handle) {
  const Locked<ObjectKind::InterfaceAdapter> ia(ia_handle);
  if (!ia) return invalid_handle<V2>(Detail::HandleIa);
  EvdFinder find(ia);
  EventDispatcher* evd = find.required(evd_handle, kEvdCr, Detail::HandleEvdCr);
  if (evd == nullptr) return encode<V2>(find.status());
  if (comm == nullptr) return invalid_argument<V2>(Detail::Arg2);
  if (given == nullptr) return invalid_argument<V2>(Detail::Arg3);
  if (csp_handle == nullptr) return invalid_argument<V2>(Detail::Arg5);
  const Result<Address> address = listening_address(*given, ia->transport().address());
  if (!address) return encode<V2>(address.error());
  if (!is_supported(*comm, given->sa_family)) return encode<V2>({Type::CommNotSupported});
  const ConnQual port = port_of(*given);
  const Result<ServicePoint*> csp =
      ia->create_psp(port != 0 ? &port : nullptr, *evd, ServicePoint::EpSource::Consumer,
                     ObjectKind::CommonServicePoint);
  if (!csp)
    return encode<V2>(csp.error().type() == Type::ConnQualInUse ? Status(Type::PortInUse)
                                                                : csp.error());
  (*csp)->set_address(with_port(*address, (*csp)->qualifier()));
  *csp_handle = (*csp)->token();
  return DAT_SUCCESS;
}

DAT_RETURN csp_query(DAT_CSP_HANDLE csp_handle, DAT_CSP_PARAM_MASK mask, DAT_CSP_PARAM* param) {
  LockedCsp csp(csp_handle);
  if (!csp) return invalid_handle<V2>(Detail::HandleCsp);
  if (const Status s = check_query(mask, DAT_CSP_FIELD_ALL, param); !s.ok()) return encode<V2>(s);
  param->comm = comm_of(csp->address());
  param->address_ptr = to_sockaddr(csp->address());
  param->evd_handle = token_of(csp->evd());
  const Token ia = csp.adapter().token();
  csp.release();
  param->ia_handle = V2::consumer_ia(ia);
  return DAT_SUCCESS;
}

DAT_RETURN csp_free(DAT_CSP_HANDLE csp_handle) {
  const LockedCsp csp(csp_handle);
  if (!csp) return invalid_handle<V2>(Detail::HandleCsp);
  return encode<V2>(csp.adapter().free(*csp));
}

DAT_RETURN ep_common_connect(DAT_EP_HANDLE ep_handle, DAT_IA_ADDRESS_PTR remote_address,
                             DAT_TIMEOUT timeout, DAT_COUNT data_size, const DAT_PVOID data) {
  const Locked<ObjectKind::Endpoint> ep(ep_handle);
  if (!ep) return invalid_handle<V2>(Detail::HandleEp);
  if (remote_address == nullptr) return invalid_argument<V2>(Detail::Arg2);
  if (timeout == 0) return invalid_argument<V2>(Detail::Arg3);
  if (const Status s = check_private_data(data_size, data, ep.adapter().limits().max_private_data,
                                          Detail::Arg4, Detail::Arg5);
      !s.ok())
    return encode<V2>(s);
  const Result<Address> address = parse_address(*remote_address);
  if (!address) return encode<V2>(address.error());
  const ConnQual port = port_of(*remote_address);
  if (port == 0) return encode<V2>({Type::InvalidAddress, Detail::AddressMalformed});
  return encode<V2>(ep->connect(*address, port, timeout, private_data(data_size, data)));
}

} // namespace datum
