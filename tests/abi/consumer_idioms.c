/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tests/abi/consumer_idioms.c: what programs write with the DAT 1.2 headers, in C and in C++.
 * Compiled, not run. The direction marks, null constants and by-value arguments are the point.
 */
#include <dat/udat.h>

DAT_RETURN open_close(IN DAT_NAME_PTR name, OUT DAT_BOOLEAN* worked);
DAT_RETURN wait_once(DAT_IA_HANDLE ia);
DAT_PROVIDER_ATTR fresh_attributes(void);

DAT_RETURN open_close(IN DAT_NAME_PTR name, OUT DAT_BOOLEAN* worked) {
  DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
  DAT_RETURN ret = dat_ia_open(name, 8, &async, &ia);
  *worked = ret == DAT_SUCCESS ? DAT_TRUE : DAT_FALSE;
  if (DAT_GET_TYPE(ret) == DAT_PROVIDER_NOT_FOUND || DAT_IS_WARNING(ret)) return ret;
  if (async == DAT_EVD_ASYNC_EXISTS || async == DAT_EVD_OUT_OF_SCOPE) return DAT_ABORT;
  return dat_ia_close(ia, DAT_CLOSE_DEFAULT);
}

DAT_RETURN wait_once(DAT_IA_HANDLE ia) {
  DAT_CNO_HANDLE cno;
  DAT_EVD_HANDLE evd;
  DAT_OS_WAIT_PROXY_AGENT none = DAT_OS_WAIT_PROXY_AGENT_NULL;
  DAT_RETURN ret = dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno);
  if (ret != DAT_SUCCESS) return ret;
  ret = dat_cno_modify_agent(cno, none);
  return ret != DAT_SUCCESS ? ret : dat_cno_wait(cno, DAT_TIMEOUT_INFINITE, &evd);
}

/* A variable of this type needs no initialiser, in C++ either. */
DAT_PROVIDER_ATTR fresh_attributes(void) {
  DAT_PROVIDER_ATTR attributes;
  attributes.evd_stream_merging_supported[0][0] = DAT_TRUE;
  return attributes;
}
