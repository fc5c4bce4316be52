// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/shortage_life.h: a whole life of two IAs in which any call may lack resources.
// Lives here: opening, every kind of object, a connection, transfers, and the end. This code itself
//             allocates nothing, and checks nothing while the life runs.
// Not here:   which call fails (shortage.h), what is left afterwards (shortage_test.cc).
#pragma once

#include "dat.h"

#include <array>
#include <cstddef>

namespace datum::test {

class ShortLife {
 public:
  ShortLife(const char* ia_name, DAT_TIMEOUT connect_timeout)
      : ia_name_(ia_name), connect_timeout_(connect_timeout) {}
  // Goes as far as it can. A call that lacks resources ends the life.
  void live();
  // Frees all objects. Called after the shortage.
  void end();

  // The first call whose answer was neither success nor a shortage, and that answer.
  const char* wrong_call() const { return wrong_call_; }
  DAT_RETURN wrong_answer() const { return wrong_answer_; }
  bool completed() const { return completed_; }
  // Whether the connection was refused and an event told of the refusal.
  bool refused() const { return refused_; }

 private:
  static constexpr std::size_t kBytes = std::size_t{96} * 1024;
  struct Half {
    DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
    DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
    DAT_PZ_HANDLE pz = DAT_HANDLE_NULL;
    DAT_CNO_HANDLE cno = DAT_HANDLE_NULL;
    DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
    DAT_EP_HANDLE ep = DAT_HANDLE_NULL;
    DAT_LMR_HANDLE lmr = DAT_HANDLE_NULL;
    DAT_RMR_HANDLE rmr = DAT_HANDLE_NULL;
    DAT_LMR_CONTEXT local = 0;
    DAT_RMR_CONTEXT remote = 0;
  };

  bool good(const char* call, DAT_RETURN answer);
  bool wrong(const char* call, DAT_RETURN answer); // returns false
  bool open(Half& half);
  bool make(Half& half, DAT_IA_HANDLE ia);
  bool listen();
  bool connect();
  bool answer();
  bool is_refused(DAT_EVENT_NUMBER number);
  bool established(DAT_EVD_HANDLE evd);
  bool dequeue(DAT_EVD_HANDLE evd, DAT_EVENT& event, DAT_TIMEOUT moment = 1000);
  bool transfer();
  bool transfer_one(bool send, std::size_t size);
  bool bind();
  // Whether no unexpected event is left. An event that came twice would be left.
  bool nothing_left();
  // Takes the next event. If no event comes, that counts as wrong, and the result is false.
  bool next(DAT_EVD_HANDLE evd, DAT_EVENT& event);
  bool expect(DAT_EVD_HANDLE evd, DAT_EVENT_NUMBER number);
  std::byte* bytes(const Half& half) { return &half == &active_ ? source_.data() : target_.data(); }

  const char* ia_name_;
  DAT_TIMEOUT connect_timeout_;
  Half active_;
  Half passive_;
  DAT_PSP_HANDLE psp_ = DAT_HANDLE_NULL;
  DAT_CONN_QUAL qualifier_ = 0;
  const char* wrong_call_ = nullptr;
  DAT_RETURN wrong_answer_ = DAT_SUCCESS;
  bool completed_ = false;
  bool refused_ = false;
  std::array<std::byte, kBytes> source_{};
  std::array<std::byte, kBytes> target_{};
};

} // namespace datum::test
