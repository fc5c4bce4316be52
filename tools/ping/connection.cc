// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ping/connection.h"

#include "common/dat_error.h"

namespace datum::ping {

using tools::check;
using tools::ExitCode;

namespace {

constexpr std::uint64_t kSendCookie = 1000;

} // namespace

Connection::Connection(const tools::Interface& ia, const tools::Evd& evd, std::size_t size)
    : size_(size), memory_((kReceives + 1) * size), pz_(make_pz(ia)),
      region_(ia, pz_, memory_, DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG),
      ep_(make_ep(ia, pz_, evd)) {
  for (std::size_t i = 0; i < kReceives; ++i) post_recv(i);
}

std::span<std::byte> Connection::slot(std::size_t index) {
  return std::span(memory_).subspan(index * size_, size_);
}

void Connection::post_recv(std::size_t index) {
  DAT_LMR_TRIPLET iov = region_.local(index * size_, size_);
  DAT_DTO_COOKIE cookie = {};
  cookie.as_64 = index;
  check(dat_ep_post_recv(ep_.get(), 1, &iov, cookie, DAT_COMPLETION_DEFAULT_FLAG),
        "dat_ep_post_recv", {}, ExitCode::PeerLost);
}

bool Connection::is_receive(const DAT_DTO_COMPLETION_EVENT_DATA& done) {
  return done.user_cookie.as_64 != kSendCookie;
}

std::span<std::byte> Connection::arrived(const DAT_DTO_COMPLETION_EVENT_DATA& done) {
  return slot(done.user_cookie.as_64).first(done.transfered_length);
}

void Connection::receive_again(const DAT_DTO_COMPLETION_EVENT_DATA& done) {
  post_recv(done.user_cookie.as_64);
}

void Connection::send(std::size_t length) {
  DAT_LMR_TRIPLET iov = region_.local(kReceives * size_, length);
  DAT_DTO_COOKIE cookie = {};
  cookie.as_64 = kSendCookie;
  check(dat_ep_post_send(ep_.get(), 1, &iov, cookie, DAT_COMPLETION_SUPPRESS_FLAG),
        "dat_ep_post_send", {}, ExitCode::PeerLost);
}

} // namespace datum::ping
