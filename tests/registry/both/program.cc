// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/both/program.cc: program.c compiled as C++.
#include "program.c"
