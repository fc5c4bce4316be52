// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/foreign_registry.h: whether this machine gives programs of DAT 2.0 a registry of another
// maker, such as the distributions' libdapl2. That one knows no built-in adapters: Datum has to
// stand in its dat.conf. Not here: what that means (check.h).
#pragma once

#include <string>

#include "common/ia_origin.h"

namespace datum::info {

struct ForeignRegistry {
  std::string path;          // of its libdat2.so.2; empty: it is Datum's own, or there is none
  std::string conf;          // the dat.conf that it reads
  bool offers_datum = false; // by a line of that file
  std::string remedy;        // the command that adds such lines
};

// own: the file that Datum's registry reads.
ForeignRegistry find_foreign_registry(const tools::ConfFile& own);

} // namespace datum::info
