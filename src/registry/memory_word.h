// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/memory_word.h: reads a word of this process that may not be mapped.
#pragma once

namespace datum::registry {

// Reads the aligned word at `address`. False, and no signal, if nothing readable is mapped there.
bool read_word(const void* address, const void*& word) noexcept;

// The two ways of read_word(). read_word_by_kernel() has the kernel copy the word; some sandboxes
// forbid that, and `forbidden` is set. read_word_if_readable() needs no permission: it reads the
// word directly, after the kernel has found it readable.
bool read_word_by_kernel(const void* address, const void*& word, bool& forbidden) noexcept;
bool read_word_if_readable(const void* address, const void*& word) noexcept;

} // namespace datum::registry
