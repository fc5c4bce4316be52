// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The frames of frames.h as a socket delivers them: streams in one piece, cut in two at every
// place, octet by octet, and placed by the socket layer. The tests leave out streams with markers,
// since Datum never asks for markers and no peer sends them.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

#include "frames.h"
#include "pair.h"
#include "vector_header.h"

namespace datum::iwarp::test {
namespace {

std::string octets_named(std::string_view name) {
  for (const FpduVector& vector : kFpduVectors)
    if (vector.name == name) return vector.octets;
  for (const StartupVector& vector : kStartupVectors)
    if (vector.name == name) return vector.octets;
  ADD_FAILURE() << name;
  return "";
}

Bytes frames_named(std::initializer_list<const char*> names) {
  std::string hex;
  for (const char* name : names) hex += octets_named(name);
  return from_hex(hex);
}

std::string payload_named(std::string_view name) {
  for (const FpduVector& vector : kFpduVectors)
    if (vector.name == name) return vector.payload;
  ADD_FAILURE() << name;
  return "";
}

// --- the decoder ---------------------------------------------------------------------------------

// Takes every FPDU, and keeps it.
class Recorder final : public FpduSink {
 public:
  struct Fpdu {
    Bytes header;
    Bytes payload;
  };
  std::vector<Fpdu> taken;
  int seen_whole = 0;
  bool bad_crc = false;

  std::size_t on_head(const FpduHead& head) override {
    const std::size_t header = head.control.tagged ? 14 : 18;
    payload_size_ = head.ulpdu - header;
    return header;
  }
  Step on_header(Octets header, const Octets* payload) override {
    now_.header.assign(header.begin(), header.end());
    now_.payload.assign(payload_size_, std::byte{0xee});
    if (payload == nullptr) return Step::Go;
    now_.payload.assign(payload->begin(), payload->end());
    ++seen_whole;
    on_end();
    return Step::Done;
  }
  std::size_t places(std::uint64_t done, std::uint64_t length, std::span<Segment> out) override {
    out[0] = {now_.payload.data() + done, length};
    return 1;
  }
  bool may_be_placed_for() const override { return true; }
  bool on_end() override {
    taken.push_back(now_);
    return true;
  }
  void on_bad_crc() override { bad_crc = true; }

 private:
  std::size_t payload_size_ = 0;
  Fpdu now_;
};

// One direction of a connection.
struct Direction {
  char connection;
  bool to_responder;
  std::size_t fpdus;
};
constexpr Direction kDirections[] = {{'A', true, 15}, {'A', false, 5}, {'B', true, 2},
                                     {'B', false, 2}, {'C', true, 2},  {'C', false, 1}};

std::vector<const FpduVector*> vectors_of(const Direction& direction) {
  std::vector<const FpduVector*> found;
  for (const FpduVector& vector : kFpduVectors)
    if (vector.connection == direction.connection && vector.to_responder == direction.to_responder)
      found.push_back(&vector);
  return found;
}

Bytes stream_of(const Direction& direction) {
  Bytes stream;
  for (const FpduVector* vector : vectors_of(direction)) {
    const Bytes octets = from_hex(vector->octets);
    stream.insert(stream.end(), octets.begin(), octets.end());
  }
  return stream;
}

void expect_fields(const Recorder::Fpdu& fpdu, const FpduVector& vector) {
  SCOPED_TRACE(vector.name);
  WireReader in(fpdu.header);
  ASSERT_NO_FATAL_FAILURE(expect_header(in, vector));
  EXPECT_EQ(to_hex(fpdu.payload), vector.payload);
}

using Way = std::function<void(FpduDecoder&, Octets)>;

void expect_all(const Direction& direction, const Way& arrive, int seen_whole = 0) {
  const std::vector<const FpduVector*> vectors = vectors_of(direction);
  EXPECT_EQ(vectors.size(), direction.fpdus);
  Recorder recorder;
  FpduDecoder decoder(recorder);
  decoder.begin(vectors.front()->crc);
  arrive(decoder, stream_of(direction));
  EXPECT_FALSE(recorder.bad_crc);
  EXPECT_TRUE(decoder.at_boundary());
  EXPECT_GE(recorder.seen_whole, seen_whole);
  ASSERT_EQ(recorder.taken.size(), vectors.size());
  for (std::size_t i = 0; i < vectors.size(); ++i) expect_fields(recorder.taken[i], *vectors[i]);
}

void feed_all(FpduDecoder& decoder, Octets octets) {
  EXPECT_EQ(decoder.feed(octets), octets.size());
}

// Rules: iwarp.V8
TEST(IwarpVectorsArriving, AStreamInOnePiece) {
  for (const Direction& direction : kDirections)
    expect_all(direction, feed_all, static_cast<int>(direction.fpdus));
}

// Rules: iwarp.V8
TEST(IwarpVectorsArriving, AStreamCutInTwoAtEveryPlace) {
  for (const Direction& direction : kDirections) {
    const std::size_t size = stream_of(direction).size();
    for (std::size_t cut = 0; cut <= size; ++cut) {
      SCOPED_TRACE(cut);
      expect_all(
          direction,
          [&](FpduDecoder& decoder, Octets octets) {
            feed_all(decoder, octets.first(cut));
            feed_all(decoder, octets.subspan(cut));
          },
          static_cast<int>(direction.fpdus) - 1);
    }
  }
}

// Rules: iwarp.V8
TEST(IwarpVectorsArriving, AStreamOctetByOctet) {
  for (const Direction& direction : kDirections)
    expect_all(direction, [](FpduDecoder& decoder, Octets octets) {
      for (std::size_t i = 0; i < octets.size(); ++i) feed_all(decoder, octets.subspan(i, 1));
    });
}

// Places payload, pad and CRC as a socket layer does, at most `most` octets at a time. Feeds the
// headers.
void place(FpduDecoder& decoder, Octets octets, std::size_t most) {
  while (!octets.empty()) {
    std::array<Segment, 4> places;
    const std::size_t count = decoder.places(places);
    std::size_t placed = 0;
    for (const Segment& each : std::span(places).first(count)) {
      const std::size_t size = std::min<std::size_t>(
          {static_cast<std::size_t>(each.length), octets.size() - placed, most - placed});
      std::copy_n(octets.begin() + static_cast<std::ptrdiff_t>(placed), size, each.address);
      placed += size;
    }
    if (count != 0)
      decoder.placed(placed);
    else
      placed = decoder.feed(octets.first(1));
    ASSERT_NE(placed, 0U) << "nothing more is taken";
    octets = octets.subspan(placed);
  }
}

// Rules: iwarp.V8
TEST(IwarpVectorsArriving, AStreamThatIsPlaced) {
  for (const Direction& direction : kDirections)
    for (const std::size_t most : {1U, 3U, 7U, 1000U})
      expect_all(direction,
                 [&](FpduDecoder& decoder, Octets octets) { place(decoder, octets, most); });
}

// The test changes only octets behind the length field. A changed length would only move the end of
// the FPDU.
// Rules: iwarp.V8
TEST(IwarpVectorsArriving, EveryOctetThatIsChangedIsNoticed) {
  for (const FpduVector& vector : kFpduVectors) {
    if (vector.markers || !vector.crc) continue;
    const Bytes good = from_hex(vector.octets);
    for (std::size_t at = 2; at < good.size(); ++at) {
      SCOPED_TRACE(std::string(vector.name) + " octet " + std::to_string(at));
      Bytes octets = good;
      octets[at] ^= std::byte{0x10};
      for (const std::size_t piece : {std::size_t{1}, octets.size()}) {
        Recorder recorder;
        FpduDecoder decoder(recorder);
        for (std::size_t i = 0; i < octets.size(); i += piece)
          decoder.feed(Octets(octets).subspan(i, piece));
        EXPECT_TRUE(recorder.bad_crc);
        EXPECT_TRUE(recorder.taken.empty());
      }
    }
  }
}

// --- a connection --------------------------------------------------------------------------------

// Feeds the octets in every way in which they may arrive, each time to a new side of `make`.
void in_every_way(Octets octets, const std::function<std::unique_ptr<Side>()>& make,
                  const std::function<void(Side&)>& expect) {
  for (std::size_t cut = 0; cut <= octets.size(); ++cut) {
    SCOPED_TRACE("cut at " + std::to_string(cut));
    const std::unique_ptr<Side> side = make();
    if (cut != 0) side->feed(octets.first(cut));
    side->feed(octets.subspan(cut));
    expect(*side);
  }
  {
    SCOPED_TRACE("octet by octet");
    const std::unique_ptr<Side> side = make();
    side->feed(octets, 1);
    expect(*side);
  }
  SCOPED_TRACE("placed");
  const std::unique_ptr<Side> side = make();
  side->feed_placing(octets);
  expect(*side);
}

constexpr Stag kStag = 0x12345601;
constexpr std::uint64_t kLow = 0x1000;
constexpr std::uint64_t kHigh = 0x00007f0011223340;

// The responder of connection A: revision 1, CRC, and the memory that the frames name.
struct ConnectionA : Target {
  ConnectionA() {
    events.revoke(kStag);
    constexpr Access kAll = kRemoteRead | kRemoteWrite | kRemoteAtomic;
    low = events.add_part(kStag, 0x80, kAll, kLow);
    high = events.add_part(kStag, 0x80, kAll, kHigh);
    high[0] = std::byte{2};
    for (int i = 0; i < 7; ++i) events.post_receive(64);
  }
  std::byte* low;
  std::byte* high;
};

// Rules: iwarp.V9
TEST(IwarpVectorsArriving, ConnectionADoesWhatItsFramesSay) {
  const ConnectionA* now = nullptr;
  in_every_way(
      stream_of({'A', true, 15}),
      [&] {
        auto side = std::make_unique<ConnectionA>();
        now = side.get();
        return side;
      },
      [&](Side& side) {
        EXPECT_EQ(side.events.log(),
                  (Log{"received 5", "received 40", "received 4 solicited",
                       "invalidated 2882400007", "received 4", "invalidated 2882400008",
                       "received 4 solicited", "received 0", "immediate 16909060 behind 84281096",
                       "immediate 16909060 behind 84281096 solicited"}));
        EXPECT_EQ(to_hex(side.events.received(0)), "68656c6c6f");
        EXPECT_EQ(to_hex(side.events.received(1)),
                  "4141414141414141414141414141414141414141414141414141414141414242424242424242"
                  "4242");
        EXPECT_EQ(to_hex(side.events.received(2)), "77616b65");
        EXPECT_EQ(to_hex(side.events.received(3)), "646f6e65");
        EXPECT_EQ(to_hex(side.events.received(4)), "656e642e");
        EXPECT_EQ(Bytes(now->low, now->low + 90), pattern(90, 1, 0));
        const std::string written = payload_named("write_43");
        EXPECT_EQ(to_hex(Octets(now->high + 4, 43)), written);
        const std::vector<Bytes> said = ulpdus(side.take_output());
        ASSERT_EQ(said.size(), 3U);
        EXPECT_EQ(to_hex(said[0]),
                  "c14200aa55020000000000002000" + written + std::string(2 * 57, '0'));
        // The word in memory has the byte order of the host.
        constexpr bool kLittle = std::endian::native == std::endian::little;
        EXPECT_EQ(to_hex(said[1]), std::string("414b00000000000000030000000100000000"
                                               "00000011") +
                                       (kLittle ? "2065685400000002" : "0200000054686520"));
        EXPECT_EQ(to_hex(said[2]), std::string("414b00000000000000030000000200000000"
                                               "00000012") +
                                       (kLittle ? "2065685400000007" : "0200000054686525"));
      });
}

// Rules: iwarp.V9
TEST(IwarpVectorsArriving, ReadsAreAnsweredWithThePayloadKnown) {
  in_every_way(
      frames_named({"read_req_100"}),
      [] {
        auto side = std::make_unique<ConnectionA>();
        const Bytes source = pattern(100, 7, 0);
        std::copy(source.begin(), source.end(), side->high + 4);
        return side;
      },
      [](Side& side) {
        const std::vector<Bytes> said = ulpdus(side.take_output());
        ASSERT_EQ(said.size(), 1U);
        EXPECT_EQ(to_hex(said[0]), "c14200aa55020000000000002000" +
                                       payload_named("read_resp_seg1") +
                                       payload_named("read_resp_seg2"));
      });
}

Bytes read_of_nothing() {
  return fpdu(untagged(Rdmap::ReadRequest, 1, 1), octets_of(ReadRequest{}));
}

// Rules: iwarp.V9
TEST(IwarpVectorsArriving, AtomicsAreAnsweredWithTheFramesKnown) {
  const ConnectionA* now = nullptr;
  in_every_way(
      frames_named({"atomic_req_fetchadd", "atomic_req_cmpswap"}),
      [&] {
        auto side = std::make_unique<ConnectionA>();
        // A word in memory has the byte order of the host.
        const std::uint64_t word = 0x100000002;
        std::memcpy(side->high, &word, sizeof word);
        // In the known stream the Atomics are the second and third request, behind a Read.
        side->feed(read_of_nothing());
        EXPECT_EQ(ulpdus(side->take_output()).size(), 1U);
        now = side.get();
        return side;
      },
      [&](Side& side) {
        EXPECT_EQ(to_hex(side.take_output()),
                  octets_named("atomic_resp_1") + octets_named("atomic_resp_2"));
        std::uint64_t word = 0;
        std::memcpy(&word, now->high, sizeof word);
        EXPECT_EQ(word, 0x99U);
      });
}

// Rules: iwarp.V9
TEST(IwarpVectorsArriving, TheReadOfAnRtrIsAnsweredWithTheFrameKnown) {
  in_every_way(
      frames_named({"rtr_read_req_zero"}), [] { return std::make_unique<Target>(); },
      [](Side& side) {
        EXPECT_EQ(to_hex(side.take_output()), octets_named("rtr_read_resp_zero"));
      });
}

// The initiator of connection B, which sends the known request.
struct ConnectionB : Side {
  ConnectionB() {
    const Bytes data = pattern(16, 1, 16);
    session.connect(data, {.reads_in = 16, .reads_out = 8}, events, 0);
    EXPECT_EQ(to_hex(take_output()), octets_named("mpa_req_rev2_p2p"));
    events.post_receive(64);
  }
};

// Rules: iwarp.V9 iwarp.S14
TEST(IwarpVectorsArriving, ConnectionBIsAskedForAndRunsWithTheFramesKnown) {
  in_every_way(
      frames_named({"mpa_rep_rev2_p2p_read", "rtr_read_resp_zero", "send_after_rtr"}),
      [] { return std::make_unique<ConnectionB>(); },
      [](Side& side) {
        EXPECT_EQ(to_hex(side.take_output()), octets_named("rtr_read_req_zero"));
        EXPECT_EQ(side.events.log(), (Log{"established 6163636570746564 reads 8", "received 43"}));
        EXPECT_EQ(to_hex(side.events.received(0)), payload_named("send_after_rtr"));
      });
}

// The responder of connection C: no CRC, client-server.
// Rules: iwarp.V9 iwarp.S9
TEST(IwarpVectorsArriving, ConnectionCIsAnsweredAndRunsWithTheFramesKnown) {
  in_every_way(
      frames_named({"send_nocrc", "rtr_write_zero"}),
      [] {
        auto side = std::make_unique<Side>(SessionSettings{.crc = false});
        side->session.expect_request(0);
        side->feed_hex(octets_named("mpa_req_rev2_cs_nocrc"));
        side->session.accept({}, {.reads_in = 64, .reads_out = 64}, side->events, 0);
        EXPECT_EQ(to_hex(side->take_output()), octets_named("mpa_rep_rev2_cs_nocrc"));
        side->events.take_log();
        side->events.post_receive(64);
        return side;
      },
      [](Side& side) {
        EXPECT_EQ(side.events.log(), Log{"received 11"});
        EXPECT_EQ(to_hex(side.events.received(0)), payload_named("send_nocrc"));
        EXPECT_FALSE(side.session.has_output());
      });
}

// Rules: iwarp.V9 iwarp.S5 iwarp.S12
TEST(IwarpVectorsArriving, RequestsOfRevision1AreAnsweredWithTheFramesKnown) {
  in_every_way(
      frames_named({"mpa_req_rev1_crc"}),
      [] {
        auto side = std::make_unique<Side>();
        side->session.expect_request(0);
        return side;
      },
      [](Side& side) {
        EXPECT_EQ(side.events.log(), Log{"request 754441504c2d5044"});
        side.session.accept(from_hex("4f4b"), {.reads_in = 4, .reads_out = 4}, side.events, 0);
        EXPECT_EQ(to_hex(side.take_output()), octets_named("mpa_rep_rev1_crc"));
      });
  in_every_way(
      frames_named({"mpa_req_rev1_min"}),
      [] {
        auto side = std::make_unique<Side>();
        side->session.expect_request(0);
        return side;
      },
      [](Side& side) {
        side.session.reject(from_hex("676f2061776179"), 0);
        EXPECT_EQ(to_hex(side.take_output()), octets_named("mpa_rep_rev1_reject"));
      });
}

// Rules: iwarp.V9
TEST(IwarpVectorsArriving, TerminatesEndTheConnectionForTheReasonKnown) {
  struct Known {
    const char* fpdu;
    bool crc;
    ErrorCode error;
  };
  for (const Known& known : {Known{"terminate_ddp_tagged_bounds", true, {1, 1, 1}},
                             Known{"terminate_rdmap_protection_read", true, {0, 1, 2}},
                             Known{"terminate_local_catastrophic_nocrc", false, {0, 0, 0}}}) {
    SCOPED_TRACE(known.fpdu);
    in_every_way(
        frames_named({known.fpdu}),
        [&] {
          auto side = std::make_unique<Side>(SessionSettings{.crc = known.crc});
          side->session.connect({}, {.reads_in = 64, .reads_out = 64}, side->events, 0);
          side->feed_hex(known.crc ? kReply : octets_named("mpa_rep_rev2_cs_nocrc"));
          side->take_output();
          side->events.take_log();
          return side;
        },
        [&](Side& side) {
          EXPECT_EQ(side.events.log(), Log{"broken"});
          EXPECT_EQ(side.session.last_error(), known.error);
          EXPECT_FALSE(side.session.last_error_is_ours());
          EXPECT_FALSE(side.session.has_output()) << "a Terminate is not answered";
        });
  }
}

} // namespace
} // namespace datum::iwarp::test
