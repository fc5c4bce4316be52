// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// event_loop.c: one thread that serves DAT and other descriptors. In DAT 2.0 a CNO can have a
// descriptor, which epoll watches like any other. The other descriptor here is that of a pipe.
#define EXAMPLE_DAT2
#include "connection.h"
#include <sys/epoll.h>

static const char kUsage[] =
    "event_loop   start a server that waits for messages and for a pipe in one epoll loop\n";

enum { kMessages = 200, kNotes = 50, kReceives = 8, kMessageSize = 32 };

static int note_pipe[2]; // the other way to reach the server

struct server {
  struct side side;
  DAT_CNO_HANDLE cno;
  DAT_EP_HANDLE ep;
  struct region region;
  char buffers[kReceives][kMessageSize];
  int messages, notes, wake_ups;
  int connection_open, pipe_open;
};

// The cookie says which buffer a completion is about.
static void post_buffer(struct server* server, DAT_UINT64 index) {
  DAT_LMR_TRIPLET piece = piece_of(&server->region, server->buffers[index], kMessageSize);
  CHECK(dat_ep_post_recv(server->ep, 1, &piece, cookie_of(index), DAT_COMPLETION_DEFAULT_FLAG));
}

static void on_message(struct server* server, const DAT_DTO_COMPLETION_EVENT_DATA* done) {
  char expected[kMessageSize];
  const DAT_UINT64 index = done->user_cookie.as_64;
  if (done->status == DAT_DTO_ERR_FLUSHED) return; // a spare buffer: the connection has ended
  check_done(done, "receive");
  snprintf(expected, sizeof expected, "message %d", server->messages);
  if (strcmp(server->buffers[index], expected) != 0) fail("not the message that was sent");
  ++server->messages;
  post_buffer(server, index);
}

static void on_connection(struct server* server, const DAT_EVENT* event) {
  switch (event->event_number) {
  case DAT_CONNECTION_REQUEST_EVENT:
    CHECK(dat_cr_accept(event->event_data.cr_arrival_event_data.cr_handle, server->ep, 0, NULL));
    break;
  case DAT_CONNECTION_EVENT_ESTABLISHED: break;
  case DAT_CONNECTION_EVENT_DISCONNECTED: server->connection_open = 0; break;
  default:
    fail("server: %s (%s)", meaning_of(event->event_number), datum_event_name(event->event_number));
  }
}

// Takes the trigger first, and then empties every EVD. An event that comes later triggers the CNO
// again, so none is missed. `fired` is not used: it names one EVD, but several may have events.
static void on_cno(struct server* server) {
  DAT_EVD_HANDLE fired;
  DAT_EVENT event;
  const DAT_RETURN result = dat_cno_trigger(server->cno, &fired);
  if (DAT_GET_TYPE(result) == DAT_QUEUE_EMPTY) return;
  CHECK(result);
  ++server->wake_ups;
  while (dat_evd_dequeue(server->side.receive_evd, &event) == DAT_SUCCESS)
    on_message(server, &event.event_data.dto_completion_event_data);
  while (dat_evd_dequeue(server->side.connect_evd, &event) == DAT_SUCCESS)
    on_connection(server, &event);
}

static void on_pipe(struct server* server) {
  char notes[kNotes];
  const ssize_t got = read(note_pipe[0], notes, sizeof notes);
  if (got < 0) fail("cannot read the pipe");
  if (got == 0) server->pipe_open = 0;
  server->notes += (int)got;
}

static void watch(int epoll, int descriptor) {
  struct epoll_event interest;
  memset(&interest, 0, sizeof interest);
  interest.events = EPOLLIN;
  interest.data.fd = descriptor;
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &interest) != 0) fail("epoll_ctl failed");
}

static void run_loop(struct server* server, int cno_descriptor) {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) fail("no epoll");
  watch(epoll, cno_descriptor);
  watch(epoll, note_pipe[0]);
  while (server->connection_open || server->pipe_open) {
    struct epoll_event ready;
    if (epoll_wait(epoll, &ready, 1, (int)(kPatience / 1000)) != 1) fail("nothing happens");
    if (ready.data.fd == cno_descriptor)
      on_cno(server);
    else
      on_pipe(server);
    // A pipe that has ended stays readable, so epoll must not watch it any more.
    if (!server->pipe_open) epoll_ctl(epoll, EPOLL_CTL_DEL, note_pipe[0], NULL);
  }
  close(epoll);
}

static void serve(int announcement) {
  static struct server server;
  DAT_FD descriptor;
  close(note_pipe[1]); // otherwise we would never read the end of the pipe
  server.connection_open = server.pipe_open = 1;
  open_side(&server.side, 4 * kReceives);
  // The descriptor belongs to the CNO: never read or close it.
  CHECK(dat_cno_fd_create(server.side.ia, &descriptor, &server.cno));
  CHECK(dat_evd_modify_cno(server.side.receive_evd, server.cno));
  CHECK(dat_evd_modify_cno(server.side.connect_evd, server.cno));
  server.region = register_memory(&server.side, server.buffers, sizeof server.buffers,
                                  DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
  server.ep = create_endpoint(&server.side);
  for (DAT_UINT64 i = 0; i < kReceives; ++i) post_buffer(&server, i);
  const DAT_PSP_HANDLE listener = listen_anywhere(&server.side, announcement);

  run_loop(&server, descriptor);
  if (server.messages != kMessages || server.notes != kNotes)
    fail("%d messages and %d notes", server.messages, server.notes);
  printf("server %d: %d messages by DAT and %d notes by a pipe in one loop, %d wake-ups by DAT\n",
         (int)getpid(), server.messages, server.notes, server.wake_ups);

  CHECK(dat_psp_free(listener));
  CHECK(dat_ep_free(server.ep));
  CHECK(dat_lmr_free(server.region.lmr));
  CHECK(dat_evd_modify_cno(server.side.receive_evd, DAT_HANDLE_NULL));
  CHECK(dat_evd_modify_cno(server.side.connect_evd, DAT_HANDLE_NULL));
  CHECK(dat_cno_free(server.cno));
  close_side(&server.side);
}

static void client(DAT_CONN_QUAL qualifier) {
  static char text[kMessageSize];
  struct side side;
  open_side(&side, 8);
  const struct region region =
      register_memory(&side, text, sizeof text, DAT_MEM_PRIV_LOCAL_READ_FLAG);
  const DAT_EP_HANDLE ep = create_endpoint(&side);
  connect_here(&side, ep, qualifier);
  for (int i = 0; i < kMessages; ++i) {
    DAT_LMR_TRIPLET piece = piece_of(&region, text, sizeof text);
    snprintf(text, sizeof text, "message %d", i);
    CHECK(dat_ep_post_send(ep, 1, &piece, cookie_of((DAT_UINT64)i), DAT_COMPLETION_DEFAULT_FLAG));
    expect_completion(side.request_evd, (DAT_UINT64)i);
    if (i % (kMessages / kNotes) == 0 && write(note_pipe[1], "n", 1) != 1) fail("no note");
  }
  disconnect(&side, ep);
  CHECK(dat_lmr_free(region.lmr));
  close_side(&side);
}

int main(int argc, char** argv) {
  DAT_CONN_QUAL qualifier;
  no_arguments(argc, argv, kUsage);
  setvbuf(stdout, NULL, _IOLBF, 0); // lines of two processes stay whole
  if (pipe(note_pipe) != 0) fail("no pipe");
  const pid_t server = start_server(serve, &qualifier);
  close(note_pipe[0]);
  client(qualifier);
  close(note_pipe[1]);
  join(server);
  return said_all();
}
