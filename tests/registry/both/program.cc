// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/both/program.cc: the same as C++.
#include "program.c"
