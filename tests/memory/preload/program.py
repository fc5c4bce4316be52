# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Objects, threads, forks and subprocesses of Python, on a preloaded malloc."""
import os
import subprocess
import threading

table = {str(i): [i] * 50 for i in range(20000)}
assert sum(map(len, table.values())) == 1000000

def work():
    return sum(len(str(i) * 100) for i in range(20000))

threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for _ in range(10):
    child = os.fork()
    if child == 0:
        table["0"] = None
        os._exit(0 if table["19999"] == [19999] * 50 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert table["0"] == [0] * 50
for thread in threads:
    thread.join()
assert subprocess.check_output(["echo", "hello"], text=True) == "hello\n"
assert subprocess.check_output(["echo", "hello"], preexec_fn=lambda: None, text=True) == "hello\n"
