// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/transport.h: which transport this run of the tests uses.
// Lives here: the choice between shm, tcp and sim, and the IA name that stands for it.
// Not here:   anything about how a transport works; tests see the public C API only.
#pragma once

#include <chrono>
#include <string>

namespace datum::test {

// "shm", "tcp" or "sim": from --transport=NAME or DATUM_TEST_TRANSPORT; "shm" if neither is given.
// NAME may be "tcp6", which is "tcp" with an IA of ::1.
const std::string& transport();

// The dat.conf name of that transport's IA, for dat_ia_open().
const std::string& ia_name();

// The name that DATUM_ALIAS gives to the same IA.
extern const char* const kIaAlias;

// The numeric address by which the IAs of this run reach each other; empty if it is the IA's own
// address. DATUM_TEST_ADDRESS gives it. A test sets that variable if a network lies between its
// host and itself.
const std::string& other_address();

// The factor by which tests lengthen the time that an event may take: DATUM_TEST_PATIENCE, 1 unless
// given. A program that puts a wire between the two ends sets it.
int times_as_patient();
// How much later a promise may be kept: DATUM_TEST_WAY in microseconds, 0 unless given.
std::chrono::microseconds time_on_the_way();

// More octets than the transport holds while no Recv takes them. A request that is posted behind
// them cannot start.
std::size_t more_than_is_held();

// Takes --transport=NAME out of the arguments. libdat may read its configuration when it is loaded,
// before main(). So the first call puts DAT_OVERRIDE and DATUM_ALIAS into the environment and
// executes the program again.
void choose_transport(int* argc, char** argv);

} // namespace datum::test
