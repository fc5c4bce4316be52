/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * <dat2/dat_platform_specific.h>: the scalar types and socket addresses of this platform.
 * Lives here: what would differ between operating systems. Linux, LP64 only.
 * Not here:   anything with a meaning of its own in the DAT model (dat.h, udat.h).
 */
#ifndef _DAT_PLATFORM_SPECIFIC_H_
#define _DAT_PLATFORM_SPECIFIC_H_

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#ifndef __LP64__
#error "DAT 2.0 of this package supports 64-bit (LP64) Linux only"
#endif

typedef uint32_t DAT_UINT32; /* unsigned int: 4 bytes */
typedef uint64_t DAT_UINT64; /* unsigned long: 8 bytes */
/* 8 bytes as well, but another type than DAT_UINT64: printf formats and overloads notice. */
typedef unsigned long long DAT_UVERYLONG;

typedef void* DAT_PVOID;
typedef int DAT_COUNT; /* signed: negative values have special meanings, see dat.h */
typedef DAT_UINT64 DAT_PADDR;

/* What a common service point and an endpoint speak: three arguments of socket(2). */
typedef struct dat_comm {
  int domain;
  int type;
  int protocol;
} DAT_COMM;

typedef int DAT_FD; /* a file descriptor: see dat_cno_fd_create() */

typedef struct sockaddr DAT_SOCK_ADDR;
typedef struct sockaddr_in6 DAT_SOCK_ADDR6;

#define DAT_AF_INET AF_INET
#define DAT_AF_INET6 AF_INET6

/* IA handles of consumers are small integers. */
#ifdef __cplusplus
#define DAT_IA_HANDLE_TO_UL(a) (reinterpret_cast<unsigned long>(a))
#define DAT_UL_TO_IA_HANDLE(a) (reinterpret_cast<DAT_IA_HANDLE>(static_cast<unsigned long>(a)))
#else
#define DAT_IA_HANDLE_TO_UL(a) ((unsigned long)(a))
#define DAT_UL_TO_IA_HANDLE(a) ((DAT_IA_HANDLE)(unsigned long)(a))
#endif

/* Calling convention and linkage: nothing on Linux. Programs and providers write them. */
#define DAT_API
#define DAT_EXPORT extern

/* In bytes. Buffers aligned to this suit every provider; a provider may ask for less. */
#define DAT_OPTIMAL_ALIGNMENT 256

/*
 * Direction marks for parameters, empty. These headers do not use them; programs written for
 * other DAT headers do.
 */
#ifndef IN
#define IN
#endif
#ifndef OUT
#define OUT
#endif
#ifndef INOUT
#define INOUT
#endif

#endif /* _DAT_PLATFORM_SPECIFIC_H_ */
