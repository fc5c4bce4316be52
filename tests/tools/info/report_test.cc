// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// parse_report(), ask() and the texts of reports: what an IA says about itself.
#include "info/report.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "info/print_report.h"
#include "tests/abstract_name.h"
#include "tests/versions/recorded.h"

namespace datum::info {
namespace {

constexpr const char* kReport =
    "ia\tdatum\n"
    "leniency\tmixed_completion_flags\t12\n"
    "leniency\tsuppress_in_attributes\t1\n"
    "ep\t2\tCONNECTED\ttcp\t192.0.2.2\t49152\t17\t952\t16\t896\t3\t16\t2\t8\t5\tthe peer is on "
    "another host\n"
    "ep\t3\tUNCONNECTED\t-\t-\t-\t0\t0\t0\t0\t0\t16\t0\t8\t0\t-\n"
    "evd\t1\t256\t0\t8\t0\t4\n";

TEST(Report, IsTakenApart) {
  const auto report = parse_report(kReport);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->name, "datum");
  ASSERT_EQ(report->leniencies.size(), 2U);
  EXPECT_EQ(report->leniencies[0].name, "mixed_completion_flags");
  EXPECT_EQ(report->leniencies[0].uses, 12U);
  ASSERT_EQ(report->endpoints.size(), 2U);
  const EndpointReport& ep = report->endpoints[0];
  EXPECT_EQ(ep.state, "CONNECTED");
  EXPECT_EQ(ep.path, "tcp");
  EXPECT_EQ(ep.reason, "the peer is on another host");
  EXPECT_EQ(ep.posted.messages, 17U);
  EXPECT_EQ(ep.received.bytes, 896U);
  EXPECT_EQ(ep.requests.held, 3U);
  EXPECT_EQ(ep.recvs.most, 8U);
  EXPECT_EQ(ep.stalls, 5U);
  EXPECT_TRUE(report->endpoints[1].peer.empty());
  ASSERT_EQ(report->evds.size(), 1U);
  EXPECT_EQ(report->evds[0].waits, 4U);
}

TEST(Report, IsPrinted) {
  const auto report = parse_report(kReport);
  ASSERT_TRUE(report);
  EXPECT_EQ(
      text_of(*report),
      "  IA datum: 2 EPs, 1 EVD\n"
      "    leniency mixed_completion_flags: used 12 times; DATUM_STRICT=on refuses it, see "
      "datum(7)\n"
      "    leniency suppress_in_attributes: used 1 time; DATUM_STRICT=on refuses it, see datum(7)\n"
      "    EP 2  CONNECTED with 192.0.2.2 port 49152, path: tcp (the peer is on another host)\n"
      "      posted 17 (952 B), received 16 (896 B); outstanding: 3 of 16 requests, 2 of 8 "
      "Recvs; 5 stalls\n"
      "    EP 3  UNCONNECTED\n"
      "      posted 0 (0 B), received 0 (0 B); outstanding: 0 of 16 requests, 0 of 8 Recvs; 0 "
      "stalls\n"
      "    EVD 1  streams 0x100; holds 0 of 8 events; 0 completions, 4 waits\n");
}

TEST(Report, LenienciesAreInTheJson) {
  const auto report = parse_report("ia\tdatum\nleniency\tlong_wait_for_recv\t3\n");
  ASSERT_TRUE(report);
  EXPECT_EQ(json_of({*report}), R"([{"name": "datum", "leniencies": )"
                                R"([{"name": "long_wait_for_recv", "uses": 3}], )"
                                R"("endpoints": [], "evds": []}])");
}

// It has the form of a number in tcp_connections, although a qualifier may be larger than a TCP
// port.
TEST(Report, PortsAreNumbersInTheJson) {
  const std::string behind = "\t0\t0\t0\t0\t0\t16\t0\t8\t0\t-\n";
  const auto port_of = [&](const std::string& port) {
    const auto report =
        parse_report("ia\tdatum\nep\t1\tCONNECTED\ttcp\t192.0.2.2\t" + port + behind);
    if (!report) return "no report of " + port;
    const std::string json = json_of({*report});
    const std::size_t at = json.find("\"peer_port\": ") + 13;
    return json.substr(at, json.find(',', at) - at);
  };
  EXPECT_EQ(port_of("49152"), "49152");
  EXPECT_EQ(port_of("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(port_of("-"), "null");
  for (const char* hostile : {"007x", "1, 2", "\"", "-5", "18446744073709551616"})
    EXPECT_EQ(port_of(hostile), "null") << hostile;
}

// The report may come from a program of another version, or from a program that only pretends to be
// an IA.
TEST(Report, AnythingElseIsVoid) {
  for (const char* text :
       {"", "ia\tdatum", "ep\t2\n", "ia\tdatum\nep\t2\tCONNECTED\n", "ia\tdatum\nia\tagain\n",
        "ia\tdatum\nevd\t1\t256\t0\t8\t0\tmany\n", "ia\tdatum\nleniency\tsuppress_in_attributes\n",
        "ia\tdatum\nleniency\tsuppress_in_attributes\tmany\n",
        "ia\tdatum\nevd\t1\t256\t0\t8\t0\t4\t9\n",
        "ia\tdatum\nevd\t1\t256\t0\t8\t0\t99999999999999999999999\n", "nonsense\n"})
    EXPECT_FALSE(parse_report(text)) << text;
}

TEST(Report, NobodyThereIsExplained) {
  const Answer answer = ask({"@datum-info/nobody"}).at(0);
  EXPECT_FALSE(answer.report);
  EXPECT_EQ(answer.gap, "what an IA says itself: connecting: nobody answers in this network "
                        "namespace (nsenter -t PID -n)");
}

// Listens as an IA does, and answers a caller without reading its question.
class Ia {
 public:
  explicit Ia(int number) : name_("datum-info/test-" + std::to_string(getpid() * 100 + number)) {
    sockaddr_un address;
    const socklen_t length = test::to_sockaddr(name_, address);
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), length), 0);
    EXPECT_EQ(listen(socket_, 8), 0);
  }
  Ia(const Ia&) = delete;
  Ia& operator=(const Ia&) = delete;
  ~Ia() { close(socket_); }
  [[nodiscard]] std::string name() const { return "@" + name_; }
  // Answers one caller.
  void answer(const std::string& text) const {
    answer_with(memfd_create("answer", MFD_CLOEXEC), text);
  }
  void answer_with(int file, const std::string& text, char kind = 3) const {
    ASSERT_EQ(write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    const int asker = accept(socket_, nullptr, nullptr);
    iovec piece{&kind, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &file, sizeof file);
    EXPECT_EQ(sendmsg(asker, &message, 0), 1);
    close(asker);
    close(file);
  }

 private:
  std::string name_;
  int socket_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
};

// Rules: VERSION.10
TEST(Report, ThatOfTheFirstReleaseIsRead) {
  const Ia first(10);
  std::thread answering([&] {
    first.answer_with(memfd_create("answer", MFD_CLOEXEC), test::recorded_text("info-report"), 1);
  });
  const Answer answer = ask({first.name()}).at(0);
  answering.join();
  ASSERT_TRUE(answer.report) << answer.gap;
  EXPECT_EQ(answer.report->name, "fake");
  ASSERT_EQ(answer.report->endpoints.size(), 1U);
  EXPECT_EQ(answer.report->endpoints[0].state, "CONNECTED");
  EXPECT_EQ(answer.report->endpoints[0].posted.bytes, 56U);
  EXPECT_EQ(answer.report->endpoints[0].received.bytes, 8U);
  EXPECT_EQ(answer.report->evds.size(), 3U);
}

// A program of another release, whose answer is a file in another form.
// Rules: VERSION.10
TEST(Report, AnotherFormIsNamed) {
  const Ia later(9);
  std::thread answering(
      [&] { later.answer_with(memfd_create("answer", MFD_CLOEXEC), kReport, 4); });
  const Answer answer = ask({later.name()}).at(0);
  answering.join();
  EXPECT_FALSE(answer.report);
  EXPECT_EQ(answer.gap, "what an IA says itself: its answer has form 4, this dat-info knows forms "
                        "1 and 3; use the dat-info of that program's release");
}

TEST(Report, AnswersThatAreTooLongTogetherAreLeftOutAndSoIsWhatIsBehindTheLimit) {
  const Ia first(1), second(2), third(3);
  std::string nine = "ia\tlong\n";
  while (nine.size() < std::size_t{9} << 20U) nine += "evd\t1\t1\t1\t1\t1\t1\n";
  std::thread answering([&] {
    first.answer(nine);
    second.answer(nine);
    third.answer("ia\tshort\n");
  });
  std::vector<std::string> names{first.name(), second.name(), third.name()};
  names.resize(70, "@datum-info/nobody");
  const std::vector<Answer> answers = ask(names);
  answering.join();
  ASSERT_EQ(answers.size(), 65U);
  EXPECT_TRUE(answers[0].report);
  EXPECT_FALSE(answers[1].report);
  EXPECT_NE(answers[1].gap.find("the answers of one process may be 16777216 together"),
            std::string::npos)
      << answers[1].gap;
  EXPECT_TRUE(answers[2].report);
  EXPECT_EQ(answers[64].gap, "what 6 more IAs say themselves: left out: 64 are asked");
}

// Reading a file of FUSE takes as long as its owner likes. Here a file on disk stands for a file of
// FUSE.
TEST(Report, AFileThatIsNotInMemoryIsNotRead) {
  const Ia ia(6);
  char name[] = "dat-info-test-XXXXXX";
  const int file = mkostemp(name, O_CLOEXEC);
  ASSERT_GE(file, 0);
  unlink(name);
  if (fcntl(file, F_GET_SEALS) >= 0) GTEST_SKIP() << "this folder is in memory itself";
  std::thread answering([&] { ia.answer_with(file, "ia\ta\n"); });
  const std::vector<Answer> answers = ask({ia.name()});
  answering.join();
  EXPECT_FALSE(answers[0].report);
}

// The second IA answers before the first. If ask() waited for one IA before it asked the next, it
// would wait for the first for ever.
TEST(Report, AllAreAskedBeforeAnyIsWaitedFor) {
  const Ia first(4), second(5);
  std::thread answering([&] {
    second.answer("ia\tb\n");
    first.answer("ia\ta\n");
  });
  const std::vector<Answer> answers = ask({first.name(), second.name()});
  answering.join();
  EXPECT_TRUE(answers[0].report) << answers[0].gap;
  EXPECT_TRUE(answers[1].report) << answers[1].gap;
}

} // namespace
} // namespace datum::info
