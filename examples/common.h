// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common.h: what every example needs besides DAT itself. Include it first.
// Lives here: saying what failed, waiting for one expected event, starting the other process.
// Not here:   how to open an adapter and connect: hello.c shows that, connection.h repeats it.
// A program of DAT 2.0 defines EXAMPLE_DAT2 before it includes this.
#ifndef DATUM_EXAMPLES_COMMON_H
#define DATUM_EXAMPLES_COMMON_H

#define _DEFAULT_SOURCE // fork, pipe, getaddrinfo and htobe64 besides strict C99

#ifdef EXAMPLE_DAT2
#include <dat2/dat_ib_extensions.h> // and with it <dat2/udat.h>
#else
#include <dat/udat.h>
#endif
#include <datum/names.h> // after the header of DAT: it names the constants of that header
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// An example waits for the other side no longer than this, so it always ends. Only a server that
// the user starts waits longer for its client.
static const DAT_TIMEOUT kPatience = 10 * 1000 * 1000; // microseconds

// Runs a DAT call. If the call fails, prints an explanation and ends the process. A real program
// would clean up and go on. Here the provider cleans up, because the process ends.
#define CHECK(call) check_return((call), #call, __func__, __LINE__)

// True: standard output is a pipe whose reader has closed it. A process that writes to it is ended
// by SIGPIPE.
static inline int lost_reader(void) {
  struct pollfd output = {STDOUT_FILENO, 0, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

// The server that start_server() has started, and the process that called start_server(). Children
// that are forked later inherit both values, but only the starter may end the server.
static struct { pid_t server, starter; } started;

// Prints which signal has ended a child. The child itself prints nothing, and its peers see only a
// broken connection.
static inline void tell_signal(pid_t child, int status) {
  if (WIFSIGNALED(status))
    fprintf(stderr, "process %d was ended by signal %d (%s)\n", (int)child, WTERMSIG(status),
            strsignal(WTERMSIG(status)));
}

// A client that fails ends its server, too, since no other client will come. First it reports the
// children that a signal has ended: they may be the cause of the failure.
static inline void end_server(void) {
  int status = 0;
  if (started.starter != getpid()) return;
  for (pid_t child; (child = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (child == started.server) started.server = 0;
    tell_signal(child, status);
  }
  if (started.server == 0) return;
  // Not SIGKILL: if another process kills the server just now, its SIGKILL is reported below.
  kill(started.server, SIGTERM);
  kill(started.server, SIGCONT); // otherwise a stopped server would not end
  if (waitpid(started.server, &status, 0) == started.server && WTERMSIG(status) != SIGTERM)
    tell_signal(started.server, status);
}

// Prints the text and ends the process. If SIGPIPE has ended the peer, this process sees only that
// the connection has ended. So it checks standard output itself, names that cause, and ends by
// SIGPIPE as its peer did.
__attribute__((noreturn, format(printf, 1, 2))) static inline void fail(const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const int lost = lost_reader();
  fprintf(stderr, "%s%s\n", text, // in one piece: other processes print too
          lost ? "; nobody reads standard output any more" : "");
  end_server();
  if (lost) raise(SIGPIPE); // returns if SIGPIPE is ignored
  exit(1);
}

// A return code in words. The text is valid until the next call.
static inline const char* words_of(DAT_RETURN result) {
  static char text[256];
  const char* major = "an unknown return code";
  const char* minor = ""; // many have no subtype
  dat_strerror(result, &major, &minor);
#ifdef EXAMPLE_DAT2
  // This call also knows the codes that only extensions return. They have no subtypes.
  dat_strerror_extension((DAT_IB_RETURN)result, &major);
#endif
  snprintf(text, sizeof text, "%s%s%s (0x%08x)", major, minor[0] == '\0' ? "" : ", ", minor,
           result);
  return text;
}

static inline void check_return(DAT_RETURN result, const char* call, const char* function,
                                int line) {
  if (result != DAT_SUCCESS) fail("%s, line %d: %s: %s", function, line, call, words_of(result));
}

#ifdef EXAMPLE_DAT2
// The data that an event of an extension carries.
static inline DAT_IB_EXTENSION_EVENT_DATA extension_of(const DAT_EVENT* event) {
  DAT_IB_EXTENSION_EVENT_DATA extension;
  memcpy(&extension, event->event_extension_data, sizeof extension);
  return extension;
}

static inline const char* status_name(DAT_IB_STATUS status) {
  const char* name = "an unknown status";
  dat_strerror_ext_status(status, &name);
  return name;
}
#endif

// What an event means in the examples. datum_event_name() returns its name in DAT.
static inline const char* meaning_of(DAT_EVENT_NUMBER number) {
  switch ((int)number) { // the type lacks the events of extensions
  case DAT_DTO_COMPLETION_EVENT: return "completion of a data transfer";
  case DAT_CONNECTION_REQUEST_EVENT: return "connection request";
  case DAT_CONNECTION_EVENT_ESTABLISHED: return "established";
  case DAT_CONNECTION_EVENT_PEER_REJECTED: return "rejected by the peer";
  case DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR: return "the client went before it was in";
  case DAT_CONNECTION_EVENT_NON_PEER_REJECTED: return "refused: nobody listens there";
  case DAT_CONNECTION_EVENT_DISCONNECTED: return "disconnected";
  case DAT_CONNECTION_EVENT_BROKEN: return "connection broken";
  case DAT_CONNECTION_EVENT_TIMED_OUT: return "timed out";
  case DAT_CONNECTION_EVENT_UNREACHABLE: return "host unreachable";
  case DAT_RMR_BIND_COMPLETION_EVENT: return "completion of a bind";
#ifdef EXAMPLE_DAT2
  case DAT_IB_DTO_EVENT: return "completion of an extended operation";
  case DAT_IB_UD_CONNECTION_REQUEST_EVENT: return "request for datagrams";
  case DAT_IB_UD_CONNECTION_EVENT_ESTABLISHED: return "address of a peer";
  case DAT_IB_UD_CONNECTION_REJECT_EVENT: return "no address: rejected by the peer";
  case DAT_IB_UD_CONNECTION_ERROR_EVENT: return "no address (does the server listen?)";
#endif
  default: return "another event";
  }
}

// Takes the next event of an EVD. Sleeps until it comes.
static inline DAT_EVENT next_event(DAT_EVD_HANDLE evd, DAT_EVENT_NUMBER expected,
                                   DAT_TIMEOUT timeout) {
  DAT_EVENT event;
  DAT_COUNT left; // events still queued: of no interest here
  DAT_RETURN result;
  do result = dat_evd_wait(evd, timeout, 1, &event, &left);
  while (DAT_GET_TYPE(result) == DAT_INTERRUPTED_CALL); // a signal arrived: wait again
  if (DAT_GET_TYPE(result) == DAT_TIMEOUT_EXPIRED)
    fail("waited %u s in vain for: %s", timeout / 1000000, meaning_of(expected));
  CHECK(result);
  return event;
}

// Takes the next event of an EVD, which must be the expected one.
static inline DAT_EVENT expect_within(DAT_EVD_HANDLE evd, DAT_EVENT_NUMBER expected,
                                      DAT_TIMEOUT timeout) {
  const DAT_EVENT event = next_event(evd, expected, timeout);
  if (event.event_number != expected)
    fail("waited for: %s; got: %s (%s)", meaning_of(expected), meaning_of(event.event_number),
         datum_event_name(event.event_number));
  return event;
}

static inline DAT_EVENT expect(DAT_EVD_HANDLE evd, DAT_EVENT_NUMBER expected) {
  return expect_within(evd, expected, kPatience);
}

// Takes the event that ends a connect, which must have succeeded.
static inline DAT_EVENT expect_established(DAT_EVD_HANDLE evd, const char* host,
                                           DAT_CONN_QUAL qualifier) {
  const DAT_EVENT event = next_event(evd, DAT_CONNECTION_EVENT_ESTABLISHED, kPatience);
  if (event.event_number != DAT_CONNECTION_EVENT_ESTABLISHED)
    fail("no server at %s qualifier %lu: %s (%s)", host, qualifier, meaning_of(event.event_number),
         datum_event_name(event.event_number));
  return event;
}

// A cookie comes back unchanged in the completion of the operation that it was posted with.
static inline DAT_DTO_COOKIE cookie_of(DAT_UINT64 number) {
  DAT_DTO_COOKIE cookie;
  cookie.as_64 = number;
  return cookie;
}

// Ends the process unless the operation succeeded.
static inline void check_done(const DAT_DTO_COMPLETION_EVENT_DATA* done, const char* what) {
  const char* why = "see dat_ep_post_send(3)";
  if (done->status == DAT_DTO_SUCCESS) return;
  if (done->status == DAT_DTO_ERR_FLUSHED) why = "the connection has ended";
  if (done->status == DAT_DTO_ERR_TRANSPORT) why = "the connection is lost";
  if (done->status == DAT_DTO_ERR_REMOTE_ACCESS) why = "the peer's memory does not allow it";
  if (done->status == DAT_DTO_ERR_RECEIVER_NOT_READY) why = "the peer posted no receive";
  fail("%s %lu failed: %s (%s)", what, done->user_cookie.as_64, why,
       datum_dto_status_name(done->status));
}

// Waits for the completion of the operation posted with this cookie. Returns the bytes moved.
static inline DAT_VLEN expect_completion(DAT_EVD_HANDLE evd, DAT_UINT64 cookie) {
  const DAT_EVENT event = expect(evd, DAT_DTO_COMPLETION_EVENT);
  const DAT_DTO_COMPLETION_EVENT_DATA* done = &event.event_data.dto_completion_event_data;
  check_done(done, "operation");
  if (done->user_cookie.as_64 != cookie)
    fail("operation %lu completed before operation %lu", done->user_cookie.as_64, cookie);
  return done->transfered_length;
}

// What main() returns at its end. The output of an example is its result, so this is 1 if the
// output could not be written.
static inline int said_all(void) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  fprintf(stderr, "standard output takes no more\n");
  return 1;
}

// An empty argument is printed as "".
static inline const char* visible(const char* argument) {
  return argument[0] == '\0' ? "\"\"" : argument;
}

// Ends the process because of a bad argument on the command line.
__attribute__((noreturn)) static inline void refuse(const char* argument, const char* why) {
  fprintf(stderr, "%s: %s; try --help\n", visible(argument), why);
  exit(2);
}

// For a command line on which only `--help` is allowed. Ends the process if there is any argument.
static inline void no_arguments(int argc, char** argv, const char* usage) {
  if (argc < 2) return;
  if (strcmp(argv[1], "--help") == 0) {
    fputs(usage, stdout);
    exit(said_all());
  }
  refuse(argv[1], "unknown argument");
}

// Starts a server process. The server writes the qualifier on which it listens to a pipe. So no
// client connects too early, or to another program.
// Call this before dat_ia_open(): a child may not use the handles of its parent.
typedef void (*server_function)(int announcement);

static inline pid_t start_server(server_function serve, DAT_CONN_QUAL* qualifier) {
  int ends[2];
  if (pipe(ends) != 0) fail("no pipe to the server");
  fflush(NULL); // otherwise the child prints the buffered output again
  const pid_t child = fork();
  if (child < 0) fail("no process for the server");
  if (child == 0) {
    close(ends[0]);
    serve(ends[1]);
    exit(said_all());
  }
  started.server = child;
  started.starter = getpid();
  close(ends[1]);
  if (read(ends[0], qualifier, sizeof *qualifier) != (ssize_t)sizeof *qualifier)
    fail("the server ended before it listened");
  close(ends[0]);
  return child;
}

static inline void announce(int announcement, DAT_CONN_QUAL qualifier) {
  if (write(announcement, &qualifier, sizeof qualifier) != (ssize_t)sizeof qualifier)
    fail("nobody reads where the server listens");
  close(announcement);
}

static inline void join(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) fail("process %d cannot be waited for", (int)child);
  if (child == started.server) started.server = 0;
  if (WIFSIGNALED(status))
    fail("process %d was ended by signal %d (%s)", (int)child, WTERMSIG(status),
         strsignal(WTERMSIG(status)));
  if (status != 0) fail("process %d failed (exit status %d)", (int)child, WEXITSTATUS(status));
}

#endif
