/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * The smallest consumer: opens Datum's own adapter without any configuration and closes it again.
 * It shows that the headers, <datum/names.h> among them, libdat and the provider module of an installation find each other.
 * With CONSUMER_OF_DAT2 defined it is a program of DAT 2.0.
 */
#include <stdio.h>
#include <string.h>

#ifdef CONSUMER_OF_DAT2
#include <dat2/udat.h>
#else
#include <dat/udat.h>
#endif
#include <datum/names.h>

static int failed(const char* what, DAT_RETURN code) {
  const char* major = "?";
  const char* minor = "?";
  (void)dat_strerror(code, &major, &minor);
  fprintf(stderr, "consumer: %s: %s %s\n", what, major, minor);
  return 1;
}

int main(void) {
  char name[] = "datum";
  DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
  DAT_IA_ATTR attributes;
  DAT_RETURN code = dat_ia_open(name, 8, &async_evd, &ia);
  if (code != DAT_SUCCESS) return failed("dat_ia_open(\"datum\")", code);

  memset(&attributes, 0, sizeof attributes);
  code = dat_ia_query(ia, NULL, DAT_IA_FIELD_ALL, &attributes, 0, NULL);
  if (code != DAT_SUCCESS) return failed("dat_ia_query", code);
  if (strcmp(attributes.adapter_name, "datum") != 0) {
    fprintf(stderr, "consumer: opened \"datum\", was told it is \"%s\"\n", attributes.adapter_name);
    return 1;
  }

  if (strcmp(datum_event_name(DAT_SOFTWARE_EVENT), "DAT_SOFTWARE_EVENT") != 0) {
    fprintf(stderr, "consumer: <datum/names.h> has another name for DAT_SOFTWARE_EVENT\n");
    return 1;
  }

  code = dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG);
  if (code != DAT_SUCCESS) return failed("dat_ia_close", code);
  return 0;
}
