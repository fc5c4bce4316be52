// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/memory_word.h: reads a word of this process that may not be mapped.
#pragma once

namespace datum::registry {

// Reads the aligned word at `address`. False, and no signal, if nothing readable is mapped there.
bool read_word(const void* address, const void*& word) noexcept;

// The two ways to read it. The first is one copy by the kernel, which some sandboxes forbid: then
// `forbidden` is set. The second needs no permission, but reads the word directly after the kernel
// has found it readable.
bool read_word_by_kernel(const void* address, const void*& word, bool& forbidden) noexcept;
bool read_word_if_readable(const void* address, const void*& word) noexcept;

} // namespace datum::registry
