// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The checks on answers to our own Reads and Atomics: C26 to C29 and C34; and C13 where a Write
// comes before the end of an answer.
#include <gtest/gtest.h>

#include "checked_frames.h"

namespace datum::iwarp::test::checks {
namespace {

Frames respond(std::deque<Reader>& readers,
               const std::function<std::vector<Bytes>(const ReadRequest&)>& frames) {
  return [&readers, frames](Target& target) {
    readers.emplace_back(target);
    return frames(readers.back().request);
  };
}

Bytes response(Stag stag, std::uint64_t offset, std::size_t size, bool last = true) {
  return fpdu(tagged(Rdmap::ReadResponse, stag, offset, last), pattern(size, 5, 2));
}

const Log kBadResponse{"read failed: status 5 behind 0", "broken"};

// Rules: iwarp.C26
TEST(IwarpChecks, C26ReadResponseThatNobodyAskedFor) {
  expect_refused([](Target&) { return Several{response(1, 0, 4)}; }, {"1/0/00"});
  std::deque<Reader> readers;
  expect_refused(respond(readers,
                         [](const ReadRequest& r) {
                           return Several{response(r.sink_stag, r.sink_offset, 100),
                                          response(r.sink_stag, r.sink_offset, 100)};
                         }),
                 {"1/0/00"});
}

// Rules: iwarp.C13
TEST(IwarpChecks, C13WriteBeforeTheEndOfAReadResponse) {
  std::deque<Reader> readers;
  expect_refused(
      respond(
          readers,
          [](const ReadRequest& r) {
            return Several{response(r.sink_stag, r.sink_offset, 60, false), write(kRegion, 0, 0)};
          }),
      {"0/2/06"});
}

// Rules: iwarp.C27
TEST(IwarpChecks, C27ReadResponseToAnotherStag) {
  std::deque<Reader> readers;
  expect_refused(respond(readers,
                         [](const ReadRequest& r) {
                           return Several{response(r.sink_stag + 1, r.sink_offset + 1, 100)};
                         }),
                 {"1/1/00", true, false, kBadResponse});
}

// Rules: iwarp.C28
TEST(IwarpChecks, C28ReadResponseElsewhereOrTooLong) {
  std::deque<Reader> readers;
  for (const int shift : {-1, 1})
    expect_refused(respond(readers,
                           [&](const ReadRequest& r) {
                             return Several{
                                 response(r.sink_stag,
                                          r.sink_offset + static_cast<std::uint64_t>(shift), 100)};
                           }),
                   {"1/1/01", true, false, kBadResponse});
  expect_refused(respond(readers,
                         [](const ReadRequest& r) {
                           return Several{response(r.sink_stag, r.sink_offset, 101)};
                         }),
                 {"1/1/01", true, false, kBadResponse});
  expect_refused(respond(readers,
                         [](const ReadRequest& r) {
                           return Several{response(r.sink_stag, r.sink_offset, 60, false),
                                          response(r.sink_stag, r.sink_offset + 60, 41)};
                         }),
                 {"1/1/01", true, false, kBadResponse});
}

// Rules: iwarp.C29
TEST(IwarpChecks, C29ReadResponseEndsExactlyWithTheRead) {
  std::deque<Reader> readers;
  expect_refused(respond(readers,
                         [](const ReadRequest& r) {
                           return Several{response(r.sink_stag, r.sink_offset, 99)};
                         }),
                 {"1/1/01", true, false, kBadResponse});
  expect_refused(respond(readers,
                         [](const ReadRequest& r) {
                           return Several{response(r.sink_stag, r.sink_offset, 100, false)};
                         }),
                 {"1/1/01", true, false, kBadResponse});
  expect_refused(respond(readers,
                         [](const ReadRequest& r) {
                           return Several{response(r.sink_stag, r.sink_offset, 0)};
                         }),
                 {"1/1/01", true, false, kBadResponse});
  expect_taken(respond(readers,
                       [](const ReadRequest& r) {
                         return Several{response(r.sink_stag, r.sink_offset, 60, false),
                                        response(r.sink_stag, r.sink_offset + 60, 40)};
                       }),
               {"read done"});
  EXPECT_EQ(to_hex(Octets(readers.back().memory).last(40)), to_hex(pattern(40, 5, 2)));
}

// Rules: iwarp.C34
TEST(IwarpChecks, C34AtomicResponseThatFits) {
  struct Setting {
    std::uint32_t identifier;
    std::size_t size;
    bool last;
    std::uint32_t offset;
    const char* code;
  };
  for (const Setting& setting :
       {Setting{1, 12, true, 0, ""}, Setting{2, 12, true, 0, "0/2/ff"},
        Setting{1, 11, true, 0, "0/2/ff"}, Setting{1, 13, true, 0, "0/2/ff"},
        Setting{1, 12, false, 0, "0/2/ff"}, Setting{1, 12, true, 4, "1/2/04"}}) {
    Target target;
    std::uint64_t result = 0;
    const LocalTriplet local = triplet(&result, sizeof result);
    const WorkRequest work = read_of(std::span(&local, 1), 0x77, nullptr);
    target.feed(fpdu(tagged(Rdmap::Write, 1, 0)));
    OutboundRequest request;
    request.opcode = Rdmap::AtomicRequest;
    request.work = &work;
    ASSERT_EQ(target.session.start_extension(request), StartResult::Started);
    target.take_output();
    Bytes payload = octets_of(AtomicResponse{.identifier = setting.identifier, .original = 77});
    payload.resize(setting.size);
    target.feed(fpdu(untagged(Rdmap::AtomicResponse, 3, 1, setting.offset, setting.last), payload));
    EXPECT_EQ(target.terminate_code(), setting.code);
    EXPECT_EQ(result, *setting.code == '\0' ? 77U : 0U);
  }
}

// Rules: iwarp.C34
TEST(IwarpChecks, C34AtomicsAndReadsAreAnsweredInOneOrder) {
  std::deque<Reader> readers;
  // The oldest request is a Read.
  expect_refused(respond(readers,
                         [](const ReadRequest&) {
                           return Several{fpdu(untagged(Rdmap::AtomicResponse, 3, 1),
                                               octets_of(AtomicResponse{.identifier = 1}))};
                         }),
                 {"1/2/02"});
}

} // namespace
} // namespace datum::iwarp::test::checks
