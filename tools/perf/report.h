// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/report.h: results as a table, as JSON and as CSV. Pure.
#pragma once

#include <string>
#include <vector>

#include "perf/compare_tools.h"
#include "perf/machine.h"
#include "perf/measure.h"

namespace datum::perf {

std::string value_text(const Task& task, double value); // "62 ns", "12.3 GB/s", "24.1 M/s"

std::string power_text(const Task& task, double value); // for a power of ten: "10 us"

// False: the result is better than the limit that should bound it, so this limit is no bound.
bool limit_holds(const Result& result);

std::string table_head();
std::string idle_head();                     // the head of a table in which all tests are "idle"
std::string table_row(const Result& result); // with a row for each tool compared
// The facts that have no column: repetitions thrown away, skipped tasks, remarks.
std::string notes_of(const Result& result);

// How many limits were no limits (limit_holds); "" for none.
std::string notes_of_limits(const std::vector<Result>& results);

// "Not compared, because not installed: sockperf (Debian package sockperf)"; "" for none.
std::string notes_of_absent(const std::vector<Program>& programs);

// path: the transport of the connections, in the provider's words.
std::string json_of(const Machine& machine, const std::string& path, const Plan& plan,
                    const std::vector<Result>& results, const std::vector<Program>& absent = {});
std::string csv_of(const std::vector<Result>& results);

} // namespace datum::perf
