// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// hello.c: a client and a server exchange one message each. The program shows all of DAT's first
// steps: open, create, connect, post, wait, disconnect, free, close. docs/guide/first-steps.md
// explains them.
#include "common.h"
#include <errno.h>
#include <limits.h>
#include <netdb.h>

static const char kUsage[] =
    "hello                        start a server process and say hello to it\n"
    "hello --server [QUALIFIER]   wait a minute for one client\n"
    "hello HOST [QUALIFIER]       say hello to the server on HOST\n"
    "QUALIFIER is a number that both sides know, 4711 unless given.\n";

enum { kQualifier = 4711 }; // where `hello --server` listens unless told otherwise
enum { kMessageSize = 64 };
enum { kReceived = 1, kSent = 2 }; // cookies: they come back in the completions

// Everything one side owns. Each object belongs to the interface adapter (IA).
struct side {
  DAT_IA_HANDLE ia;
  DAT_EVD_HANDLE async_evd; // errors that belong to no operation; comes with the IA
  DAT_EVD_HANDLE connect_evd;
  DAT_EVD_HANDLE receive_evd; // completions of receives
  DAT_EVD_HANDLE request_evd; // completions of sends, RDMA Reads and RDMA Writes
  DAT_PZ_HANDLE pz;           // endpoints use memory of their own protection zone only
  DAT_EP_HANDLE ep;
  DAT_LMR_HANDLE lmr;
  DAT_LMR_CONTEXT lmr_context;
  char memory[2 * kMessageSize]; // first what we receive, then what we send
};

static void open_side(struct side* side) {
  char name[] = "datum"; // the adapter that needs no configuration
  DAT_REGION_DESCRIPTION region;

  // guide: open
  // Null asks dat_ia_open() to create the EVD for asynchronous errors.
  side->async_evd = DAT_HANDLE_NULL;
  CHECK(dat_ia_open(name, 8, &side->async_evd, &side->ia));
  CHECK(dat_pz_create(side->ia, &side->pz));
  CHECK(dat_evd_create(side->ia, 8, DAT_HANDLE_NULL, DAT_EVD_CR_FLAG | DAT_EVD_CONNECTION_FLAG,
                       &side->connect_evd));
  // Receives and requests could share one EVD. But only completions of one kind are in order. So
  // the peer's answer may come before the completion of the Send that it answers.
  CHECK(dat_evd_create(side->ia, 8, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &side->receive_evd));
  CHECK(dat_evd_create(side->ia, 8, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &side->request_evd));
  // Null instead of attributes lets the provider choose them.
  CHECK(dat_ep_create(side->ia, side->pz, side->receive_evd, side->request_evd, side->connect_evd,
                      NULL, &side->ep));

  // Memory must be registered before an operation may name it. No remote privilege is needed for
  // sends and receives: the peer never addresses our memory itself.
  region.for_va = side->memory;
  CHECK(dat_lmr_create(side->ia, DAT_MEM_TYPE_VIRTUAL, region, sizeof side->memory, side->pz,
                       DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG, &side->lmr,
                       &side->lmr_context, NULL, NULL, NULL));
  // guide: end
}

// A graceful close succeeds only if nothing that we created is left. The asynchronous EVD came with
// the IA, and is freed with the IA.
static void close_side(struct side* side) {
  CHECK(dat_ep_free(side->ep));
  CHECK(dat_lmr_free(side->lmr));
  CHECK(dat_evd_free(side->request_evd));
  CHECK(dat_evd_free(side->receive_evd));
  CHECK(dat_evd_free(side->connect_evd));
  CHECK(dat_pz_free(side->pz));
  CHECK(dat_ia_close(side->ia, DAT_CLOSE_GRACEFUL_FLAG));
}

// Posts the buffer for the peer's message. Both sides do so before they connect, so that the buffer
// is there when the message comes.
static void post_receive(struct side* side) {
  // guide: receive
  DAT_LMR_TRIPLET piece = {side->lmr_context, 0, (DAT_VADDR)(uintptr_t)side->memory, kMessageSize};
  CHECK(dat_ep_post_recv(side->ep, 1, &piece, cookie_of(kReceived), DAT_COMPLETION_DEFAULT_FLAG));
  // guide: end
}

static void post_send(struct side* side, const char* greeting) {
  char* text = side->memory + kMessageSize;
  const int length = snprintf(text, kMessageSize, "%s %d", greeting, (int)getpid());
  DAT_LMR_TRIPLET piece = {side->lmr_context, 0, (DAT_VADDR)(uintptr_t)text, (DAT_VLEN)length};
  CHECK(dat_ep_post_send(side->ep, 1, &piece, cookie_of(kSent), DAT_COMPLETION_DEFAULT_FLAG));
}

// The buffer belongs to the provider until its completion is taken from the EVD.
static void print_received(struct side* side, const char* who) {
  const DAT_VLEN length = expect_completion(side->receive_evd, kReceived);
  printf("%s %d received \"%.*s\"\n", who, (int)getpid(), (int)length, side->memory);
}

// Serves one client. If `qualifier` is 0, the provider chooses one, and we write it to the pipe
// `announcement`.
static void serve_one(DAT_CONN_QUAL qualifier, DAT_TIMEOUT patience, int announcement) {
  struct side side;
  DAT_PSP_HANDLE listener;
  DAT_EVENT request;

  open_side(&side);
  post_receive(&side);
  if (qualifier != 0) {
    const DAT_RETURN result =
        dat_psp_create(side.ia, qualifier, side.connect_evd, DAT_PSP_CONSUMER_FLAG, &listener);
    if (DAT_GET_TYPE(result) == DAT_CONN_QUAL_IN_USE)
      fail("qualifier %lu is taken: choose another", qualifier);
    CHECK(result);
    printf("server %d listens on qualifier %lu\n", (int)getpid(), qualifier);
  } else {
    CHECK(dat_psp_create_any(side.ia, &qualifier, side.connect_evd, DAT_PSP_CONSUMER_FLAG,
                             &listener));
    announce(announcement, qualifier);
  }

  // guide: accept
  // A request stays until we accept or reject it. Then its handle is no longer valid.
  request = expect_within(side.connect_evd, DAT_CONNECTION_REQUEST_EVENT, patience);
  CHECK(dat_psp_free(listener)); // one client is enough; the request stays valid
  CHECK(dat_cr_accept(request.event_data.cr_arrival_event_data.cr_handle, side.ep, 0, NULL));
  expect(side.connect_evd, DAT_CONNECTION_EVENT_ESTABLISHED);
  // guide: end

  print_received(&side, "server");
  post_send(&side, "hello from server");
  expect_completion(side.request_evd, kSent);

  expect(side.connect_evd, DAT_CONNECTION_EVENT_DISCONNECTED); // the client ends it
  close_side(&side);
}

static void serve_child(int announcement) {
  serve_one(0, kPatience, announcement);
}

static void greet(const char* host, const struct sockaddr* address, DAT_CONN_QUAL qualifier) {
  struct side side;
  DAT_IA_ATTR own;
  DAT_IA_ADDRESS_PTR target = (DAT_IA_ADDRESS_PTR)address;

  open_side(&side);
  post_receive(&side);
  if (target == NULL) { // the server runs on this host: its address is ours
    CHECK(dat_ia_query(side.ia, NULL, DAT_IA_FIELD_IA_ADDRESS_PTR, &own, 0, NULL));
    target = own.ia_address_ptr;
  }
  // guide: connect
  // The call only begins to connect. An event says how that ended.
  CHECK(dat_ep_connect(side.ep, target, qualifier, kPatience, 0, NULL, DAT_QOS_BEST_EFFORT,
                       DAT_CONNECT_DEFAULT_FLAG));
  expect_established(side.connect_evd, host, qualifier);
  // guide: end

  // guide: exchange
  post_send(&side, "hello from client");
  expect_completion(side.request_evd, kSent);
  print_received(&side, "client");
  // guide: end

  // guide: disconnect
  // Graceful: requests that were posted before are still sent. Both sides get the event.
  CHECK(dat_ep_disconnect(side.ep, DAT_CLOSE_GRACEFUL_FLAG));
  expect(side.connect_evd, DAT_CONNECTION_EVENT_DISCONNECTED);
  close_side(&side);
  // guide: end
}

static void greet_host(const char* host, DAT_CONN_QUAL qualifier) {
  struct addrinfo hints;
  struct addrinfo* found = NULL;
  memset(&hints, 0, sizeof hints);
  hints.ai_socktype = SOCK_STREAM; // one answer for each address, not one for each protocol
  const int result = getaddrinfo(host, NULL, &hints, &found);
  if (result != 0) fail("%s: %s", host, gai_strerror(result));
  greet(host, found->ai_addr, qualifier);
  freeaddrinfo(found);
}

static DAT_CONN_QUAL read_qualifier(const char* text) {
  char* end = NULL;
  errno = 0;
  const DAT_CONN_QUAL qualifier = strtoul(text, &end, 10);
  // strtoul() would turn -1 into the largest number, so the text must begin with a digit.
  if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && qualifier != 0)
    return qualifier;
  fprintf(stderr, "%s: a qualifier is a number from 1 to %lu\n", visible(text), ULONG_MAX);
  exit(2);
}

int main(int argc, char** argv) {
  setvbuf(stdout, NULL, _IOLBF, 0); // lines of two processes stay whole
  if (argc == 1) {
    DAT_CONN_QUAL qualifier;
    const pid_t server = start_server(serve_child, &qualifier);
    greet("this host", NULL, qualifier);
    join(server);
    return said_all();
  }
  const int serving = strcmp(argv[1], "--server") == 0;
  if (argv[1][0] == '-' && !serving) no_arguments(argc, argv, kUsage);
  if (argc > 3) refuse(argv[argc - 1], "one argument too many");
  if (argv[1][0] == '\0') refuse(argv[1], "this is no host");
  const DAT_CONN_QUAL qualifier = argc == 3 ? read_qualifier(argv[2]) : kQualifier;
  if (serving)
    serve_one(qualifier, 60 * 1000 * 1000, -1);
  else
    greet_host(argv[1], qualifier);
  return said_all();
}
