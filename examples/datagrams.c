// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datagrams.c: one endpoint that receives from many peers. Weather stations send readings to a
// collector. The collector has a single endpoint for all stations and no connections. An address
// handle stands for each station. The price: a datagram that finds no receive is lost, and neither
// side gets an event. DAT 2.0 with the extensions for InfiniBand: see dat_ib_post_send_ud(3).
#define EXAMPLE_DAT2
#include "connection.h"
#include <sched.h>
#include <time.h>

static const char kUsage[] =
    "datagrams   start a collector that hears three stations through one endpoint\n";

enum { kStations = 3, kReadings = 20, kRoom = kStations * kReadings };
// InfiniBand puts a header into the first bytes of a receive. Datum does not write to these bytes.
// The bytes that were sent follow them.
enum { kHeader = 40 };

// A datagram arrives without the address of its sender, so it has the number of its station. All
// numbers are big-endian.
struct datagram {
  uint32_t station; // the sender of a reading, or the receiver of a message of the collector
  uint32_t number;  // of the reading or message
};

struct slot {
  char header[kHeader];
  struct datagram datagram;
};

static DAT_EP_HANDLE create_datagram_endpoint(struct side* side, DAT_COUNT receives) {
  DAT_EP_ATTR attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.service_type = (DAT_SERVICE_TYPE)DAT_IB_SERVICE_TYPE_UD;
  attributes.max_recv_dtos = attributes.max_request_dtos = receives;
  attributes.max_recv_iov = attributes.max_request_iov = 1;
  return create_endpoint_with(side, &attributes);
}

static void post_slot(DAT_EP_HANDLE ep, const struct region* region, struct slot* slot) {
  DAT_LMR_TRIPLET piece = piece_of(region, slot, sizeof *slot);
  DAT_DTO_COOKIE cookie;
  cookie.as_ptr = slot;
  CHECK(dat_ib_post_recv_ud(ep, 1, &piece, cookie, DAT_COMPLETION_DEFAULT_FLAG));
}

// Waits for the next datagram and returns it. `ep`: the endpoint at which it has arrived.
static struct datagram receive(struct side* side, DAT_EP_HANDLE* ep) {
  const DAT_EVENT event = expect(side->receive_evd, DAT_DTO_COMPLETION_EVENT);
  const DAT_DTO_COMPLETION_EVENT_DATA* done = &event.event_data.dto_completion_event_data;
  check_done(done, "receive");
  // The length includes the header.
  if (done->transfered_length != sizeof(struct slot)) fail("a datagram of another length");
  if (ep != NULL) *ep = done->ep_handle;
  struct datagram datagram = ((const struct slot*)done->user_cookie.as_ptr)->datagram;
  datagram.station = be32toh(datagram.station);
  datagram.number = be32toh(datagram.number);
  return datagram;
}

// Each post names an address handle, because there is no connection.
static void send_to(struct side* side, DAT_EP_HANDLE ep, DAT_IB_ADDR_HANDLE* peer,
                    const struct region* region, struct datagram* memory, uint32_t station,
                    uint32_t number) {
  const DAT_LMR_TRIPLET piece = piece_of(region, memory, sizeof *memory);
  memory->station = htobe32(station);
  memory->number = htobe32(number);
  CHECK(dat_ib_post_send_ud(ep, 1, &piece, peer, cookie_of(number), DAT_COMPLETION_DEFAULT_FLAG));
  // After this completion the memory may be changed. No event says whether the datagram arrives.
  const DAT_EVENT event = expect(side->request_evd, (DAT_EVENT_NUMBER)DAT_IB_DTO_EVENT);
  check_done(&event.event_data.dto_completion_event_data, "datagram");
}

// Returns the address handle that an event brings. The private data of the event are freed at once.
// The handle stays valid.
static DAT_IB_ADDR_HANDLE take_address(DAT_EP_HANDLE ep, const DAT_EVENT* event) {
  const DAT_IB_EXTENSION_EVENT_DATA extension = extension_of(event);
  CHECK(dat_ib_ud_cm_free(ep, extension.context.as_ptr));
  return extension.remote_ah;
}

// ---- The collector ----

struct collector {
  struct side side;
  DAT_EP_HANDLE ep;
  struct region region;
  struct slot slots[kRoom];
  struct datagram message;
  DAT_IB_ADDR_HANDLE stations[kStations];
};

// Accepting a request makes no connection. It only tells each side how to reach the other, so one
// endpoint may accept any number of requests.
static void learn_addresses(struct collector* collector) {
  for (int known = 0; known < kStations;) {
    DAT_EVENT event;
    DAT_COUNT left;
    CHECK(dat_evd_wait(collector->side.connect_evd, kPatience, 1, &event, &left));
    const DAT_CONNECTION_EVENT_DATA* about = &event.event_data.connect_event_data;
    switch ((int)event.event_number) {
    case DAT_IB_UD_CONNECTION_REQUEST_EVENT:
      CHECK(
          dat_cr_accept(event.event_data.cr_arrival_event_data.cr_handle, collector->ep, 0, NULL));
      break;
    case DAT_IB_UD_CONNECTION_EVENT_ESTABLISHED: {
      // The private data of the station's request: the number of the station.
      uint32_t station;
      if (about->private_data_size < (DAT_COUNT)sizeof station) fail("a station without number");
      memcpy(&station, about->private_data, sizeof station);
      station = be32toh(station);
      if (station >= kStations) fail("there is no station %u", station);
      collector->stations[station] = take_address(collector->ep, &event);
      ++known;
      break;
    }
    default:
      fail("collector: %s (%s)", meaning_of(event.event_number),
           datum_event_name(event.event_number));
    }
  }
}

static void tell_all(struct collector* collector, uint32_t number) {
  for (uint32_t i = 0; i < kStations; ++i)
    send_to(&collector->side, collector->ep, &collector->stations[i], &collector->region,
            &collector->message, i, number);
}

// Readings of one station arrive in order. Readings of different stations arrive in any order.
static void collect(struct collector* collector, uint32_t first, uint32_t each) {
  uint32_t next[kStations];
  for (int i = 0; i < kStations; ++i) next[i] = first;
  for (uint32_t i = 0; i < kStations * each; ++i) {
    const struct datagram reading = receive(&collector->side, NULL);
    if (reading.station >= kStations) fail("there is no station %u", reading.station);
    if (reading.number != next[reading.station]++) fail("station %u skipped one", reading.station);
  }
}

// Only a counter of the adapter shows how many datagrams found no receive.
static DAT_UINT64 await_losses(struct collector* collector, DAT_UINT64 expected) {
  const time_t give_up = time(NULL) + (time_t)(kPatience / 1000000);
  DAT_UINT64 lost = 0;
  while (lost < expected) {
    CHECK(dat_ib_query_counters(collector->side.ia, DCNT_IA_DIAG_ERR_RQ_UDSDPRD, &lost, 0));
    if (time(NULL) > give_up) fail("%lu datagrams were lost instead of %lu", lost, expected);
    sched_yield();
  }
  return lost;
}

static void serve(int announcement) {
  static struct collector collector;
  open_side(&collector.side, 2 * kRoom);
  // The counter runs only while losses are expected. An earlier loss makes collect() fail.
  CHECK(dat_ib_stop_counter(collector.side.ia, DCNT_IA_DIAG));
  collector.ep = create_datagram_endpoint(&collector.side, kRoom);
  collector.region = register_memory(&collector.side, &collector, sizeof collector,
                                     DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
  // Posted before any station has our address: a datagram does not wait for a receive.
  for (int i = 0; i < kRoom; ++i) post_slot(collector.ep, &collector.region, &collector.slots[i]);
  const DAT_PSP_HANDLE listener = listen_anywhere(&collector.side, announcement);
  learn_addresses(&collector);

  collect(&collector, 0, kReadings);
  // All receives are used up. What the stations send now is lost.
  CHECK(dat_ib_start_counter(collector.side.ia, DCNT_IA_DIAG));
  tell_all(&collector, 0);
  const DAT_UINT64 lost = await_losses(&collector, kStations);
  CHECK(dat_ib_print_counters(collector.side.ia, DCNT_IA_DIAG_ERR_RQ_UDSDPRD, 0));
  for (int i = 0; i < kStations; ++i)
    post_slot(collector.ep, &collector.region, &collector.slots[i]);
  tell_all(&collector, 1);
  collect(&collector, kReadings + 1, 1);
  printf("collector %d: %d readings of %d stations through one endpoint, %lu more found no receive "
         "and were lost\n",
         (int)getpid(), kRoom + kStations, kStations, lost);

  CHECK(dat_psp_free(listener));
  CHECK(dat_ep_free(collector.ep)); // frees its address handles, too
  CHECK(dat_lmr_free(collector.region.lmr));
  close_side(&collector.side);
}

// ---- The stations: an endpoint each, in one process ----

struct station {
  DAT_EP_HANDLE ep;
  DAT_IB_ADDR_HANDLE collector;
  struct slot slots[2];
};

struct stations {
  struct side side;
  struct region region;
  struct datagram reading;
  struct station all[kStations];
};

static void ask_for_address(struct side* side, struct station* station, uint32_t number,
                            DAT_CONN_QUAL qualifier) {
  number = htobe32(number);
  CHECK(dat_ep_connect(station->ep, own_address(side), qualifier, kPatience, sizeof number, &number,
                       DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
  const DAT_EVENT event =
      expect(side->connect_evd, (DAT_EVENT_NUMBER)DAT_IB_UD_CONNECTION_EVENT_ESTABLISHED);
  station->collector = take_address(station->ep, &event);
}

// An attempt that fails leaves the endpoint as it was. The private data of its event stay until
// dat_ib_ud_cm_free(). A program that tries again and again should call that each time.
static void ask_where_nobody_is(struct side* side, struct station* station) {
  const DAT_CONN_QUAL nobody = 1; // where only a privileged program could listen
  CHECK(dat_ep_connect(station->ep, own_address(side), nobody, kPatience, 0, NULL,
                       DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
  const DAT_EVENT event =
      expect(side->connect_evd, (DAT_EVENT_NUMBER)DAT_IB_UD_CONNECTION_ERROR_EVENT);
  const DAT_IB_EXTENSION_EVENT_DATA extension = extension_of(&event);
  printf("stations %d: no collector at qualifier %lu, as expected: %s\n", (int)getpid(), nobody,
         status_name(extension.status));
  CHECK(dat_ib_ud_cm_free(station->ep, extension.context.as_ptr));
}

static void send_readings(struct stations* stations, uint32_t first, uint32_t count) {
  for (uint32_t i = 0; i < kStations; ++i)
    for (uint32_t number = first; number < first + count; ++number)
      send_to(&stations->side, stations->all[i].ep, &stations->all[i].collector, &stations->region,
              &stations->reading, i, number);
}

// Checks that each station receives its own number and the number of the message.
static void hear(struct stations* stations, uint32_t number) {
  for (int i = 0; i < kStations; ++i) {
    DAT_EP_HANDLE ep;
    const struct datagram message = receive(&stations->side, &ep);
    if (message.station >= kStations || ep != stations->all[message.station].ep ||
        message.number != number)
      fail("a station heard what was not for it");
  }
}

static void observe(DAT_CONN_QUAL qualifier, pid_t collector) {
  static struct stations stations;
  open_side(&stations.side, 4 * kStations);
  stations.region = register_memory(&stations.side, &stations, sizeof stations,
                                    DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
  for (uint32_t i = 0; i < kStations; ++i) {
    struct station* station = &stations.all[i];
    station->ep = create_datagram_endpoint(&stations.side, 4);
    for (int j = 0; j < 2; ++j) post_slot(station->ep, &stations.region, &station->slots[j]);
    ask_for_address(&stations.side, station, i, qualifier);
  }
  ask_where_nobody_is(&stations.side, &stations.all[0]);
  send_readings(&stations, 0, kReadings);
  hear(&stations, 0);
  send_readings(&stations, kReadings, 1); // these are lost, and no send fails
  hear(&stations, 1);
  send_readings(&stations, kReadings + 1, 1);

  // A datagram may still be on its way after its send has completed. If the endpoint is freed,
  // Datum delivers it within one second or not at all. If the program ends without dat_ia_close(),
  // the datagram is lost. So the last sender should learn in another way that its datagrams have
  // arrived. Here the collector ends only after it has received the last readings.
  join(collector);
  for (int i = 0; i < kStations; ++i) {
    CHECK(dat_ib_ud_ah_free(stations.all[i].ep, &stations.all[i].collector));
    CHECK(dat_ep_free(stations.all[i].ep));
  }
  CHECK(dat_lmr_free(stations.region.lmr));
  close_side(&stations.side);
}

int main(int argc, char** argv) {
  DAT_CONN_QUAL qualifier;
  no_arguments(argc, argv, kUsage);
  setvbuf(stdout, NULL, _IOLBF, 0); // lines of two processes stay whole
  const pid_t collector = start_server(serve, &qualifier);
  observe(qualifier, collector);
  return said_all();
}
