// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/foreign_registry.h: whether programs of DAT 2.0 get another maker's registry on this
// machine, such as the distributions' libdapl2. Such a registry has no built-in adapters, so Datum
// needs lines in the dat.conf that it reads.
// Not here:   judging this (check.h).
#pragma once

#include <string>

#include "common/ia_origin.h"

namespace datum::info {

struct ForeignRegistry {
  std::string path;          // the foreign libdat2.so.2; empty: it is Datum's own, or there is none
  std::string conf;          // the dat.conf that it reads
  bool offers_datum = false; // a line of that file names Datum
  std::string remedy;        // the command that adds such lines
};

// own: the file that Datum's registry reads.
ForeignRegistry find_foreign_registry(const tools::ConfFile& own);

} // namespace datum::info
