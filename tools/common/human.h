// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/human.h: numbers as a person reads and types them.
// Lives here: sizes in powers of 1024 (KiB), rates in powers of 1000 (GB/s), times, and text that
//             comes from a peer or a file.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace datum::tools {

std::string human_size(std::uint64_t bytes); // "1.5 MiB", "17 B"
// The size in the largest unit in which it is whole: "512 KiB". A number above 1023 is shown as by
// human_size(): "1.5 KiB".
std::string chosen_size(std::uint64_t bytes);
std::string human_rate(std::uint64_t bytes, std::chrono::nanoseconds); // "12.3 GB/s"
std::string human_duration(std::chrono::nanoseconds time); // "62 ns", "1.40 us", "3.2 s", "2:05"

// "4096", "64k", "64K", "1MiB", "2G": powers of 1024. False: not a size, or too large.
bool parse_size(const std::string& text, std::uint64_t& bytes);

// Text from a file or a peer as base/printable.h shows it: one line, in which nothing moves the
// cursor or changes colours.
std::string printable(std::string_view text);

} // namespace datum::tools
