"""Weka: Java, run as a program of its own where it is installed; naive Bayes and TAN."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import NamedTuple

import pandas as pd

from benchmarks.contenders.base import Contender, Predicted, Trial, predicted

LAPLACE = "weka.classifiers.bayes.net.estimate.SimpleEstimator -- -A 1.0"
TREE = "weka.classifiers.bayes.net.search.local.TAN -- -S ENTROPY"
COMMANDS = {
    "nb": ["weka.classifiers.bayes.NaiveBayes"],
    "tan": ["weka.classifiers.bayes.BayesNet", *f"-D -Q {TREE} -E {LAPLACE}".split()],
}


class Ran(NamedTuple):
    """What a run of the program wrote, and the seconds of CPU time that it took."""

    text: str
    seconds: float


class Weka(Contender):
    """Weka, under the GPL: only ever run, never linked."""

    package = "weka"
    title = "Weka"

    @classmethod
    @cache
    def installed_version(cls) -> str:
        """Version in the name of the jar."""
        if shutil.which("java") is None:
            raise FileNotFoundError("no java")
        found = re.search(r"\d+(\.\d+)+", _jar().resolve().name)
        return found.group() if found else "of unknown version"

    def _files(self) -> Path:
        """Folder with the rows: all to train, all to test, and one of these."""
        folder = self.work.folder / "weka"
        if not folder.exists():
            folder.mkdir()
            for name, rows in (("train", self.work.train), ("test", self.work.test), ("one", self.work.test[:1])):
                (folder / f"{name}.arff").write_text(arff(rows))
        return folder

    def _run(self, kind: str, test: str, *options: str) -> Ran:
        folder = self._files()
        scheme, *settings = COMMANDS[kind]
        data = ["-t", str(folder / "train.arff"), "-T", str(folder / f"{test}.arff")]
        before = children_seconds()
        done = subprocess.run(
            ["java", "-Xmx2g", "-cp", str(_jar()), scheme, *data, *options, *settings],
            capture_output=True,
            text=True,
            check=True,
        )
        return Ran(done.stdout, children_seconds() - before)

    def fit(self, kind: str) -> Trial | None:
        if kind not in COMMANDS:
            return None
        return Trial(
            lambda: self._run(kind, "one"),
            lambda ran: self.work.train_score(self._edges(ran)),
            note="its own clock, in hundredths of a second",
            seconds=lambda ran: float(re.search(r"build model: ([\d.]+) seconds", ran.text)[1]),
        )

    def predict(self, kind: str) -> Trial | None:
        if kind not in COMMANDS:
            return None
        return Trial(
            lambda: (self._run(kind, "test", "-p", "0"), self._run(kind, "one", "-p", "0")),
            lambda ran: self._predicted(kind, ran[0].text),
            note="CPU time of the program with all rows less that with one",
            seconds=lambda ran: ran[0].seconds - ran[1].seconds,
        )

    def _predicted(self, kind: str, text: str) -> Predicted:
        edges = self._edges(self._run(kind, "one"))
        labels = [line.split()[2].split(":", 1)[1] for line in text.splitlines() if re.match(r"\s+\d+\s+\d+:", line)]
        return predicted(labels, self.work.test.index, edges)

    def _edges(self, ran: Ran) -> list[tuple[str, str]]:
        return listed_edges(ran.text, list(self.work.train), self.work.target)


def arff(rows: pd.DataFrame) -> str:
    """Rows of categoricals in Weka's format."""
    declared = [f"@attribute '{name}' {{{','.join(map(str, c.cat.categories))}}}" for name, c in rows.items()]
    return "\n".join(["@relation rows", *declared, "@data", rows.to_csv(header=False, index=False)])


def _jar() -> Path:
    path = Path(os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar"))
    if not path.exists():
        raise FileNotFoundError(f"no {path}; the variable WEKA_JAR may name another one")
    return path


def children_seconds() -> float:
    """CPU time of the programs that this process has run."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def listed_edges(text: str, names: list[str], target: str) -> list[tuple[str, str]]:
    """Edges that the program's description of a network lists; of naive Bayes, which has none, those from the class."""
    listed = re.findall(r"^(\S+)\(\d+\): (.*)$", text, re.MULTILINE)
    if not listed:
        return [(target, name) for name in names if name != target]
    return [(parent, child) for child, parents in listed for parent in parents.split()]
