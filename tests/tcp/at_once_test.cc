// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests that leave in the call that posts them. This program defines send() and sendmsg(), which
// count the calls of each thread and call the C library's.
#include <chrono>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "connection.h"

namespace {

thread_local int sends_of_this_thread = 0;

} // namespace

extern "C" [[gnu::visibility("default")]] ssize_t sendmsg(int socket, const msghdr* message,
                                                          int flags) {
  ++sends_of_this_thread;
  return syscall(SYS_sendmsg, socket, message, flags);
}

extern "C" [[gnu::visibility("default")]] ssize_t send(int socket, const void* octets,
                                                       std::size_t size, int flags) {
  ++sends_of_this_thread;
  return syscall(SYS_sendto, socket, octets, size, flags, nullptr, 0);
}

namespace datum::test {
namespace {

constexpr std::size_t kShort = 1024;

class AtOnce : public testing::Test {
 protected:
  AtOnce() {
    establish(near_, far_);
    // The answer to this Write shows that the peer is an own peer.
    write(0);
    reap(0, 0);
  }
  // Counts what this thread sends while it posts.
  template <class Posts>
  static int sends(const Posts& posts) {
    const int before = sends_of_this_thread;
    posts();
    return sends_of_this_thread - before;
  }
  void write(DAT_UINT64 cookie, std::size_t size = kShort) {
    EXPECT_DAT_OK(
        post_write(near_.ep(), {source_.segment(0, size)}, target_.remote(0, size), cookie));
  }
  void read(DAT_UINT64 cookie) {
    EXPECT_DAT_OK(
        post_read(near_.ep(), {source_.segment(0, kShort)}, target_.remote(0, kShort), cookie));
  }
  // The completions mean that the peer has acknowledged everything. So this thread has nothing more
  // to send for these requests.
  void reap(DAT_UINT64 first, DAT_UINT64 last) {
    for (DAT_UINT64 i = first; i <= last; ++i) expect_dto(near_.request_evd(), near_.ep(), i);
  }

 private:
  Ia near_ia_ = open_ia();
  Ia far_ia_ = open_ia();
  Side near_{near_ia_};
  Side far_{far_ia_};
  Buffer source_ = near_.buffer(2 * kShort);
  Buffer target_ = far_.buffer(2 * kShort);
};

// Rules: tcp.S1
TEST_F(AtOnce, ARequestThatComesAloneLeavesWithTheCallThatPostsIt) {
  for (DAT_UINT64 i = 1; i <= 20; i += 2) {
    EXPECT_EQ(sends([&] { write(i); }), 1);
    reap(i, i);
    EXPECT_EQ(sends([&] { read(i + 1); }), 1);
    reap(i + 1, i + 1);
  }
}

// Rules: tcp.S1
TEST_F(AtOnce, ALongOneDoesToo) {
  EXPECT_EQ(sends([&] { write(1, kShort + 1); }), 1);
  reap(1, 1);
}

// This poster does something else after each post: no thread polls, so the background thread polls
// soon after each request. Datum learns that after some rounds. On a busy machine the background
// thread also polls between two of four posts and sends the requests that are there. If Datum
// expected this poster to come back soon, only the first of each four requests would leave at once.
// Rules: tcp.S5, PROGRESS.5
TEST_F(AtOnce, EachRequestOfOneWhoDoesSomethingElseAfterwards) {
  int sent = 0;
  for (DAT_UINT64 i = 1; i <= 20; i += 4) {
    sent += sends([&] {
      for (DAT_UINT64 each = i; each < i + 4; ++each) write(each);
    });
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    reap(i, i + 3);
  }
  EXPECT_GT(sent, 20 / 2);
}

// The peer answers the first request, so the background thread may poll between two posts. Then a
// few requests leave alone, but most leave together.
// Rules: tcp.S2
TEST_F(AtOnce, SeveralRequestsLeaveTogether) {
  constexpr DAT_UINT64 kPosts = 800;
  constexpr DAT_UINT64 kTogether = 8;
  int sent = 0;
  for (DAT_UINT64 first = 1; first <= kPosts; first += kTogether) {
    const DAT_UINT64 last = first + kTogether - 1;
    sent += sends([&] {
      for (DAT_UINT64 i = first; i <= last; ++i) write(i, 8);
    });
    reap(first, last);
  }
  EXPECT_LT(sent, static_cast<int>(kPosts) / 2);
  // Datum cannot know yet that this request comes alone. It has learnt so by the next request.
  write(kPosts + 1, 8);
  reap(kPosts + 1, kPosts + 1);
  EXPECT_EQ(sends([&] { write(kPosts + 2, 8); }), 1);
  reap(kPosts + 2, kPosts + 2);
}

} // namespace
} // namespace datum::test
