// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/endpoint/attribute_rules.h"

#include <string>
#include <string_view>

#include "base/refusal.h"

namespace datum {
namespace {

// A count that lies between 0 and a limit of the IA.
struct Bound {
  std::string_view name;
  std::int32_t EndpointAttributes::*value;
  std::int32_t Limits::*most;
  std::string_view limit; // the name of `most` in dat_ia_query
  std::string_view rule;
};

constexpr Bound kBounds[] = {
    {"max_recv_dtos", &EndpointAttributes::max_recv_dtos, &Limits::max_dto_per_ep, "max_dto_per_ep",
     "dat_ep_create.R21"},
    {"max_request_dtos", &EndpointAttributes::max_request_dtos, &Limits::max_dto_per_ep,
     "max_dto_per_ep", "dat_ep_create.R22"},
    {"max_recv_iov", &EndpointAttributes::max_recv_iov, &Limits::max_iov,
     "max_iov_segments_per_dto", "dat_ep_create.R23"},
    {"max_request_iov", &EndpointAttributes::max_request_iov, &Limits::max_iov,
     "max_iov_segments_per_dto", "dat_ep_create.R24"},
    {"max_rdma_read_in", &EndpointAttributes::max_rdma_read_in, &Limits::max_read_in_per_ep,
     "max_rdma_read_per_ep_in", "dat_ep_create.R25"},
    {"max_rdma_read_out", &EndpointAttributes::max_rdma_read_out, &Limits::max_read_out_per_ep,
     "max_rdma_read_per_ep_out", "dat_ep_create.R26"},
    {"max_rdma_read_iov", &EndpointAttributes::max_rdma_read_iov, &Limits::max_iov,
     "max_iov_segments_per_rdma_read", "dat_ep_create.R27"},
    {"max_rdma_write_iov", &EndpointAttributes::max_rdma_write_iov, &Limits::max_iov,
     "max_iov_segments_per_rdma_write", "dat_ep_create.R27"},
};

template <class T>
[[gnu::cold, gnu::noinline]] Status exceeded(std::string_view name, T value, T most,
                                             std::string_view limit, std::string_view rule) {
  if (refusals_are_told())
    note_cause({name, std::to_string(value), text("0 to {}, the {} of the IA", most, limit), rule});
  return {Type::InvalidParameter, Detail::Arg6};
}

struct FlagChoice {
  std::string_view name;
  CompletionFlags value;
  CompletionFlags allowed; // at most one of these flags
  std::string_view rule;
};

bool fits(const FlagChoice& choice) {
  return (choice.value & ~choice.allowed) == 0 && (choice.value & (choice.value - 1)) == 0;
}

constexpr std::string_view kRecvChoices =
    "DEFAULT 0x0, SOLICITED_WAIT 0x2, UNSIGNALLED 0x4 or EVD_THRESHOLD 0x10";
constexpr std::string_view kRequestChoices =
    "DEFAULT 0x0, SUPPRESS 0x1, UNSIGNALLED 0x4 or EVD_THRESHOLD 0x10";
constexpr std::string_view kStrictRequestChoices =
    "DEFAULT 0x0, UNSIGNALLED 0x4 or EVD_THRESHOLD 0x10";

[[gnu::cold, gnu::noinline]] Status bad_flags(const FlagChoice& choice, std::string_view allowed) {
  note_bits(choice.name, choice.value, allowed, choice.rule);
  return {Type::InvalidParameter, Detail::Arg6};
}

Status check_flags(const EndpointAttributes& a, bool strict) {
  const FlagChoice recv{"recv_completion_flags", a.recv_completion_flags,
                        kUnsignalled | kSolicitedWait | kEvdThreshold, "dat_ep_create.R31"};
  // SUPPRESS alone is a leniency. permit_leniencies() decides on it after all other checks.
  const CompletionFlags requested = a.request_completion_flags;
  const FlagChoice request{"request_completion_flags", requested == kSuppress ? 0 : requested,
                           kUnsignalled | kEvdThreshold, "dat_ep_create.R32"};
  if (!fits(recv)) return bad_flags(recv, kRecvChoices);
  if (!fits(request)) return bad_flags(request, strict ? kStrictRequestChoices : kRequestChoices);
  return kOk;
}

} // namespace

EndpointAttributes default_attributes(const AdapterContext& adapter) {
  const Limits& limits = adapter.limits();
  EndpointAttributes attributes;
  attributes.max_message_size = limits.max_message_size;
  attributes.max_rdma_size = limits.max_rdma_size;
  attributes.rdma_bound = limits.max_rdma_size;
  attributes.recv_completion_flags = kEvdThreshold;
  attributes.request_completion_flags = kEvdThreshold;
  attributes.max_recv_dtos = 16;
  attributes.max_request_dtos = 16;
  attributes.max_recv_iov = 4;
  attributes.max_request_iov = 4;
  attributes.max_rdma_read_in = 4;
  attributes.max_rdma_read_out = 4;
  attributes.srq_soft_hw = kWatermarkInfinite;
  attributes.max_rdma_read_iov = 4;
  attributes.max_rdma_write_iov = 4;
  return attributes;
}

Status check_attributes(const AdapterContext& adapter, const EndpointAttributes& a, bool with_srq) {
  const Limits& most = adapter.limits();
  if (a.max_message_size > most.max_message_size)
    return exceeded("max_message_size", a.max_message_size, most.max_message_size,
                    "max_message_size", "dat_ep_create.R19");
  if (a.max_rdma_size > most.max_rdma_size)
    return exceeded("max_rdma_size", a.max_rdma_size, most.max_rdma_size, "max_rdma_size",
                    "dat_ep_create.R20");
  for (const Bound& bound : kBounds) {
    if (with_srq && bound.value == &EndpointAttributes::max_recv_iov) continue;
    if (a.*bound.value < 0 || a.*bound.value > most.*bound.most)
      return exceeded(bound.name, a.*bound.value, most.*bound.most, bound.limit, bound.rule);
  }
  if (a.srq_soft_hw < kWatermarkInfinite) {
    note_cause("srq_soft_hw", a.srq_soft_hw, "-1 (none) or more", "dat_ep_create.R28");
    return {Type::InvalidParameter, Detail::Arg6};
  }
  return check_flags(a, adapter.leniencies().strict());
}

Status permit_leniencies(AdapterContext& adapter, const EndpointAttributes& attributes,
                         Sharing sharing, Detail argument) {
  Leniencies& leniencies = adapter.leniencies();
  if (sharing == Sharing::Refused) return {Type::InvalidParameter, argument};
  if (sharing == Sharing::Lenient &&
      !leniencies.permit(Leniency::MixedCompletionFlags,
                         "an endpoint with UNSIGNALLED request_completion_flags and DEFAULT "
                         "recv_completion_flags on an EVD that both kinds feed")) {
    note_bits("request_completion_flags", kUnsignalled,
              "0x0, as the recv_completion_flags of what shares the EVD", "SHARE.5");
    return {Type::InvalidParameter, argument};
  }
  if (attributes.request_completion_flags == kSuppress &&
      !leniencies.permit(Leniency::SuppressInAttributes,
                         "an endpoint with SUPPRESS in request_completion_flags")) {
    note_bits("request_completion_flags", kSuppress, kStrictRequestChoices, "dat_ep_create.R32");
    return {Type::InvalidParameter, argument};
  }
  return kOk;
}

} // namespace datum
