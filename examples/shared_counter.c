// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// shared_counter.c: several clients change the memory of one server at the same time, and no change
// gets lost. Fetch-and-add gives each client its own tickets. Compare-and-swap makes a lock for a
// record of more than eight bytes. The server reads its memory only after all clients have ended.
// DAT 2.0 with the extensions for InfiniBand: see dat_ib_post_fetch_and_add(3).
#define EXAMPLE_DAT2
#include "connection.h"
#include <sched.h>
#include <stddef.h>

static const char kUsage[] =
    "shared_counter   start a server and four clients that count and lock in its memory\n";

enum { kClients = 4, kTickets = 100, kRounds = 20 };

// What the clients share. Words for atomic operations must be aligned. They have the byte order of
// the host that has the memory. Here all processes run on one host.
struct shared {
  DAT_UINT64 next_ticket;
  DAT_UINT64 lock; // 0, or the number of the client that has the lock
  DAT_UINT64 record[2];
  DAT_UINT64 owner[kClients * kTickets]; // the client that drew each ticket
};

// DAT_MEM_PRIV_ALL_FLAG does not include the privilege for atomic operations.
static const DAT_MEM_PRIV_FLAGS kAtomicPrivileges =
    (DAT_MEM_PRIV_FLAGS)((int)DAT_MEM_PRIV_ALL_FLAG | (int)DAT_IB_MEM_PRIV_REMOTE_ATOMIC);

// ---- The server ----

static void see_off(struct side* side) {
  for (int gone = 0; gone < kClients;) {
    DAT_EVENT event;
    DAT_COUNT left;
    CHECK(dat_evd_wait(side->connect_evd, kPatience, 1, &event, &left));
    if (event.event_number == DAT_CONNECTION_EVENT_DISCONNECTED) {
      CHECK(dat_ep_free(event.event_data.connect_event_data.ep_handle));
      ++gone;
    } else if (event.event_number != DAT_CONNECTION_EVENT_ESTABLISHED) {
      fail("server: %s (%s)", meaning_of(event.event_number), datum_event_name(event.event_number));
    }
  }
}

// If two clients drew the same ticket, another ticket would have no owner.
static void check_shared(const struct shared* shared) {
  if (shared->next_ticket != kClients * kTickets) fail("%lu tickets", shared->next_ticket);
  for (int i = 0; i < kClients * kTickets; ++i)
    if (shared->owner[i] == 0) fail("nobody got ticket %d", i);
  for (int i = 0; i < 2; ++i)
    if (shared->record[i] != kClients * kRounds) fail("an update of the record was lost");
}

static void serve(int announcement) {
  static struct shared shared;
  struct side side;
  open_side(&side, 4 * kClients);
  const struct region region = register_memory(&side, &shared, sizeof shared, kAtomicPrivileges);
  struct offer offer = make_offer(&region, &shared, sizeof shared);
  const DAT_PSP_HANDLE listener = listen_anywhere(&side, announcement);
  // All clients shall run at the same time. So the server accepts none before all have asked.
  DAT_CR_HANDLE requests[kClients];
  for (int i = 0; i < kClients; ++i)
    requests[i] = expect(side.connect_evd, DAT_CONNECTION_REQUEST_EVENT)
                      .event_data.cr_arrival_event_data.cr_handle;
  for (int i = 0; i < kClients; ++i)
    CHECK(dat_cr_accept(requests[i], create_endpoint(&side), sizeof offer, &offer));
  see_off(&side);

  check_shared(&shared);
  printf(
      "server %d: %lu tickets, none twice, and %lu updates of a record under a lock, none lost\n",
      (int)getpid(), shared.next_ticket, shared.record[0]);
  CHECK(dat_psp_free(listener));
  CHECK(dat_lmr_free(region.lmr));
  close_side(&side);
}

// ---- A client ----

struct client {
  struct side side;
  DAT_EP_HANDLE ep;
  struct region region;
  DAT_UINT64 words[2]; // data from the server, and data for the server
  DAT_RMR_TRIPLET shared;
};

static DAT_RMR_TRIPLET field(const struct client* client, size_t offset, size_t size) {
  return remote_piece(client->shared.rmr_context, client->shared.virtual_address + offset, size);
}

// The completion of an extended operation has an event number of its own, and the data of a DTO.
static void expect_atomic(struct client* client) {
  const DAT_EVENT event = expect(client->side.request_evd, (DAT_EVENT_NUMBER)DAT_IB_DTO_EVENT);
  check_done(&event.event_data.dto_completion_event_data, "atomic operation");
}

static DAT_UINT64 draw_ticket(struct client* client) {
  const DAT_RMR_TRIPLET counter = field(client, offsetof(struct shared, next_ticket), 8);
  const DAT_LMR_TRIPLET sink = piece_of(&client->region, client->words, 8);
  CHECK(dat_ib_post_fetch_and_add(client->ep, 1, &sink, cookie_of(1), &counter,
                                  DAT_COMPLETION_DEFAULT_FLAG));
  expect_atomic(client);
  return client->words[0]; // the old value: no other client gets the same
}

// Returns the old value of the lock. If it is `expected`, the lock now has the new `value`.
static DAT_UINT64 swap_lock(struct client* client, DAT_UINT64 expected, DAT_UINT64 value) {
  const DAT_RMR_TRIPLET lock = field(client, offsetof(struct shared, lock), 8);
  const DAT_LMR_TRIPLET sink = piece_of(&client->region, client->words, 8);
  CHECK(dat_ib_post_cmp_and_swap(client->ep, expected, value, &sink, cookie_of(2), &lock,
                                 DAT_COMPLETION_DEFAULT_FLAG));
  expect_atomic(client);
  return client->words[0];
}

static void write_words(struct client* client, DAT_RMR_TRIPLET target) {
  DAT_LMR_TRIPLET source = piece_of(&client->region, client->words, target.segment_length);
  CHECK(dat_ep_post_rdma_write(client->ep, 1, &source, cookie_of(3), &target,
                               DAT_COMPLETION_DEFAULT_FLAG));
  expect_completion(client->side.request_evd, 3);
}

static void take_tickets(struct client* client, DAT_UINT64 me) {
  for (int i = 0; i < kTickets; ++i) {
    const DAT_UINT64 ticket = draw_ticket(client);
    if (ticket >= kClients * kTickets) fail("there is no ticket %lu", ticket);
    client->words[0] = me;
    write_words(client, field(client, offsetof(struct shared, owner) + ticket * 8, 8));
  }
}

// Reads the record, changes it and writes it back. Without the lock, this would undo what another
// client has written meanwhile.
static void update_record(struct client* client, DAT_UINT64 me) {
  const DAT_RMR_TRIPLET record = field(client, offsetof(struct shared, record), 16);
  DAT_LMR_TRIPLET sink = piece_of(&client->region, client->words, 16);
  while (swap_lock(client, 0, me) != 0) sched_yield(); // its owner may need the processor
  CHECK(dat_ep_post_rdma_read(client->ep, 1, &sink, cookie_of(4), &record,
                              DAT_COMPLETION_DEFAULT_FLAG));
  expect_completion(client->side.request_evd, 4);
  if (client->words[0] != client->words[1]) fail("the record is half written");
  sched_yield(); // without the lock, others would change it now
  ++client->words[0];
  ++client->words[1];
  write_words(client, record);
  if (swap_lock(client, me, 0) != me) fail("somebody took our lock");
}

static void run_client(DAT_CONN_QUAL qualifier, DAT_UINT64 me) {
  static struct client client;
  open_side(&client.side, 8);
  client.region = register_memory(&client.side, client.words, sizeof client.words,
                                  DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
  client.ep = create_endpoint(&client.side);
  const DAT_CONNECTION_EVENT_DATA established = connect_here(&client.side, client.ep, qualifier);
  client.shared = read_offer(&established);
  take_tickets(&client, me);
  for (int i = 0; i < kRounds; ++i) update_record(&client, me);
  disconnect(&client.side, client.ep);
  CHECK(dat_lmr_free(client.region.lmr));
  close_side(&client.side);
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
    run_client(qualifier, (DAT_UINT64)i + 1);
    return said_all();
  }
  for (int i = 0; i < kClients; ++i) join(clients[i]);
  join(server);
  return said_all();
}
