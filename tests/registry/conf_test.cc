// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/conf_test.cc: each rule of the grammar of dat.conf and
// service_provider.conf.
#include <gtest/gtest.h>

#include "registry/conf/dat_conf.h"
#include "registry/conf/tokens.h"

using namespace datum::conf;

namespace {

constexpr const char* kTail = " u1.2 threadsafe default lib.so p.1.0 \"\" \"\"\n";

std::string with_name(const std::string& name) {
  return name + kTail;
}

Document<Entry> parse(std::string_view text) {
  return parse_dat_conf(text);
}

// The diagnostic of a text without good entries. There must be exactly one diagnostic.
std::string complaint(std::string_view text) {
  const Document<Entry> d = parse(text);
  EXPECT_TRUE(d.entries.empty());
  return d.diagnostics.size() == 1 ? d.diagnostics[0].text : "";
}

} // namespace

// Rules: C-45 C-46
TEST(DatConf, EightFieldsOfTheOfedForm) {
  const auto d =
      parse("OpenIB-cma u1.2 nonthreadsafe default libdaplcma.so.1 dapl.1.2 \"ib0 0\" \"\"\n");
  ASSERT_EQ(d.entries.size(), 1U);
  EXPECT_TRUE(d.diagnostics.empty());
  const Entry& e = d.entries[0];
  EXPECT_EQ(e.line, 1U);
  EXPECT_EQ(e.ia_name, "OpenIB-cma");
  EXPECT_EQ(e.provider.api_type, 'u');
  EXPECT_EQ(e.provider.api_major, 1U);
  EXPECT_EQ(e.provider.api_minor, 2U);
  EXPECT_FALSE(e.provider.thread_safe);
  EXPECT_TRUE(e.provider.is_default);
  EXPECT_EQ(e.provider.library, "libdaplcma.so.1");
  EXPECT_EQ(e.provider.provider_version, "dapl.1.2");
  EXPECT_EQ(e.provider.instance_data, "ib0 0");
  EXPECT_EQ(e.platform_data, "");
  EXPECT_TRUE(e.selectable());
}

TEST(DatConf, EightFieldsOfTheSolarisForm) {
  const auto d = parse(
      "ibd0  u1.2  nonthreadsafe  default udapl_tavor.so.1 SUNW.1.0  \"\" \"driver_name=tavor\"");
  ASSERT_EQ(d.entries.size(), 1U);
  EXPECT_EQ(d.entries[0].ia_name, "ibd0");
  EXPECT_EQ(d.entries[0].platform_data, "driver_name=tavor");
}

TEST(DatConf, BlanksAndTabsSeparate) {
  const auto d = parse(" \ta\tu1.2 \t threadsafe\tdefault\tlib.so p.1.0\t\"\"\t\"\" \t\n");
  ASSERT_EQ(d.entries.size(), 1U);
  EXPECT_EQ(d.entries[0].ia_name, "a");
}

TEST(DatConf, EmptyLinesAndCommentsAreIgnored) {
  const auto d = parse("\n# a comment \"with an open quote\n   \t\n  # another\n" + with_name("a"));
  ASSERT_EQ(d.entries.size(), 1U);
  EXPECT_EQ(d.entries[0].line, 5U);
  EXPECT_TRUE(d.diagnostics.empty());
}

TEST(DatConf, CommentMayFollowTheLastField) {
  const auto d = parse("a u1.2 threadsafe default lib.so p.1.0 \"\" \"\" # why\n"
                       "b u1.2 threadsafe default lib.so p.1.0 \"\" \"\"# why\n");
  EXPECT_EQ(d.entries.size(), 2U);
}

TEST(DatConf, HashInsideAFieldIsOrdinary) {
  const auto d = parse("a#1 u1.2 threadsafe default lib#2.so p.1.0 \"x # y\" \"\"\n");
  ASSERT_EQ(d.entries.size(), 1U);
  EXPECT_EQ(d.entries[0].ia_name, "a#1");
  EXPECT_EQ(d.entries[0].provider.library, "lib#2.so");
  EXPECT_EQ(d.entries[0].provider.instance_data, "x # y");
}

TEST(DatConf, MissingNewlineAtTheEndIsFine) {
  EXPECT_EQ(parse("a u1.2 threadsafe default lib.so p.1.0 \"\" \"\"").entries.size(), 1U);
}

TEST(DatConf, CarriageReturnEndsALineToo) {
  const auto d = parse("a u1.2 threadsafe default lib.so p.1.0 \"\" x\r\nb" + std::string(kTail));
  ASSERT_EQ(d.entries.size(), 2U);
  EXPECT_EQ(d.entries[0].platform_data, "x");
}

TEST(DatConf, BackslashInQuotesTakesTheNextCharacter) {
  const auto d = parse(R"(a u1.2 threadsafe default lib.so p.1.0 "say \"\\ hi\"\x" "")");
  ASSERT_EQ(d.entries.size(), 1U);
  EXPECT_EQ(d.entries[0].provider.instance_data, R"(say "\ hi"x)");
}

TEST(DatConf, BackslashOutsideQuotesIsOrdinary) {
  const auto d = parse(R"(a\b u1.2 threadsafe default lib.so p.1.0 "" "")");
  ASSERT_EQ(d.entries.size(), 1U);
  EXPECT_EQ(d.entries[0].ia_name, R"(a\b)");
}

TEST(DatConf, BackslashDoesNotContinueALine) {
  const auto d = parse("a u1.2 threadsafe default \\\nlib.so p.1.0 \"\" \"\"\n");
  EXPECT_TRUE(d.entries.empty());
  EXPECT_EQ(d.diagnostics.size(), 2U);
}

TEST(DatConf, AnyFieldMayBeQuoted) {
  const auto d = parse(R"("my ia" "u1.2" "threadsafe" "default" "/a b/lib.so" "p.1.0" "" "")");
  ASSERT_EQ(d.entries.size(), 1U);
  EXPECT_EQ(d.entries[0].ia_name, "my ia");
  EXPECT_EQ(d.entries[0].provider.library, "/a b/lib.so");
}

TEST(DatConf, UnclosedQuoteMakesTheLineBad) {
  EXPECT_EQ(complaint("a u1.2 threadsafe default lib.so p.1.0 \"\" \"\n"),
            "a quote is not closed before the end of the line; add the missing \"");
  EXPECT_NE(complaint("a u1.2 threadsafe default lib.so p.1.0 \"\" \"\\\""), "");
}

TEST(DatConf, UnclosedQuoteDoesNotReachTheNextLine) {
  const auto d = parse("a u1.2 threadsafe default lib.so p.1.0 \"\" \"\n" + with_name("b"));
  ASSERT_EQ(d.entries.size(), 1U);
  EXPECT_EQ(d.entries[0].ia_name, "b");
  EXPECT_EQ(d.diagnostics.at(0).line, 1U);
}

TEST(DatConf, BadLineIsSkippedAndTheRestCounts) {
  const auto d = parse(with_name("a") + "nonsense\n" + with_name("c"));
  ASSERT_EQ(d.entries.size(), 2U);
  EXPECT_EQ(d.entries[1].line, 3U);
  ASSERT_EQ(d.diagnostics.size(), 1U);
  EXPECT_EQ(d.diagnostics[0].line, 2U);
}

TEST(DatConf, SevenAndNineFieldsAreBad) {
  EXPECT_EQ(complaint("a u1.2 threadsafe default lib.so p.1.0 \"\"\n"),
            "7 fields instead of 8; quote fields that contain blanks, write \"\" for an empty one");
  EXPECT_NE(complaint("a u1.2 threadsafe default lib.so p.1.0 ib0 0 \"\"\n").find("9 fields"),
            std::string::npos);
}

TEST(DatConf, ApiVersionHasALetterAndTwoNumbers) {
  for (const char* bad :
       {"1.2", "x1.2", "u1", "u1.", "u.2", "u1.2.3", "u-1.2", "u1.2x", "\"\"", "u99999999999.1"})
    EXPECT_NE(complaint(std::string("a ") + bad + " threadsafe default lib.so p.1.0 \"\" \"\"")
                  .find("API version"),
              std::string::npos)
        << bad;
}

TEST(DatConf, KernelEntriesAreReadButNotSelectable) {
  const auto d = parse("a k1.2 threadsafe default lib.so p.1.0 \"\" \"\"\n");
  ASSERT_EQ(d.entries.size(), 1U);
  EXPECT_EQ(d.entries[0].provider.api_type, 'k');
  EXPECT_FALSE(d.entries[0].selectable());
}

TEST(DatConf, NondefaultEntriesAreReadButNotSelectable) {
  const auto d = parse("a u1.2 threadsafe nondefault lib.so p.1.0 \"\" \"\"\n");
  ASSERT_EQ(d.entries.size(), 1U);
  EXPECT_FALSE(d.entries[0].selectable());
}

TEST(DatConf, KeywordsAreWholeWords) {
  EXPECT_NE(complaint("a u1.2 threadsafely default lib.so p.1.0 \"\" \"\"\n"), "");
  EXPECT_NE(complaint("a u1.2 threadsafe defaults lib.so p.1.0 \"\" \"\"\n"), "");
  EXPECT_EQ(complaint("a u1.2 Threadsafe default lib.so p.1.0 \"\" \"\"\n"),
            "\"Threadsafe\" is neither threadsafe nor nonthreadsafe; write one of the two words");
}

TEST(DatConf, LibraryMustBeNamed) {
  EXPECT_NE(complaint("a u1.2 threadsafe default \"\" p.1.0 \"\" \"\"\n").find("library"),
            std::string::npos);
}

TEST(DatConf, ProviderVersionForms) {
  for (const char* good : {"SUNW.1.0", "SUNW1.0", "our.dapl.1.20", "dapl.1.2"})
    EXPECT_EQ(
        parse(std::string("a u1.2 threadsafe default l ") + good + " \"\" \"\"").entries.size(), 1U)
        << good;
  for (const char* bad : {"1.0", "dapl", "dapl.1", "dapl.1.", "dapl.x.0", ".1.0", "\"\""})
    EXPECT_NE(complaint(std::string("a u1.2 threadsafe default l ") + bad + " \"\" \"\"")
                  .find("provider version"),
              std::string::npos)
        << bad;
}

TEST(DatConf, NameHas255CharactersAtMost) {
  EXPECT_EQ(parse(with_name(std::string(255, 'n'))).entries.size(), 1U);
  EXPECT_EQ(complaint(with_name(std::string(256, 'n'))),
            "the IA name has 256 characters, more than 255; shorten it");
  EXPECT_NE(complaint(with_name("\"\"")).find("IA name is empty"), std::string::npos);
}

TEST(DatConf, ZeroByteMakesTheLineBad) {
  EXPECT_NE(complaint(with_name(std::string("a\0b", 3))).find("zero byte"), std::string::npos);
}

TEST(DatConf, NameWithTheStrippedPrefixIsWarnedAbout) {
  const auto d = parse(with_name("RO_AWARE_ibd0"));
  EXPECT_EQ(d.entries.size(), 1U);
  ASSERT_EQ(d.diagnostics.size(), 1U);
  EXPECT_NE(d.diagnostics[0].text.find("RO_AWARE_"), std::string::npos);
}

TEST(DatConf, EqualKeysStayInFileOrder) {
  const auto d = parse("a u1.2 threadsafe default one.so p.1.0 \"\" \"\"\n"
                       "a u1.2 threadsafe default two.so p.1.0 \"\" \"\"\n");
  ASSERT_EQ(d.entries.size(), 2U);
  EXPECT_EQ(d.entries[0].provider.library, "one.so");
  EXPECT_EQ(d.entries[1].provider.library, "two.so");
}

TEST(DatConf, WrittenLineReadsBackEqual) {
  Entry e;
  e.ia_name = "my \"ia\"";
  e.provider = {.api_major = 1,
                .api_minor = 2,
                .thread_safe = true,
                .is_default = true,
                .library = "#odd\\lib.so",
                .provider_version = "p.1.0",
                .instance_data = ""};
  e.platform_data = R"(driver_name=a\b)";
  const auto d = parse(format_line(e));
  ASSERT_EQ(d.entries.size(), 1U);
  EXPECT_EQ(d.entries[0].ia_name, e.ia_name);
  EXPECT_EQ(d.entries[0].provider, e.provider);
  EXPECT_EQ(d.entries[0].platform_data, e.platform_data);
}

TEST(DatConf, WrittenLineLooksLikeTheManuals) {
  Entry e;
  e.ia_name = "ibd0";
  e.provider = {.api_major = 1,
                .api_minor = 2,
                .is_default = true,
                .library = "udapl_tavor.so.1",
                .provider_version = "SUNW.1.0",
                .instance_data = ""};
  e.platform_data = "driver_name=tavor";
  EXPECT_EQ(format_line(e), "ibd0 u1.2 nonthreadsafe default udapl_tavor.so.1 SUNW.1.0 \"\" "
                            "\"driver_name=tavor\"");
}

TEST(ServiceProviderConf, SevenFields) {
  const auto d = parse_service_provider_conf(
      "# adapters\ndriver_name=tavor u1.2 nonthreadsafe default udapl_tavor.so.1 SUNW.1.0 \"\"\n");
  ASSERT_EQ(d.entries.size(), 1U);
  EXPECT_EQ(d.entries[0].line, 2U);
  EXPECT_EQ(d.entries[0].device, "driver_name=tavor");
  EXPECT_EQ(d.entries[0].provider.library, "udapl_tavor.so.1");
}

TEST(ServiceProviderConf, EightFieldsAreBad) {
  const auto d = parse_service_provider_conf(
      "driver_name=tavor u1.2 nonthreadsafe default udapl_tavor.so.1 SUNW.1.0 \"\" \"\"\n");
  EXPECT_TRUE(d.entries.empty());
  EXPECT_EQ(d.diagnostics.size(), 1U);
}

// Rules: REGISTRY.2
TEST(DatConfBounds, OnlyTheFirstMistakesAreToldAndTheOthersCounted) {
  std::string text;
  for (int i = 0; i != 1000; ++i) text += "nonsense\n";
  const auto document = parse_dat_conf(text);
  ASSERT_EQ(document.diagnostics.size(), 65U);
  EXPECT_EQ(document.diagnostics[63].line, 64U);
  EXPECT_EQ(document.diagnostics[64].line, 65U);
  EXPECT_EQ(document.diagnostics[64].text,
            "936 more mistakes from here on; correct those above first");
}

// Rules: REGISTRY.2
TEST(DatConfBounds, LongLinesAndLinesOfManyFieldsAreBadLines) {
  const std::string blanks(65536, ' ');
  const auto document = parse_dat_conf("a" + blanks + "\n" + [] {
    std::string fields;
    for (int i = 0; i != 65; ++i) fields += "a ";
    return fields;
  }() + "\nb u1.2 threadsafe default m.so p.1.0 \"\" \"\"\n");
  ASSERT_EQ(document.diagnostics.size(), 2U);
  EXPECT_EQ(document.diagnostics[0].text, "the line has more than 65536 characters; shorten it");
  EXPECT_EQ(document.diagnostics[1].text,
            "the line has more than 64 fields; quote fields that contain blanks");
  ASSERT_EQ(document.entries.size(), 1U);
  EXPECT_EQ(document.entries[0].line, 3U);
}

// Rules: REGISTRY.2
TEST(DatConfBounds, EntriesPastTheMostAreLeftOut) {
  std::string text;
  for (int i = 0; i != 131074; ++i) text += "a u1.2 threadsafe default m p.1.0 \"\" \"\"\n";
  const auto document = parse_dat_conf(text);
  EXPECT_EQ(document.entries.size(), 131072U);
  ASSERT_EQ(document.diagnostics.size(), 1U);
  EXPECT_EQ(document.diagnostics[0].line, 131073U);
}
