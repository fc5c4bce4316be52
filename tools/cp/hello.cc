// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/hello.h"

#include "cp/wire.h"

namespace datum::cp {
namespace {

constexpr std::uint32_t kHelloMagic = 0x44637031; // "Dcp1"

std::string text_of(const WireWriter& out) {
  return {reinterpret_cast<const char*>(out.bytes().data()), out.bytes().size()};
}

template <class T>
bool start(WireReader& in, T& greeting) {
  std::uint32_t magic = 0;
  return in.number(magic) && magic == kHelloMagic && in.number(greeting.version) &&
         in.number(greeting.pid);
}

template <class T>
WireWriter start(const T& greeting) {
  WireWriter out;
  out.number(kHelloMagic).number(greeting.version).number(greeting.pid);
  return out;
}

} // namespace

std::string encode(const Hello& hello) {
  return text_of(start(hello).raw(hello.token));
}

std::string encode(const HelloAnswer& answer) {
  return text_of(start(answer).number(static_cast<std::uint8_t>(answer.answer)));
}

std::optional<Hello> decode_hello(std::string_view data) {
  WireReader in(std::as_bytes(std::span(data)));
  Hello hello;
  if (!start(in, hello)) return std::nullopt;
  if (hello.version != kProtocolVersion) return hello;
  if (!in.raw(hello.token) || !in.at_end()) return std::nullopt;
  return hello;
}

std::optional<HelloAnswer> decode_answer(std::string_view data) {
  WireReader in(std::as_bytes(std::span(data)));
  HelloAnswer answer;
  std::uint8_t code = 0;
  if (!start(in, answer)) return std::nullopt;
  if (!in.number(code) || code > static_cast<std::uint8_t>(Answer::WrongToken)) return std::nullopt;
  answer.answer = static_cast<Answer>(code);
  return answer;
}

} // namespace datum::cp
