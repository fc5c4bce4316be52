// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Something kills the server or a client of an example: killed_child server|client. Another child
// fails for that reason, and is waited for first. The example has to name the signal.
#define EXAMPLE_DAT2
#include "common.h"

static const char* killed;

static void serve(int announcement) {
  announce(announcement, 1);
  if (strcmp(killed, "server") == 0) raise(SIGKILL);
  for (;;) pause();
}

// `number` 0 fails when its peer has gone; 1 is killed if it is the one.
static pid_t start_client(int number) {
  const pid_t child = fork();
  if (child != 0) return child;
  if (number == 0) fail("connection broken");
  if (strcmp(killed, "client") == 0) raise(SIGKILL);
  exit(0);
}

int main(int argc, char** argv) {
  DAT_CONN_QUAL qualifier;
  if (argc != 2) return 2;
  killed = argv[1];
  start_server(serve, &qualifier);
  const pid_t second = start_client(1);
  siginfo_t ended; // leaves the child to be waited for
  if (waitid(P_PID, (id_t)second, &ended, WEXITED | WNOWAIT) != 0) return 2;
  join(start_client(0));
  return 2;
}
