"""learn_bcDBN: the Java program of the authors of tDBN, cDBN and bcDBN, run where its jar is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from benchmarks.contenders.base import Contender, Trial
from benchmarks.contenders.weka import children_seconds
from bnlab.dynamic import Panel

OPTIONS = {"tdbn": [], "cdbn": ["-cDBN"], "bcdbn": ["-bcDBN"]}
SCORES = {"bic": "MDL", "ll": "LL"}
FEW = 5
"""Units of the run that is subtracted."""


class Learned(NamedTuple):
    """Edges of a transition, sorted, and the seconds of CPU time that the program took."""

    edges: list[list[str]]
    seconds: float


class LearnBcDbn(Contender):
    """learn_bcDBN, only ever run, never linked."""

    package = "learn_bcDBN"
    title = "learn_bcDBN"

    @classmethod
    @cache
    def installed_version(cls) -> str:
        """The program has no version."""
        if shutil.which("java") is None:
            raise FileNotFoundError("no java")
        _jar()
        return "of 2018"

    def dynamic(self, algorithm: str) -> Trial:
        rows = wide_rows(self.work.panel)

        def run() -> tuple[Learned, Learned]:
            all_units, few = (
                run_program(_jar(), part, self.work.folder, algorithm, "bic") for part in (rows, rows[:FEW])
            )
            return all_units, few

        return Trial(
            run,
            lambda both: self.work.transition_score(both[0].edges),
            note=f"CPU time of the program with all units less that with {FEW}",
            seconds=lambda both: both[0].seconds - both[1].seconds,
        )


def wide_rows(panel: Panel) -> pd.DataFrame:
    """Row for each unit and columns ``x__0``, ``x__1`` of the program's format; units have equally many times."""
    frame = panel.table.to_pandas().astype(str)
    wide = frame.set_index([panel.unit_of, panel.times]).unstack()
    wide.columns = [f"{name}__{time}" for name, time in wide.columns]
    return wide[[f"{name}__{t}" for t in range(int(panel.times.max()) + 1) for name in frame]]


def run_program(jar: Path, rows: pd.DataFrame, folder: Path, algorithm: str, score: str) -> Learned:
    """Learn one transition for all steps, with p = 1 and k = 2."""
    path = folder / "panel.csv"
    rows.to_csv(path, index_label="subject_id")
    before = children_seconds()
    done = subprocess.run(
        ["java", "-Xmx2g", "-jar", str(jar), "-i", str(path), "-p", "1", "-ind", "2", "-d", "-s", SCORES[score]]
        + OPTIONS[algorithm],
        capture_output=True,
        text=True,
        check=True,
    )
    names = [name.removesuffix("__0") for name in rows if name.endswith("__0")]
    return Learned(listed_edges(done.stdout, names), children_seconds() - before)


def listed_edges(text: str, names: Sequence[str]) -> list[list[str]]:
    """Edges of the program's picture, ``X0_0 -> X0_1`` from the past; it numbers the variables in their order."""
    when = {"0": "t-1", "1": "t"}
    listed = re.findall(r"^X(\d+)_([01]) -> X(\d+)_1$", text, re.MULTILINE)
    return sorted([f"{names[int(u)]}[{when[slice_of]}]", f"{names[int(v)]}[t]"] for u, slice_of, v in listed)


def _jar() -> Path:
    path = Path(os.environ.get("LEARN_BCDBN", "learn_bcDBN.jar"))
    if not path.exists():
        raise FileNotFoundError(f"no {path}; the variable LEARN_BCDBN may name another one")
    return path
