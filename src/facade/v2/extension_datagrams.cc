// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v2/extension_datagrams.cc: endpoints of datagrams: sending, freeing addresses and
// connections, events.
#include "facade/v2/extension.h"

#include <cstring>

#include "facade/answer.h"

namespace datum {
namespace {

// An address handle has a pointer type, but must not be dereferenced. Its lowest bits are 0, as in
// pointers to structures.
constexpr unsigned kFreeBits = 4;

ibv_ah* to_pointer(DatagramAddress address) {
  return reinterpret_cast<ibv_ah*>(static_cast<std::uintptr_t>(address << kFreeBits));
}
DatagramAddress to_address(const void* pointer) {
  const auto value = reinterpret_cast<std::uintptr_t>(pointer);
  return value % (1U << kFreeBits) == 0 ? value >> kFreeBits : 0;
}

struct Names {
  DAT_IB_EVENT_NUMBER number;
  DAT_IB_EXT_TYPE type;
};

Names names_of(EventKind kind) {
  switch (kind) {
  case EventKind::DatagramsRequest:
    return {DAT_IB_UD_CONNECTION_REQUEST_EVENT, DAT_IB_UD_CONNECT_REQUEST};
  case EventKind::DatagramsResolved:
    return {DAT_IB_UD_CONNECTION_EVENT_ESTABLISHED, DAT_IB_UD_REMOTE_AH};
  case EventKind::DatagramsResolvedPassive:
    return {DAT_IB_UD_CONNECTION_EVENT_ESTABLISHED, DAT_IB_UD_PASSIVE_REMOTE_AH};
  case EventKind::DatagramsRejected:
    return {DAT_IB_UD_CONNECTION_REJECT_EVENT, DAT_IB_UD_CONNECT_REJECT};
  default: return {DAT_IB_UD_CONNECTION_ERROR_EVENT, DAT_IB_UD_CONNECT_ERROR};
  }
}

bool is_resolved(EventKind kind) {
  return kind == EventKind::DatagramsResolved || kind == EventKind::DatagramsResolvedPassive;
}

} // namespace

DAT_RETURN post_send_ud(const LockedEp& ep, va_list& arguments) {
  const auto count = va_arg(arguments, DAT_COUNT);
  const auto* local = va_arg(arguments, const DAT_LMR_TRIPLET*);
  const auto* to = va_arg(arguments, const DAT_IB_ADDR_HANDLE*);
  const DAT_CONTEXT cookie = va_arg(arguments, DAT_CONTEXT);
  const auto flags = static_cast<DAT_COMPLETION_FLAGS>(va_arg(arguments, unsigned));
  if (count < 0) return invalid_argument<V2>(Detail::Arg3);
  if (count > 0 && local == nullptr) return invalid_argument<V2>(Detail::Arg4);
  if (to == nullptr) return invalid_argument<V2>(Detail::Arg5);
  const V2::Segments segments =
      V2::local(ep.adapter().regions(), local, static_cast<std::size_t>(count));
  return encode<V2>(ep->post_datagram(segments, to_address(to->ah), to->qpn, bits(cookie), flags));
}

DAT_RETURN free_address(const LockedEp& ep, va_list& arguments) {
  const auto* address = va_arg(arguments, const DAT_IB_ADDR_HANDLE*);
  if (ep->datagrams() == nullptr) return invalid_handle<V2>(Detail::HandleEp);
  if (address == nullptr) return invalid_argument<V2>(Detail::Arg3);
  return encode<V2>(ep->datagrams()->free_address(to_address(address->ah)));
}

DAT_RETURN free_connection(const LockedEp& ep, va_list& arguments) {
  const auto* connection = va_arg(arguments, const void*);
  if (ep->datagrams() == nullptr) return invalid_handle<V2>(Detail::HandleEp);
  return encode<V2>(ep->datagrams()->free_connection(to_address(connection)));
}

void V2::write_datagrams(const Event& event, const DatagramAddresses* addresses, DAT_EVENT& out) {
  const Names names = names_of(event.kind);
  out.event_number = static_cast<DAT_EVENT_NUMBER>(names.number);
  DAT_IB_EXTENSION_EVENT_DATA data;
  std::memset(&data, 0, sizeof data);
  data.type = names.type;
  data.status = event.kind == EventKind::DatagramsFailed ? DAT_IB_OP_ERR : DAT_OP_SUCCESS;
  if (is_resolved(event.kind)) {
    data.remote_ah.ah = to_pointer(event.cookie);
    data.remote_ah.qpn = static_cast<DAT_UINT32>(event.value);
  }
  static_assert(sizeof data.remote_ah.ia_addr <= sizeof(Address));
  const DatagramPeer* peer = addresses != nullptr ? addresses->find(event.cookie) : nullptr;
  if (peer != nullptr)
    std::memcpy(&data.remote_ah.ia_addr, peer->remote_address().bytes,
                sizeof data.remote_ah.ia_addr);
  if (event.kind != EventKind::DatagramsRequest)
    data.context.as_ptr = static_cast<void*>(to_pointer(event.cookie));
  std::memcpy(out.event_extension_data, &data, sizeof data);
}

} // namespace datum
