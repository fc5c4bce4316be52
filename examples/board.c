// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// board.c: the first RDMA Write and the first RDMA Read. A server offers 64 bytes of its memory,
// the board. A client writes on the board and reads it back. The server makes no call meanwhile.
// docs/guide explains the program line by line, and two mistakes that it makes on purpose.
#include "connection.h"

static const char kUsage[] =
    "board               start a server process, write on its board and read it back\n"
    "board --too-far     write one byte beyond the end of the board\n"
    "board --too-early   send before there is a connection, then connect and go on\n";

enum { kBoardSize = 64 };
enum { kWritten = 1, kRead = 2 }; // cookies

static char board[kBoardSize];

static void serve(int announcement) {
  struct side side;
  open_side(&side, 8);
  // guide: offer
  const struct region region = register_memory(
      &side, board, sizeof board, DAT_MEM_PRIV_REMOTE_WRITE_FLAG | DAT_MEM_PRIV_REMOTE_READ_FLAG);
  struct offer offer = make_offer(&region, board, sizeof board);
  // guide: end
  const DAT_EP_HANDLE ep = create_endpoint(&side);
  const DAT_PSP_HANDLE listener = listen_anywhere(&side, announcement);

  // guide: accept
  const DAT_EVENT request = expect(side.connect_evd, DAT_CONNECTION_REQUEST_EVENT);
  CHECK(
      dat_cr_accept(request.event_data.cr_arrival_event_data.cr_handle, ep, sizeof offer, &offer));
  expect(side.connect_evd, DAT_CONNECTION_EVENT_ESTABLISHED);

  // Nothing to do here: the client accesses our memory by itself. The next event is the end of the
  // connection.
  const DAT_EVENT end = next_event(side.connect_evd, DAT_CONNECTION_EVENT_DISCONNECTED, kPatience);
  printf("server: %s, the board says \"%s\"\n", datum_event_name(end.event_number), board);
  // guide: end

  CHECK(dat_ep_free(ep));
  CHECK(dat_psp_free(listener));
  CHECK(dat_lmr_free(region.lmr));
  close_side(&side);
}

struct client {
  struct side side;
  struct region memory;
  DAT_EP_HANDLE ep;
  DAT_RMR_TRIPLET board; // where the server's memory is
  char text[2 * kBoardSize];
};

static void open_client(struct client* client) {
  memset(client, 0, sizeof *client);
  open_side(&client->side, 8);
  client->memory = register_memory(&client->side, client->text, sizeof client->text,
                                   DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
  client->ep = create_endpoint(&client->side);
}

static void connect_client(struct client* client, DAT_CONN_QUAL qualifier) {
  // guide: connect
  const DAT_CONNECTION_EVENT_DATA established = connect_here(&client->side, client->ep, qualifier);
  client->board = read_offer(&established); // rmr_context, address and length
  // guide: end
}

static void close_client(struct client* client) {
  CHECK(dat_lmr_free(client->memory.lmr));
  close_side(&client->side);
}

static void write_and_read(struct client* client) {
  // guide: write
  char* text = client->text;
  snprintf(text, kBoardSize, "written from afar");
  DAT_LMR_TRIPLET source = piece_of(&client->memory, text, kBoardSize);
  CHECK(dat_ep_post_rdma_write(client->ep, 1, &source, cookie_of(kWritten), &client->board,
                               DAT_COMPLETION_DEFAULT_FLAG));
  expect_completion(client->side.request_evd, kWritten); // now text may be changed
  // guide: end

  // guide: read
  char* copy = client->text + kBoardSize;
  DAT_LMR_TRIPLET target = piece_of(&client->memory, copy, kBoardSize);
  CHECK(dat_ep_post_rdma_read(client->ep, 1, &target, cookie_of(kRead), &client->board,
                              DAT_COMPLETION_DEFAULT_FLAG));
  expect_completion(client->side.request_evd, kRead); // now the copy is there
  printf("client: read back \"%s\"\n", copy);
  // guide: end
  disconnect(&client->side, client->ep);
}

// The peer finds this mistake. So the error comes in a completion, and the connection breaks.
static void write_too_far(struct client* client) {
  // guide: too-far
  DAT_RMR_TRIPLET too_far = client->board;
  ++too_far.target_address; // from here on, 64 bytes end beyond the board
  DAT_LMR_TRIPLET source = piece_of(&client->memory, client->text, kBoardSize);
  CHECK(dat_ep_post_rdma_write(client->ep, 1, &source, cookie_of(kWritten), &too_far,
                               DAT_COMPLETION_DEFAULT_FLAG));
  const DAT_EVENT event = expect(client->side.request_evd, DAT_DTO_COMPLETION_EVENT);
  const DAT_EVENT end =
      next_event(client->side.connect_evd, DAT_CONNECTION_EVENT_BROKEN, kPatience);
  printf("client: %s, then %s\n",
         datum_dto_status_name(event.event_data.dto_completion_event_data.status),
         datum_event_name(end.event_number));
  // guide: end
  CHECK(dat_ep_free(client->ep));
}

// The call itself finds this mistake. It does nothing, and the endpoint stays as it was.
static void send_too_early(struct client* client) {
  // guide: too-early
  DAT_LMR_TRIPLET source = piece_of(&client->memory, client->text, kBoardSize);
  const DAT_RETURN answer =
      dat_ep_post_send(client->ep, 1, &source, cookie_of(kWritten), DAT_COMPLETION_DEFAULT_FLAG);
  printf("client: %s\n", words_of(answer));
  // guide: end
}

int main(int argc, char** argv) {
  DAT_CONN_QUAL qualifier;
  struct client client;
  const int too_far = argc == 2 && strcmp(argv[1], "--too-far") == 0;
  const int too_early = argc == 2 && strcmp(argv[1], "--too-early") == 0;
  if (!too_far && !too_early) no_arguments(argc, argv, kUsage);
  setvbuf(stdout, NULL, _IOLBF, 0); // lines of two processes stay whole
  const pid_t server = start_server(serve, &qualifier);
  open_client(&client);
  if (too_early) send_too_early(&client);
  connect_client(&client, qualifier);
  if (too_far)
    write_too_far(&client);
  else
    write_and_read(&client);
  close_client(&client);
  join(server);
  return said_all();
}
