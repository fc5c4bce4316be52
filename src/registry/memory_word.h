// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/memory_word.h: reading a word of this process that may not be there.
#pragma once

namespace datum::registry {

// Reads the aligned word at address; false, and no signal, if nothing readable is mapped there.
bool read_word(const void* address, const void*& word) noexcept;

// The two ways it is done. The first is one copy by the kernel, which some sandboxes forbid:
// then `forbidden` is set. The second needs no permission, but the word is read by ourselves after
// the kernel found it readable.
bool read_word_by_kernel(const void* address, const void*& word, bool& forbidden) noexcept;
bool read_word_if_readable(const void* address, const void*& word) noexcept;

} // namespace datum::registry
