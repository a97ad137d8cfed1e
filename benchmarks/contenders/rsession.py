"""An R process with bnlearn (GPL: only ever run, never linked) that works on the rows of one table."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import weakref
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bnlab.data import Table
from bnlab.papers.base.processes import peak_megabytes

SCRIPT = Path(__file__).with_suffix("").with_name("rbnlearn.R")


class Answer(NamedTuple):
    """Values of an expression as text, and the seconds of processor time that R took for it."""

    values: list[str]
    seconds: float


@cache
def r_bnlearn_version() -> str:
    """Version of bnlearn that R has.

    Raises
    ------
    FileNotFoundError
        Where there is no R.
    ModuleNotFoundError
        Where R has no bnlearn.
    """
    if shutil.which("Rscript") is None:
        raise FileNotFoundError("no Rscript")
    command = ["Rscript", "--vanilla", "-e", 'cat(as.character(packageVersion("bnlearn")))']
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise ModuleNotFoundError("R has no package bnlearn")
    return done.stdout


class RSession:
    """R with a data frame `rows`, whose columns are named V1, V2, ... and whose states are 1, 2, ...

    The process ends with this object. Its start and the reading of the rows are not part of any time.

    Parameters
    ----------
    table : Table
    """

    def __init__(self, table: Table) -> None:
        self._names = table.names
        self._process = subprocess.Popen(
            ["Rscript", "--vanilla", str(SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        weakref.finalize(self, _end, self._process)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows"
            np.concatenate([table.column(name).astype(np.int32) for name in table.names]).tofile(path)
            states = vector(variable.arity for variable in table.variables)
            self.call(f'rows <- read_rows("{path.as_posix()}", {table.n_rows}, {states}); NULL')

    def call(self, expression: str) -> Answer:
        """Evaluate an expression of one line.

        Raises
        ------
        RuntimeError
            With R's message if the expression fails, or if R has ended.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(expression + "\n")
        self._process.stdin.flush()
        seconds, _, count = self._process.stdout.readline().partition(" ")
        if not seconds:
            raise RuntimeError(f"R has ended with exit status {self._process.wait()}")
        values = [self._process.stdout.readline().rstrip("\n") for _ in range(int(count))]
        if seconds == "failed":
            raise RuntimeError(f"R: {values[0]}")
        return Answer([value.strip() for value in values], float(seconds))

    def edges(self, answer: Answer) -> list[tuple[str, str]]:
        """Edges of an answer that lists the two ends of each in turn, by the names in the table."""
        named = [self._names[int(value[1:]) - 1] for value in answer.values]
        return list(zip(named[::2], named[1::2], strict=True))

    def peak_megabytes(self) -> float | None:
        """Greatest resident memory of R so far; None where the system does not report it."""
        return peak_megabytes(self._process.pid)


def vector(numbers: Iterable[int]) -> str:
    """Vector of numbers as R writes it."""
    return f"c({','.join(map(str, numbers))})"


def _end(process: subprocess.Popen[str]) -> None:
    process.communicate()  # R ends with its input
