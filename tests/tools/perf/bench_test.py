#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What scripts/bench.py and bench_tcp.py conclude from runs, and read from their peers."""

import pathlib
import sys
import types
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
sys.dont_write_bytecode = True
import bench  # noqa: E402
import bench_peers  # noqa: E402
import bench_tcp  # noqa: E402


def run_of(figure, ratio, **peers):
    return {"figure": figure, "ratio": ratio, "limit": figure / ratio, "limit_name": "ring 8 B",
            "peers": peers, "steady": True, "probe": 30, "remark": ""}


class Judgement(unittest.TestCase):
    def bar(self, best="<=", goal=1.3, **more):
        return bench.Bar("x", "-t send-lat -s 8", best, goal, **more)

    def test_the_median_ratio_decides(self):
        self.assertTrue(bench.is_met(self.bar(), [run_of(1, r) for r in (1.0, 1.3, 9.0)]))
        self.assertFalse(bench.is_met(self.bar(), [run_of(1, r) for r in (1.0, 1.4, 1.4)]))

    def test_a_lower_bound_is_a_lower_bound(self):
        self.assertTrue(bench.is_met(self.bar(">=", 0.9), [run_of(1, 0.9)]))
        self.assertFalse(bench.is_met(self.bar(">=", 0.9), [run_of(1, 0.89)]))

    def test_a_peer_that_is_ahead_fails_the_bar(self):
        bar = self.bar(peers=(("ucx", "latency"),))
        self.assertTrue(bench.is_met(bar, [run_of(100, 1.0, ucx=101)]))
        self.assertFalse(bench.is_met(bar, [run_of(100, 1.0, ucx=99)]))

    def test_a_peer_that_is_only_shown_decides_nothing(self):
        bar = self.bar(shown=(("sockperf", "latency"),))
        kept = [run_of(10, 1.0, sockperf=5)]
        self.assertTrue(bench.is_met(bar, kept))
        self.assertIn("2.00 x sockperf", bench.row(bar, kept, 0))

    def test_a_factor_over_peers_counts(self):
        bar = self.bar(">=", 0.0, peers=(("ucx", "bandwidth"),), peer_factor=1.6)
        self.assertTrue(bench.is_met(bar, [run_of(160, 1.0, ucx=100)]))
        self.assertFalse(bench.is_met(bar, [run_of(159, 1.0, ucx=100)]))

    def test_a_bar_without_steady_runs_says_so(self):
        self.assertIn("no steady run", bench.row(self.bar(), [], 21))

    def test_a_missed_goal_is_marked_in_its_row(self):
        self.assertIn("**no**", bench.row(self.bar(), [run_of(200, 2.0)], 0))
        self.assertIn("| yes |", bench.row(self.bar(), [run_of(100, 1.0)], 0))

    def test_cores_moved_beyond_15_percent_either_way(self):
        self.assertTrue(bench.moved(100, 116))
        self.assertTrue(bench.moved(116, 100))
        self.assertFalse(bench.moved(100, 115))
        self.assertTrue(bench.moved(0, 100))

    def test_every_bar_has_a_name_of_its_own(self):
        for bars in (bench.all_bars(), bench_tcp.all_bars()):
            names = [bar.name for bar in bars]
            self.assertEqual(len(names), len(set(names)))


class SteadyPeer(unittest.TestCase):
    def measured(self, probes, value=5.0):
        """What these probes lead to, and how often the peer was measured."""
        taken = []
        with mock.patch.object(bench_peers, "probe", lambda limits, left=iter(probes): next(left)), \
                mock.patch.object(bench_peers, "measure", lambda *_: taken.append(1) or value):
            tools = types.SimpleNamespace(limits="limits")
            try:
                return bench.steady_peer("ucx tag_lat 8", "latency", tools), len(taken)
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
        with mock.patch.object(bench, "steady_peer", side_effect=TimeoutError):
            bench.run_peers(Judgement().bar(peers=(("ucx", "latency"),)), None, run)
        self.assertFalse(run["steady"])


class OverTcp(unittest.TestCase):
    def answers(self, *answers):
        left = iter(answers)
        return mock.patch.object(bench, "dat_perf", lambda *_: next(left))

    def result(self, median, probe=100, steady=True):
        return {"value": {"median": median}, "probe_ns": probe, "steady": steady}

    def versus(self):
        return bench_tcp.VersusBar("x", "-t read-bw", ">=", 0.9, "our send-bw", "-t send-bw")

    def test_every_bar_is_measured_over_tcp(self):
        for bar in bench_tcp.all_bars():
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
        with mock.patch.object(bench_tcp.IdleBar, "taken", []), \
                self.answers({"setup_ns": 3e9, "cpu_percent": 0.01},
                             {"setup_ns": 4e9, "cpu_percent": 0.02}):
            setup = bench_tcp.IdleBar("s", "<=", 15, lambda r: r["setup_ns"] / 1e9, "s")
            idle = bench_tcp.IdleBar("c", "<=", 1, lambda r: r["cpu_percent"], "%")
            self.assertEqual([setup.run(None)["figure"] for _ in range(2)], [3.0, 4.0])
            self.assertEqual([idle.run(None)["figure"] for _ in range(2)], [0.01, 0.02])

    def test_calls_are_what_perf_counted(self):
        text = "# started on Mon\n\n29,,raw_syscalls:sys_enter,5798275,100.00,,\n"
        self.assertEqual(bench_tcp.calls_in(text), 29)
        more = ("3,,syscalls:sys_enter_sendmsg,1,100.00,,\n"
                "4,,syscalls:sys_enter_sendto,1,100.00,,\n")
        self.assertEqual(bench_tcp.calls_in(text + more, bench_tcp.SENDS), 7)
        with self.assertRaises(RuntimeError):
            bench_tcp.calls_in("<not supported>,,raw_syscalls:sys_enter,0,100.00,,\n")

    def test_fewer_calls_that_sent_than_windows_are_an_error(self):
        counts = ("50,,raw_syscalls:sys_enter,1,100.00,,\n"
                  "1,,syscalls:sys_enter_sendmsg,1,100.00,,\n"
                  "{},,syscalls:sys_enter_sendto,1,100.00,,\n")
        self.assertEqual(bench_tcp.per_message(counts.format(9), 1000), (0.05, 0.01))
        with self.assertRaises(RuntimeError):
            bench_tcp.per_message(counts.format(0), 1000)

    def test_a_server_without_a_port_is_an_error(self):
        self.assertEqual(bench_tcp.port_in("dat-perf: listening on datum (::1), port 77, process 5"),
                         "77")
        with self.assertRaises(RuntimeError):
            bench_tcp.port_in("")


class Page(unittest.TestCase):
    def test_each_table_has_marks_of_its_own(self):
        page = bench.between_marks(bench.between_marks("# Title\n", "one"), "two", bench_tcp.MARKS)
        page = bench.between_marks(page, "three")
        self.assertNotIn("one", page)
        self.assertIn("two", page)
        self.assertIn("three", page)

    def test_only_what_stands_between_the_marks_is_replaced(self):
        first = bench.between_marks("# Title\n", "one")
        self.assertTrue(first.startswith("# Title\n"))
        second = bench.between_marks(first + "by hand\n", "two")
        self.assertIn("two", second)
        self.assertNotIn("one", second)
        self.assertTrue(second.endswith("by hand\n"))


class Peers(unittest.TestCase):
    def test_ucx(self):
        text = ("iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,"
                "overall_mr\n 200,6.166,6.570,6.570,9513.48,9513.48,152216,152216\n")
        values = bench_peers.parse_ucx(text)
        self.assertAlmostEqual(values["latency"], 6570)
        self.assertAlmostEqual(values["bandwidth"], 9513.48 * 1048576)
        self.assertAlmostEqual(values["rate"], 152216)

    def test_libfabric(self):
        text = ("bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n"
                "64k     100     =100     12m         0.00s   7797.26       8.40       0.12\n")
        values = bench_peers.parse_fi(text)
        self.assertAlmostEqual(values["latency"], 8400)
        self.assertAlmostEqual(values["bandwidth"], 7797.26e6)

    def test_iperf3(self):
        text = '{"end": {"sum_received": {"bytes": 1000, "bits_per_second": 8e9}}}'
        self.assertEqual(bench_peers.parse_iperf(text), {"bandwidth": 1e9})
        self.assertIsNone(bench_peers.parse_iperf('{"error": "unable to connect"}'))
        self.assertIsNone(bench_peers.parse_iperf(""))

    def test_sockperf(self):
        text = "sockperf: [Total Run] ...\nsockperf: Summary: Latency is 5.402 usec\n"
        self.assertAlmostEqual(bench_peers.parse_sockperf(text)["latency"], 5402)
        self.assertIsNone(bench_peers.parse_sockperf("sockperf: ERROR: connect"))

    def test_qperf(self):
        self.assertEqual(bench_peers.parse_qperf("tcp_lat:\n    latency  =  13.2 us\n", 8), {"latency": 13200})
        self.assertEqual(bench_peers.parse_qperf("tcp_bw:\n    bw  =  2.5 GB/sec\n", 1000),
                         {"bandwidth": 2.5e9, "rate": 2.5e6})
        self.assertIsNone(bench_peers.parse_qperf("failed to connect", 8))

    def test_ucx_reads_are_gets(self):
        for test, at_once in (("get_lat", "1"), ("get_bw", "64")):
            with mock.patch.object(bench_peers, "pair", return_value="") as pair:
                self.assertIsNone(bench_peers.ucx(test, 8, bench_peers.UCX_TCP))
            client = pair.call_args.args[1]
            self.assertEqual(client[client.index("-t") + 1], "ucp_get")
            self.assertEqual(client[client.index("-O") + 1], at_once)
        with mock.patch.object(bench_peers, "pair", return_value="") as pair:
            bench_peers.ucx("tag_lat", 8, bench_peers.UCX_TCP)
        self.assertNotIn("-O", pair.call_args.args[1])

    def test_no_answer_is_no_figure(self):
        self.assertIsNone(bench_peers.parse_ucx(""))
        self.assertIsNone(bench_peers.parse_fi("[error] nothing\n"))


if __name__ == "__main__":
    unittest.main()
