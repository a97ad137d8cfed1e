"""Systems without locks of files, forks and most signals, as Windows is: simulated, for the tests run on any system."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import indent

# Modules and names that Windows lacks, of those that the library could reach for.
WITHOUT = """
import os, signal, sys
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None  # from now on an import of it fails
import asyncio, multiprocessing, subprocess  # they choose by the system's name, which stays what it is
for module, names in {
    os: ["fork", "register_at_fork", "sched_getaffinity", "sysconf", "chown", "geteuid", "getuid", "killpg", "setsid"],
    signal: ["SIGKILL", "SIGALRM", "SIGUSR1", "SIGHUP", "alarm", "setitimer", "pthread_kill", "pthread_sigmask"],
}.items():
    for name in names:
        delattr(module, name)
"""

IMPORTS = """
import importlib, pkgutil, bnlab
names = [module.name for module in pkgutil.walk_packages(bnlab.__path__, "bnlab.")]
for name in names:
    importlib.import_module(name)
print(len(names) > 100)
"""

LEARNS = """
import bnlab
from bnlab.learners import Bootstrap
from bnlab.search import run
net = bnlab.load_network("asia")
data = net.sample(500, seed=1)
learned = bnlab.learn(data, "hill-climbing")
print(bnlab.compare(learned, net).tp > 4, run(Bootstrap(data, bnlab.learn, replicates=3)).graphs == 3)
"""

SAVES = """
import bnlab
from bnlab._runtime.files import replace_file
from bnlab.checkpoint import resume
from bnlab.learners import make_search
from bnlab.search import run
data = bnlab.load_network("asia").sample(500, seed=1)
for content in ("first", "second"):
    replace_file("a.txt", content)
print(open("a.txt").read() == "second")
search = make_search(data, "hill-climbing", score="bic")
for state, _ in resume(search, "state.npz"):
    pass
print(search.result(state) == run(search))
net = bnlab.load_network("asia")
net.to_bif("asia.bif")
print(bnlab.load_network("asia.bif").dag == net.dag)
"""

BUDGET = """
from bnlab._runtime import budget, threads
print(budget._physical() == 8 << 30, threads.available_cores() >= 1)
"""

PROCESSES = """
from bnlab.papers.base.processes import Processes
with Processes(1) as pool:
    print(pool.submit(max, 3, 5).result() == 5)
"""


def test_the_library_works_without_locks_forks_and_signals(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    only_once = "if __name__ == '__main__':  # a process that is started anew imports this file"
    code = indent("".join([LEARNS, SAVES, BUDGET, IMPORTS, PROCESSES]), "    ")
    script.write_text(f"{WITHOUT}\n{only_once}\n{code}")
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["True"] * 9
