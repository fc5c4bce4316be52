/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * <dat/dat_platform_specific.h>: the scalar types and socket addresses of this platform.
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
#error "DAT 1.2 of this package supports 64-bit (LP64) Linux only"
#endif

typedef uint32_t DAT_UINT32; /* unsigned int: 4 bytes */
typedef uint64_t DAT_UINT64; /* unsigned long: 8 bytes */
/* 8 bytes as well, but another type than DAT_UINT64: printf formats and overloads notice. */
typedef unsigned long long DAT_UVERYLONG;

typedef void* DAT_PVOID;
typedef int DAT_COUNT; /* signed: negative values have special meanings, see dat.h */
typedef DAT_UINT64 DAT_PADDR;

typedef struct sockaddr DAT_SOCK_ADDR;
typedef struct sockaddr_in6 DAT_SOCK_ADDR6;

#define DAT_AF_INET AF_INET
#define DAT_AF_INET6 AF_INET6

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
