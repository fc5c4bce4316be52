// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "store_buffers.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "stepped_atomic.h"

namespace datum::test {
namespace {

constexpr std::size_t kBufferSize = 8;

// Where the octets of a number that has `size` of them begin in one of eight.
std::size_t offset_of(std::size_t size) {
  return std::endian::native == std::endian::big ? sizeof(std::uint64_t) - size : 0;
}
Processors* on_stage = nullptr;

} // namespace

Processors::Processors(Stage& stage) : stage_(stage) {
  if (std::exchange(on_stage, this) != nullptr) std::abort();
}

Processors::~Processors() {
  on_stage = nullptr;
}

void Processors::add(std::function<void()> body) {
  const std::size_t number = buffers_.size();
  buffers_.emplace_back();
  stage_.add([this, number, body = std::move(body)] {
    running_ = number;
    body();
    empty(buffers_[number]);
  });
}

void Processors::store(void* word, std::uint64_t value, std::size_t size) {
  step();
  auto& buffer = buffers_[running_];
  if (buffer.size() == kBufferSize) leave_one(buffer);
  buffer.push_back({word, value, size});
}

std::uint64_t Processors::load(const void* word, std::size_t size) {
  step();
  // A processor sees its own stores at once.
  const auto& own = buffers_[running_];
  for (auto pending = own.rbegin(); pending != own.rend(); ++pending)
    if (pending->word == word) return pending->value;
  std::uint64_t value = 0;
  std::memcpy(reinterpret_cast<std::byte*>(&value) + offset_of(size), word, size);
  return value;
}

void Processors::fence() {
  step();
  empty(buffers_[running_]);
}

void Processors::fence_everywhere() {
  step();
  for (auto& buffer : buffers_) empty(buffer);
}

void Processors::step() {
  const std::size_t me = running_;
  stage_.yield();
  running_ = me;
  // Now and then something leaves one of the buffers.
  auto& buffer = buffers_[stage_.random(buffers_.size())];
  if (!buffer.empty() && stage_.random(4) == 0) leave_one(buffer);
}

void Processors::leave_one(std::deque<Pending>& buffer) {
  const Pending& first = buffer.front();
  std::memcpy(first.word, reinterpret_cast<const std::byte*>(&first.value) + offset_of(first.size),
              first.size);
  buffer.pop_front();
}

void Processors::empty(std::deque<Pending>& buffer) {
  while (!buffer.empty()) leave_one(buffer);
}

void stepped_store(void* word, std::uint64_t value, std::size_t size) {
  on_stage->store(word, value, size);
}
std::uint64_t stepped_load(const void* word, std::size_t size) {
  return on_stage->load(word, size);
}

} // namespace datum::test
