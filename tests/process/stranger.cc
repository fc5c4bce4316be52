// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "stranger.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>

#include "connection.h"
#include "tests/filter.h"
#include "variable.h"

namespace datum::test {
namespace {

constexpr const char* kBecome = "--become-stranger"; // a letter for each restriction follows
constexpr const char* kBe = "--be-stranger";
constexpr uid_t kNobody = 65534;

// Answers the first command with the reason why the restriction is impossible. Ends the process.
[[noreturn]] void give_up(const char* what) {
  const std::string reason = std::string(what) + ": " + std::strerror(errno);
  std::string line;
  std::getline(std::cin, line);
  std::cout << "cannot " << reason << std::endl;
  _exit(0);
}

void put_into(const char* file, const std::string& text) {
  if (!(std::ofstream(file) << text << std::flush)) give_up(file);
}

// An ordinary user may make other namespaces only in a user namespace of its own. The user keeps
// its number.
void enter_user_namespace() {
  const std::string user = std::to_string(geteuid()), group = std::to_string(getegid());
  if (unshare(CLONE_NEWUSER) != 0) give_up("unshare");
  put_into("/proc/self/setgroups", "deny");
  put_into("/proc/self/uid_map", user + ' ' + user + " 1");
  put_into("/proc/self/gid_map", group + ' ' + group + " 1");
}

// The child is the first process of its namespace. It dies with its parent (become_stranger()).
void enter_pid_namespace() {
  if (geteuid() != 0) enter_user_namespace();
  if (unshare(CLONE_NEWPID) != 0) give_up("unshare");
  const pid_t child = fork();
  if (child < 0) give_up("fork");
  if (child == 0) return;
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  int status = 0;
  waitpid(child, &status, 0);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

void become_nobody() {
  errno = EPERM; // the reason if this process is not root
  if (geteuid() != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0)
    give_up("become another user");
  // If that user may not read the library, the program cannot run.
  const char* conf = std::getenv("DAT_OVERRIDE");
  if (conf != nullptr && access(conf, R_OK) != 0) give_up("read the library as another user");
}

std::string in_hex(DAT_EVENT_NUMBER number) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%05x", static_cast<unsigned>(number));
  return text;
}

std::string answer(DAT_RETURN status) {
  return status == DAT_SUCCESS ? "ok" : status_name(status);
}

class Stranger {
 public:
  std::string carry_out(const std::string& line) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "share") return share(words);
    DAT_UINT64 first = 0;
    DAT_UINT64 second = 0;
    words >> first >> second;
    if (verb == "hello") return "hello";
    if (verb == "listen") return listen();
    if (verb == "listen_at") return listen_at(first);
    if (verb == "accept") return accept_one();
    if (verb == "connect") return connect_to(first);
    if (verb == "wait") return wait();
    if (verb == "path")
      return told_of(side_->ep(), "datum_path") + ": " + told_of(side_->ep(), "datum_path_reason");
    if (verb == "buffer") return make_buffer(static_cast<std::size_t>(first));
    if (verb == "fill") return fill(static_cast<std::uint8_t>(first));
    if (verb == "holds")
      return buffer_->holds(static_cast<std::uint8_t>(first), 0, buffer_->size()) ? "ok" : "no";
    if (verb == "recv") return answer(post_recv(side_->ep(), {buffer_->segment()}, 1));
    if (verb == "received") return received();
    if (verb == "send") return finish(post_send(side_->ep(), {buffer_->segment()}, 2));
    if (verb == "write")
      return finish(post_write(side_->ep(), {buffer_->segment()}, peer(first, second), 2));
    if (verb == "read")
      return finish(post_read(side_->ep(), {buffer_->segment()}, peer(first, second), 2));
    if (verb == "disconnect")
      return answer(dat_ep_disconnect(side_->ep(), DAT_CLOSE_GRACEFUL_FLAG));
    if (verb == "close") return close();
    return "unknown command";
  }

 private:
  std::string listen() {
    ia_ = open_ia();
    listener_ = std::make_unique<Listener>(ia_);
    return std::to_string(listener_->qualifier());
  }

  std::string listen_at(DAT_CONN_QUAL qualifier) {
    ia_ = open_ia();
    const Evd requests = create_evd(ia_, DAT_EVD_CR_FLAG);
    Psp psp;
    testing::internal::CaptureStderr();
    const DAT_RETURN status =
        dat_psp_create(ia_, qualifier, requests, DAT_PSP_CONSUMER_FLAG, psp.out());
    std::string said = testing::internal::GetCapturedStderr();
    std::replace(said.begin(), said.end(), '\n', ' ');
    return answer(status) + " " + said;
  }

  std::string accept_one() {
    side_ = std::make_unique<Side>(ia_);
    Cr cr = listener_->expect_request();
    const DAT_RETURN status = accept(cr, side_->ep());
    return status == DAT_SUCCESS ? wait() : status_name(status);
  }

  std::string connect_to(DAT_CONN_QUAL qualifier) {
    ia_ = open_ia();
    side_ = std::make_unique<Side>(ia_);
    return answer(connect(side_->ep(), address_of(ia_), qualifier));
  }

  std::string wait() {
    constexpr DAT_TIMEOUT kSecond = 1'000'000;
    DAT_EVENT event{};
    DAT_COUNT more = 0;
    const DAT_RETURN status = dat_evd_wait(side_->connect_evd(), kSecond, 1, &event, &more);
    return status == DAT_SUCCESS ? in_hex(event.event_number) : "none";
  }

  std::string make_buffer(std::size_t size) {
    buffer_.reset();
    buffer_.emplace(side_->buffer(size));
    return std::to_string(buffer_->rmr_context()) + " " + std::to_string(buffer_->address());
  }

  std::string share(std::istringstream& words) {
    std::string path;
    std::size_t size = 0;
    words >> path >> size;
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) return std::strerror(errno);
    ::close(file);
    shared_.emplace(ia_, side_->pz(), memory, size);
    SharedId name = shared_name();
    make_shared(*shared_, name);
    if (const DAT_RETURN status = shared_->create(); status != DAT_SUCCESS)
      return status_name(status);
    return std::to_string(shared_->rmr_context) + " " +
           std::to_string(reinterpret_cast<DAT_VADDR>(memory));
  }

  std::string fill(std::uint8_t seed) {
    buffer_->fill(seed);
    return "ok";
  }

  DAT_RMR_TRIPLET peer(DAT_UINT64 context, DAT_UINT64 address) const {
    DAT_RMR_TRIPLET triplet = buffer_->remote();
    triplet.rmr_context = static_cast<DAT_RMR_CONTEXT>(context);
    address_in(triplet) = address;
    return triplet;
  }

  std::string received() {
    const DAT_EVENT event = next_event(side_->recv_evd());
    const auto& dto = event.event_data.dto_completion_event_data;
    if (dto.status == DAT_DTO_ERR_FLUSHED) return "lost";
    return std::to_string(dto.transfered_length);
  }

  std::string finish(DAT_RETURN status) {
    if (status != DAT_SUCCESS) return status_name(status);
    const DAT_EVENT event = next_event(side_->request_evd());
    const auto& dto = event.event_data.dto_completion_event_data;
    if (event.event_number != DAT_DTO_COMPLETION_EVENT) return "no completion";
    if (dto.status != DAT_DTO_SUCCESS) return "status " + std::to_string(dto.status);
    return "ok";
  }

  std::string close() {
    buffer_.reset();
    shared_.reset();
    listener_.reset();
    side_.reset();
    ia_.free();
    return "ok";
  }

  Ia ia_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<Side> side_;
  std::optional<Buffer> buffer_;
  std::optional<Registration> shared_;
};

[[noreturn]] void become_stranger(std::string_view ways) {
  const auto has = [ways](char way) { return ways.find(way) != std::string_view::npos; };
  if (has('p')) enter_pid_namespace();
  if (has('u')) become_nobody();
  prctl(PR_SET_PDEATHSIG, SIGKILL); // a change of user and a fork have cleared it
  if (has('c')) forbid_vm_calls();
  // Executes the program again. A change of user has made the process undumpable, and the new
  // program is dumpable.
  execl("/proc/self/exe", "stranger", kBe, has('d') ? "d" : "", static_cast<char*>(nullptr));
  give_up("execute the program");
}

} // namespace

void forbid_vm_calls() {
  if (!forbid_call(SYS_process_vm_readv, EPERM) || !forbid_call(SYS_process_vm_writev, EPERM))
    give_up("filter system calls");
}

SharedId shared_name() {
  return {"memory of two processes"};
}

std::vector<std::string> stranger_command(const Estrangement& how) {
  std::string ways = "-";
  if (how.other_user) ways += 'u';
  if (how.pid_namespace) ways += 'p';
  if (how.no_vm_calls) ways += 'c';
  if (how.undumpable) ways += 'd';
  return {"/proc/self/exe", kBecome, ways};
}

bool is_stranger(int argc, char** argv) {
  return argc == 3 && (std::strcmp(argv[1], kBecome) == 0 || std::strcmp(argv[1], kBe) == 0);
}

int stranger_main(char** argv) {
  if (std::strcmp(argv[1], kBecome) == 0) become_stranger(argv[2]);
  if (std::strcmp(argv[2], "d") == 0 && prctl(PR_SET_DUMPABLE, 0) != 0) give_up("be undumpable");
  Stranger stranger;
  std::string line;
  while (std::getline(std::cin, line)) std::cout << stranger.carry_out(line) << std::endl;
#ifdef DATUM_SANITIZED
  _exit(0); // LeakSanitizer would trace this process by its number in another pid namespace
#else
  return 0;
#endif
}

} // namespace datum::test
