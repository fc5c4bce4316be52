// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/shortage_stage.h: the objects that a single call works on while it lacks resources.
// Lives here: two IAs, each with an object of every kind; how to bring the objects into the state
//             that a call needs (a request that waits, a connection, a bind); the end of all of it.
// Not here:   the calls (shortage_calls.h), which of them fails (shortage.h).
// A Stage itself allocates nothing and asserts nothing, since its end may come in the middle of a
// shortage.
#pragma once

#include "dat.h"

#include <array>
#include <cstddef>

namespace datum::test {

// Whether the answer has the class and type of a shortage, and a subtype that names a resource.
bool is_shortage(DAT_RETURN answer);

class Stage {
 public:
  static constexpr std::size_t kBytes = std::size_t{64} * 1024;
  static constexpr DAT_COUNT kLength = 32;

  struct Half {
    DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
    DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
    DAT_PZ_HANDLE pz = DAT_HANDLE_NULL;
    DAT_CNO_HANDLE cno = DAT_HANDLE_NULL;
    DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;    // for all streams but connection requests
    DAT_EVD_HANDLE spare = DAT_HANDLE_NULL;  // no stream feeds it
    DAT_EVD_HANDLE cr_evd = DAT_HANDLE_NULL; // for connection requests
    DAT_SRQ_HANDLE srq = DAT_HANDLE_NULL;
    DAT_EP_HANDLE ep = DAT_HANDLE_NULL;
    DAT_EP_HANDLE other_ep = DAT_HANDLE_NULL; // not connected
    DAT_LMR_HANDLE lmr = DAT_HANDLE_NULL;
    DAT_RMR_HANDLE rmr = DAT_HANDLE_NULL;
    DAT_LMR_CONTEXT local = 0;
    DAT_RMR_CONTEXT remote = 0;
    DAT_RMR_CONTEXT window = 0;
    std::byte* bytes = nullptr;
  };
  using Free = DAT_RETURN (*)(DAT_HANDLE);

  // Makes the objects. Returns false if that fails, which is a failure of the test (wrong_call()).
  bool build(const char* ia_name);
  // Each of these brings the objects into a state. "..." stands for the state of the line above.
  bool asks();             // `active` has asked for a connection, and the request is not taken
  bool request();          // ... and then the request was taken from the EVD into `cr`
  bool connect();          // the EPs are connected
  bool connect_and_rest(); // the EPs are connected, and no thread polls any more
  bool message();          // the same, and a message is on its way to a Recv of `passive`
  bool bind();             // the EPs are connected, and the RMR of `active` is bound
  bool disconnect();       // the EPs were connected and are not any more
  // The EPs were connected. The event of `active`, which has private data, is still on its EVD. The
  // EP of `active` has been reset.
  bool leave_event();
  bool event_is_as_it_was(); // takes that event, and checks that it has not changed

  // Each of these checks what must follow from a call. In a shortage that may be a failure, but an
  // event must report the failure.
  bool both_hear();      // both sides get an event about the end of the attempt
  bool both_hear_once(); // the same, and the request does not come once more
  bool requester_hears();
  bool request_is_told();        // `active` gets an event, or its request comes once more
  bool connection_is_answered(); // a request comes and is accepted, or an event reports a failure
  bool handed_on();              // a request comes, or an event reports a failure
  bool completes();              // the request that `active` has posted completes
  bool word_is_written();        // an RDMA Write of 8 octets completes, and has written them
  bool arrives();                // a Send of `active` and a Recv of `passive` complete
  bool late_recv_takes_it();     // the same, with a Recv that is posted after the message came

  // Frees each object by its own call, then closes both IAs. Keeps the first call that fails.
  void end();

  // The object that the call has made, and the function that frees it.
  void made(DAT_HANDLE handle, Free free) {
    made_ = handle;
    free_made_ = free;
  }
  // Waits up to `moment` for an event.
  DAT_RETURN next(DAT_EVD_HANDLE evd, DAT_TIMEOUT moment = 5'000'000);

  bool good(const char* call, DAT_RETURN answer);
  const char* wrong_call() const { return wrong_call_; }
  DAT_RETURN wrong_answer() const { return wrong_answer_; }

  DAT_RETURN dial(DAT_CONN_QUAL to, DAT_EP_HANDLE from = DAT_HANDLE_NULL); // default: `active`'s EP
  DAT_RETURN post_send(std::size_t size);                                  // by `active`
  DAT_RETURN post_recv(std::size_t size);                                  // by `passive`
  DAT_LMR_TRIPLET part(const Half& half, std::size_t size) const;
  DAT_RMR_TRIPLET remote_part(const Half& half, std::size_t size) const;

  Half active;
  Half passive;
  DAT_PSP_HANDLE psp = DAT_HANDLE_NULL;       // the consumer makes the EPs
  DAT_PSP_HANDLE other_psp = DAT_HANDLE_NULL; // the provider makes the EPs
  DAT_CONN_QUAL qualifier = 0;
  DAT_CONN_QUAL other_qualifier = 0;
  DAT_CR_HANDLE cr = DAT_HANDLE_NULL;
  DAT_EVENT event{};
  bool requests_wait = false; // end() may find a request without an answer

 private:
  bool has_event(DAT_EVD_HANDLE evd, DAT_TIMEOUT moment);
  bool finds_request();
  bool build(Half& half, const char* ia_name, std::byte* bytes);
  void end(Half& half);
  void end_one(const char* call, DAT_HANDLE& handle, Free free);

  DAT_HANDLE made_ = DAT_HANDLE_NULL;
  Free free_made_ = nullptr;
  const char* wrong_call_ = nullptr;
  DAT_RETURN wrong_answer_ = DAT_SUCCESS;
};

DAT_RETURN close_abruptly(DAT_HANDLE ia);

} // namespace datum::test
