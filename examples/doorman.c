// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// doorman.c: listening and connecting by address and port, as sockets do. The server checks each
// request before it accepts: a request carries a password, and a reject says why a guest is turned
// away. (Private data are not encrypted. Where others can read the network, a password needs more
// protection.) DAT 2.0: see dat_csp_create(3), dat_ep_common_connect(3) and dat_cr_reject(3).
#define EXAMPLE_DAT2
#include "connection.h"
#include <netdb.h>
#include <netinet/in.h>

static const char kUsage[] =
    "doorman                        start a doorman, try two wrong passwords and the right one\n"
    "doorman --server [PORT]        wait a minute for a guest with the right password\n"
    "doorman HOST PORT [PASSWORD]   ask the doorman on HOST to be let in\n"
    "PORT is a TCP port number; the provider chooses one if it is not given.\n";

static const char kPassword[] = "sesame";

// The address of an IA, IPv4 or IPv6.
union address {
  struct sockaddr any;
  struct sockaddr_in ipv4;
  struct sockaddr_in6 ipv6;
};

static union address copy_of(const struct sockaddr* address) {
  union address copy;
  memset(&copy, 0, sizeof copy);
  memcpy(&copy, address, address->sa_family == AF_INET6 ? sizeof copy.ipv6 : sizeof copy.ipv4);
  return copy;
}

static union address own_door(struct side* side, uint16_t port) {
  union address door = copy_of(own_address(side));
  if (door.any.sa_family == AF_INET6)
    door.ipv6.sin6_port = htobe16(port);
  else
    door.ipv4.sin_port = htobe16(port);
  return door;
}

// ---- The doorman ----

// A common service point is named by a socket address. If its port is 0, the provider chooses one,
// and the query returns it.
static DAT_CSP_HANDLE open_door(struct side* side, uint16_t* port) {
  union address door = own_door(side, *port);
  DAT_COMM stream = {door.any.sa_family, SOCK_STREAM, 0};
  DAT_CSP_HANDLE csp;
  DAT_CSP_PARAM param;
  const DAT_RETURN result = dat_csp_create(side->ia, &stream, &door.any, side->connect_evd, &csp);
  if (DAT_GET_TYPE(result) == DAT_PORT_IN_USE) fail("port %u is taken: choose another", *port);
  check_return(result, "dat_csp_create", __func__, __LINE__);
  CHECK(dat_csp_query(csp, DAT_CSP_FIELD_ALL, &param));
  door = copy_of(param.address_ptr);
  *port = be16toh(door.any.sa_family == AF_INET6 ? door.ipv6.sin6_port : door.ipv4.sin_port);
  return csp;
}

// Null: the guest is welcome. Otherwise the reason why not. A transport may pad private data with
// zeros, so only the password with its final zero is compared.
static const char* objection(const DAT_CR_PARAM* request) {
  if (request->private_data_size == 0) return "say the password";
  if (request->private_data_size < (DAT_COUNT)sizeof kPassword ||
      memcmp(request->private_data, kPassword, sizeof kPassword) != 0)
    return "that is not the password";
  return NULL;
}

// Answers requests until one is accepted. Returns how many were rejected. Creates an endpoint only
// for the accepted request.
static int admit(struct side* side, DAT_TIMEOUT patience, DAT_EP_HANDLE* ep) {
  static char welcome[] = "welcome";
  for (int turned_away = 0;; ++turned_away) {
    DAT_CR_PARAM request;
    const DAT_EVENT event =
        expect_within(side->connect_evd, DAT_CONNECTION_REQUEST_EVENT, patience);
    const DAT_CR_HANDLE guest = event.event_data.cr_arrival_event_data.cr_handle;
    CHECK(dat_cr_query(guest, DAT_CR_FIELD_ALL, &request));
    const char* why = objection(&request);
    if (why == NULL) {
      *ep = create_endpoint(side);
      CHECK(dat_cr_accept(guest, *ep, sizeof welcome, welcome));
      expect(side->connect_evd, DAT_CONNECTION_EVENT_ESTABLISHED);
      return turned_away;
    }
    CHECK(dat_cr_reject(guest, (DAT_COUNT)strlen(why) + 1, (DAT_PVOID)(uintptr_t)why));
  }
}

// If `port` is 0, the provider chooses one. The port is written to the pipe `announcement`, or is
// printed if that is -1.
static void keep_door(uint16_t port, DAT_TIMEOUT patience, int announcement) {
  struct side side;
  DAT_EP_HANDLE ep;
  open_side(&side, 8);
  const DAT_CSP_HANDLE door = open_door(&side, &port);
  if (announcement < 0)
    printf("doorman %d listens on port %u\n", (int)getpid(), port);
  else
    announce(announcement, port);
  const int turned_away = admit(&side, patience, &ep);
  CHECK(dat_csp_free(door)); // the connection stays
  printf("doorman %d: one guest is in, %d turned away\n", (int)getpid(), turned_away);
  expect(side.connect_evd, DAT_CONNECTION_EVENT_DISCONNECTED);
  CHECK(dat_ep_free(ep));
  close_side(&side);
}

static void serve(int announcement) {
  keep_door(0, kPatience, announcement);
}

// ---- A guest ----

// The doorman that a guest asks: host and port as they were typed, and the address for DAT.
struct door {
  const char* host;
  const char* port;
  DAT_IA_ADDRESS_PTR address;
};

// Copies the private data of the doorman, a text that may lack its final zero.
static void take_words(const DAT_CONNECTION_EVENT_DATA* event, char* words, size_t size) {
  size_t length = (size_t)event->private_data_size;
  if (length >= size) length = size - 1;
  if (length > 0) memcpy(words, event->private_data, length);
  words[length] = '\0';
}

// Returns whether the doorman has let us in. A rejected endpoint is DISCONNECTED. After a reset the
// same endpoint can connect again.
static int ask(struct side* side, DAT_EP_HANDLE ep, const struct door* door, char* password,
               char* words, size_t size) {
  DAT_EVENT event;
  DAT_COUNT left;
  const DAT_COUNT length = password == NULL ? 0 : (DAT_COUNT)strlen(password) + 1;
  CHECK(dat_ep_common_connect(ep, door->address, kPatience, length, password));
  CHECK(dat_evd_wait(side->connect_evd, kPatience + 1000000, 1, &event, &left));
  take_words(&event.event_data.connect_event_data, words, size);
  if (event.event_number == DAT_CONNECTION_EVENT_ESTABLISHED) return 1;
  // Other events mean that no doorman has answered: for instance, no process listens at the port.
  if (event.event_number != DAT_CONNECTION_EVENT_PEER_REJECTED)
    fail("no doorman at %s port %s: %s", door->host, door->port, meaning_of(event.event_number));
  CHECK(dat_ep_reset(ep));
  return 0;
}

// Tries the passwords in turn. Null stands for no password. Returns whether one was right.
static int visit(struct side* side, const struct door* door, char** passwords, int count) {
  const DAT_EP_HANDLE ep = create_endpoint(side);
  int inside = 0;
  for (int i = 0; i < count && !inside; ++i) {
    char words[64];
    inside = ask(side, ep, door, passwords[i], words, sizeof words);
    printf("guest %d: %s: \"%s\"\n", (int)getpid(), inside ? "let in" : "turned away", words);
  }
  if (inside)
    disconnect(side, ep);
  else
    CHECK(dat_ep_free(ep));
  return inside;
}

// Ends the process if the password with its final zero is too long for the private data of a
// request.
static void check_length(const struct side* side, const char* password) {
  DAT_PROVIDER_ATTR provider;
  char why[80];
  CHECK(dat_ia_query(side->ia, NULL, 0, NULL, DAT_PROVIDER_FIELD_ALL, &provider));
  if (strlen(password) < (size_t)provider.max_private_data_size) return;
  snprintf(why, sizeof why, "private data have room for %d characters, this has %zu",
           (int)provider.max_private_data_size - 1, strlen(password));
  refuse("the password is too long", why);
}

// getaddrinfo() returns address and port in one structure, which dat_ep_common_connect() takes.
static int visit_host(const char* host, const char* port, char* password) {
  struct side side;
  struct addrinfo hints;
  struct addrinfo* found = NULL;
  memset(&hints, 0, sizeof hints);
  hints.ai_socktype = SOCK_STREAM;
  const int result = getaddrinfo(host, port, &hints, &found);
  if (result != 0) fail("%s: %s", host, gai_strerror(result));
  open_side(&side, 8);
  if (password != NULL) check_length(&side, password);
  const struct door door = {host, port, found->ai_addr};
  const int inside = visit(&side, &door, &password, 1);
  close_side(&side);
  freeaddrinfo(found);
  return inside;
}

static int visit_here(uint16_t port) {
  static char wrong[] = "barley", right[] = "sesame";
  char* passwords[] = {NULL, wrong, right};
  struct side side;
  open_side(&side, 8);
  char port_text[8];
  union address own = own_door(&side, port);
  snprintf(port_text, sizeof port_text, "%d", port);
  const struct door door = {"this host", port_text, &own.any};
  const int inside = visit(&side, &door, passwords, 3);
  close_side(&side);
  return inside;
}

static uint16_t read_port(const char* text) {
  char* end = NULL;
  const unsigned long port = strtoul(text, &end, 10);
  if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && port != 0 && port <= UINT16_MAX)
    return (uint16_t)port;
  fprintf(stderr, "%s: a port is a number from 1 to 65535\n", visible(text));
  exit(2);
}

int main(int argc, char** argv) {
  setvbuf(stdout, NULL, _IOLBF, 0); // lines of two processes stay whole
  if (argc == 1) {
    DAT_CONN_QUAL port;
    const pid_t doorman = start_server(serve, &port);
    const int inside = visit_here((uint16_t)port);
    join(doorman);
    return inside ? said_all() : 1;
  }
  const int serving = strcmp(argv[1], "--server") == 0;
  if (argv[1][0] == '-' && !serving) no_arguments(argc, argv, kUsage);
  if (argc > (serving ? 3 : 4)) refuse(argv[argc - 1], "one argument too many");
  if (serving) {
    keep_door(argc == 3 ? read_port(argv[2]) : 0, 60 * 1000 * 1000, -1);
    return said_all();
  }
  if (argc < 3) refuse(argv[1], "the port of its doorman is missing");
  if (argv[1][0] == '\0') refuse(argv[1], "this is no host");
  read_port(argv[2]);
  return visit_host(argv[1], argv[2], argc == 4 ? argv[3] : NULL) ? said_all() : 1;
}
