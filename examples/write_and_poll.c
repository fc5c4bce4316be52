// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// write_and_poll.c: the fastest way to hand over a message. The writer puts the message into the
// reader's memory by RDMA Write. The reader polls the last bytes of that memory until they change.
// While it polls, the reader posts nothing, gets no event, and calls no function of DAT.
//
// Why the last bytes: with Datum, the bytes of a Write appear in address order, the last bytes
// last. The Writes of one endpoint appear in posting order. The DAT specification does not promise
// that. A program for any provider sends a message after the Write instead: see
// dat_ep_post_rdma_write(3).
#include "connection.h"
#include <time.h>

static const char kUsage[] =
    "write_and_poll   start a reader process and write messages into its memory\n";

enum { kMessages = 64, kWords = 512 }; // messages of 4 KiB
enum { kPause = 500 };                 // microseconds between them

// The last word is a sequence number, so it differs from the 0 that was there before.
struct message {
  uint64_t words[kWords - 2];
  uint64_t written_at; // nanoseconds
  uint64_t sequence;   // the last bytes; counted from 1
};

// One slot for each message. With fewer slots the reader would have to tell the writer which slots
// it has read, by a Write in the other direction.
static struct message slots[kMessages];

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time); // the same clock in both processes: one host
  return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

static uint64_t word_of(uint64_t sequence, unsigned index) {
  return sequence * 1000003U + index;
}

// Spins until the message is there. Because the load is an acquire, later loads get all of the
// message.
static void await(const struct message* message, uint64_t sequence) {
  const uint64_t give_up = now() + (uint64_t)kPatience * 1000U;
  unsigned spins = 0;
  while (__atomic_load_n(&message->sequence, __ATOMIC_ACQUIRE) != sequence)
    if (++spins % 65536 == 0 && now() > give_up) fail("message %lu never came", sequence);
}

static int by_value(const void* left, const void* right) {
  const uint64_t a = *(const uint64_t*)left, b = *(const uint64_t*)right;
  return a < b ? -1 : a > b;
}

static void read_messages(void) {
  uint64_t delays[kMessages];
  for (uint64_t sequence = 1; sequence <= kMessages; ++sequence) {
    const struct message* message = &slots[sequence - 1];
    await(message, sequence);
    delays[sequence - 1] = now() - message->written_at;
    for (unsigned i = 0; i < kWords - 2; ++i)
      if (message->words[i] != word_of(sequence, i))
        fail("message %lu: word %u is not there yet", sequence, i);
  }
  qsort(delays, kMessages, sizeof delays[0], by_value);
  const uint64_t median = delays[kMessages / 2];
  printf("reader %d saw %d messages of %zu bytes without calling DAT; "
         "from filling to seeing: median %.1f us\n",
         (int)getpid(), kMessages, sizeof slots[0], (double)median / 1000.0);
}

static void reader(int announcement) {
  struct side side;
  open_side(&side, 8);
  // With this privilege alone, the writer can write but not read. No other peer knows the context.
  const struct region region =
      register_memory(&side, slots, sizeof slots, DAT_MEM_PRIV_REMOTE_WRITE_FLAG);
  const DAT_EP_HANDLE ep = create_endpoint(&side);
  const DAT_PSP_HANDLE listener = listen_anywhere(&side, announcement);

  // The accept carries the address to which the writer shall write, as private data.
  struct offer offer = make_offer(&region, slots, sizeof slots);
  const DAT_EVENT request = expect(side.connect_evd, DAT_CONNECTION_REQUEST_EVENT);
  CHECK(
      dat_cr_accept(request.event_data.cr_arrival_event_data.cr_handle, ep, sizeof offer, &offer));
  expect(side.connect_evd, DAT_CONNECTION_EVENT_ESTABLISHED);

  read_messages();

  expect(side.connect_evd, DAT_CONNECTION_EVENT_DISCONNECTED);
  CHECK(dat_ep_free(ep));
  CHECK(dat_psp_free(listener));
  CHECK(dat_lmr_free(region.lmr));
  close_side(&side);
}

static void fill(struct message* message, uint64_t sequence) {
  for (unsigned i = 0; i < kWords - 2; ++i) message->words[i] = word_of(sequence, i);
  message->sequence = sequence;
  message->written_at = now();
}

static void write_message(DAT_EP_HANDLE ep, const struct region* source, struct message* message,
                          const DAT_RMR_TRIPLET* slot) {
  DAT_LMR_TRIPLET piece = piece_of(source, message, sizeof *message);
  CHECK(dat_ep_post_rdma_write(ep, 1, &piece, cookie_of(message->sequence), slot,
                               DAT_COMPLETION_DEFAULT_FLAG));
}

static void writer(DAT_CONN_QUAL qualifier) {
  static struct message message;
  struct side side;
  open_side(&side, 8);
  const struct region source =
      register_memory(&side, &message, sizeof message, DAT_MEM_PRIV_LOCAL_READ_FLAG);
  const DAT_EP_HANDLE ep = create_endpoint(&side);
  const DAT_CONNECTION_EVENT_DATA established = connect_here(&side, ep, qualifier);
  const DAT_RMR_TRIPLET remote = read_offer(&established);
  if (remote.segment_length < sizeof slots) fail("the reader offers too little memory");

  for (uint64_t sequence = 1; sequence <= kMessages; ++sequence) {
    const DAT_RMR_TRIPLET slot = {remote.rmr_context, 0,
                                  remote.target_address + (sequence - 1) * sizeof message,
                                  sizeof message};
    usleep(kPause); // so that the reader measures a single message, not a queue
    fill(&message, sequence);
    write_message(ep, &source, &message, &slot);
    expect_completion(side.request_evd, sequence); // the source may be changed only now
  }
  printf("writer %d wrote %d messages into the memory of its peer\n", (int)getpid(), kMessages);

  disconnect(&side, ep);
  CHECK(dat_lmr_free(source.lmr));
  close_side(&side);
}

int main(int argc, char** argv) {
  DAT_CONN_QUAL qualifier;
  no_arguments(argc, argv, kUsage);
  setvbuf(stdout, NULL, _IOLBF, 0); // lines of two processes stay whole
  const pid_t child = start_server(reader, &qualifier);
  writer(qualifier);
  join(child);
  return said_all();
}
