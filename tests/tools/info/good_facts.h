// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/tools/info/good_facts.h: the facts of a machine on which nothing is wrong, of which a test
// changes one, and how the finding about it is looked up.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "info/check.h"

namespace datum::info {

// A machine on which nothing is wrong.
inline Facts good() {
  Facts facts;
  facts.conf = {"/etc/dat/dat.conf", false, false, {}, {}};
  Adapter adapter;
  adapter.name = "datum";
  adapter.major = 1;
  adapter.minor = 2;
  adapter.opens = true;
  adapter.address = "192.0.2.1";
  adapter.origin.text = "built in";
  facts.adapters = {adapter};
  facts.module = "/usr/lib/libdatum1.so";
  facts.open_files = {4096, 8192};
  facts.cores = 2;
  facts.sibling_access = true;
  facts.shm_free = std::uint64_t{1} << 30U;
  facts.shmem_huge_pages = "always within_size [advise] never deny force";
  facts.namespaces_known = true;
  return facts;
}

inline const Finding* find(const std::vector<Finding>& findings, const std::string& text) {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) {
    return f.text.find(text) != std::string::npos;
  });
  return found == findings.end() ? nullptr : &*found;
}

// The finding that mentions text has this grade, and a next step if it is a problem.
inline void expect(const Facts& facts, const std::string& text, Grade grade) {
  const auto findings = judge(facts);
  const Finding* const finding = find(findings, text);
  ASSERT_NE(finding, nullptr) << text;
  EXPECT_EQ(finding->grade, grade) << finding->text;
  if (grade == Grade::Problem) {
    EXPECT_FALSE(finding->step.empty()) << finding->text;
    EXPECT_TRUE(any_problem(findings));
  } else {
    EXPECT_FALSE(any_problem(findings));
  }
}

} // namespace datum::info
