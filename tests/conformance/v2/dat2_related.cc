// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whether the IAs of two names are one adapter, or whether one can stand in for the other.
#include "dat.h"

#include <string>

#include "fixture.h"

namespace {

using namespace datum::test;

using Dat2Related = Conformance;

DAT_HA_RELATIONSHIP related(std::string one, std::string other) {
  DAT_HA_RELATIONSHIP answer = DAT_HA_EXTENSION_BASE;
  EXPECT_DAT_OK(dat_registry_providers_related(one.data(), other.data(), &answer));
  return answer;
}

Ia open_by(std::string name) {
  DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
  Ia ia;
  EXPECT_DAT_OK(dat_ia_open(name.data(), 8, &async, ia.out()));
  return ia;
}

DAT_RETURN related_to_all(DAT_IA_HANDLE, const DAT_NAME_PTR, DAT_BOOLEAN* answer) {
  *answer = DAT_TRUE;
  return DAT_SUCCESS;
}

DAT_RETURN related_to_none(DAT_IA_HANDLE, const DAT_NAME_PTR, DAT_BOOLEAN* answer) {
  *answer = DAT_FALSE;
  return DAT_SUCCESS;
}

// A registered provider whose IA supports three calls only: open, the query of relations, and
// close.
template <int kNumber>
class ByHand {
 public:
  explicit ByHand(DAT_IA_HA_RELATED_FUNC asked) {
    table_ = {};
    table_.device_name = name_.c_str();
    table_.ia_open_func = [](const DAT_NAME_PTR, DAT_COUNT, DAT_EVD_HANDLE*, DAT_IA_HANDLE* ia) {
      *ia = &object_;
      return DAT_RETURN{DAT_SUCCESS};
    };
    table_.ia_close_func = [](DAT_IA_HANDLE, DAT_CLOSE_FLAGS) { return DAT_RETURN{DAT_SUCCESS}; };
    table_.ia_ha_related_func = asked;
    name_.copy(info_.ia_name, sizeof info_.ia_name - 1);
    info_.dapl_version_major = kApiMajor;
    info_.dapl_version_minor = kApiMinor;
    EXPECT_DAT_OK(dat_registry_add_provider(&table_, &info_));
    ia_ = open_by(name_);
  }
  ByHand(const ByHand&) = delete;
  ByHand& operator=(const ByHand&) = delete;
  ~ByHand() {
    ia_.free();
    EXPECT_DAT_OK(dat_registry_remove_provider(&table_, &info_));
  }
  const std::string& name() const { return name_; }

 private:
  static inline DAT_PROVIDER table_;
  static inline const DAT_PROVIDER* object_ = &table_;
  const std::string name_ = "by-hand-" + std::to_string(kNumber);
  DAT_PROVIDER_INFO info_{};
  Ia ia_;
};

// Rules: DAT2.24
TEST_F(Dat2Related, AnotherIsNotItself) {
  EXPECT_EQ(related("another", "a-third"), DAT_HA_UNKNOWN);
  EXPECT_EQ(related(ia_name(), ia_name()), DAT_HA_TRUE);
  EXPECT_EQ(related(ia_name(), "another"), DAT_HA_FALSE);
  EXPECT_EQ(related("another", ia_name()), DAT_HA_FALSE);
}

// Rules: DAT2.79
TEST_F(Dat2Related, AnAliasIsWhatItStandsFor) {
  EXPECT_EQ(related(kIaAlias, ia_name()), DAT_HA_TRUE);
  EXPECT_EQ(related(ia_name(), kIaAlias), DAT_HA_TRUE);
  EXPECT_EQ(related(kIaAlias, kIaAlias), DAT_HA_TRUE);
  EXPECT_EQ(related("RO_AWARE_" + ia_name(), kIaAlias), DAT_HA_TRUE);
  EXPECT_EQ(related(kIaAlias, "another"), DAT_HA_FALSE);
}

// The built-in IAs belong to Datum's provider, the IAs of the simulated network to another one.
// Rules: DAT2.84
TEST_F(Dat2Related, TwoNamesOfOneAdapter) {
  const Ia whole_host = open_by("datum");
  const Ia loopback = open_by("datum-lo");
  EXPECT_EQ(related("datum", "datum-lo"), DAT_HA_FALSE);
  EXPECT_EQ(related("datum-lo", "datum"), DAT_HA_FALSE);
  const bool at_every_address = ia_name() == "shm0" || ia_name() == "tcp0";
  const DAT_HA_RELATIONSHIP expected = transport() == "sim" ? DAT_HA_UNKNOWN
                                       : at_every_address   ? DAT_HA_TRUE
                                                            : DAT_HA_FALSE;
  EXPECT_EQ(related("datum", ia_name()), expected);
  EXPECT_EQ(related(ia_name(), "datum"), expected);
}

// Rules: DAT2.85
TEST_F(Dat2Related, OfAnAdapterThatIsNotOpenNobodyKnows) {
  EXPECT_EQ(related(ia_name(), "datum-lo"), DAT_HA_UNKNOWN);
  EXPECT_EQ(related("datum-lo", ia_name()), DAT_HA_UNKNOWN);
  EXPECT_EQ(related("datum-lo", "datum"), DAT_HA_UNKNOWN);
}

// Rules: DAT2.86
TEST_F(Dat2Related, TheProvidersOfBothAreAsked) {
  const ByHand<1> sociable(&related_to_all);
  {
    const ByHand<2> lonely(&related_to_none);
    EXPECT_EQ(related(sociable.name(), lonely.name()), DAT_HA_CONFLICTING);
    EXPECT_EQ(related(lonely.name(), sociable.name()), DAT_HA_CONFLICTING);
  }
  const ByHand<2> friendly(&related_to_all);
  EXPECT_EQ(related(sociable.name(), friendly.name()), DAT_HA_TRUE);
  EXPECT_EQ(related(sociable.name(), ia_name()), DAT_HA_TRUE)
      << "one knows, the other has never heard of it";
}

// Rules: DAT2.86
TEST_F(Dat2Related, AProviderWithoutTheFunctionDoesNotKnow) {
  const ByHand<1> mute(nullptr);
  {
    const ByHand<2> another(nullptr);
    EXPECT_EQ(related(mute.name(), another.name()), DAT_HA_UNKNOWN);
    EXPECT_EQ(related(mute.name(), ia_name()), DAT_HA_UNKNOWN);
  }
  const ByHand<2> lonely(&related_to_none);
  EXPECT_EQ(related(mute.name(), lonely.name()), DAT_HA_FALSE);
  EXPECT_EQ(related(lonely.name(), mute.name()), DAT_HA_FALSE);
}

} // namespace
