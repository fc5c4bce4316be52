#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks the text about each refusal.

Usage: refusals_test.py MAJOR SUITE

Runs the tests of the functions with DATUM_LOG=debug. For each argument that is refused by a rule of
tests/rules/, a line has to name the call and the argument, by its name in the public headers, or the
attribute inside it. The expected names come from the headers and rules alone.
"""
# Rules: REFUSAL.1 REFUSAL.3
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LINE = re.compile(r"datum debug: (dat_\w+): (DAT_\w+)(?: (DAT_\w+))?: (.*)")
# libdat itself answers these calls; the tests of libdat check their refusals.
OF_REGISTRY = ("dat_registry_", "dat_strerror", "dat_provider_", "dat_ia_open")
# Arguments that stand at another position in 1.2 than in 2.0: the position in 2.0 and that in 1.2.
MOVED = {("dat_lmr_create", 7): 8, ("dat_rmr_bind", 2): 3}
# Attributes and parts of arguments, each of which a line has to name.
ATTRIBUTES = {
    ("dat_ep_create", 6): (
        "max_message_size", "max_rdma_size", "max_recv_dtos", "max_request_dtos", "max_recv_iov",
        "max_request_iov", "max_rdma_read_in", "max_rdma_read_out", "max_rdma_read_iov",
        "max_rdma_write_iov", "service_type", "recv_completion_flags", "request_completion_flags",
        "ep_provider_specific_count"),
    ("dat_ep_create_with_srq", 7): ("ep_attributes", "max_request_dtos"),
    ("dat_srq_create", 3): ("srq_attr", "max_recv_dtos", "max_recv_iov", "low_watermark"),
    ("dat_ep_modify", 3): ("ep_param", "max_recv_dtos"),
}
# In 2.0 the type of these attributes has no value above the limit, so only 1.2 can refuse them.
ONLY_IN_1 = {"max_message_size", "max_rdma_size"}
# The handles that a refusal has to name. Handles of an IA are missing: libdat refuses a bad one
# before the provider sees it.
HANDLES = {
    "dat_ep_create": ("pz_handle", "recv_evd_handle", "request_evd_handle",
                      "connect_evd_handle"),
    "dat_ep_create_with_srq": ("srq_handle",),
    "dat_evd_create": ("cno_handle",),
    "dat_lmr_create": ("pz_handle", "region_description.for_lmr_handle"),
    "dat_psp_create": ("evd_handle",),
    "dat_rsp_create": ("ep_handle", "evd_handle"),
    "dat_ep_dup_connect": ("ep_handle", "dup_ep_handle"),
    "dat_rmr_bind": ("rmr_handle", "ep_handle"),
    "dat_cr_accept": ("cr_handle", "ep_handle"),
    "dat_evd_wait": ("evd_handle",),
    "dat_ep_post_send": ("ep_handle",),
    "dat_srq_post_recv": ("srq_handle",),
}
ANSWERS = ("DAT_QUEUE_EMPTY", "DAT_TIMEOUT_EXPIRED", "DAT_INTERRUPTED_CALL", "DAT_ABORT")


def arguments_of_calls(major):
    """The names of the arguments of each call, from the public headers."""
    calls = {}
    folder = ROOT / "include" / ("dat" if major == 1 else "dat2")
    for name in ("dat.h", "udat.h"):
        text = re.sub(r"/\*.*?\*/", "", (folder / name).read_text(), flags=re.S)
        for call, arguments in re.findall(r"DAT_RETURN\s+(dat_\w+)\(([^;]*?)\);", text, flags=re.S):
            calls[call] = re.findall(r"(\w+)\s*(?:,|$)", arguments)
    return calls


def refused_arguments(major):
    """Pairs of a call and the position of an argument that some rule says is refused."""
    pairs = set()
    for path in (ROOT / "tests" / "rules").glob("dat_*.rules"):
        for line in path.read_text().splitlines():
            tag, _, rest = line.partition(" | ")
            call = tag.split(".")[0]
            if call.startswith(OF_REGISTRY) or "unprovokable:" in rest:
                continue
            for position in re.findall(r"INVALID_ARG(\d+)", rest):
                pair = (call, int(position))
                pairs.add((call, MOVED.get(pair, pair[1])) if major == 2 else pair)
    return pairs


class Refusals(unittest.TestCase):
    output = ""
    lines = []

    @classmethod
    def setUpClass(cls):
        run = subprocess.run(
            [SUITE, "--transport=sim", "--gtest_brief=1", "--gtest_filter=Dat*:RuleHandleArguments*:RuleLimits*:RuleSrq.*:RuleLeniencies.*:*RuleEpTable*:RuleBind.UnbindingReleasesTheLmr"],
            env={**os.environ, "DATUM_LOG": "debug", "DATUM_STRICT": "off"}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", check=False)
        if run.returncode != 0:
            raise RuntimeError(run.stdout[-4000:])
        cls.output = run.stdout
        cls.lines = [match.groups() for match in map(LINE.match, run.stdout.splitlines()) if match]

    def said(self, call, subtype):
        return [text for name, _, detail, text in self.lines if (name, detail) == (call, subtype)]

    def test_each_refused_argument_is_named(self):
        names = arguments_of_calls(MAJOR)
        pairs = refused_arguments(MAJOR)
        self.assertGreater(len(pairs), 80)
        for call, position in sorted(pairs):
            wanted = ATTRIBUTES.get((call, position), (names[call][position - 1],))
            lines = self.said(call, f"DAT_INVALID_ARG{position}")
            for name in wanted:
                if MAJOR == 2 and name in ONLY_IN_1:
                    continue
                with self.subTest(call=call, position=position, name=name):
                    told = [line for line in lines if re.match(rf"{name} is \S", line)]
                    self.assertTrue(told, f"none of {lines[:5]}")
                    self.assertRegex(told[0], r"; allowed: \S.* \(\S+\)$")

    def test_each_bad_handle_is_named_with_its_value(self):
        for call, handles in HANDLES.items():
            lines = [text for name, kind, _, text in self.lines
                     if (name, kind) == (call, "DAT_INVALID_HANDLE")]
            for handle in handles:
                with self.subTest(call=call, handle=handle):
                    pattern = rf"{re.escape(handle)} is (null|0x[0-9a-f]+).*; allowed: a handle of "
                    self.assertTrue(any(re.match(pattern, line) for line in lines), lines[:5])

    def test_flags_of_evds_and_privileges_say_which_are_allowed(self):
        known = ("0x1f1", "0x33") if MAJOR == 1 else ("0x3f1", "0x73")
        flags = self.said("dat_evd_create", "DAT_INVALID_ARG4")
        self.assertIn("evd_flags is 0x0; allowed: at least one of "
                      f"{known[0]} and nothing else (dat_evd_create.R13)", flags)
        rights = self.said("dat_lmr_create", "DAT_INVALID_ARG6")
        pattern = rf"mem_privileges is 0x\w+; allowed: flags within {known[1]} \(dat_lmr_create.R21\)"
        self.assertTrue(any(re.fullmatch(pattern, line) for line in rights), rights)

    def test_strict_mode_names_the_completion_flags(self):
        flags = "DEFAULT 0x0, UNSIGNALLED 0x4 or EVD_THRESHOLD 0x10 (dat_ep_create.R32)"
        shared = "0x0, as the recv_completion_flags of what shares the EVD (SHARE.5)"
        for call, subtype in (("dat_ep_create", "DAT_INVALID_ARG6"),
                              ("dat_ep_create_with_srq", "DAT_INVALID_ARG7"),
                              ("dat_ep_modify", "DAT_INVALID_ARG3")):
            with self.subTest(call=call):
                lines = self.said(call, subtype)
                self.assertIn(f"request_completion_flags is 0x1; allowed: {flags}", lines)
                self.assertIn(f"request_completion_flags is 0x4; allowed: {shared}", lines)

    def test_the_default_counts_suppress_among_what_is_allowed(self):
        self.assertIn(
            "request_completion_flags is 0x2; allowed: DEFAULT 0x0, SUPPRESS 0x1, UNSIGNALLED 0x4 "
            "or EVD_THRESHOLD 0x10 (dat_ep_create.R32)",
            self.said("dat_ep_create", "DAT_INVALID_ARG6"))

    def test_recvs_of_evd_threshold_are_named_as_they_were_given(self):
        self.assertIn(
            "recv_completion_flags is 0x10; allowed: 0x4, as the request_completion_flags of what "
            "shares the EVD (SHARE.5)", self.said("dat_ep_create", "DAT_INVALID_ARG6"))

    def test_what_is_named_is_what_is_wrong(self):
        wanted = [
            ("dat_rsp_create", r"ep_handle is \S.*; allowed: an unconnected EP"),
            ("dat_evd_post_se", r"event_number is 0x\w+; allowed: DAT_SOFTWARE_EVENT 0x10001 "),
            ("dat_evd_free", r"evd_handle is an EVD that \d+ sources feed; "),
            ("dat_pz_free", r"pz_handle is a PZ that \d+ objects use; "),
            ("dat_cno_free", r"cno_handle is a CNO with \d+ EVDs and \d+ waiters; "),
            ("dat_lmr_free", r"lmr_handle is an LMR with \d+ windows; "),
            ("dat_srq_free", r"srq_handle is an SRQ with \d+ EPs; "),
            ("dat_ia_close", r"ia_handle is an IA with \d+ objects; "),
            ("dat_ep_connect", r"ep_handle is (connected|connecting|disconnected); "),
            ("dat_ep_post_send", r"ep_handle is unconnected; "),
        ]
        if MAJOR == 2:
            wanted.append(("dat_lmr_create", r"va_type is 0x\w+; allowed: DAT_VA_TYPE_VA or "))
            wanted.append(("dat_extension_op", r"operation is 0x\w+; allowed: an operation of dat_ib_"))
            wanted.append(("dat_ib_query_counters", r"cntr is -?\d+; allowed: a counter of the object"))
            wanted.append(("dat_ib_print_counters", r"cntr is 25; allowed: a counter of the object"))
            wanted.append(("dat_ib_start_counter", r"type is 3; allowed: a group of counters"))
        for call, pattern in wanted:
            with self.subTest(call=call):
                lines = [text for name, _, _, text in self.lines if name == call]
                self.assertTrue(any(re.match(pattern, line) for line in lines), lines[:20])

    def test_libdat_names_the_arguments_of_its_own_queries(self):
        if MAJOR == 1:
            self.skipTest("DAT 1.2 has no extensions")
        for position, name in ((6, "ia_attr"), (8, "prov_attr")):
            with self.subTest(name=name):
                self.assertIn(
                    f"datum debug: dat_ib_open_query: DAT_INVALID_PARAMETER [DAT_INVALID_ARG{position}]: "
                    f"{name} is null; allowed: not null (dat_ib_open_query(3))", self.output)

    def test_answers_are_not_told(self):
        self.assertEqual([line for line in self.lines if line[1] in ANSWERS], [])

    def test_every_line_ends_with_a_rule_or_a_page(self):
        self.assertGreater(len(self.lines), 300)
        for line in self.lines:
            self.assertRegex(line[3], r"\((?:[A-Za-z_0-9-]+(?:\.\w+)*|dat_\w+\(3\))\)(?:;.*)?$", line)


if __name__ == "__main__":
    MAJOR, SUITE = int(sys.argv[1]), sys.argv[2]
    unittest.main(argv=sys.argv[:1])
