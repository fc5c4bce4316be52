// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// what_is_here.c: which interface adapters a program can open, what each can do, and whether one
// can replace another. A program can ask this before it chooses an adapter. To ask, it needs no
// event dispatcher and no connection. DAT 2.0 with the extensions for InfiniBand: see
// dat_ib_open_query(3) and dat_registry_providers_related(3).
#define EXAMPLE_DAT2
#include "common.h"
#include <dat2/dat_registry.h>
#include <netdb.h>

static const char kUsage[] =
    "what_is_here [NAME...]   describe the adapters of these names, or else all that there are\n";

enum { kMost = 256 };

struct adapter {
  char name[DAT_NAME_MAX_LENGTH];
  DAT_HANDLE query; // null: it cannot be opened
};

static struct adapter adapters[kMost];
static int number_of_adapters;

static void add_adapter(const char* name) {
  for (int i = 0; i < number_of_adapters; ++i)
    if (strcmp(adapters[i].name, name) == 0) return; // the registry may list a name twice
  if (number_of_adapters == kMost) fail("more than %d adapters", kMost);
  if (strlen(name) >= DAT_NAME_MAX_LENGTH) fail("%s: the name is too long", name);
  strcpy(adapters[number_of_adapters++].name, name);
}

// The registry lists the adapters of dat.conf, and those that need no file. It does not load their
// providers for that. So an adapter in the list may still fail to open.
static void list_adapters(void) {
  static DAT_PROVIDER_INFO infos[2 * kMost];
  DAT_PROVIDER_INFO* places[2 * kMost];
  DAT_COUNT number = 0;
  for (int i = 0; i < 2 * kMost; ++i) places[i] = &infos[i];
  CHECK(dat_registry_list_providers(2 * kMost, &number, places));
  for (int i = 0; i < number; ++i)
    if (infos[i].dapl_version_major == DAT_VERSION_MAJOR) add_adapter(infos[i].ia_name);
}

static void print_address(DAT_IA_ADDRESS_PTR address) {
  char host[NI_MAXHOST];
  const int result = getnameinfo(address,
                                 address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                                                : sizeof(struct sockaddr_in),
                                 host, sizeof host, NULL, 0, NI_NUMERICHOST);
  printf("  address      %s\n", result == 0 ? host : gai_strerror(result));
}

// Each operation beyond DAT 2.0 is a named attribute of the provider. Its value is TRUE if the
// provider offers the operation.
static void print_operations(const DAT_IA_ATTR* ia, const DAT_PROVIDER_ATTR* provider) {
  static const char* const kNames[] = {DAT_IB_ATTR_FETCH_AND_ADD, DAT_IB_ATTR_CMP_AND_SWAP,
                                       DAT_IB_ATTR_IMMED_DATA, DAT_IB_ATTR_UD,
                                       DAT_IB_ATTR_COUNTERS};
  printf("  extensions  ");
  if (ia->extension_supported != DAT_EXTENSION_IB) printf(" none");
  for (size_t i = 0; i < sizeof kNames / sizeof kNames[0]; ++i)
    for (int j = 0; j < provider->num_provider_specific_attr; ++j) {
      const DAT_NAMED_ATTR* attribute = &provider->provider_specific_attr[j];
      if (strcmp(attribute->name, kNames[i]) == 0 && strcmp(attribute->value, "TRUE") == 0)
        printf(" %s", kNames[i]);
    }
  printf("\n");
}

// The query handle keeps valid what the answer points at. It also keeps the adapter open. Only an
// open adapter can be asked which others it is related to.
static void describe(struct adapter* adapter, int wanted) {
  DAT_IA_ATTR ia;
  DAT_PROVIDER_ATTR provider;
  const DAT_RETURN result = dat_ib_open_query(adapter->name, &adapter->query, DAT_IA_FIELD_ALL, &ia,
                                              DAT_PROVIDER_FIELD_ALL, &provider);
  if (result != DAT_SUCCESS) {
    adapter->query = DAT_HANDLE_NULL;
    if (wanted) fprintf(stderr, "%s: %s\n", visible(adapter->name), words_of(result));
    return;
  }
  printf("%s\n", adapter->name);
  printf("  provider     %s, adapter \"%s\"\n", provider.provider_name, ia.adapter_name);
  print_address(ia.ia_address_ptr);
  printf("  messages     up to %u bytes, %d bytes with a connection request\n", ia.max_message_size,
         provider.max_private_data_size);
  printf("  zero-based   %s\n", ia.zb_supported ? "yes" : "no");
  printf("  paths        %s\n", provider.ha_supported ? "several" : "one");
  print_operations(&ia, &provider);
}

// If two adapters are related, a program that was connected through one may connect again through
// the other.
static void print_relations(const struct adapter* adapter) {
  int found = 0;
  printf("%s can be replaced by:", adapter->name);
  for (int i = 0; i < number_of_adapters; ++i) {
    DAT_HA_RELATIONSHIP answer;
    if (adapter == &adapters[i]) continue;
    CHECK(dat_registry_providers_related((DAT_NAME_PTR)(uintptr_t)adapter->name, adapters[i].name,
                                         &answer));
    if (answer != DAT_HA_TRUE) continue; // no, or unknown, or the two providers disagree
    printf(" %s", adapters[i].name);
    ++found;
  }
  printf("%s\n", found == 0 ? " none" : "");
}

int main(int argc, char** argv) {
  const int wanted = argc > 1;
  int absent = 0;
  if (wanted && argv[1][0] == '-') no_arguments(argc, argv, kUsage);
  for (int i = 1; i < argc; ++i) add_adapter(argv[i]);
  // libdapl's provider prints at length what each of its adapters lacks. That helps only a user who
  // has named an adapter.
  if (!wanted) setenv("DAPL_DBG_TYPE", "0", 0);
  if (!wanted) list_adapters();
  for (int i = 0; i < number_of_adapters; ++i) describe(&adapters[i], wanted);
  for (int i = 0; i < number_of_adapters; ++i)
    if (adapters[i].query != DAT_HANDLE_NULL) print_relations(&adapters[i]);
  for (int i = 0; i < number_of_adapters; ++i)
    if (adapters[i].query == DAT_HANDLE_NULL)
      ++absent;
    else
      CHECK(dat_ib_close_query(adapters[i].query));
  // A dat.conf often names hardware that this machine does not have.
  if (absent > 0 && !wanted)
    printf("%d more names are known and cannot be opened here; ask for one to see why\n", absent);
  return wanted && absent > 0 ? 1 : said_all();
}
