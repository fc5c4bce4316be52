// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// srq_server.c: one server, many clients, one pool of receive buffers. Without a shared receive
// queue (SRQ), each endpoint needs enough buffers for its own worst case. With an SRQ, the server
// needs buffers only for the messages that are really under way. The low watermark of the queue
// reports that few buffers are left. Then the server posts all spare buffers at once. The server
// sleeps on one notification object (CNO) for the events of all its EVDs.
#include "connection.h"
#include <ctype.h>

static const char kUsage[] = "srq_server   start a server and eight clients that send to it\n";

enum { kClients = 8, kRequests = 50, kMessageSize = 64 };
enum { kBuffers = 32, kLowWatermark = 12 };
// A client waits for its answer before it asks again. So at most kClients messages are under way,
// and the queue is refilled before it is empty.

// A cookie is the number of a buffer. That of a Send has this flag, too.
enum { kAnswer = 1 << 16 };

// ---- The server ----

struct server {
  struct side side;
  DAT_CNO_HANDLE cno; // an event on any of our EVDs wakes the thread that waits here
  DAT_SRQ_HANDLE srq;
  struct region region;
  char buffers[kBuffers][kMessageSize];
  int spare[kBuffers]; // buffers that are neither on the queue nor in use
  int spares;
  int running_low; // the watermark was reached, and the queue has not been refilled yet
  int received, refills, gone, broken;
};

static void refill(struct server* server) {
  while (server->spares > 0) {
    const int at = server->spare[--server->spares];
    DAT_LMR_TRIPLET piece = piece_of(&server->region, server->buffers[at], kMessageSize);
    CHECK(dat_srq_post_recv(server->srq, 1, &piece, cookie_of((DAT_UINT64)at)));
  }
  // The watermark is reported once, so it is set again. If the queue is already low, the report
  // comes at once.
  CHECK(dat_srq_set_lw(server->srq, kLowWatermark));
}

static void open_server(struct server* server) {
  DAT_SRQ_ATTR attributes = {kBuffers, 1, DAT_SRQ_LW_DEFAULT}; // a new queue has no watermark
  open_side(&server->side, 4 * kBuffers);
  CHECK(dat_cno_create(server->side.ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &server->cno));
  CHECK(dat_evd_modify_cno(server->side.async_evd, server->cno));
  CHECK(dat_evd_modify_cno(server->side.connect_evd, server->cno));
  CHECK(dat_evd_modify_cno(server->side.receive_evd, server->cno));
  CHECK(dat_evd_modify_cno(server->side.request_evd, server->cno));

  server->region = register_memory(&server->side, server->buffers, sizeof server->buffers,
                                   DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
  CHECK(dat_srq_create(server->side.ia, server->side.pz, &attributes, &server->srq));
  for (int at = 0; at < kBuffers; ++at) server->spare[server->spares++] = at;
  refill(server);
}

// A CNO cannot be freed while an EVD has it, so the EVDs give it up first.
static void close_server(struct server* server) {
  CHECK(dat_srq_free(server->srq)); // buffers that are still on it are ours again
  CHECK(dat_lmr_free(server->region.lmr));
  CHECK(dat_evd_modify_cno(server->side.async_evd, DAT_HANDLE_NULL));
  CHECK(dat_evd_modify_cno(server->side.connect_evd, DAT_HANDLE_NULL));
  CHECK(dat_evd_modify_cno(server->side.receive_evd, DAT_HANDLE_NULL));
  CHECK(dat_evd_modify_cno(server->side.request_evd, DAT_HANDLE_NULL));
  CHECK(dat_cno_free(server->cno));
  close_side(&server->side);
}

// Creates an endpoint with the shared queue. Such an endpoint must be given its attributes.
static DAT_EP_HANDLE create_srq_endpoint(struct server* server) {
  struct side* side = &server->side;
  DAT_EP_ATTR attributes;
  DAT_EP_HANDLE ep;
  memset(&attributes, 0, sizeof attributes);
  attributes.service_type = DAT_SERVICE_TYPE_RC;
  attributes.max_message_size = kMessageSize;
  attributes.qos = DAT_QOS_BEST_EFFORT;
  attributes.max_recv_dtos = kBuffers;
  attributes.max_request_dtos = 4;
  attributes.max_recv_iov = attributes.max_request_iov = 1;
  attributes.srq_soft_hw = DAT_HW_DEFAULT; // one client may take as many buffers as it likes
  CHECK(dat_ep_create_with_srq(side->ia, side->pz, side->receive_evd, side->request_evd,
                               side->connect_evd, server->srq, &attributes, &ep));
  return ep;
}

// The cookie says in which buffer the message is. The endpoint says which client has sent it.
static void answer(struct server* server, const DAT_DTO_COMPLETION_EVENT_DATA* done) {
  const DAT_UINT64 at = done->user_cookie.as_64;
  if (done->status != DAT_DTO_SUCCESS) { // the connection ended while a message came in
    server->spare[server->spares++] = (int)at;
    return;
  }
  char* text = server->buffers[at];
  for (DAT_VLEN i = 0; i < done->transfered_length; ++i)
    text[i] = (char)toupper((unsigned char)text[i]);
  DAT_LMR_TRIPLET piece = piece_of(&server->region, text, done->transfered_length);
  CHECK(dat_ep_post_send(done->ep_handle, 1, &piece, cookie_of(at | kAnswer),
                         DAT_COMPLETION_DEFAULT_FLAG));
  ++server->received;
}

static void drain(struct server* server, DAT_EVD_HANDLE evd);

// Takes the last completions of the endpoint before it is freed: they name the endpoint, and
// buffers that are needed again.
static void part(struct server* server, DAT_EP_HANDLE ep) {
  drain(server, server->side.receive_evd);
  drain(server, server->side.request_evd);
  CHECK(dat_ep_free(ep));
  ++server->gone;
}

static void handle(struct server* server, const DAT_EVENT* event) {
  const DAT_DTO_COMPLETION_EVENT_DATA* done = &event->event_data.dto_completion_event_data;
  switch (event->event_number) {
  case DAT_DTO_COMPLETION_EVENT:
    if ((done->user_cookie.as_64 & kAnswer) == 0)
      answer(server, done);
    else // the answer has arrived, or its client has gone: the buffer is free
      server->spare[server->spares++] = (int)(done->user_cookie.as_64 & ~(DAT_UINT64)kAnswer);
    break;
  case DAT_CONNECTION_REQUEST_EVENT:
    CHECK(dat_cr_accept(event->event_data.cr_arrival_event_data.cr_handle,
                        create_srq_endpoint(server), 0, NULL));
    break;
  case DAT_CONNECTION_EVENT_ESTABLISHED: break;
  case DAT_CONNECTION_EVENT_BROKEN: // a client has crashed, for instance: the others go on
    ++server->broken;
    // fall through
  case DAT_CONNECTION_EVENT_DISCONNECTED:
    part(server, event->event_data.connect_event_data.ep_handle);
    break;
  default:
    if (event->event_data.asynch_error_event_data.dat_handle != server->srq ||
        event->event_data.asynch_error_event_data.reason != DAT_SRQ_LOW_WATERMARK_EVENT)
      fail("server: %s (%s)", meaning_of(event->event_number),
           datum_event_name(event->event_number));
    server->running_low = 1;
  }
}

static void drain(struct server* server, DAT_EVD_HANDLE evd) {
  DAT_EVENT event;
  DAT_RETURN result;
  while ((result = dat_evd_dequeue(evd, &event)) == DAT_SUCCESS) handle(server, &event);
  if (DAT_GET_TYPE(result) != DAT_QUEUE_EMPTY) CHECK(result);
}

static void serve(int announcement) {
  static struct server server;
  open_server(&server);
  const DAT_PSP_HANDLE listener = listen_anywhere(&server.side, announcement);
  while (server.gone < kClients) {
    DAT_EVD_HANDLE hint; // one EVD that has an event; others may have one, too
    CHECK(dat_cno_wait(server.cno, kPatience, &hint));
    drain(&server, server.side.receive_evd);
    drain(&server, server.side.request_evd);
    drain(&server, server.side.connect_evd);
    drain(&server, server.side.async_evd);
    if (!server.running_low || server.spares == 0) continue;
    server.running_low = 0;
    ++server.refills;
    refill(&server);
  }
  printf("server %d: %d messages of %d clients through %d shared buffers, refilled %d times\n",
         (int)getpid(), server.received, server.gone, kBuffers, server.refills);
  CHECK(dat_psp_free(listener));
  close_server(&server);
  if (server.broken != 0) fail("%d clients did not say goodbye", server.broken); // our clients do
}

// ---- A client ----

static void client(DAT_CONN_QUAL qualifier, int index) {
  char request[kMessageSize], reply[kMessageSize], expected[kMessageSize];
  struct side side;
  open_side(&side, 8);
  const struct region source =
      register_memory(&side, request, sizeof request, DAT_MEM_PRIV_LOCAL_READ_FLAG);
  const struct region sink =
      register_memory(&side, reply, sizeof reply, DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
  const DAT_EP_HANDLE ep = create_endpoint(&side);
  connect_here(&side, ep, qualifier);

  for (int i = 0; i < kRequests; ++i) {
    const int length = snprintf(request, sizeof request, "client %d, request %d", index, i);
    snprintf(expected, sizeof expected, "CLIENT %d, REQUEST %d", index, i);
    DAT_LMR_TRIPLET in = piece_of(&sink, reply, sizeof reply);
    DAT_LMR_TRIPLET out = piece_of(&source, request, (DAT_VLEN)length);
    // Post the buffer for the answer before the question is sent.
    CHECK(dat_ep_post_recv(ep, 1, &in, cookie_of(0), DAT_COMPLETION_DEFAULT_FLAG));
    CHECK(dat_ep_post_send(ep, 1, &out, cookie_of(kAnswer), DAT_COMPLETION_DEFAULT_FLAG));
    expect_completion(side.request_evd, kAnswer);
    const DAT_VLEN got = expect_completion(side.receive_evd, 0);
    if (got != (DAT_VLEN)length || memcmp(reply, expected, got) != 0)
      fail("client %d got \"%.*s\"", index, (int)got, reply);
  }

  disconnect(&side, ep);
  CHECK(dat_lmr_free(sink.lmr));
  CHECK(dat_lmr_free(source.lmr));
  close_side(&side);
}

int main(int argc, char** argv) {
  DAT_CONN_QUAL qualifier;
  pid_t clients[kClients];
  no_arguments(argc, argv, kUsage);
  setvbuf(stdout, NULL, _IOLBF, 0); // lines of several processes stay whole
  const pid_t server = start_server(serve, &qualifier);
  for (int i = 0; i < kClients; ++i) {
    clients[i] = fork();
    if (clients[i] < 0) fail("no process for client %d", i);
    if (clients[i] > 0) continue;
    client(qualifier, i);
    return said_all();
  }
  for (int i = 0; i < kClients; ++i) join(clients[i]);
  printf("%d clients got %d answers each\n", kClients, kRequests);
  join(server);
  return said_all();
}
