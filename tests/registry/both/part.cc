// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/both/part.cc: part.c compiled as C++.
#include "part.c"
