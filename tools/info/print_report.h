// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/print_report.h: the reports of IAs as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "info/report.h"

namespace datum::info {

std::string text_of(const IaReport& report);
std::string json_of(const std::vector<IaReport>& reports);

} // namespace datum::info
