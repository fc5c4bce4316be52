// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// kv_read.c: a key-value store that clients read by themselves. The server registers its hash
// table, tells each client the address of the table, and sleeps. A client looks a key up by RDMA
// Reads of buckets. The server's program does not run for a look-up.
#include "connection.h"
#include <sys/resource.h>

static const char kUsage[] =
    "kv_read   start a server with a table and three clients that read from it\n";

enum { kBuckets = 1024, kKeys = 600, kClients = 3, kLookups = 500 };

// One RDMA Read fetches one bucket. A Read takes no lock, so a server might change the bucket
// meanwhile. The check would reveal that. This server never changes its table. A server that does
// would store the check last, and a client that finds a wrong check would read the bucket again.
struct bucket {
  uint64_t check; // of key and value, 0 if the bucket is empty; all numbers big-endian
  char key[24];
  char value[32];
};

static uint64_t hash(const char* bytes, size_t length) { // FNV-1a
  uint64_t result = 0xcbf29ce484222325U;
  for (size_t i = 0; i < length; ++i) result = (result ^ (unsigned char)bytes[i]) * 0x100000001b3U;
  return result;
}

static unsigned first_bucket(const char* key) {
  return (unsigned)(hash(key, strlen(key)) % kBuckets);
}

static uint64_t check_of(const struct bucket* bucket) {
  const uint64_t sum =
      hash((const char*)bucket + sizeof bucket->check, sizeof *bucket - sizeof bucket->check);
  return htobe64(sum != 0 ? sum : 1);
}

static void name_key(char* key, size_t size, int number) {
  snprintf(key, size, "planet-%d", number);
}

static void name_value(char* value, size_t size, int number) {
  snprintf(value, size, "%d moons", number * 7 % 100);
}

// ---- The server ----

static void fill_table(struct bucket* table) {
  for (int number = 0; number < kKeys; ++number) {
    struct bucket entry;
    memset(&entry, 0, sizeof entry);
    name_key(entry.key, sizeof entry.key, number);
    name_value(entry.value, sizeof entry.value, number);
    entry.check = check_of(&entry);
    unsigned at = first_bucket(entry.key);
    while (table[at].check != 0) at = (at + 1) % kBuckets; // taken: use the next free bucket
    table[at] = entry;
  }
}

static double processor_milliseconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000.0 +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000.0;
}

// Accepts clients, and frees their endpoints when they have disconnected. Between these events the
// process sleeps.
static void attend(struct side* side, struct offer* offer) {
  int gone = 0, events = 0;
  while (gone < kClients) {
    DAT_EVENT event;
    DAT_COUNT left;
    CHECK(dat_evd_wait(side->connect_evd, kPatience, 1, &event, &left));
    ++events;
    switch (event.event_number) {
    case DAT_CONNECTION_REQUEST_EVENT:
      CHECK(dat_cr_accept(event.event_data.cr_arrival_event_data.cr_handle, create_endpoint(side),
                          sizeof *offer, offer));
      break;
    case DAT_CONNECTION_EVENT_ESTABLISHED: break;
    case DAT_CONNECTION_EVENT_DISCONNECTED:
      CHECK(dat_ep_free(event.event_data.connect_event_data.ep_handle));
      ++gone;
      break;
    default:
      fail("server: a client's connection: %s (%s)", meaning_of(event.event_number),
           datum_event_name(event.event_number));
    }
  }
  printf("server %d: %d clients, %d events, none of them for a look-up\n", (int)getpid(), gone,
         events);
}

static void serve(int announcement) {
  static struct bucket table[kBuckets];
  struct side side;
  fill_table(table);
  open_side(&side, 4 * kClients);
  // Clients may read the table, but no other memory. They may write nothing.
  const struct region region =
      register_memory(&side, table, sizeof table, DAT_MEM_PRIV_REMOTE_READ_FLAG);
  struct offer offer = make_offer(&region, table, sizeof table);
  const DAT_PSP_HANDLE listener = listen_anywhere(&side, announcement);

  const double before = processor_milliseconds();
  attend(&side, &offer);
  printf("server %d: %.1f ms of processor time in all\n", (int)getpid(),
         processor_milliseconds() - before);

  CHECK(dat_psp_free(listener));
  CHECK(dat_lmr_free(region.lmr));
  close_side(&side);
}

// ---- A client ----

struct store {
  struct side side;
  DAT_EP_HANDLE ep;
  struct region region;
  struct bucket bucket; // the sink of each Read
  DAT_RMR_TRIPLET table;
  unsigned buckets;
  DAT_UINT64 reads;
};

static void open_store(struct store* store, DAT_CONN_QUAL qualifier) {
  memset(store, 0, sizeof *store);
  open_side(&store->side, 8);
  // Our own endpoint writes to the sink of a Read, so local privilege is enough.
  store->region = register_memory(&store->side, &store->bucket, sizeof store->bucket,
                                  DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
  store->ep = create_endpoint(&store->side);
  const DAT_CONNECTION_EVENT_DATA established = connect_here(&store->side, store->ep, qualifier);
  store->table = read_offer(&established);
  store->buckets = (unsigned)(store->table.segment_length / sizeof store->bucket);
  if (store->buckets != kBuckets) fail("the server's table has another size");
}

static void close_store(struct store* store) {
  disconnect(&store->side, store->ep);
  CHECK(dat_lmr_free(store->region.lmr));
  close_side(&store->side);
}

static const struct bucket* read_bucket(struct store* store, unsigned at) {
  const DAT_RMR_TRIPLET remote = {store->table.rmr_context, 0,
                                  store->table.target_address + at * sizeof store->bucket,
                                  sizeof store->bucket};
  DAT_LMR_TRIPLET sink = piece_of(&store->region, &store->bucket, sizeof store->bucket);
  const DAT_UINT64 cookie = ++store->reads;
  CHECK(dat_ep_post_rdma_read(store->ep, 1, &sink, cookie_of(cookie), &remote,
                              DAT_COMPLETION_DEFAULT_FLAG));
  expect_completion(store->side.request_evd, cookie); // now the bytes are here
  if (store->bucket.check != 0 && store->bucket.check != check_of(&store->bucket))
    fail("bucket %u is damaged", at);
  return &store->bucket;
}

// The value of a key, or null. It stays valid until the next look-up.
static const char* look_up(struct store* store, const char* key) {
  unsigned at = first_bucket(key);
  for (unsigned tried = 0; tried < store->buckets; ++tried, at = (at + 1) % store->buckets) {
    const struct bucket* bucket = read_bucket(store, at);
    if (bucket->check == 0) return NULL;
    if (strncmp(bucket->key, key, sizeof bucket->key) == 0) return bucket->value;
  }
  return NULL;
}

static void client(DAT_CONN_QUAL qualifier, int index) {
  struct store store;
  open_store(&store, qualifier);
  int found = 0;
  for (int i = 0; i < kLookups; ++i) {
    char key[sizeof store.bucket.key], expected[sizeof store.bucket.value];
    const int number = (index * 101 + i * 13) % (kKeys + 60); // some of these keys do not exist
    name_key(key, sizeof key, number);
    name_value(expected, sizeof expected, number);
    const char* value = look_up(&store, key);
    if ((value != NULL) != (number < kKeys)) fail("client %d: %s: wrong answer", index, key);
    if (value != NULL && strcmp(value, expected) != 0) fail("%s has %s", key, value);
    if (value != NULL) ++found;
  }
  printf("client %d: %d look-ups, %d found, by %lu RDMA Reads\n", (int)getpid(), kLookups, found,
         store.reads);
  close_store(&store);
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
  join(server);
  return said_all();
}
