#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What scripts/bench concludes from runs, reads from peers and prints in tables, and where it finds programs."""

import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

ROOT = pathlib.Path(sys.argv.pop() if len(sys.argv) > 1 else ".").resolve()
sys.path.insert(0, str(ROOT / "scripts/bench"))
sys.dont_write_bytecode = True
import bench  # noqa: E402
import goals  # noqa: E402
import machine  # noqa: E402
import page  # noqa: E402
import peers  # noqa: E402
import runs  # noqa: E402
import shm  # noqa: E402
import tcp  # noqa: E402
import waiting  # noqa: E402


def built_in(preset):
    """The folder in which a preset of CMakePresets.json builds. The preset may inherit it."""
    known = {each["name"]: each for each in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}
    folder = preset
    while "binaryDir" not in known[folder]:
        folder = known[folder]["inherits"]
    return known[folder]["binaryDir"].replace("${sourceDir}/", "").replace("${presetName}", preset)


def run_of(figure, ratio, **peers):
    return {"figure": figure, "ratio": ratio, "limit": figure / ratio, "limit_name": "ring 8 B",
            "peers": peers, "steady": True, "probe": 30, "remark": ""}


class Judgement(unittest.TestCase):
    def bar(self, best="<=", goal=1.3, **more):
        return goals.Bar("x", "-t send-lat -s 8", best, goal, **more)

    def test_the_median_ratio_decides(self):
        self.assertTrue(self.bar().is_met([run_of(1, r) for r in (1.0, 1.3, 9.0)]))
        self.assertFalse(self.bar().is_met([run_of(1, r) for r in (1.0, 1.4, 1.4)]))

    def test_a_lower_bound_is_a_lower_bound(self):
        self.assertTrue(self.bar(">=", 0.9).is_met([run_of(1, 0.9)]))
        self.assertFalse(self.bar(">=", 0.9).is_met([run_of(1, 0.89)]))

    def test_a_peer_that_is_ahead_fails_the_bar(self):
        bar = self.bar(peers=(("ucx", "latency"),))
        self.assertTrue(bar.is_met([run_of(100, 1.0, ucx=101)]))
        self.assertFalse(bar.is_met([run_of(100, 1.0, ucx=99)]))

    def test_a_peer_that_is_only_shown_decides_nothing(self):
        bar = self.bar(shown=(("sockperf", "latency"),))
        kept = [run_of(10, 1.0, sockperf=5)]
        self.assertTrue(bar.is_met(kept))
        self.assertIn("2.00 x sockperf", page.row(bar, kept, 0))

    def test_a_factor_over_peers_counts(self):
        bar = self.bar(">=", 0.0, peers=(("ucx", "bandwidth"),), peer_factor=1.6)
        self.assertTrue(bar.is_met([run_of(160, 1.0, ucx=100)]))
        self.assertFalse(bar.is_met([run_of(159, 1.0, ucx=100)]))

    def test_a_bar_without_steady_runs_says_so(self):
        self.assertIn("no steady run", page.row(self.bar(), [], 21))

    def test_a_missed_goal_is_marked_in_its_row(self):
        self.assertIn("**no**", page.row(self.bar(), [run_of(200, 2.0)], 0))
        self.assertIn("| yes |", page.row(self.bar(), [run_of(100, 1.0)], 0))

    def test_a_peer_without_a_goal_is_marked_and_never_behind(self):
        bar = self.bar("<=", 2, peers=(("ucx tag_lat 8", "latency"),), shown=(("sockperf spinning 8", "latency"),))
        both = {"ucx tag_lat 8": 100, "sockperf spinning 8": 100}
        self.assertIn("| **no** | 1 | 1.50 x ucx tag_lat 8 (behind); 1.50 x sockperf spinning 8 (no goal) |",
                      page.row(bar, [run_of(150, 1.5, **both)], 0))
        self.assertIn("| yes | 1 | 0.50 x ucx tag_lat 8; 0.50 x sockperf spinning 8 (no goal) |",
                      page.row(bar, [run_of(50, 0.5, **both)], 0))

    def test_cores_moved_beyond_15_percent_either_way(self):
        self.assertTrue(runs.moved(100, 116))
        self.assertTrue(runs.moved(116, 100))
        self.assertFalse(runs.moved(100, 115))
        self.assertTrue(runs.moved(0, 100))

    def test_every_bar_has_a_name_of_its_own(self):
        for bars in (shm.all_bars(), tcp.all_bars()):
            names = [bar.name for bar in bars]
            self.assertEqual(len(names), len(set(names)))


class SteadyPeer(unittest.TestCase):
    def measured(self, probes, value=5.0):
        """The result of these probes, and how often the peer was measured."""
        taken = []
        tools = types.SimpleNamespace(peers=types.SimpleNamespace(measure=lambda *_: taken.append(1) or value))
        with mock.patch.object(runs, "probe", lambda _, left=iter(probes): next(left)):
            try:
                return runs.steady_peer("ucx tag_lat 8", "latency", tools), len(taken)
            except TimeoutError:
                return "never steady", len(taken)

    def test_a_steady_one_is_measured_once(self):
        self.assertEqual(self.measured([100, 110]), (5.0, 1))

    def test_one_that_moved_is_measured_again_by_itself(self):
        self.assertEqual(self.measured([100, 130, 100, 100]), (5.0, 2))

    def test_one_that_always_moves_has_no_figure(self):
        self.assertEqual(self.measured([100, 130] * 3), ("never steady", 3))

    def test_one_that_is_not_installed_is_asked_once(self):
        self.assertEqual(self.measured([100], None), (None, 1))

    def test_its_unsteadiness_is_the_runs(self):
        run = run_of(100, 1.0)
        with mock.patch.object(runs, "steady_peer", side_effect=TimeoutError):
            runs.run_peers(Judgement().bar(peers=(("ucx", "latency"),)), None, run)
        self.assertFalse(run["steady"])


class OverTcp(unittest.TestCase):
    def answers(self, *answers):
        left = iter(answers)
        return mock.patch.object(runs, "dat_perf", lambda *_: next(left))

    def result(self, median, probe=100, steady=True):
        return {"value": {"median": median}, "probe_ns": probe, "steady": steady}

    def versus(self):
        return tcp.VersusBar("x", "-t read-bw", ">=", 0.9, "our send-bw", "-t send-bw")

    def test_every_bar_is_measured_over_tcp(self):
        for bar in tcp.all_bars():
            self.assertEqual(bar.args[-2:], ["--transport", "tcp"], bar.name)

    def test_a_figure_is_held_against_another_of_our_own(self):
        with self.answers(self.result(9.0), self.result(10.0)):
            run = self.versus().run(None)
        self.assertEqual((run["ratio"], run["limit_name"]), (0.9, "our send-bw"))
        self.assertTrue(run["steady"])

    def test_two_that_were_not_taken_on_the_same_cores_do_not_count(self):
        for own, other in ((self.result(9, 100), self.result(10, 200)),
                           (self.result(9, steady=False), self.result(10)),
                           (self.result(9), self.result(10, steady=False))):
            with self.answers(own, other):
                self.assertFalse(self.versus().run(None)["steady"])

    def test_bars_of_idle_endpoints_share_their_runs(self):
        with mock.patch.object(tcp.SharedBar, "taken", collections.defaultdict(list)), \
                self.answers({"setup_ns": 3e9, "cpu_percent": 0.01},
                             {"setup_ns": 4e9, "cpu_percent": 0.02}):
            setup = tcp.IdleBar("s", "<=", 15, lambda r: r["setup_ns"] / 1e9, "s")
            idle = tcp.IdleBar("c", "<=", 1, lambda r: r["cpu_percent"], "%")
            self.assertEqual([setup.run(None)["figure"] for _ in range(2)], [3.0, 4.0])
            self.assertEqual([idle.run(None)["figure"] for _ in range(2)], [0.01, 0.02])

    def test_calls_are_what_perf_counted(self):
        text = "# started on Mon\n\n29,,raw_syscalls:sys_enter,5798275,100.00,,\n"
        self.assertEqual(tcp.calls_in(text), 29)
        more = ("3,,syscalls:sys_enter_sendmsg,1,100.00,,\n"
                "4,,syscalls:sys_enter_sendto,1,100.00,,\n")
        self.assertEqual(tcp.calls_in(text + more, tcp.SENDS), 7)
        with self.assertRaises(RuntimeError):
            tcp.calls_in("<not supported>,,raw_syscalls:sys_enter,0,100.00,,\n")

    def test_fewer_calls_that_sent_than_windows_are_an_error(self):
        counts = ("50,,raw_syscalls:sys_enter,1,100.00,,\n"
                  "1,,syscalls:sys_enter_sendmsg,1,100.00,,\n"
                  "{},,syscalls:sys_enter_sendto,1,100.00,,\n")
        self.assertEqual(tcp.per_message(counts.format(9), 1000), (0.05, 0.01))
        with self.assertRaises(RuntimeError):
            tcp.per_message(counts.format(0), 1000)

    def test_a_server_without_a_port_is_an_error(self):
        self.assertEqual(tcp.port_in("dat-perf: listening on datum (::1), port 77, process 5"),
                         "77")
        with self.assertRaises(RuntimeError):
            tcp.port_in("")


class Page(unittest.TestCase):
    def test_each_table_has_marks_of_its_own(self):
        text = page.between_marks(page.between_marks("# Title\n", "one", shm.MARKS), "two", tcp.MARKS)
        text = page.between_marks(text, "three", shm.MARKS)
        self.assertNotIn("one", text)
        self.assertIn("two", text)
        self.assertIn("three", text)

    def test_only_what_stands_between_the_marks_is_replaced(self):
        first = page.between_marks("# Title\n", "one", shm.MARKS)
        self.assertTrue(first.startswith("# Title\n"))
        second = page.between_marks(first + "by hand\n", "two", shm.MARKS)
        self.assertIn("two", second)
        self.assertNotIn("one", second)
        self.assertTrue(second.endswith("by hand\n"))

    def test_the_marks_of_the_page_are_those_of_the_scripts(self):
        text = (ROOT / "docs/performance.md").read_text()
        for mark in (*shm.MARKS, *tcp.MARKS, *waiting.MARKS):
            self.assertEqual(1, text.count(mark), mark)

    def test_a_virtual_machine_is_called_one(self):
        self.assertEqual("AMD EPYC", machine.processor("model name\t: AMD EPYC\nflags\t\t: fpu sse\n"))
        self.assertEqual("AMD EPYC (a virtual machine)",
                         machine.processor("model name\t: AMD EPYC\nflags\t\t: fpu hypervisor sse\n"))


class Said(unittest.TestCase):
    def test_ucx(self):
        text = ("iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,"
                "overall_mr\n 200,6.166,6.570,6.570,9513.48,9513.48,152216,152216\n")
        values = peers.parse_ucx(text)
        self.assertAlmostEqual(values["latency"], 6570)
        self.assertAlmostEqual(values["bandwidth"], 9513.48 * 1048576)
        self.assertAlmostEqual(values["rate"], 152216)

    def test_libfabric(self):
        text = ("bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n"
                "64k     100     =100     12m         0.00s   7797.26       8.40       0.12\n")
        values = peers.parse_fi(text)
        self.assertAlmostEqual(values["latency"], 8400)
        self.assertAlmostEqual(values["bandwidth"], 7797.26e6)

    def test_iperf3(self):
        text = '{"end": {"sum_received": {"bytes": 1000, "bits_per_second": 8e9}}}'
        self.assertEqual(peers.parse_iperf(text), {"bandwidth": 1e9})
        self.assertIsNone(peers.parse_iperf('{"error": "unable to connect"}'))
        self.assertIsNone(peers.parse_iperf(""))

    def test_sockperf(self):
        text = "sockperf: [Total Run] ...\nsockperf: Summary: Latency is 5.402 usec\n"
        self.assertAlmostEqual(peers.parse_sockperf(text)["latency"], 5402)
        self.assertIsNone(peers.parse_sockperf("sockperf: ERROR: connect"))

    def test_qperf(self):
        self.assertEqual(peers.parse_qperf("tcp_lat:\n    latency  =  13.2 us\n", 8), {"latency": 13200})
        self.assertEqual(peers.parse_qperf("tcp_bw:\n    bw  =  2.5 GB/sec\n", 1000),
                         {"bandwidth": 2.5e9, "rate": 2.5e6})
        self.assertIsNone(peers.parse_qperf("failed to connect", 8))

    def test_ucx_reads_are_gets(self):
        def client(test):
            asked = peers.Peers()
            with mock.patch.object(asked, "pair", return_value="") as pair:
                self.assertIsNone(asked.ucx("ucx-tcp", 8, test))
            return pair.call_args.args[2]
        for test, at_once in (("get_lat", "1"), ("get_bw", "64")):
            words = client(test)
            self.assertEqual(words[words.index("-t") + 1], "ucp_get")
            self.assertEqual(words[words.index("-O") + 1], at_once)
        self.assertNotIn("-O", client("tag_lat"))

    def test_no_answer_is_no_figure(self):
        self.assertIsNone(peers.parse_ucx(""))
        self.assertIsNone(peers.parse_fi("[error] nothing\n"))


class NewerPeers(unittest.TestCase):
    """Builds in a folder: shell programs that print where they search for libraries."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)

    def test_are_taken_before_the_installed_ones_and_tell_their_versions(self):
        for prefix in ("", "ucx/", "of a name/"):
            with self.subTest(prefix):
                self.program(f"{prefix}bin/ucx_perftest", "")
                self.program(f"{prefix}bin/ucx_info", 'echo "# Library version: 9.1 $*"; '
                             'echo "# API headers version: 8"')
                self.program(f"{prefix}bin/fi_pingpong", "")
                self.program(f"{prefix}bin/fi_info", 'echo "$0: 7.7"; echo "libfabric: 9.2 $*"')
                newer = peers.Peers(str(self.folder))
                self.assertEqual("ucx_perftest (UCX 9.1), fi_pingpong (libfabric 9.2)", newer.versions(("ucx", "fi")))
                shutil.rmtree(self.folder / prefix)

    def test_one_that_says_no_version_has_an_unknown_one(self):
        self.program("bin/ucx_perftest", "")
        self.assertEqual("ucx_perftest (UCX of unknown version)", peers.Peers(str(self.folder)).version("ucx"))

    def test_run_over_the_libraries_beside_them(self):
        self.program("ucx/bin/ucx_perftest", 'echo "$LD_LIBRARY_PATH of $*"')
        with mock.patch.dict(os.environ, LD_LIBRARY_PATH="/other"):
            said = peers.Peers(str(self.folder)).pair("ucx_perftest", ["-p", "1"], ["client"])
        self.assertEqual(f"{self.folder}/ucx/lib:/other of client\n", said)

    def test_what_is_not_among_them_is_as_without_them(self):
        self.program("bin/fi_pingpong", "")
        newer = peers.Peers(str(self.folder))
        for program in ("ucx_perftest", "iperf3", "sh"):
            self.assertEqual((shutil.which(program), {}), newer.find(program))

    def test_a_folder_without_them_ends_the_benchmark(self):
        self.program("bin/iperf3", "")
        with self.assertRaises(SystemExit) as ended, mock.patch.object(sys, "stderr"):
            peers.Peers(str(self.folder))
        self.assertEqual(2, ended.exception.code)


class Called(unittest.TestCase):
    """The scripts, called as a user types them."""

    def ended(self, *command):
        done = subprocess.run([sys.executable, "-B", *command], cwd=ROOT, capture_output=True, text=True, timeout=60,
                              check=False)
        return done.returncode, done.stderr

    def test_say_what_is_not_built(self):
        for script, program, build in (("bench.py", "dat-perf", "make bench"), ("copies.py", "dat-cp", "make")):
            self.assertEqual((2, f"{script[:-3]}: /nowhere/{program} is not built; run: {build}\n"),
                             self.ended(f"scripts/bench/{script}", "/nowhere"))

    def test_know_only_their_tables(self):
        status, said = self.ended("scripts/bench/bench.py", "--table", "none")
        self.assertEqual(2, status)
        self.assertIn("--table", said)

    def test_the_front_door_says_how_it_is_called(self):
        said = subprocess.run([ROOT / "scripts/bench.sh", "--help"], capture_output=True, text=True, timeout=60,
                              check=True).stdout
        for action in bench.parser()._actions:
            for option in action.option_strings or ["BIN"]:
                if option not in ("-h", "--help"):
                    self.assertIn(f"\n  {option} ", said)
        self.assertTrue(said.rstrip().endswith("2 not built."))


class Programs(unittest.TestCase):
    def test_are_looked_for_where_they_are_built(self):
        self.assertEqual(bench.parser().get_default("bin"), built_in("bench") + "/bin")


if __name__ == "__main__":
    unittest.main()
