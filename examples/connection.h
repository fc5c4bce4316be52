// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// connection.h: the steps that hello.c shows in full, for the examples that are about something
// else.
// Lives here: opening and closing one side, connecting and accepting, offering memory to a peer.
// Not here:   data transfer: each example shows its own.
#ifndef DATUM_EXAMPLES_CONNECTION_H
#define DATUM_EXAMPLES_CONNECTION_H

#include "common.h"
#include "version.h"
#include <endian.h>

// Connection events, completions of receives and completions of requests have an EVD each. Events
// of one kind are in order. There is no order between the kinds.
struct side {
  DAT_IA_HANDLE ia;
  DAT_EVD_HANDLE async_evd;
  DAT_EVD_HANDLE connect_evd;
  DAT_EVD_HANDLE receive_evd;
  DAT_EVD_HANDLE request_evd;
  DAT_PZ_HANDLE pz;
};

static inline void open_side(struct side* side, DAT_COUNT queue_length) {
  char name[] = "datum";
  side->async_evd = DAT_HANDLE_NULL;
  CHECK(dat_ia_open(name, 8, &side->async_evd, &side->ia));
  CHECK(dat_evd_create(side->ia, queue_length, DAT_HANDLE_NULL,
                       DAT_EVD_CR_FLAG | DAT_EVD_CONNECTION_FLAG, &side->connect_evd));
  CHECK(dat_evd_create(side->ia, queue_length, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG,
                       &side->receive_evd));
  CHECK(dat_evd_create(side->ia, queue_length, DAT_HANDLE_NULL,
                       DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG, &side->request_evd));
  CHECK(dat_pz_create(side->ia, &side->pz));
}

static inline void close_side(struct side* side) {
  CHECK(dat_pz_free(side->pz));
  CHECK(dat_evd_free(side->request_evd));
  CHECK(dat_evd_free(side->receive_evd));
  CHECK(dat_evd_free(side->connect_evd));
  CHECK(dat_ia_close(side->ia, DAT_CLOSE_GRACEFUL_FLAG));
}

// Registered memory. Our own operations name it by lmr_context, peers name it by rmr_context.
struct region {
  DAT_LMR_HANDLE lmr;
  DAT_LMR_CONTEXT lmr_context;
  DAT_RMR_CONTEXT rmr_context;
};

static inline struct region register_memory(struct side* side, void* memory, DAT_VLEN size,
                                            DAT_MEM_PRIV_FLAGS privileges) {
  struct region region;
  CHECK(create_lmr(side->ia, side->pz, memory, size, privileges, &region.lmr, &region.lmr_context,
                   &region.rmr_context));
  return region;
}

static inline DAT_LMR_TRIPLET piece_of(const struct region* region, const void* start,
                                       DAT_VLEN length) {
  return local_piece(region->lmr_context, (DAT_VADDR)(uintptr_t)start, length);
}

// What a peer must know to access our memory, in the form that travels in private data. A
// DAT_RMR_TRIPLET would not do, because it has the byte order of its host.
struct offer {
  uint64_t address; // all three big-endian
  uint64_t length;
  uint32_t rmr_context;
};

static inline struct offer make_offer(const struct region* region, const void* start,
                                      DAT_VLEN length) {
  struct offer offer;
  memset(&offer, 0, sizeof offer); // padding travels too: send no stale bytes of ours
  offer.address = htobe64((uint64_t)(uintptr_t)start);
  offer.length = htobe64(length);
  offer.rmr_context = htobe32(region->rmr_context);
  return offer;
}

static inline DAT_RMR_TRIPLET read_offer(const DAT_CONNECTION_EVENT_DATA* established) {
  struct offer offer;
  // The private data may be longer, since a transport may pad them.
  if (established->private_data_size < (DAT_COUNT)sizeof offer) fail("the server offers no memory");
  memcpy(&offer, established->private_data, sizeof offer);
  return remote_piece(be32toh(offer.rmr_context), be64toh(offer.address), be64toh(offer.length));
}

// If `attributes` is null, the provider chooses them.
static inline DAT_EP_HANDLE create_endpoint_with(struct side* side, DAT_EP_ATTR* attributes) {
  DAT_EP_HANDLE ep;
  CHECK(dat_ep_create(side->ia, side->pz, side->receive_evd, side->request_evd, side->connect_evd,
                      attributes, &ep));
  return ep;
}

static inline DAT_EP_HANDLE create_endpoint(struct side* side) {
  return create_endpoint_with(side, NULL);
}

static inline DAT_IA_ADDRESS_PTR own_address(struct side* side) {
  DAT_IA_ATTR own;
  CHECK(dat_ia_query(side->ia, NULL, DAT_IA_FIELD_IA_ADDRESS_PTR, &own, 0, NULL));
  return own.ia_address_ptr;
}

// Connects to a service point of this host. Returns the event, which has the server's private data.
static inline DAT_CONNECTION_EVENT_DATA connect_here(struct side* side, DAT_EP_HANDLE ep,
                                                     DAT_CONN_QUAL qualifier) {
  CHECK(dat_ep_connect(ep, own_address(side), qualifier, kPatience, 0, NULL, DAT_QOS_BEST_EFFORT,
                       DAT_CONNECT_DEFAULT_FLAG));
  return expect_established(side->connect_evd, "this host", qualifier)
      .event_data.connect_event_data;
}

// Listens on a qualifier that the provider chooses, and tells it to the process that waits for it.
static inline DAT_PSP_HANDLE listen_anywhere(struct side* side, int announcement) {
  DAT_PSP_HANDLE listener;
  DAT_CONN_QUAL qualifier;
  CHECK(dat_psp_create_any(side->ia, &qualifier, side->connect_evd, DAT_PSP_CONSUMER_FLAG,
                           &listener));
  announce(announcement, qualifier);
  return listener;
}

static inline void disconnect(struct side* side, DAT_EP_HANDLE ep) {
  CHECK(dat_ep_disconnect(ep, DAT_CLOSE_GRACEFUL_FLAG));
  expect(side->connect_evd, DAT_CONNECTION_EVENT_DISCONNECTED);
  CHECK(dat_ep_free(ep));
}

#endif
