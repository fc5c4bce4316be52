// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// write_immediate.c: RDMA Writes that wake the reader. The writer says where the bytes go, and
// sends a number with them. The number uses up a receive of the reader, and this receive needs no
// memory. The completion of the receive wakes the reader when the bytes are there. In
// write_and_poll.c there is no such event, so its reader has to spin. DAT 2.0 with the extensions
// for InfiniBand: see dat_ib_post_rdma_write_immed(3).
#define EXAMPLE_DAT2
#include "connection.h"

static const char kUsage[] =
    "write_immediate   start a reader process and write numbered blocks into its memory\n";

enum { kBlocks = 60, kSlots = 4, kBlockSize = 16384 };

// In the reader, the target of the Writes. In the writer, their source.
static unsigned char memory[kSlots][kBlockSize];

// No two blocks have the same length.
static size_t length_of(DAT_UINT32 block) {
  return kBlockSize - block * 100;
}

static unsigned char byte_of(DAT_UINT32 block, size_t index) {
  return (unsigned char)(block * 7 + index);
}

// A receive without memory: it takes the number of one block, or one empty message.
static void post_empty_receive(DAT_EP_HANDLE ep) {
  CHECK(dat_ep_post_recv(ep, 0, NULL, cookie_of(0), DAT_COMPLETION_DEFAULT_FLAG));
}

// ---- The reader ----

// Sleeps until a block is there. Returns its number.
static DAT_UINT32 await_block(struct side* side) {
  const DAT_EVENT event = expect(side->receive_evd, (DAT_EVENT_NUMBER)DAT_IB_DTO_EVENT);
  const DAT_DTO_COMPLETION_EVENT_DATA* done = &event.event_data.dto_completion_event_data;
  const DAT_IB_EXTENSION_EVENT_DATA extension = extension_of(&event);
  check_done(done, "block");
  if (extension.type != DAT_IB_RDMA_WRITE_IMMED_DATA) fail("not a block: type %d", extension.type);
  if (done->transfered_length != length_of(extension.val.immed.data)) fail("another length");
  return extension.val.immed.data;
}

static void check_block(DAT_UINT32 block) {
  for (size_t i = 0; i < length_of(block); ++i)
    if (memory[block % kSlots][i] != byte_of(block, i)) fail("block %u is not there yet", block);
}

// An empty message says that a slot may be written again.
static void give_back_slot(struct side* side, DAT_EP_HANDLE ep) {
  CHECK(dat_ep_post_send(ep, 0, NULL, cookie_of(1), DAT_COMPLETION_DEFAULT_FLAG));
  expect_completion(side->request_evd, 1);
}

static void reader(int announcement) {
  struct side side;
  open_side(&side, 2 * kSlots);
  const struct region region =
      register_memory(&side, memory, sizeof memory, DAT_MEM_PRIV_REMOTE_WRITE_FLAG);
  struct offer offer = make_offer(&region, memory, sizeof memory);
  const DAT_EP_HANDLE ep = create_endpoint(&side);
  for (int i = 0; i < kSlots; ++i) post_empty_receive(ep);
  const DAT_PSP_HANDLE listener = listen_anywhere(&side, announcement);
  const DAT_EVENT request = expect(side.connect_evd, DAT_CONNECTION_REQUEST_EVENT);
  CHECK(
      dat_cr_accept(request.event_data.cr_arrival_event_data.cr_handle, ep, sizeof offer, &offer));
  expect(side.connect_evd, DAT_CONNECTION_EVENT_ESTABLISHED);

  size_t bytes = 0;
  for (DAT_UINT32 expected = 0; expected < kBlocks; ++expected) {
    const DAT_UINT32 block = await_block(&side);
    if (block != expected) fail("block %u came before block %u", block, expected);
    check_block(block);
    bytes += length_of(block);
    post_empty_receive(ep);
    give_back_slot(&side, ep);
  }
  printf("reader %d: %d blocks announced by their numbers, %zu bytes\n", (int)getpid(), kBlocks,
         bytes);

  expect(side.connect_evd, DAT_CONNECTION_EVENT_DISCONNECTED);
  CHECK(dat_ep_free(ep));
  CHECK(dat_psp_free(listener));
  CHECK(dat_lmr_free(region.lmr));
  close_side(&side);
}

// ---- The writer ----

static void write_block(DAT_EP_HANDLE ep, const struct region* source, const DAT_RMR_TRIPLET* slots,
                        DAT_UINT32 block) {
  unsigned char* bytes = memory[block % kSlots];
  const DAT_VADDR slot = slots->virtual_address + block % kSlots * kBlockSize;
  for (size_t i = 0; i < length_of(block); ++i) bytes[i] = byte_of(block, i);
  const DAT_LMR_TRIPLET piece = piece_of(source, bytes, length_of(block));
  const DAT_RMR_TRIPLET target = remote_piece(slots->rmr_context, slot, length_of(block));
  // The slot that comes back shows that the block has arrived. So the completion is suppressed, and
  // there is an event only if the Write fails.
  CHECK(dat_ib_post_rdma_write_immed(ep, 1, &piece, cookie_of(block), &target, block,
                                     DAT_COMPLETION_SUPPRESS_FLAG));
}

static void writer(DAT_CONN_QUAL qualifier) {
  struct side side;
  open_side(&side, 2 * kSlots);
  const struct region source =
      register_memory(&side, memory, sizeof memory, DAT_MEM_PRIV_LOCAL_READ_FLAG);
  const DAT_EP_HANDLE ep = create_endpoint(&side);
  for (int i = 0; i < kSlots; ++i) post_empty_receive(ep);
  const DAT_CONNECTION_EVENT_DATA established = connect_here(&side, ep, qualifier);
  const DAT_RMR_TRIPLET slots = read_offer(&established);

  for (DAT_UINT32 block = 0; block < kBlocks + kSlots; ++block) {
    if (block >= kSlots) { // all slots are taken: wait until the oldest comes back
      expect_completion(side.receive_evd, 0);
      post_empty_receive(ep);
    }
    if (block < kBlocks) write_block(ep, &source, &slots, block);
  }
  printf("writer %d: %d blocks through %d slots\n", (int)getpid(), kBlocks, kSlots);
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
