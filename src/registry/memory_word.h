// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/memory_word.h: reads a word of this process at an address that may be unmapped.
#pragma once

namespace datum::registry {

// Reads the aligned word at `address`. If nothing readable is mapped there, returns false and
// raises no signal.
bool read_word(const void* address, const void*& word) noexcept;

// The two ways in which read_word() works. read_word_by_kernel() has the kernel copy the word;
// `forbidden` is set if a sandbox forbids that. read_word_if_readable() needs no permission: it has
// the kernel check that the word is readable, then reads it directly.
bool read_word_by_kernel(const void* address, const void*& word, bool& forbidden) noexcept;
bool read_word_if_readable(const void* address, const void*& word) noexcept;

} // namespace datum::registry
