// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// take_jobs.c: in which order operations take effect, and how a fence makes an operation wait for
// earlier ones. A worker fetches jobs, four at a time, by RDMA Reads of slots in the memory of
// their maker. Then the worker adds 4 to a number there, which tells the maker to fill the slots
// again. Only its fence keeps the addition from overtaking the Reads. The completions of the Reads
// wake no thread, since the worker can go on only after the addition. DAT 2.0 with the extensions
// for InfiniBand: see dat_ib_post_fetch_and_add(3).
#define EXAMPLE_DAT2
#include "connection.h"
#include <sched.h>
#include <stddef.h>
#include <time.h>

static const char kUsage[] =
    "take_jobs   start a maker of jobs and a worker that takes them from its memory\n";

enum { kSlots = 4, kBatches = 10, kWords = 511 };

struct job {
  DAT_UINT64 number; // in the byte order of this host, where both processes run
  DAT_UINT64 words[kWords];
};

// The memory that the maker offers. The worker may read the slots, and add to `taken`.
struct board {
  struct job slots[kSlots];
  DAT_UINT64 taken;
};

static DAT_UINT64 word_of(DAT_UINT64 job, unsigned index) {
  return job * 1000003U + index;
}

// An empty message says that the slots have four new jobs. The receive for it needs no memory.
static void post_empty_receive(DAT_EP_HANDLE ep) {
  CHECK(dat_ep_post_recv(ep, 0, NULL, cookie_of(0), DAT_COMPLETION_DEFAULT_FLAG));
}

// ---- The maker ----

static void fill_slots(struct board* board, DAT_UINT64 first) {
  for (DAT_UINT64 i = 0; i < kSlots; ++i) {
    board->slots[i].number = first + i;
    for (unsigned j = 0; j < kWords; ++j) board->slots[i].words[j] = word_of(first + i, j);
  }
}

// The addition makes no event at the maker, so the maker polls its memory. It also polls for
// connection events, since the worker may have ended.
static void await_taken(struct side* side, const struct board* board, DAT_UINT64 expected) {
  const time_t give_up = time(NULL) + (time_t)(kPatience / 1000000);
  while (__atomic_load_n(&board->taken, __ATOMIC_ACQUIRE) != expected) {
    DAT_EVENT event;
    if (dat_evd_dequeue(side->connect_evd, &event) == DAT_SUCCESS)
      fail("maker: the worker: %s (%s)", meaning_of(event.event_number),
           datum_event_name(event.event_number));
    if (time(NULL) > give_up) fail("maker: nobody takes the jobs");
    sched_yield();
  }
}

static void serve(int announcement) {
  static struct board board;
  struct side side;
  open_side(&side, 8);
  const struct region region =
      register_memory(&side, &board, sizeof board,
                      (DAT_MEM_PRIV_FLAGS)((int)DAT_MEM_PRIV_REMOTE_READ_FLAG |
                                           (int)DAT_IB_MEM_PRIV_REMOTE_ATOMIC));
  struct offer offer = make_offer(&region, &board, sizeof board);
  const DAT_EP_HANDLE ep = create_endpoint(&side);
  const DAT_PSP_HANDLE listener = listen_anywhere(&side, announcement);
  const DAT_EVENT request = expect(side.connect_evd, DAT_CONNECTION_REQUEST_EVENT);
  CHECK(
      dat_cr_accept(request.event_data.cr_arrival_event_data.cr_handle, ep, sizeof offer, &offer));
  expect(side.connect_evd, DAT_CONNECTION_EVENT_ESTABLISHED);

  for (DAT_UINT64 batch = 0; batch < kBatches; ++batch) {
    fill_slots(&board, batch * kSlots);
    CHECK(dat_ep_post_send(ep, 0, NULL, cookie_of(batch), DAT_COMPLETION_DEFAULT_FLAG));
    expect_completion(side.request_evd, batch);
    await_taken(&side, &board, (batch + 1) * kSlots);
  }

  expect(side.connect_evd, DAT_CONNECTION_EVENT_DISCONNECTED);
  CHECK(dat_ep_free(ep));
  CHECK(dat_psp_free(listener));
  CHECK(dat_lmr_free(region.lmr));
  close_side(&side);
}

// ---- The worker ----

struct worker {
  struct side side;
  DAT_EP_HANDLE ep;
  struct region region;
  DAT_RMR_TRIPLET board;
  struct job jobs[kSlots];
  DAT_UINT64 taken; // the number before our addition
};

// On this endpoint each post decides whether its completion wakes a thread. The attribute
// request_completion_flags allows that.
static DAT_EP_HANDLE create_quiet_endpoint(struct side* side) {
  DAT_EP_ATTR attributes;
  memset(&attributes, 0, sizeof attributes); // a size of 0 stands for the largest one
  attributes.service_type = DAT_SERVICE_TYPE_RC;
  attributes.request_completion_flags = DAT_COMPLETION_UNSIGNALLED_FLAG;
  attributes.max_recv_dtos = 2;
  attributes.max_request_dtos = attributes.max_rdma_read_out = kSlots + 1;
  attributes.max_recv_iov = attributes.max_request_iov = 1;
  return create_endpoint_with(side, &attributes);
}

static void post_reads(struct worker* worker) {
  for (DAT_UINT64 i = 0; i < kSlots; ++i) {
    const DAT_RMR_TRIPLET slot = remote_piece(
        worker->board.rmr_context,
        worker->board.virtual_address + offsetof(struct board, slots[0]) + i * sizeof(struct job),
        sizeof(struct job));
    DAT_LMR_TRIPLET sink = piece_of(&worker->region, &worker->jobs[i], sizeof(struct job));
    CHECK(dat_ep_post_rdma_read(worker->ep, 1, &sink, cookie_of(i), &slot,
                                DAT_COMPLETION_UNSIGNALLED_FLAG));
  }
}

// Without the fence the maker could see the sum, and fill a slot that a Read is still copying.
static void post_addition(struct worker* worker) {
  const DAT_RMR_TRIPLET taken = remote_piece(
      worker->board.rmr_context, worker->board.virtual_address + offsetof(struct board, taken), 8);
  const DAT_LMR_TRIPLET sink = piece_of(&worker->region, &worker->taken, 8);
  CHECK(dat_ib_post_fetch_and_add(worker->ep, kSlots, &sink, cookie_of(kSlots), &taken,
                                  DAT_COMPLETION_BARRIER_FENCE_FLAG));
}

// Completions come in posting order: the Reads, then the addition. Only that of the addition wakes
// this thread, and then all five events are in the queue.
static void await_batch(struct worker* worker) {
  for (DAT_UINT64 i = 0; i < kSlots; ++i)
    if (expect_completion(worker->side.request_evd, i) != sizeof(struct job)) fail("half a job");
  const DAT_EVENT event = expect(worker->side.request_evd, (DAT_EVENT_NUMBER)DAT_IB_DTO_EVENT);
  check_done(&event.event_data.dto_completion_event_data, "addition");
}

static void do_jobs(const struct worker* worker, DAT_UINT64 first) {
  if (worker->taken != first) fail("%lu jobs were taken, not %lu", worker->taken, first);
  for (DAT_UINT64 i = 0; i < kSlots; ++i) {
    const struct job* job = &worker->jobs[i];
    if (job->number != first + i) fail("job %lu instead of job %lu", job->number, first + i);
    for (unsigned j = 0; j < kWords; ++j)
      if (job->words[j] != word_of(job->number, j)) fail("job %lu is spoilt", job->number);
  }
}

// Prints counters, which endpoints and event dispatchers keep by themselves.
static void report(const struct worker* worker) {
  DAT_UINT64 ep[DCNT_EP_ALL_COUNTERS], evd[DCNT_EVD_ALL_COUNTERS];
  CHECK(dat_ib_query_counters(worker->ep, DCNT_EP_ALL_COUNTERS, ep, 0));
  CHECK(dat_ib_query_counters(worker->side.request_evd, DCNT_EVD_ALL_COUNTERS, evd, 0));
  printf("worker %d: %d jobs by %lu RDMA Reads and %lu additions, %lu completions woke it %lu "
         "times\n",
         (int)getpid(), kBatches * kSlots, ep[DCNT_EP_POST_READ], ep[DCNT_EP_POST_FETCH_ADD],
         evd[DCNT_EVD_DTO_CALLBACK], evd[DCNT_EVD_WAIT_NOTIFY]);
  // This call prints, for people, every counter that is not 0. It can also print a single counter.
  CHECK(dat_ib_print_counters(worker->ep, DCNT_EP_ALL_COUNTERS, 0));
  if (evd[DCNT_EVD_WAIT_NOTIFY] > kBatches) fail("more often than anything was signalled");
}

static void work(DAT_CONN_QUAL qualifier) {
  static struct worker worker;
  open_side(&worker.side, 2 * kSlots);
  worker.region = register_memory(&worker.side, &worker, sizeof worker,
                                  DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
  worker.ep = create_quiet_endpoint(&worker.side);
  for (int i = 0; i < 2; ++i) post_empty_receive(worker.ep);
  const DAT_CONNECTION_EVENT_DATA established = connect_here(&worker.side, worker.ep, qualifier);
  worker.board = read_offer(&established);

  for (DAT_UINT64 batch = 0; batch < kBatches; ++batch) {
    expect_completion(worker.side.receive_evd, 0);
    post_empty_receive(worker.ep);
    post_reads(&worker);
    post_addition(&worker);
    await_batch(&worker);
    do_jobs(&worker, batch * kSlots);
  }
  report(&worker);
  disconnect(&worker.side, worker.ep);
  CHECK(dat_lmr_free(worker.region.lmr));
  close_side(&worker.side);
}

int main(int argc, char** argv) {
  DAT_CONN_QUAL qualifier;
  no_arguments(argc, argv, kUsage);
  setvbuf(stdout, NULL, _IOLBF, 0); // lines of two processes stay whole
  const pid_t maker = start_server(serve, &qualifier);
  work(qualifier);
  join(maker);
  return said_all();
}
