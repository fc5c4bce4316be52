// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// storage_target.c: a disk that is reached by RDMA, as in iSER and NVMe over Fabrics. For one
// command the initiator binds a window to its buffer, which lends the buffer to the target. The
// target moves the blocks itself, with an RDMA Read or Write. The target's answer invalidates the
// window. All addresses count from 0, so neither side has to know the addresses of the other. DAT
// 2.0: see dat_ep_post_send_with_invalidate(3) and dat_ep_post_rdma_read_to_rmr(3).
#define EXAMPLE_DAT2
#include "connection.h"

static const char kUsage[] =
    "storage_target   start a target with a disk, write to it, read back and compare\n";

enum { kBlockSize = 512, kBlocks = 64, kAtOnce = 8 };

enum operation { kReadBlocks = 1, kWriteBlocks = 2 };
enum status { kDone = 0, kNoSuchBlock = 1, kBadCommand = 2 };

// All numbers are big-endian.
struct command {
  uint32_t operation;
  uint32_t first; // block
  uint32_t count; // of blocks
  uint32_t window;
};

struct answer {
  uint32_t status;
};

// Registers memory whose addresses count from its first byte, in our own triplets and in those of
// peers. (create_lmr() of version.h registers memory with our addresses.)
static struct region register_from_zero(struct side* side, void* memory, DAT_VLEN size) {
  struct region region;
  DAT_REGION_DESCRIPTION description;
  description.for_va = memory;
  CHECK(dat_lmr_create(side->ia, DAT_MEM_TYPE_VIRTUAL, description, size, side->pz,
                       DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG, DAT_VA_TYPE_ZB,
                       &region.lmr, &region.lmr_context, &region.rmr_context, NULL, NULL));
  return region;
}

// Binds a window to the first `length` bytes of a region that counts from 0. Until the window is
// invalidated, the peer of this endpoint can access these bytes as `privileges` allow. No other
// peer can.
static DAT_RMR_CONTEXT bind_window(DAT_EP_HANDLE ep, DAT_RMR_HANDLE window,
                                   const struct region* region, DAT_VLEN length,
                                   DAT_MEM_PRIV_FLAGS privileges, DAT_COMPLETION_FLAGS flags) {
  const DAT_LMR_TRIPLET part = local_piece(region->lmr_context, 0, length);
  DAT_RMR_CONTEXT context;
  CHECK(dat_rmr_bind(window, region->lmr, &part, privileges, DAT_VA_TYPE_ZB, ep, cookie_of(0),
                     flags, &context));
  return context;
}

static void post_receive(DAT_EP_HANDLE ep, const struct region* region, void* memory, size_t size) {
  DAT_LMR_TRIPLET piece = piece_of(region, memory, size);
  CHECK(dat_ep_post_recv(ep, 1, &piece, cookie_of(0), DAT_COMPLETION_DEFAULT_FLAG));
}

// ---- The target ----

struct target {
  struct side side;
  DAT_EP_HANDLE ep;
  struct region region; // command and answer
  struct region disk;
  DAT_RMR_CONTEXT disk_window;
  struct command command;
  struct answer answer;
  int reads, writes, refused;
};

static char blocks[kBlocks][kBlockSize]; // the disk

// To the disk: an RDMA Read from the initiator's window into a window of our own. On Datum a Read
// into local segments would do as well. Other adapters tell the peer the context of the memory into
// which they read. With a window, that is the context of the window only.
static void fetch(struct target* target, uint32_t first, DAT_VLEN length, DAT_RMR_CONTEXT window) {
  const DAT_RMR_TRIPLET source = remote_piece(window, 0, length);
  const DAT_RMR_TRIPLET sink =
      remote_piece(target->disk_window, (DAT_VADDR)first * kBlockSize, length);
  CHECK(dat_ep_post_rdma_read_to_rmr(target->ep, &sink, cookie_of(1), &source,
                                     DAT_COMPLETION_SUPPRESS_FLAG));
  ++target->writes;
}

// From the disk: an RDMA Write.
static void deliver(struct target* target, uint32_t first, DAT_VLEN length,
                    DAT_RMR_CONTEXT window) {
  DAT_LMR_TRIPLET source =
      local_piece(target->disk.lmr_context, (DAT_VADDR)first * kBlockSize, length);
  const DAT_RMR_TRIPLET sink = remote_piece(window, 0, length);
  CHECK(dat_ep_post_rdma_write(target->ep, 1, &source, cookie_of(1), &sink,
                               DAT_COMPLETION_SUPPRESS_FLAG));
  ++target->reads;
}

// The answer invalidates the window. An earlier Write has used the window by then. But an earlier
// Read may still be under way, so a fence makes the answer wait for the Read. The answer is
// solicited, so it wakes the initiator.
static void answer(struct target* target, uint32_t status, DAT_RMR_CONTEXT window) {
  DAT_LMR_TRIPLET piece = piece_of(&target->region, &target->answer, sizeof target->answer);
  target->answer.status = htobe32(status);
  CHECK(dat_ep_post_send_with_invalidate(
      target->ep, 1, &piece, cookie_of(2),
      DAT_COMPLETION_BARRIER_FENCE_FLAG | DAT_COMPLETION_SOLICITED_WAIT_FLAG, DAT_TRUE, window));
  // The suppressed operation before the answer has ended, too. It has an event only if it failed.
  expect_completion(target->side.request_evd, 2);
}

// Checks the command of the peer, carries it out if it is allowed, and answers.
static void carry_out(struct target* target) {
  const uint32_t operation = be32toh(target->command.operation);
  const uint32_t first = be32toh(target->command.first);
  const uint32_t count = be32toh(target->command.count);
  const DAT_RMR_CONTEXT window = be32toh(target->command.window);
  uint32_t status = kDone;
  if (count > kAtOnce || first >= kBlocks || count > kBlocks - first)
    status = kNoSuchBlock;
  else if (operation == kWriteBlocks)
    fetch(target, first, count * kBlockSize, window);
  else if (operation == kReadBlocks)
    deliver(target, first, count * kBlockSize, window);
  else
    status = kBadCommand;
  if (status != kDone) ++target->refused;
  // Posted before the answer: the initiator sends its next command as soon as it has the answer.
  post_receive(target->ep, &target->region, &target->command, sizeof target->command);
  answer(target, status, window);
}

static int next_command(struct target* target) {
  const DAT_EVENT event = expect(target->side.receive_evd, DAT_DTO_COMPLETION_EVENT);
  const DAT_DTO_COMPLETION_EVENT_DATA* done = &event.event_data.dto_completion_event_data;
  if (done->status == DAT_DTO_ERR_FLUSHED) return 0; // the connection has ended
  check_done(done, "command");
  if (done->transfered_length != sizeof target->command) fail("target: not a command");
  return 1;
}

static void serve(int announcement) {
  static struct target target;
  DAT_RMR_HANDLE window;
  open_side(&target.side, 8);
  target.region = register_memory(&target.side, &target, sizeof target,
                                  DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
  target.disk = register_from_zero(&target.side, blocks, sizeof blocks);
  target.ep = create_endpoint(&target.side);
  post_receive(target.ep, &target.region, &target.command, sizeof target.command);
  const DAT_PSP_HANDLE listener = listen_anywhere(&target.side, announcement);
  const DAT_EVENT request = expect(target.side.connect_evd, DAT_CONNECTION_REQUEST_EVENT);
  CHECK(dat_cr_accept(request.event_data.cr_arrival_event_data.cr_handle, target.ep, 0, NULL));
  expect(target.side.connect_evd, DAT_CONNECTION_EVENT_ESTABLISHED);
  CHECK(dat_rmr_create_for_ep(target.side.pz, &window));
  target.disk_window = bind_window(target.ep, window, &target.disk, sizeof blocks,
                                   DAT_MEM_PRIV_REMOTE_WRITE_FLAG, DAT_COMPLETION_DEFAULT_FLAG);
  expect(target.side.request_evd, DAT_RMR_BIND_COMPLETION_EVENT);

  while (next_command(&target)) carry_out(&target);
  expect(target.side.connect_evd, DAT_CONNECTION_EVENT_DISCONNECTED);
  printf("target %d: %d commands to write, %d to read, %d refused\n", (int)getpid(), target.writes,
         target.reads, target.refused);

  CHECK(dat_psp_free(listener));
  CHECK(dat_rmr_free(window));
  CHECK(dat_ep_free(target.ep));
  CHECK(dat_lmr_free(target.disk.lmr));
  CHECK(dat_lmr_free(target.region.lmr));
  close_side(&target.side);
}

// ---- The initiator ----

struct initiator {
  struct side side;
  DAT_EP_HANDLE ep;
  struct region region; // command and answer
  struct region cache;
  DAT_RMR_HANDLE window;
  struct command command;
  struct answer answer;
  int given_back;
};

static char cache[kAtOnce][kBlockSize]; // the buffer that is lent to the target

// At this endpoint the sender of a message decides whether the message wakes a sleeping receiver.
// The attribute recv_completion_flags asks for that.
static DAT_EP_HANDLE create_endpoint_for_answers(struct side* side) {
  DAT_EP_ATTR attributes;
  memset(&attributes, 0, sizeof attributes); // a size of 0 stands for the largest one
  attributes.service_type = DAT_SERVICE_TYPE_RC;
  attributes.recv_completion_flags = DAT_COMPLETION_SOLICITED_WAIT_FLAG;
  attributes.max_recv_dtos = attributes.max_request_dtos = 4;
  attributes.max_recv_iov = attributes.max_request_iov = 1;
  attributes.max_rdma_read_in = 1;
  return create_endpoint_with(side, &attributes);
}

// The completion says which window was invalidated. From then on the target cannot access the
// buffer. So the buffer can be used, or lent again, without a message to the target.
static uint32_t await_answer(struct initiator* initiator, DAT_RMR_CONTEXT lent) {
  DAT_RMR_PARAM param;
  const DAT_EVENT event = expect(initiator->side.receive_evd, DAT_DTO_COMPLETION_EVENT);
  const DAT_DTO_COMPLETION_EVENT_DATA* done = &event.event_data.dto_completion_event_data;
  check_done(done, "answer");
  if (done->operation != DAT_DTO_RECEIVE_WITH_INVALIDATE || done->rmr_context != lent)
    fail("the target keeps the window");
  CHECK(dat_rmr_query(initiator->window, DAT_RMR_FIELD_ALL, &param));
  if (param.rmr_context != 0) fail("the window is still bound");
  ++initiator->given_back;
  return be32toh(initiator->answer.status);
}

// Lends the buffer for one command. The target may read the buffer if it shall write to its disk,
// and may write to the buffer if it shall read from its disk.
static uint32_t command(struct initiator* initiator, enum operation operation, uint32_t first,
                        uint32_t count) {
  const DAT_RMR_CONTEXT lent = bind_window(
      initiator->ep, initiator->window, &initiator->cache, sizeof cache,
      operation == kWriteBlocks ? DAT_MEM_PRIV_REMOTE_READ_FLAG : DAT_MEM_PRIV_REMOTE_WRITE_FLAG,
      DAT_COMPLETION_SUPPRESS_FLAG);
  DAT_LMR_TRIPLET piece = piece_of(&initiator->region, &initiator->command, sizeof(struct command));
  initiator->command.operation = htobe32(operation);
  initiator->command.first = htobe32(first);
  initiator->command.count = htobe32(count);
  initiator->command.window = htobe32(lent);
  post_receive(initiator->ep, &initiator->region, &initiator->answer, sizeof initiator->answer);
  // The Send may be posted at once: it starts only after the bind, which was posted before.
  CHECK(dat_ep_post_send(initiator->ep, 1, &piece, cookie_of(1), DAT_COMPLETION_DEFAULT_FLAG));
  expect_completion(initiator->side.request_evd, 1);
  return await_answer(initiator, lent);
}

static void fill_cache(uint32_t first) {
  for (uint32_t i = 0; i < kAtOnce; ++i) memset(cache[i], (int)(first + i + 1), kBlockSize);
}

static int cache_holds(uint32_t first) {
  for (uint32_t i = 0; i < kAtOnce; ++i)
    for (int j = 0; j < kBlockSize; ++j)
      if (cache[i][j] != (char)(first + i + 1)) return 0;
  return 1;
}

static void use_disk(struct initiator* initiator) {
  for (uint32_t first = 0; first < kBlocks; first += kAtOnce) {
    fill_cache(first);
    if (command(initiator, kWriteBlocks, first, kAtOnce) != kDone) fail("cannot write %u", first);
  }
  for (uint32_t first = 0; first < kBlocks; first += kAtOnce) { // the cache has the last blocks now
    if (command(initiator, kReadBlocks, first, kAtOnce) != kDone) fail("cannot read %u", first);
    if (!cache_holds(first)) fail("block %u came back changed", first);
  }
  if (command(initiator, kReadBlocks, kBlocks, 1) != kNoSuchBlock) fail("a block too many");
}

static void initiate(DAT_CONN_QUAL qualifier) {
  static struct initiator initiator;
  open_side(&initiator.side, 8);
  initiator.region = register_memory(&initiator.side, &initiator, sizeof initiator,
                                     DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
  initiator.cache = register_from_zero(&initiator.side, cache, sizeof cache);
  initiator.ep = create_endpoint_for_answers(&initiator.side);
  CHECK(dat_rmr_create_for_ep(initiator.side.pz, &initiator.window));
  connect_here(&initiator.side, initiator.ep, qualifier);
  use_disk(&initiator);
  printf("initiator %d: %d blocks written and read back, lent a window %d times, and every answer "
         "gave it back\n",
         (int)getpid(), kBlocks, initiator.given_back);
  disconnect(&initiator.side, initiator.ep);
  CHECK(dat_rmr_free(initiator.window));
  CHECK(dat_lmr_free(initiator.cache.lmr));
  CHECK(dat_lmr_free(initiator.region.lmr));
  close_side(&initiator.side);
}

int main(int argc, char** argv) {
  DAT_CONN_QUAL qualifier;
  no_arguments(argc, argv, kUsage);
  setvbuf(stdout, NULL, _IOLBF, 0); // lines of two processes stay whole
  const pid_t target = start_server(serve, &qualifier);
  initiate(qualifier);
  join(target);
  return said_all();
}
