// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "peer_main.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "connection.h"

namespace datum::test {

namespace {

class Peer {
 public:
  std::string carry_out(const std::string& line) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "connect") return connect_to(words);
    if (verb == "datagrams") return connect_to(words, any_value<DAT_SERVICE_TYPE>(1));
    if (verb == "wait") return wait();
    if (verb == "send") return send(words);
    if (verb == "listen") return listen();
    if (verb == "accept") return accept_next();
    if (verb == "receive") return receive();
    if (verb == "fork") return make_child();
    if (verb == "exec") become_another_program();
    if (verb == "close") return close();
    return "unknown command";
  }

 private:
  std::string connect_to(std::istringstream& words,
                         DAT_SERVICE_TYPE service = DAT_SERVICE_TYPE_RC) {
    DAT_CONN_QUAL qualifier = 0;
    words >> qualifier;
    ia_ = open_ia();
    SideOptions options;
    options.change = [service](DAT_EP_ATTR& attributes) { attributes.service_type = service; };
    side_ = std::make_unique<Side>(ia_, options);
    std::string text;
    sockaddr_in host{};
    host.sin_family = AF_INET;
    const bool named = static_cast<bool>(words >> text);
    if (named && inet_pton(AF_INET, text.c_str(), &host.sin_addr) != 1) return "no address";
    const DAT_RETURN status =
        connect(side_->ep(), named ? reinterpret_cast<DAT_IA_ADDRESS_PTR>(&host) : address_of(ia_),
                qualifier);
    return status == DAT_SUCCESS ? "ok" : status_name(status);
  }

  std::string accept_next() {
    Cr cr = listener_->expect_request();
    side_ = std::make_unique<Side>(ia_);
    const DAT_RETURN status = accept(cr, side_->ep());
    return status == DAT_SUCCESS ? "ok" : status_name(status);
  }

  std::string wait() {
    char number[16];
    std::snprintf(number, sizeof number, "0x%05x",
                  static_cast<unsigned>(next_event(side_->connect_evd()).event_number));
    return number;
  }

  std::string send(std::istringstream& words) {
    std::string text;
    words >> text;
    Buffer source = side_->buffer(text.size());
    source.write(0, text);
    const DAT_RETURN status = post_send(side_->ep(), {source.segment()}, 1);
    if (status != DAT_SUCCESS) return status_name(status);
    expect_dto(side_->request_evd(), side_->ep(), 1);
    return "sent";
  }

  std::string listen() {
    ia_ = open_ia();
    listener_ = std::make_unique<Listener>(ia_);
    return std::to_string(listener_->qualifier());
  }

  std::string receive() {
    Buffer buffer = side_->buffer(4096);
    EXPECT_DAT_OK(post_recv(side_->ep(), {buffer.segment()}, 1));
    return std::to_string(expect_dto(side_->recv_evd(), side_->ep(), 1));
  }

  // The child has copies of this process's descriptors. It lives until the pipe of the commands is
  // closed, whatever becomes of this process.
  static std::string make_child() {
    const pid_t child = fork();
    if (child < 0) return "no child";
    if (child > 0) return "forked";
    pollfd commands{STDIN_FILENO, 0, 0};
    poll(&commands, 1, -1);
    _exit(0);
  }

  [[noreturn]] static void become_another_program() {
    execl("/bin/sleep", "sleep", "1000", static_cast<char*>(nullptr));
    _exit(127);
  }

  std::string close() {
    listener_.reset();
    side_.reset();
    ia_.free();
    return "closed";
  }

  Ia ia_;
  std::unique_ptr<Side> side_;
  std::unique_ptr<Listener> listener_;
};

} // namespace

int peer_main() {
  Peer peer;
  std::string line;
  while (std::getline(std::cin, line)) std::cout << peer.carry_out(line) << std::endl;
  return 0;
}

} // namespace datum::test
