// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/human.h: numbers as a person reads and types them.
// Lives here: sizes in powers of 1024 (KiB), rates in powers of 1000 (GB/s), times; and text that
// a peer or a file supplied.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace datum::tools {

std::string human_size(std::uint64_t bytes); // "1.5 MiB", "17 B"
// A size as it was chosen: "512 KiB", and "1.5 KiB" where it is not whole.
std::string chosen_size(std::uint64_t bytes);
std::string human_rate(std::uint64_t bytes, std::chrono::nanoseconds); // "12.3 GB/s"
std::string human_duration(std::chrono::nanoseconds time); // "62 ns", "1.40 us", "3.2 s", "2:05"

// "4096", "64k", "64K", "1MiB", "2G": powers of 1024. False: not a size, or too large.
bool parse_size(const std::string& text, std::uint64_t& bytes);

// What a file name or a peer says, as base/printable.h shows it: one line, and nothing in it moves
// the cursor or changes colours.
std::string printable(std::string_view text);

} // namespace datum::tools
