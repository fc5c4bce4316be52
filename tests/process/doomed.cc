// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "doomed.h"

#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include "connection.h"

namespace datum::test {

namespace {

constexpr const char* kBeDoomed = "--be-doomed"; // FATE listen|call QUALIFIER child|alone
constexpr std::size_t kMessage = 3000;
constexpr std::size_t kWritten = std::size_t{600} * 1024;
constexpr DAT_CONN_QUAL kBeyondPorts = DAT_CONN_QUAL{1} << 40U;

// The memory that the peer may write to.
struct Terms {
  DAT_RMR_CONTEXT context = 0;
  DAT_VADDR address = 0;
};

std::string_view octets_of(const Terms& terms) {
  return {reinterpret_cast<const char*>(&terms), sizeof terms};
}

Terms terms_in(const std::string& octets) {
  Terms terms;
  if (octets.size() >= sizeof terms) std::memcpy(&terms, octets.data(), sizeof terms);
  return terms;
}

// Prints the error and ends the process. The test waits for another line, and fails because of this
// line.
void must(DAT_RETURN status) {
  if (status == DAT_SUCCESS) return;
  std::cout << status_name(status) << std::endl;
  _exit(1);
}

void must_complete(DAT_EVD_HANDLE evd) {
  const DAT_EVENT event = next_event(evd);
  if (event.event_number == DAT_DTO_COMPLETION_EVENT &&
      event.event_data.dto_completion_event_data.status == DAT_DTO_SUCCESS)
    return;
  if (event.event_number == DAT_RMR_BIND_COMPLETION_EVENT &&
      event.event_data.rmr_completion_event_data.status == DAT_DTO_SUCCESS)
    return;
  std::cout << "a request failed" << std::endl;
  _exit(1);
}

class Doomed {
 public:
  Doomed(Fate fate, bool listens, DAT_CONN_QUAL qualifier, bool has_child)
      : fate_(fate), listens_(listens), qualifier_(qualifier), has_child_(has_child),
        ia_(open_ia()) {}

  void live() {
    if (listens_) listen();
    switch (fate_) {
    case Fate::kAsking: return ask();
    case Fate::kAccepting: return accept_without_a_look();
    case Fate::kConnecting: return connect_again_and_again();
    case Fate::kTraffic: return exchange();
    case Fate::kBinding: return bind_again_and_again();
    }
  }

 private:
  void listen() {
    requests_ = create_evd(ia_, DAT_EVD_CR_FLAG);
    if (qualifier_ == 0) {
      listener_.emplace(ia_);
      qualifier_ = listener_->qualifier();
    } else {
      psp_ = create_psp(ia_, qualifier_, requests_);
    }
    std::cout << "listening " << qualifier_ << std::endl;
  }
  Cr next_request() {
    return expect_request(listener_ ? listener_->evd() : DAT_EVD_HANDLE{requests_});
  }

  // The child has copies of all descriptors and mappings of this process. It lives until the test
  // closes the pipe for commands.
  void begun() {
    if (has_child_) make_child();
    std::cout << "begun" << std::endl;
  }

  // Waits until the child runs, since at its start it closes the descriptors that it must not have.
  static void make_child() {
    int lives[2];
    if (pipe(lives) != 0) _exit(1);
    const pid_t child = fork();
    if (child == 0) {
      if (write(lives[1], "", 1) != 1) _exit(1);
      pollfd commands{STDIN_FILENO, 0, 0};
      poll(&commands, 1, -1);
      _exit(0);
    }
    char byte = 0;
    if (read(lives[0], &byte, 1) != 1) _exit(1);
    for (const int end : lives) close(end);
    std::cout << "child " << child << std::endl;
  }

  [[noreturn]] static void rest() {
    for (;;) pause();
  }

  void ask() {
    begun();
    if (listens_) rest();
    Side side(ia_);
    must(connect(side.ep(), address_of(ia_), qualifier_));
    rest();
  }

  void accept_without_a_look() {
    Side side(ia_);
    if (!listens_) {
      begun();
      must(connect(side.ep(), address_of(ia_), qualifier_));
      rest();
    }
    Cr cr = next_request();
    if (has_child_) begun(); // after the accept the connection might already be established
    must(accept(cr, side.ep()));
    if (!has_child_) begun();
    rest();
  }

  void connect_again_and_again() {
    Side side(ia_);
    for (int count = 0;; ++count) {
      if (count == 3) begun();
      if (listens_) {
        Cr cr = next_request();
        must(accept(cr, side.ep()));
      } else {
        must(connect(side.ep(), address_of(ia_), qualifier_));
      }
      next_event(side.connect_evd()); // the connection is established
      if (!listens_) must(dat_ep_disconnect(side.ep(), DAT_CLOSE_ABRUPT_FLAG));
      next_event(side.connect_evd()); // the connection has ended
      side.ep() = side.another_ep();
    }
  }

  // Accepts or connects. Returns the memory that the peer lets this process write to.
  Terms establish(Side& side, const Buffer& open_to_peer) {
    const Terms own{open_to_peer.rmr_context(), open_to_peer.address()};
    std::string data;
    if (listens_) {
      Cr cr = next_request();
      data = request_data(cr);
      must(accept(cr, side.ep(), octets_of(own)));
    } else {
      must(connect(side.ep(), address_of(ia_), qualifier_, octets_of(own)));
    }
    const DAT_CONNECTION_EVENT_DATA event =
        expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side.ep());
    return terms_in(listens_ ? data : reply_data(event));
  }

  void exchange() {
    constexpr DAT_UINT64 kRecvs = 4;
    Side side(ia_);
    Buffer buffer = side.buffer(kWritten);
    Buffer messages = side.buffer(kMessage);
    for (DAT_UINT64 i = 0; i < kRecvs; ++i) must(post_recv(side.ep(), {messages.segment()}, i));
    const Terms peer = establish(side, buffer);
    const DAT_RMR_TRIPLET target{peer.context, 0, peer.address, kWritten};
    for (int count = 0;; ++count) {
      if (count == 3) begun();
      must(post_send(side.ep(), {messages.segment()}, 1));
      must(post_write(side.ep(), {buffer.segment()}, target, 2));
      must_complete(side.recv_evd());
      must(post_recv(side.ep(), {messages.segment()}, 3));
      must_complete(side.request_evd());
      must_complete(side.request_evd());
    }
  }

  // The caller binds its window and sends the context. The listener writes to the window and sends
  // an answer.
  void bind_again_and_again() {
    Side side(ia_);
    Buffer buffer = side.buffer(kWritten);
    Buffer word = side.buffer(sizeof(Terms));
    Rmr window = create_rmr(side.pz());
    must(post_recv(side.ep(), {word.segment()}, 1));
    establish(side, buffer);
    for (int count = 0;; ++count) {
      if (count == 3) begun();
      if (listens_)
        write_once(side, buffer, word);
      else
        bind_once(side, buffer, word, window);
    }
  }

  void bind_once(Side& side, Buffer& buffer, Buffer& word, const Rmr& window) {
    DAT_RMR_CONTEXT context = 0;
    must(post_bind(side.ep(), window, buffer.segment(), DAT_MEM_PRIV_ALL_FLAG, 1, &context));
    must_complete(side.request_evd());
    word.write(0, octets_of({context, buffer.address()}));
    must(post_send(side.ep(), {word.segment()}, 2));
    must_complete(side.request_evd());
    must_complete(side.recv_evd());
    must(post_recv(side.ep(), {word.segment()}, 3));
    must(post_bind(side.ep(), window, buffer.segment(0, 0), DAT_MEM_PRIV_ALL_FLAG, 4, &context));
    must_complete(side.request_evd());
  }

  static void write_once(Side& side, Buffer& buffer, Buffer& word) {
    must_complete(side.recv_evd());
    const Terms peer = terms_in(std::string(word.text(0, sizeof(Terms))));
    const DAT_RMR_TRIPLET target{peer.context, 0, peer.address, kWritten};
    must(post_recv(side.ep(), {word.segment()}, 1));
    must(post_write(side.ep(), {buffer.segment()}, target, 2));
    must_complete(side.request_evd());
    must(post_send(side.ep(), {word.segment()}, 3));
    must_complete(side.request_evd());
  }

  Fate fate_;
  bool listens_;
  DAT_CONN_QUAL qualifier_;
  bool has_child_;
  Ia ia_;
  Evd requests_;
  std::optional<Listener> listener_;
  Psp psp_;
};

std::vector<std::string> command(Fate fate, const char* role, const std::string& qualifier,
                                 bool has_child) {
  return {"/proc/self/exe",
          kBeDoomed,
          std::to_string(static_cast<int>(fate)),
          role,
          qualifier,
          has_child ? "child" : "alone"};
}

} // namespace

const char* name_of(Fate fate) {
  switch (fate) {
  case Fate::kAsking: return "Asking";
  case Fate::kAccepting: return "Accepting";
  case Fate::kConnecting: return "Connecting";
  case Fate::kTraffic: return "Traffic";
  case Fate::kBinding: return "Binding";
  }
  return "?";
}

std::vector<std::string> doomed_listener(Fate fate, bool long_qualifier, bool has_child) {
  const std::string qualifier =
      std::to_string(long_qualifier ? kBeyondPorts + free_qualifier() : 0);
  return command(fate, "listen", qualifier, has_child);
}

std::vector<std::string> doomed_caller(Fate fate, const std::string& qualifier) {
  return command(fate, "call", qualifier, false);
}

bool is_doomed(int argc, char** argv) {
  return argc == 6 && std::strcmp(argv[1], kBeDoomed) == 0;
}

int doomed_main(char** argv) {
  Doomed doomed(static_cast<Fate>(std::atoi(argv[2])), std::strcmp(argv[3], "listen") == 0,
                std::strtoull(argv[4], nullptr, 10), std::strcmp(argv[5], "child") == 0);
  doomed.live();
  return 0;
}

} // namespace datum::test
