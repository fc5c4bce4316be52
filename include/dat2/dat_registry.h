/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * <dat2/dat_registry.h>: the contract between the registry (libdat2) and a provider library.
 * Lives here: what libdat2 exports to providers, what a provider has to export.
 * Not here:   anything that a consumer calls (udat.h), the layout of the table
 *             (udat_redirection.h).
 *
 * Order of calls: the registry loads the library and calls dat_provider_init() once for each IA
 * name. The provider answers with dat_registry_add_provider() for exactly that key. Later the
 * registry calls dat_provider_fini(), and the provider answers with dat_registry_remove_provider().
 */
#ifndef _DAT_REGISTRY_H_
#define _DAT_REGISTRY_H_

#if !defined(_UDAT_H_) && !defined(_KDAT_H_)
#include <dat2/udat.h>
#endif

#include <dat2/udat_redirection.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The table is used, and must not change, as long as any object of the provider exists. */
DAT_RETURN dat_registry_add_provider(const DAT_PROVIDER* provider,
                                     const DAT_PROVIDER_INFO* provider_info);

DAT_RETURN dat_registry_remove_provider(const DAT_PROVIDER* provider,
                                        const DAT_PROVIDER_INFO* provider_info);

/* Do two IA names lead to paths of one adapter? For consumers, too. */
typedef enum dat_ha_relationship {
  DAT_HA_FALSE = 0,
  DAT_HA_TRUE = 1,
  DAT_HA_UNKNOWN = 2,     /* no provider knows */
  DAT_HA_CONFLICTING = 3, /* their providers disagree */
  DAT_HA_EXTENSION_BASE = 4
} DAT_HA_RELATIONSHIP;

DAT_RETURN dat_registry_providers_related(const DAT_NAME_PTR ia_name, const DAT_NAME_PTR other,
                                          DAT_HA_RELATIONSHIP* answer);

/*
 * Every provider exports these. Both arguments of init belong to the registry: copy what has to
 * outlive the call. instance_data is the seventh field of the dat.conf line, possibly "".
 */
#define DAT_PROVIDER_INIT_FUNC_NAME dat_provider_init
#define DAT_PROVIDER_FINI_FUNC_NAME dat_provider_fini

#define DAT_PROVIDER_INIT_FUNC_STR "dat_provider_init"
#define DAT_PROVIDER_FINI_FUNC_STR "dat_provider_fini"

typedef void (*DAT_PROVIDER_INIT_FUNC)(const DAT_PROVIDER_INFO* provider_info,
                                       const char* instance_data);

typedef void (*DAT_PROVIDER_FINI_FUNC)(const DAT_PROVIDER_INFO* provider_info);

void DAT_PROVIDER_INIT_FUNC_NAME(const DAT_PROVIDER_INFO* provider_info, const char* instance_data);

void DAT_PROVIDER_FINI_FUNC_NAME(const DAT_PROVIDER_INFO* provider_info);

#ifdef __cplusplus
}
#endif

#endif /* _DAT_REGISTRY_H_ */
