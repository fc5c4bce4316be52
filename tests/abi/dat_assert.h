/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tests/abi/dat_assert.h: compile-time assertions that read the same in C and in C++.
 * Lives here: the vocabulary of the dat1_*.c and dat2_*.c files.
 * Not here:   any number of the ABI.
 */
#ifndef DATUM_TESTS_ABI_DAT_ASSERT_H
#define DATUM_TESTS_ABI_DAT_ASSERT_H

#include <stddef.h>

#ifdef __cplusplus
#include <type_traits>
#define HOLDS(condition, text) static_assert(condition, text)
#define SAME_TYPE(a, b) std::is_same<a, b>::value
#define TYPE_OF(expression) decltype(expression)
#define UNSIGNED_ENUM(name) std::is_unsigned<std::underlying_type<name>::type>::value
#else
#define HOLDS(condition, text) _Static_assert(condition, text)
#define SAME_TYPE(a, b) __builtin_types_compatible_p(a, b)
#define TYPE_OF(expression) __typeof__(expression)
#define UNSIGNED_ENUM(name) ((name)0 < (name)-1)
#endif

#define HAS_VALUE(name, value) HOLDS((long long)(name) == (value), "value of " #name)
#define HAS_SIZE(type, size) HOLDS(sizeof(type) == (size), "size of " #type)
#define HAS_TYPE(type, ...) HOLDS(SAME_TYPE(type, __VA_ARGS__), "type " #type)

/* Enums are 4 bytes; tag and typedef name the same type; no value is negative. */
#define IS_ENUM(tag, type)                                                                         \
  HOLDS(sizeof(tag) == 4 && SAME_TYPE(tag, type) && UNSIGNED_ENUM(type), "enum " #type)

#define IS_SCALAR(type, builtin) HOLDS(SAME_TYPE(type, builtin), "scalar " #type)

#define IS_RECORD(type, tag, size, alignment)                                                      \
  HOLDS(SAME_TYPE(type, tag) && sizeof(type) == (size) && __alignof__(type) == (alignment),        \
        "layout of " #type)
#define HAS_MEMBER(type, member, offset, size)                                                     \
  HOLDS(offsetof(type, member) == (offset) && sizeof(((type*)0)->member) == (size),                \
        "member " #type "." #member)
#define HAS_SLOT(position, member, type)                                                           \
  HOLDS(offsetof(DAT_PROVIDER, member) == 8 * (position) &&                                        \
            SAME_TYPE(TYPE_OF(((DAT_PROVIDER*)0)->member), type),                                  \
        "slot " #member)

#define IS_FUNCTION(name, arguments)                                                               \
  HOLDS(SAME_TYPE(TYPE_OF(&name), DAT_RETURN(*) arguments), "function " #name)
#define IS_FUNCTION_TYPE(type, arguments)                                                          \
  HOLDS(SAME_TYPE(type, DAT_RETURN(*) arguments), "function pointer type " #type)

#endif /* DATUM_TESTS_ABI_DAT_ASSERT_H */
