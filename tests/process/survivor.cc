// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "survivor.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <thread>

namespace datum::test {

namespace {

// Datum promises that within a second of the death, the survivor gets the event, and all its
// requests complete.
constexpr DAT_TIMEOUT kOneSecond = 1'000'000;
// What the victim has sent has arrived already. Only the thread that takes it has to run.
constexpr DAT_TIMEOUT kMoment = kQuiet / 10;
constexpr DAT_COUNT kRecvs = 4;
constexpr DAT_UINT64 kSendCookie = 100;

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator());
}

bool is_one_of(DAT_EVENT_NUMBER number, std::initializer_list<DAT_EVENT_NUMBER> expected) {
  return std::find(expected.begin(), expected.end(), number) != expected.end();
}

DAT_EVENT_NUMBER number_of_next(DAT_EVD_HANDLE evd) {
  return next_event(evd, kOneSecond).event_number;
}

} // namespace

Survivor::Survivor(const Executioner& executioner)
    : executioner_(executioner), ia_(open_ia()), side_(std::make_unique<Side>(ia_)),
      listener_(std::make_unique<Listener>(ia_)), bystanders_(std::make_unique<ConnectedPair>()) {
  buffer_.emplace(side_->buffer(2 * kLarge));
  shareable_.emplace(ia_, side_->pz(), 2 * kLarge);
  bystander_source_.emplace(bystanders_->active().buffer(kSmall));
  bystander_target_.emplace(bystanders_->passive().buffer(kSmall));
  descriptors_ = open_descriptors();
}

void Survivor::new_endpoint() {
  side_->ep() = side_->another_ep();
}

Report Survivor::outlive(Sentence sentence) {
  sentence.qualifier =
      sentence.operation < Operation::kConnect ? free_qualifier() : listener_->qualifier();
  executioner_.begin(sentence);
  set_up(sentence);
  if (executioner_.await_ready() != Report::kReady) {
    ADD_FAILURE() << "the victim did not get ready";
    return Report::kFailed;
  }
  if (is_connected(sentence.operation)) post(sentence.operation);
  executioner_.give_word();
  meanwhile(sentence.operation);
  const Report death = executioner_.await_death(steps_made_);
  EXPECT_NE(death, Report::kFailed);
  judge(sentence);
  if (sentence.child_lives_on) executioner_.release_child();
  new_endpoint();
  return death;
}

void Survivor::meanwhile(Operation operation) {
  if (operation == Operation::kConnect) answer_until_death();
  if (exports_memory(operation)) write_to_victim();
}

void Survivor::set_up(const Sentence& sentence) {
  if (asks_victim(sentence.operation)) {
    VictimTerms terms{};
    EXPECT_TRUE(executioner_.victim().get(terms));
    EXPECT_DAT_OK(connect(side_->ep(), address_of(ia_), terms.qualifier));
  }
  if (is_connected(sentence.operation)) accept_victim();
  if (exports_memory(sentence.operation)) {
    EXPECT_TRUE(executioner_.victim().get(exported_));
  }
}

void Survivor::accept_victim() {
  Cr cr = listener_->expect_request();
  const ReachableMemory memory{buffer_->rmr_context(), shareable_->context(), buffer_->address(),
                               shareable_->address()};
  EXPECT_DAT_OK(accept(cr, side_->ep(), {reinterpret_cast<const char*>(&memory), sizeof memory}));
  expect_connection_event(side_->connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side_->ep());
}

// Posts Recvs for messages of the victim, and Sends that only a Recv of the victim can complete.
void Survivor::post(Operation operation) {
  for (DAT_COUNT i = 0; i < kRecvs; ++i)
    EXPECT_DAT_OK(post_recv(side_->ep(), ring_room(), static_cast<DAT_UINT64>(i)));
  if (exports_memory(operation)) {
    use_export();
    return;
  }
  EXPECT_DAT_OK(post_send(side_->ep(), {buffer_->segment(0, kSmall)}, kSendCookie));
  EXPECT_DAT_OK(post_send(side_->ep(), {buffer_->segment(0, kLarge)}, kSendCookie + 1));
}

// Writes once. If the victim's memory can be mapped, this write maps it.
void Survivor::use_export() {
  const DAT_RMR_TRIPLET target{exported_.context, 0, exported_.address, kSmall};
  EXPECT_DAT_OK(post_write(side_->ep(), {buffer_->segment(0, kSmall)}, target, 1));
  expect_dto(side_->request_evd(), side_->ep(), 1);
}

void Survivor::write_to_victim() {
  const DAT_RMR_TRIPLET target{exported_.context, 0, exported_.address, kLarge};
  for (DAT_UINT64 i = 0; i < 2; ++i)
    EXPECT_DAT_OK(post_write(side_->ep(), {buffer_->segment(0, kLarge)}, target, kSendCookie + i));
}

void Survivor::judge(const Sentence& sentence) {
  if (is_connected(sentence.operation)) {
    judge_connection(sentence.operation);
  } else if (asks_victim(sentence.operation)) {
    judge_connect();
  } else if (sentence.operation == Operation::kConnect) {
    judge_request();
  } else {
    judge_listener(sentence.qualifier);
  }
}

// The victim's service point has ended with the victim, so a connect must be refused.
void Survivor::judge_listener(DAT_CONN_QUAL qualifier) {
  EXPECT_DAT_OK(connect(side_->ep(), address_of(ia_), qualifier));
  EXPECT_EQ(number_of_next(side_->connect_evd()), DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
}

DAT_CR_HANDLE Survivor::request_within(DAT_TIMEOUT timeout) {
  DAT_EVENT event{};
  DAT_COUNT left = 0;
  const DAT_RETURN status = dat_evd_wait(listener_->evd(), timeout, 1, &event, &left);
  return status == DAT_SUCCESS ? event.event_data.cr_arrival_event_data.cr_handle : DAT_HANDLE_NULL;
}

void Survivor::answer_until_death() {
  answered_ = false;
  while (!answered_ && !executioner_.death_is_reported()) {
    Cr cr(request_within(kMoment));
    if (cr == DAT_HANDLE_NULL) continue;
    EXPECT_DAT_OK(accept(cr, side_->ep()));
    answered_ = true;
  }
}

// A request that has arrived may be accepted although the requester is dead. The connection must
// still end.
void Survivor::judge_request() {
  if (!answered_) {
    Cr cr(request_within(kMoment));
    if (cr == DAT_HANDLE_NULL) return;
    EXPECT_DAT_OK(accept(cr, side_->ep()));
  }
  DAT_EVENT_NUMBER number = number_of_next(side_->connect_evd());
  if (number == DAT_CONNECTION_EVENT_ESTABLISHED) {
    number = number_of_next(side_->connect_evd());
    EXPECT_EQ(number, DAT_CONNECTION_EVENT_BROKEN);
  } else {
    EXPECT_EQ(number, DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR);
  }
}

void Survivor::judge_connect() {
  DAT_EVENT_NUMBER number = number_of_next(side_->connect_evd());
  if (number == DAT_CONNECTION_EVENT_ESTABLISHED) {
    number = number_of_next(side_->connect_evd());
    EXPECT_EQ(number, DAT_CONNECTION_EVENT_BROKEN);
  } else {
    EXPECT_TRUE(is_one_of(
        number, {DAT_CONNECTION_EVENT_NON_PEER_REJECTED, DAT_CONNECTION_EVENT_PEER_REJECTED}))
        << std::hex << number;
  }
}

void Survivor::judge_connection(Operation operation) {
  const DAT_EVENT_NUMBER number = number_of_next(side_->connect_evd());
  if (may_end_orderly(operation)) {
    EXPECT_TRUE(is_one_of(number, {DAT_CONNECTION_EVENT_DISCONNECTED, DAT_CONNECTION_EVENT_BROKEN}))
        << std::hex << number;
  } else {
    EXPECT_EQ(number, DAT_CONNECTION_EVENT_BROKEN);
  }
  expect_flushed();
}

// Every Recv and every Send must complete once, in order. No Recv may succeed after a Recv that
// failed.
void Survivor::expect_flushed() {
  bool failed = false;
  for (DAT_COUNT i = 0; i < kRecvs; ++i) {
    const DAT_EVENT event = next_event(side_->recv_evd(), kOneSecond);
    const DAT_DTO_COMPLETION_EVENT_DATA& dto = event.event_data.dto_completion_event_data;
    EXPECT_EQ(event.event_number, DAT_DTO_COMPLETION_EVENT);
    EXPECT_EQ(dto.user_cookie.as_64, static_cast<DAT_UINT64>(i));
    EXPECT_FALSE(failed && dto.status == DAT_DTO_SUCCESS);
    failed = dto.status != DAT_DTO_SUCCESS;
  }
  EXPECT_TRUE(failed) << "there were more Recvs than messages";
  for (DAT_UINT64 i = 0; i < 2; ++i) {
    const DAT_EVENT event = next_event(side_->request_evd(), kOneSecond);
    EXPECT_EQ(event.event_number, DAT_DTO_COMPLETION_EVENT);
    EXPECT_EQ(event.event_data.dto_completion_event_data.user_cookie.as_64, kSendCookie + i);
  }
}

// Rejects the requests that dead victims left.
void Survivor::drop_late_requests() {
  for (Cr late(request_within(0)); late != DAT_HANDLE_NULL; late = Cr(request_within(0))) {
  }
}

void Survivor::expect_unharmed() {
  Side& active = bystanders_->active();
  Side& passive = bystanders_->passive();
  bystander_source_->fill(static_cast<std::uint8_t>(++rounds_));
  EXPECT_DAT_OK(post_recv(passive.ep(), {bystander_target_->segment()}, 1));
  EXPECT_DAT_OK(post_send(active.ep(), {bystander_source_->segment()}, 2));
  expect_dto(passive.recv_evd(), passive.ep(), 1);
  expect_dto(active.request_evd(), active.ep(), 2);
  EXPECT_TRUE(bystander_target_->holds(static_cast<std::uint8_t>(rounds_), 0, kSmall));
  drop_late_requests();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (open_descriptors() != descriptors_ && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
    drop_late_requests();
  }
  EXPECT_EQ(open_descriptors(), descriptors_) << "the dead left descriptors with the survivor";
}

} // namespace datum::test
