// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "consumer.h"

#include <algorithm>

#include "core/endpoint/attribute_rules.h"

namespace datum::fuzz {
namespace {

constexpr std::int32_t kQueueLength = 4096;
constexpr std::int32_t kDepth = 64;

// The access that each place is registered with, in the order of Consumer::Place.
constexpr Access kAccess[] = {kLocalRead | kLocalWrite, kLocalWrite, kAllAccess,
                              kLocalRead | kRemoteRead, kLocalRead,  kAllAccess};
constexpr std::size_t kSizes[] = {128 * 1024, 320 * 1024, 4096, 12288, 4096, 4096};

LinkOptions link_options() {
  LinkOptions options;
  options.limits.max_eps = 64;
  return options;
}

EndpointAttributes attributes(const InterfaceAdapter& adapter) {
  EndpointAttributes attributes = default_attributes(adapter);
  attributes.max_recv_dtos = attributes.max_request_dtos = kDepth;
  return attributes;
}

} // namespace

Consumer::Consumer(HostileFabric& fabric, bool with_srq) : transport_(fabric, link_options()) {
  for (std::size_t place = 0; place < kPlaces; ++place) memory_[place].emplace(kSizes[place]);
  AdapterEnvironment environment;
  environment.handles = &handles_;
  environment.progress = &time_;
  environment.timers = &timers_;
  environment.random = &random_;
  environment.memory = &probe_;
  adapter_ = std::make_unique<InterfaceAdapter>(environment, transport_);
  zone_ = adapter_->create_zone().value();
  foreign_zone_ = adapter_->create_zone().value();
  transfer_evd_ = adapter_->create_evd(kQueueLength, nullptr, kEvdDto | kEvdRmrBind).value();
  connection_evd_ = adapter_->create_evd(kQueueLength, nullptr, kEvdConnection).value();
  request_evd_ = adapter_->create_evd(8, nullptr, kEvdCr).value();
  if (with_srq) srq_ = adapter_->create_srq(*zone_, {kDepth, 4}).value();
  window_ = adapter_->create_window(*zone_).value();
  const EndpointAttributes wanted = attributes(*adapter_);
  for (Side& side : sides_)
    side.ep = adapter_
                  ->create_endpoint({zone_, transfer_evd_, transfer_evd_, {connection_evd_}}, srq_,
                                    &wanted)
                  .value();
  for (std::size_t place = 0; place < kPlaces; ++place) register_place(place);
  const ConnQual qualifier = kQualifier;
  require(
      adapter_->create_psp(&qualifier, *request_evd_, ServicePoint::EpSource::Consumer).has_value(),
      "a service point");
  // No peer may access these two, and the consumer does not use them.
  memory_[kSecret]->close();
  memory_[kForeign]->close();
}

Consumer::~Consumer() = default;

void Consumer::register_place(std::size_t place) {
  RegionRequest request;
  request.address = memory_[place]->address();
  request.length = memory_[place]->size();
  request.access = kAccess[place];
  regions_[place] =
      adapter_->create_region(request, place == kForeign ? *foreign_zone_ : *zone_).value();
}

std::vector<KnownRange> Consumer::known_ranges() const {
  std::vector<KnownRange> ranges;
  for (std::size_t place = 0; place < kPlaces; ++place)
    if (regions_[place] != nullptr)
      ranges.push_back(
          {regions_[place]->local_stag(), memory_[place]->address(), memory_[place]->size()});
  ranges.push_back({window_stag_, memory_[kTarget]->address() + 1024, 1024});
  return ranges;
}

LocalTriplet Consumer::local(std::size_t place, std::uint64_t length) const {
  const Stag stag = regions_[place] != nullptr ? regions_[place]->local_stag() : 0;
  return {stag, memory_[place]->address(), std::min<std::uint64_t>(length, kSizes[place])};
}

void Consumer::work() {
  timers_.run(time_.now());
  transport_.progress();
  static_cast<void>(transport_.watch(time_.now()));
  adapter_->destroy_retired();
  take_events();
}

void Consumer::end_call() {
  adapter_->destroy_retired();
}

void Consumer::set_attention(bool asleep) {
  transport_.set_attention(asleep ? Attention::Asleep : Attention::Polling);
}

void Consumer::connect(std::size_t which) {
  Side& side = sides_[which % kEndpoints];
  if (side.ep->connect({}, 9, 500000, {}).ok()) side.busy = true;
}

void Consumer::answer_request(bool accept, std::size_t which) {
  take_events();
  if (requests_.empty()) return;
  ConnectionRequest& request = *requests_.front();
  Side& side = sides_[which % kEndpoints];
  if (accept) {
    if (!request.accept(side.ep, {}).ok()) return;
    side.busy = true;
  } else {
    request.reject({});
  }
  requests_.erase(requests_.begin());
  adapter_->consume(request);
}

void Consumer::post_receive(Endpoint& ep, std::uint64_t length) {
  const LocalTriplet first = local(kLanding, length / 2);
  LocalTriplet second = local(kLanding, length);
  second.address += first.length;
  second.length -= first.length;
  const LocalTriplet segments[] = {first, second};
  const std::uint64_t cookie = ++last_cookie_;
  posted_[cookie] = {true, srq_ != nullptr, first.length + second.length};
  const Status posted =
      srq_ != nullptr ? srq_->post(segments, cookie) : ep.post_recv(segments, cookie, 0);
  if (!posted.ok()) posted_.erase(cookie);
}

void Consumer::post_request(Endpoint& ep, Opcode opcode, std::uint64_t length,
                            const RemoteTriplet& remote) {
  const LocalTriplet segment = local(kSource, length);
  const std::uint64_t cookie = ++last_cookie_;
  posted_[cookie] = {};
  RemoteTriplet whole = remote;
  whole.length = segment.length;
  const Status posted = opcode == Opcode::Send
                            ? ep.post_send({&segment, 1}, cookie, 0)
                            : ep.post_rdma(opcode, {&segment, 1}, cookie, whole, 0);
  if (!posted.ok()) posted_.erase(cookie);
}

void Consumer::post(Input& input, const HostileMemory& peer) {
  constexpr std::uint64_t kLengths[] = {0, 1, 24, 40, 41, 4096, 8192, 8193, 20000, 60000, 300000};
  if (transfer_evd_->count() > kQueueLength / 2) return;
  const std::uint8_t kind = input.byte();
  Endpoint& ep = *sides_[(kind >> 4U) % kEndpoints].ep;
  const std::uint64_t length = input.pick(kLengths);
  RemoteTriplet remote;
  remote.stag = static_cast<Stag>(input.byte() % 17U) << 8U;
  remote.address = peer.base() + input.take<std::uint16_t>();
  switch (kind % 5) {
  case 0: post_request(ep, Opcode::Send, length, {}); break;
  case 1: post_request(ep, Opcode::RdmaWrite, length, remote); break;
  case 2: post_request(ep, Opcode::RdmaRead, length, remote); break;
  default: post_receive(ep, length); break;
  }
}

void Consumer::bind(Input& input) {
  const std::uint8_t choice = input.byte();
  LocalTriplet range = local(kTarget, 1024);
  range.address += 1024;
  if ((choice & 1U) != 0) range.length = 0;
  const std::uint64_t cookie = ++last_cookie_;
  posted_[cookie] = {};
  Stag stag = 0;
  const Access access = (choice & 2U) != 0 ? kRemoteWrite : kRemoteRead;
  Endpoint& ep = *sides_[(choice >> 2U) % kEndpoints].ep;
  if (ep.post_bind(*window_, range, access, cookie, 0, stag).ok())
    window_stag_ = stag;
  else
    posted_.erase(cookie);
}

void Consumer::disconnect(std::size_t which, bool graceful) {
  static_cast<void>(sides_[which % kEndpoints].ep->disconnect(graceful));
}

void Consumer::reset(std::size_t which) {
  take_events();
  static_cast<void>(sides_[which % kEndpoints].ep->reset());
}

void Consumer::toggle(std::size_t region) {
  const std::size_t place = region % (kReadable + 1); // kSecret and kForeign stay closed
  if (regions_[place] == nullptr) {
    memory_[place]->open();
    register_place(place);
    return;
  }
  if (!adapter_->free(*regions_[place]).ok()) return; // a window holds it
  regions_[place] = nullptr;
  memory_[place]->close();
}

Consumer::Side& Consumer::side_of(Token token) {
  const auto found = std::find_if(sides_.begin(), sides_.end(),
                                  [&](const Side& side) { return side.ep->token() == token; });
  require(found != sides_.end(), "an event names an endpoint of ours");
  return *found;
}

void Consumer::check_completion(const Event& event) {
  const auto found = posted_.find(event.cookie);
  require(found != posted_.end(), "what was posted completes once, and nothing else does");
  const Posted posted = found->second;
  posted_.erase(found);
  require(event.receive == posted.receive, "a Recv ends as a Recv");
  if (event.receive && event.status == DtoStatus::Success)
    require(event.value <= posted.capacity, "a message fits into its Recv");
}

void Consumer::check_connection(const Event& event) {
  Side& side = side_of(event.object);
  require(side.busy, "one end for each connection");
  if (event.kind != EventKind::Established) side.busy = false;
}

void Consumer::take_events() {
  Event event;
  while (transfer_evd_->dequeue(event).ok()) check_completion(event);
  while (connection_evd_->dequeue(event).ok()) check_connection(event);
  while (request_evd_->dequeue(event).ok())
    requests_.push_back(const_cast<ConnectionRequest*>(
        static_cast<const ConnectionRequest*>(static_cast<const Object*>(event.data))));
}

void Consumer::finish() {
  for (Side& side : sides_) static_cast<void>(side.ep->disconnect(false));
  take_events();
  for (const Side& side : sides_) require(!side.busy, "a connection that ended was reported");
  const bool all_down = std::all_of(sides_.begin(), sides_.end(), [](const Side& side) {
    return side.ep->state() == EpState::Disconnected;
  });
  for (const auto& [cookie, posted] : posted_)
    require(posted.shared || !all_down, "what was posted has ended with its connection");
  adapter_->close();
  memory_[kReadable]->open();
  memory_[kSecret]->open();
  memory_[kForeign]->open();
  require(memory_[kReadable]->untouched(), "a region without remote write is not written");
}

} // namespace datum::fuzz
