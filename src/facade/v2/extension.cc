// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v2/extension.cc: the InfiniBand extensions: their operations and their events.
// Not here: datagrams (extension_datagrams.cc), counters (extension_counters.cc); collectives,
// which are not offered.
#include <cstdarg>
#include <cstring>

#include "facade/v2/traits.h"

#include "facade/answer.h"
#include "facade/v2/extension.h"

namespace datum {
namespace {

DAT_COMPLETION_FLAGS next_flags(va_list& arguments) {
  return static_cast<DAT_COMPLETION_FLAGS>(va_arg(arguments, unsigned));
}

// `arguments`: what follows the operation in the calls of the two atomic operations.
DAT_RETURN post_atomic(const LockedEp& ep, Opcode opcode, va_list& arguments) {
  AtomicOperands operands;
  const bool swap = opcode == Opcode::CompareSwap; // has one argument more
  if (swap) operands.compare = va_arg(arguments, DAT_UINT64);
  operands.operand = va_arg(arguments, DAT_UINT64);
  const auto* local = va_arg(arguments, const DAT_LMR_TRIPLET*);
  const DAT_CONTEXT cookie = va_arg(arguments, DAT_CONTEXT);
  const auto* remote = va_arg(arguments, const DAT_RMR_TRIPLET*);
  const DAT_COMPLETION_FLAGS flags = next_flags(arguments);
  if (local == nullptr) return invalid_argument<V2>(swap ? Detail::Arg5 : Detail::Arg4);
  if (remote == nullptr) return invalid_argument<V2>(swap ? Detail::Arg7 : Detail::Arg6);
  return encode<V2>(ep->post_atomic(opcode, V2::to_local(ep.adapter().regions(), *local),
                                    bits(cookie), V2::remote(*remote), flags, operands));
}

DAT_RETURN post_write_immediate(const LockedEp& ep, va_list& arguments) {
  const auto count = va_arg(arguments, DAT_COUNT);
  const auto* local = va_arg(arguments, const DAT_LMR_TRIPLET*);
  const DAT_CONTEXT cookie = va_arg(arguments, DAT_CONTEXT);
  const auto* remote = va_arg(arguments, const DAT_RMR_TRIPLET*);
  const auto number = va_arg(arguments, DAT_UINT32);
  const DAT_COMPLETION_FLAGS flags = next_flags(arguments);
  if (count < 0) return invalid_argument<V2>(Detail::Arg3);
  if (count > 0 && local == nullptr) return invalid_argument<V2>(Detail::Arg4);
  if (remote == nullptr) return invalid_argument<V2>(Detail::Arg6);
  const V2::Segments segments =
      V2::local(ep.adapter().regions(), local, static_cast<std::size_t>(count));
  return encode<V2>(
      ep->post_write_immediate(segments, bits(cookie), V2::remote(*remote), flags, number));
}

DAT_IB_EXT_TYPE type_of(const Event& event) {
  switch (event.opcode) {
  case Opcode::FetchAdd: return DAT_IB_FETCH_AND_ADD;
  case Opcode::CompareSwap: return DAT_IB_CMP_AND_SWAP;
  case Opcode::Datagram: return DAT_IB_UD_SEND;
  default: return event.receive ? DAT_IB_RDMA_WRITE_IMMED_DATA : DAT_IB_RDMA_WRITE_IMMED;
  }
}

// A refusal names the call as the macro of the extensions. The positions of its arguments count the
// operation, too.
const CallText& text_of(DAT_EXTENDED_OP operation) {
  switch (operation) {
  case DAT_IB_FETCH_AND_ADD_OP: return calls::kIbPostFetchAndAdd;
  case DAT_IB_CMP_AND_SWAP_OP: return calls::kIbPostCmpAndSwap;
  case DAT_IB_RDMA_WRITE_IMMED_OP: return calls::kIbPostRdmaWriteImmed;
  case DAT_IB_UD_SEND_OP: return calls::kIbPostSendUd;
  case DAT_IB_UD_AH_FREE_OP: return calls::kIbUdAhFree;
  case DAT_IB_UD_CM_FREE_OP: return calls::kIbUdCmFree;
  case DAT_IB_QUERY_COUNTERS_OP: return calls::kIbQueryCounters;
  case DAT_IB_PRINT_COUNTERS_OP: return calls::kIbPrintCounters;
  case DAT_IB_START_COUNTERS_OP: return calls::kIbStartCounter;
  case DAT_IB_STOP_COUNTERS_OP: return calls::kIbStopCounter;
  case DAT_IB_OPEN_QUERY_OP: return calls::kIbOpenQuery;
  case DAT_IB_CLOSE_QUERY_OP: return calls::kIbCloseQuery;
  default: return calls::kExtensionOp;
  }
}

DAT_RETURN perform(DAT_HANDLE handle, DAT_EXTENDED_OP operation, va_list arguments) {
  va_list rest;
  va_copy(rest, arguments);
  if (is_about_counters(operation)) {
    const DAT_RETURN answer = count(handle, operation, rest);
    va_end(rest);
    return answer;
  }
  if (operation == DAT_IB_OPEN_QUERY_OP) {
    const DAT_RETURN answer = open_query(static_cast<const char*>(handle), rest);
    va_end(rest);
    return answer;
  }
  if (operation == DAT_IB_CLOSE_QUERY_OP) {
    va_end(rest);
    return close_query(handle);
  }
  const LockedEp ep(handle);
  DAT_RETURN ret = DAT_CLASS_ERROR | DAT_NOT_IMPLEMENTED;
  switch (operation) {
  case DAT_IB_FETCH_AND_ADD_OP:
    ret = ep ? post_atomic(ep, Opcode::FetchAdd, rest) : invalid_handle<V2>(Detail::HandleEp);
    break;
  case DAT_IB_CMP_AND_SWAP_OP:
    ret = ep ? post_atomic(ep, Opcode::CompareSwap, rest) : invalid_handle<V2>(Detail::HandleEp);
    break;
  case DAT_IB_RDMA_WRITE_IMMED_OP:
    ret = ep ? post_write_immediate(ep, rest) : invalid_handle<V2>(Detail::HandleEp);
    break;
  case DAT_IB_UD_SEND_OP:
    ret = ep ? post_send_ud(ep, rest) : invalid_handle<V2>(Detail::HandleEp);
    break;
  case DAT_IB_UD_AH_FREE_OP:
    ret = ep ? free_address(ep, rest) : invalid_handle<V2>(Detail::HandleEp);
    break;
  case DAT_IB_UD_CM_FREE_OP:
    ret = ep ? free_connection(ep, rest) : invalid_handle<V2>(Detail::HandleEp);
    break;
  default:
    note_bits("operation", static_cast<std::uint64_t>(operation),
              "an operation of dat_ib_extensions(7) other than collectives", "");
    break;
  }
  va_end(rest);
  return ret;
}

} // namespace

DAT_RETURN extended_operation(DAT_HANDLE handle, DAT_EXTENDED_OP operation, va_list arguments) {
  const DAT_RETURN answer = perform(handle, operation, arguments);
  if (answer == DAT_SUCCESS || is_answer(answer)) [[likely]]
    return answer;
  return name_refused(text_of(operation), answer);
}

void V2::write_extension(const Event& event, DAT_EVENT& out) {
  static_assert(sizeof(DAT_IB_EXTENSION_EVENT_DATA) == sizeof out.event_extension_data);
  out.event_number = static_cast<DAT_EVENT_NUMBER>(DAT_IB_DTO_EVENT);
  DAT_IB_EXTENSION_EVENT_DATA data;
  std::memset(&data, 0, sizeof data);
  data.type = type_of(event);
  data.status = event.status == DtoStatus::Success ? DAT_OP_SUCCESS : DAT_IB_OP_ERR;
  data.val.immed.data = event.receive ? event.size : 0;
  std::memcpy(out.event_extension_data, &data, sizeof data);
}

} // namespace datum
