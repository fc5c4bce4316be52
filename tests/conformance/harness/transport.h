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

// Another name for it, by DATUM_ALIAS.
extern const char* const kIaAlias;

// The numeric address by which IAs of this run reach each other, if it is not the IA's own: from
// DATUM_TEST_ADDRESS, which a test sets that puts a network between a host and itself. Or empty.
const std::string& other_address();

// What a wire between the two ends makes of a test's limits, from whoever puts it there.
// Events may take so many times as long: DATUM_TEST_PATIENCE, 1 unless given.
int times_as_patient();
// And what is promised in microseconds, so much longer: DATUM_TEST_WAY, 0 unless given.
std::chrono::microseconds time_on_the_way();

// So many octets that no Recv takes do not fit into what the transport holds by itself: what is
// posted behind them cannot start.
std::size_t more_than_is_held();

// Takes --transport=NAME out of the arguments. libdat may read its configuration while it is
// loaded, so the first call puts DAT_OVERRIDE and DATUM_ALIAS into the environment and starts the
// program anew.
void choose_transport(int* argc, char** argv);

} // namespace datum::test
