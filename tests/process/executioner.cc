// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "executioner.h"

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tracer.h"

namespace datum::test {

namespace {

void make_pipe(int (&ends)[2]) {
  if (pipe(ends) == 0) return;
  std::perror("pipe");
  std::exit(2);
}

void block_child_signal(int how) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(how, &child, nullptr);
}

// The child keeps copies of all descriptors and mappings of its parent. It sleeps until it is
// released or the test has ended.
void leave_child_behind(int hold) {
  if (fork() != 0) return;
  char byte = 0;
  [[maybe_unused]] const ssize_t got = read(hold, &byte, 1);
  _exit(0);
}

Report report_of(Tracer::Death death) {
  switch (death) {
  case Tracer::Death::Entering: return Report::kDiedEntering;
  case Tracer::Death::Inside: return Report::kDiedInside;
  case Tracer::Death::Afterwards: return Report::kDiedAfterwards;
  }
  return Report::kFailed;
}

// Loads the provider once, so that not each victim has to load it at its open. The load starts no
// threads.
void load_provider() {
  if (dlopen(DATUM_PROVIDER, RTLD_NOW) == nullptr) std::fprintf(stderr, "%s\n", dlerror());
}

} // namespace

void Line::put_bytes(const void* bytes, std::size_t size) const {
  if (write(write_fd_, bytes, size) != static_cast<ssize_t>(size)) std::perror("write");
}

bool Line::get_bytes(void* bytes, std::size_t size) const {
  return read(read_fd_, bytes, size) == static_cast<ssize_t>(size);
}

bool Line::readable() const {
  pollfd line{read_fd_, POLLIN, 0};
  return poll(&line, 1, 0) == 1;
}

Executioner::Executioner(const Victim& victim) {
  int orders[2];
  int reports[2];
  int to_victim[2];
  int from_victim[2];
  for (auto* ends : {&orders, &reports, &to_victim, &from_victim, &hold_}) make_pipe(*ends);
  pid_ = fork();
  if (pid_ == 0) {
    // Only the test keeps its ends of the pipes. When the test ends, these ends close, so the
    // executioner and its victims end, too.
    for (const int fd : {orders[1], reports[0], to_victim[1], from_victim[0], hold_[1]}) close(fd);
    serve(victim, Line(orders[0], reports[1]), Line(to_victim[0], from_victim[1]));
  }
  for (const int fd : {orders[0], reports[1], to_victim[0], from_victim[1], hold_[0]}) close(fd);
  orders_ = Line(reports[0], orders[1]);
  victim_ = Line(from_victim[0], to_victim[1]);
}

Executioner::~Executioner() {
  ::kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Executioner::release_child() const {
  if (write(hold_[1], "", 1) != 1) std::perror("write");
}

Report Executioner::report() const {
  Report report = Report::kFailed;
  orders_.get(report);
  return report;
}

Report Executioner::await_death(std::uint32_t& steps) const {
  const Report death = report();
  if (!orders_.get(steps)) steps = 0;
  return death;
}

void Executioner::serve(const Victim& victim, const Line& orders, const Line& survivor) {
  // This process becomes the parent of the children of dead victims.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  block_child_signal(SIG_BLOCK);
  load_provider();
  Sentence sentence{};
  while (orders.get(sentence)) {
    int ready[2];
    make_pipe(ready);
    const pid_t pid = fork();
    if (pid == 0) {
      block_child_signal(SIG_UNBLOCK);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      close(ready[0]);
      victim(sentence, survivor, [&] {
        if (sentence.child_lives_on) leave_child_behind(hold_[0]);
        char word = 0;
        if (write(ready[1], "", 1) != 1 || !survivor.get(word)) _exit(1);
      });
      pause();
    }
    close(ready[1]);
    char byte = 0;
    const bool prepared = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
    Tracer tracer(pid);
    if (!prepared || !tracer.attached()) {
      ::kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
      orders.put(Report::kFailed);
      continue;
    }
    orders.put(Report::kReady);
    const Report death = report_of(tracer.kill_at(sentence.landmark, sentence.steps));
    orders.put(death);
    orders.put(tracer.steps_made());
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
  _exit(0);
}

} // namespace datum::test
