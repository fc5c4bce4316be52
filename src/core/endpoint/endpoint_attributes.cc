// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/endpoint_attributes.cc: what a connection became, besides what the consumer asked
// for.
#include <algorithm>

#include "core/endpoint/endpoint.h"

namespace datum {
namespace {

constexpr const char* kNameOfPath = "datum_path";
constexpr const char* kNameOfReason = "datum_path_reason";
constexpr const char* kNameOfReadsIn = "datum_effective_rdma_read_in";
constexpr const char* kNameOfReadsOut = "datum_effective_rdma_read_out";

} // namespace

NamedAttributes Endpoint::named_attributes() const {
  NamedAttributes attributes;
  Path path = this->path();
  if (path.name.empty()) return attributes;
  attributes.emplace_back(kNameOfPath, std::move(path.name));
  if (!path.reason.empty()) attributes.emplace_back(kNameOfReason, std::move(path.reason));
  attributes.emplace_back(kNameOfReadsIn, std::to_string(attributes_.max_rdma_read_in));
  attributes.emplace_back(kNameOfReadsOut, std::to_string(reads_out_limit_));
  return attributes;
}

Path Endpoint::path() const {
  const bool connected = state_ == EpState::Connected || state_ == EpState::DisconnectPending;
  if (!connected || !channel_) return {};
  return {.name = channel_->path(), .reason = channel_->path_reason()};
}

bool Endpoint::is_named_attribute(std::string_view name) {
  constexpr std::string_view kAll[] = {kNameOfPath, kNameOfReason, kNameOfReadsIn, kNameOfReadsOut};
  return std::find(std::begin(kAll), std::end(kAll), name) != std::end(kAll);
}

} // namespace datum
