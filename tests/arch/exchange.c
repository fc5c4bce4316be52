// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// exchange.c: two processes, each of any byte order, use a little of everything with each other and
// check every octet: private data, Sends, RDMA Writes and Reads, a Write with immediate data,
// atomic operations.
//   exchange serve QUALIFIER      the server, for one client
//   exchange connect QUALIFIER    the client, on the same host
#define EXAMPLE_DAT2
#include "../../examples/connection.h"

enum { kQuestion = 100000, kAnswer = 70001, kWritten = 65537, kAnnounced = 3001, kSize = 200000 };
enum { kWords = 0, kTarget = 64, kSecondTarget = kTarget + kWritten };
static const char kHello[] = "a client's hello";
static const DAT_UINT32 kNumber = 0x01020304;
static const DAT_UINT64 kBefore = 0x0102030405060708, kAdded = 0x1000000000000010,
                        kAfter = 0x1102030405060718, kSwapped = 0x1122334455667788;

static union {
  DAT_UINT64 words[1];
  unsigned char octets[kSize];
} memory;

static unsigned char octet(int kind, size_t index) {
  return (unsigned char)((size_t)kind * 37 + index * 7 + index / 251);
}
static void fill(unsigned char* at, int kind, size_t length) {
  for (size_t i = 0; i < length; ++i) at[i] = octet(kind, i);
}
static void check(const unsigned char* at, int kind, size_t length) {
  for (size_t i = 0; i < length; ++i)
    if (at[i] != octet(kind, i)) fail("octet %zu of transfer %d is %u", i, kind, at[i]);
}

struct end {
  struct side side;
  struct region region;
  DAT_EP_HANDLE ep;
};

static void open_end(struct end* end) {
  open_side(&end->side, 32);
  end->region = register_memory(
      &end->side, &memory, sizeof memory,
      (DAT_MEM_PRIV_FLAGS)((int)DAT_MEM_PRIV_ALL_FLAG | (int)DAT_IB_MEM_PRIV_REMOTE_ATOMIC));
  end->ep = create_endpoint(&end->side);
}

static void post_receive(struct end* end, size_t length) {
  DAT_LMR_TRIPLET piece = piece_of(&end->region, memory.octets, length);
  CHECK(dat_ep_post_recv(end->ep, length == 0 ? 0 : 1, length == 0 ? NULL : &piece, cookie_of(1),
                         DAT_COMPLETION_DEFAULT_FLAG));
}
static void receive(struct end* end, size_t length) {
  const DAT_VLEN got = expect_completion(end->side.receive_evd, 1);
  if (got != length) fail("a message of %lu octets, not %zu", (unsigned long)got, length);
}
static void send_octets(struct end* end, size_t length) {
  DAT_LMR_TRIPLET piece = piece_of(&end->region, memory.octets, length);
  CHECK(dat_ep_post_send(end->ep, length == 0 ? 0 : 1, length == 0 ? NULL : &piece, cookie_of(2),
                         DAT_COMPLETION_DEFAULT_FLAG));
  expect_completion(end->side.request_evd, 2);
}

// ---- The server ----

static void accept_client(struct end* end) {
  const DAT_EVENT event = expect(end->side.connect_evd, DAT_CONNECTION_REQUEST_EVENT);
  const DAT_CR_HANDLE request = event.event_data.cr_arrival_event_data.cr_handle;
  DAT_CR_PARAM param;
  CHECK(dat_cr_query(request, DAT_CR_FIELD_ALL, &param));
  if (param.private_data_size < (DAT_COUNT)sizeof kHello ||
      memcmp(param.private_data, kHello, sizeof kHello) != 0)
    fail("the client's private data came changed");
  struct offer offer = make_offer(&end->region, &memory, sizeof memory);
  CHECK(dat_cr_accept(request, end->ep, sizeof offer, &offer));
  expect(end->side.connect_evd, DAT_CONNECTION_EVENT_ESTABLISHED);
}

static void await_number(struct end* end) {
  const DAT_EVENT event = expect(end->side.receive_evd, (DAT_EVENT_NUMBER)DAT_IB_DTO_EVENT);
  const DAT_IB_EXTENSION_EVENT_DATA extension = extension_of(&event);
  check_done(&event.event_data.dto_completion_event_data, "Write with immediate data");
  if (extension.type != DAT_IB_RDMA_WRITE_IMMED_DATA || extension.val.immed.data != kNumber)
    fail("immediate data: 0x%08x", extension.val.immed.data);
}

static void serve(DAT_CONN_QUAL qualifier) {
  struct end end;
  open_end(&end);
  post_receive(&end, kQuestion);
  DAT_PSP_HANDLE listener;
  CHECK(dat_psp_create(end.side.ia, qualifier, end.side.connect_evd, DAT_PSP_CONSUMER_FLAG,
                       &listener));
  puts("listening");
  accept_client(&end);
  receive(&end, kQuestion);
  check(memory.octets, 1, kQuestion);

  post_receive(&end, 0);
  fill(memory.octets, 2, kAnswer);
  send_octets(&end, kAnswer);
  await_number(&end);
  check(memory.octets + kTarget, 3, kWritten);
  check(memory.octets + kSecondTarget, 4, kAnnounced);

  memory.words[kWords] = kBefore;
  post_receive(&end, 0);
  send_octets(&end, 0);
  receive(&end, 0);
  if (memory.words[kWords] != kSwapped) fail("after the atomics: %lx", memory.words[kWords]);
  expect(end.side.connect_evd, DAT_CONNECTION_EVENT_DISCONNECTED);
  CHECK(dat_ep_free(end.ep));
  CHECK(dat_psp_free(listener));
  CHECK(dat_lmr_free(end.region.lmr));
  close_side(&end.side);
}

// ---- The client ----

static DAT_RMR_TRIPLET connect_server(struct end* end, DAT_CONN_QUAL qualifier) {
  CHECK(dat_ep_connect(end->ep, own_address(&end->side), qualifier, kPatience, sizeof kHello,
                       (DAT_PVOID)kHello, DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
  const DAT_EVENT event = expect_established(end->side.connect_evd, "this host", qualifier);
  return read_offer(&event.event_data.connect_event_data);
}

static DAT_RMR_TRIPLET part(const DAT_RMR_TRIPLET* all, size_t offset, size_t length) {
  return remote_piece(all->rmr_context, all->virtual_address + offset, length);
}

static void write_all(struct end* end, const DAT_RMR_TRIPLET* all) {
  fill(memory.octets, 3, kWritten);
  fill(memory.octets + kWritten, 4, kAnnounced);
  DAT_LMR_TRIPLET piece = piece_of(&end->region, memory.octets, kWritten);
  DAT_RMR_TRIPLET target = part(all, kTarget, kWritten);
  CHECK(dat_ep_post_rdma_write(end->ep, 1, &piece, cookie_of(3), &target,
                               DAT_COMPLETION_DEFAULT_FLAG));
  expect_completion(end->side.request_evd, 3);
  const DAT_LMR_TRIPLET rest = piece_of(&end->region, memory.octets + kWritten, kAnnounced);
  target = part(all, kSecondTarget, kAnnounced);
  CHECK(dat_ib_post_rdma_write_immed(end->ep, 1, &rest, cookie_of(4), &target, kNumber,
                                     DAT_COMPLETION_DEFAULT_FLAG));
  const DAT_EVENT event = expect(end->side.request_evd, (DAT_EVENT_NUMBER)DAT_IB_DTO_EVENT);
  check_done(&event.event_data.dto_completion_event_data, "Write with immediate data");
}

static void read_back(struct end* end, const DAT_RMR_TRIPLET* all) {
  memset(memory.octets, 0, kWritten + kAnnounced);
  DAT_LMR_TRIPLET sink = piece_of(&end->region, memory.octets, kWritten + kAnnounced);
  const DAT_RMR_TRIPLET source = part(all, kTarget, kWritten + kAnnounced);
  CHECK(
      dat_ep_post_rdma_read(end->ep, 1, &sink, cookie_of(5), &source, DAT_COMPLETION_DEFAULT_FLAG));
  expect_completion(end->side.request_evd, 5);
  check(memory.octets, 3, kWritten);
  check(memory.octets + kWritten, 4, kAnnounced);
}

static void expect_word(struct end* end, DAT_UINT64 expected, const char* what) {
  const DAT_EVENT event = expect(end->side.request_evd, (DAT_EVENT_NUMBER)DAT_IB_DTO_EVENT);
  check_done(&event.event_data.dto_completion_event_data, what);
  if (memory.words[0] != expected) fail("%s found %lx", what, memory.words[0]);
}

static void change_atomically(struct end* end, const DAT_RMR_TRIPLET* all) {
  const DAT_LMR_TRIPLET sink = piece_of(&end->region, memory.words, 8);
  const DAT_RMR_TRIPLET word = part(all, kWords, 8);
  CHECK(dat_ib_post_fetch_and_add(end->ep, kAdded, &sink, cookie_of(6), &word,
                                  DAT_COMPLETION_DEFAULT_FLAG));
  expect_word(end, kBefore, "fetch and add");
  CHECK(dat_ib_post_cmp_and_swap(end->ep, kAfter, kSwapped, &sink, cookie_of(7), &word,
                                 DAT_COMPLETION_DEFAULT_FLAG));
  expect_word(end, kAfter, "compare and swap");
}

static void ask(DAT_CONN_QUAL qualifier) {
  struct end end;
  open_end(&end);
  const DAT_RMR_TRIPLET all = connect_server(&end, qualifier);
  fill(memory.octets, 1, kQuestion);
  send_octets(&end, kQuestion);
  post_receive(&end, kAnswer); // until this Recv is posted the answer waits
  receive(&end, kAnswer);
  check(memory.octets, 2, kAnswer);
  post_receive(&end, 0);
  write_all(&end, &all);
  receive(&end, 0);
  read_back(&end, &all);
  change_atomically(&end, &all);
  send_octets(&end, 0);
  disconnect(&end.side, end.ep);
  CHECK(dat_lmr_free(end.region.lmr));
  close_side(&end.side);
}

int main(int argc, char** argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc != 3) refuse(argc > 1 ? argv[1] : "exchange", "serve|connect QUALIFIER is needed");
  const DAT_CONN_QUAL qualifier = strtoul(argv[2], NULL, 10);
  if (strcmp(argv[1], "serve") == 0)
    serve(qualifier);
  else
    ask(qualifier);
  const int one = 1;
  printf("%s: all as expected (%s-endian)\n", argv[1], *(const char*)&one == 1 ? "little" : "big");
  return said_all();
}
