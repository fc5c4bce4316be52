// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The client of an example, which fails. The server that it has started must end with it.
#define EXAMPLE_DAT2
#include "common.h"
#include <errno.h>

static void serve(int announcement) {
  announce(announcement, (DAT_CONN_QUAL)getpid());
  for (;;) pause();
}

// Starts a server, writes its process number to `number`, and fails with exit status 1.
static void run_client(int number) {
  DAT_CONN_QUAL server;
  start_server(serve, &server);
  if (write(number, &server, sizeof server) != (ssize_t)sizeof server) exit(2);
  fail("as expected");
}

int main(void) {
  int ends[2];
  DAT_CONN_QUAL server = 0;
  int status = 0;
  if (pipe(ends) != 0) return 2;
  const pid_t client = fork();
  if (client == 0) run_client(ends[1]);
  if (read(ends[0], &server, sizeof server) != (ssize_t)sizeof server) return 2;
  if (waitpid(client, &status, 0) != client || WEXITSTATUS(status) != 1) return 2;
  if (kill((pid_t)server, 0) != 0 && errno == ESRCH) return 0;
  kill((pid_t)server, SIGKILL);
  fprintf(stderr, "the server, process %d, lives on\n", (int)server);
  return 1;
}
