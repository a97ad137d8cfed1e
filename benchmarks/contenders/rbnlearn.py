"""bnlearn of R, run as a program of its own where Rscript and the package are installed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

import numpy as np

from benchmarks.contenders.base import PEERS_PC, Contender, Joined, Trial, observed, pairs_of
from benchmarks.contenders.rsession import Answer, RSession, r_bnlearn_version, vector
from benchmarks.workload import ALPHA, SEED
from bnlab.counts.types import FloatArray

SCORES = {"bic": '"bic"', "bdeu": '"bde", iss = 1', "k2": '"k2"'}
SKELETONS = {"hpc": "hpc", "mmpc": "mmpc", **dict.fromkeys(PEERS_PC, "pc.stable")}


class RBnlearn(Contender):
    """bnlearn of R; times are R's own processor time, without its start."""

    package = "r-bnlearn"
    title = "R bnlearn"

    @classmethod
    @cache
    def installed_version(cls) -> str:
        """Version that R has."""
        return r_bnlearn_version()

    @cached_property
    def _session(self) -> RSession:
        return RSession(self.work.table)

    def _trial(self, expression: str, read: Callable[[Answer], Any], share: float = 1.0, note: str = "") -> Trial:
        session = self._session
        return Trial(lambda: session.call(expression), read, share, note, lambda answer: answer.seconds)

    def chow_liu(self) -> Trial:
        edges = self._session.edges
        return self._trial("t(arcs(chow.liu(rows)))", lambda answer: self.work.tree_weight(edges(answer)))

    def local_scores(self, score: str) -> Trial:
        families = self.work.some_families(0.03)
        listed = ", ".join(vector((child + 1, *(p + 1 for p in parents))) for child, parents in families)
        self._session.call(f"families <- list({listed}); NULL")
        share = len(families) / len(self.work.families)
        note = "by an internal function for one family"
        return self._trial(f"local_scores(families, {SCORES[score]})", _numbers, share, note)

    def network_score(self, score: str) -> Trial:
        arcs = (v + 1 for child, parents in self.work.structure for parent in parents for v in (parent, child))
        self._session.call(f"network <- graph({vector(arcs)}); NULL")
        return self._trial(f"score(network, rows, {SCORES[score]})", lambda answer: float(answer.values[0]))

    def climb(self, score: str) -> Trial | None:
        if self.work.is_large:
            return None
        edges = self._session.edges
        expression = f"t(arcs(hc(rows, score = {SCORES[score]})))"
        return self._trial(expression, lambda answer: self.work.graph_score(edges(answer), score))

    def skeleton(self, algorithm: str) -> Trial | None:
        if algorithm not in SKELETONS:
            return None
        edges = self._session.edges
        expression = f't(arcs({SKELETONS[algorithm]}(rows, test = "mi", alpha = {ALPHA}, undirected = TRUE)))'
        note = "its pc.stable" if algorithm in PEERS_PC else ""
        return self._trial(expression, lambda answer: Joined(pairs_of(edges(answer))), note=note)

    def sample(self) -> Trial:
        session = self._session
        session.call(f'fitted <- read.bif("{self.work.bif.as_posix()}"); set.seed({SEED}); NULL')
        return self._trial(
            f"drawn <- rbn(fitted, {self.work.table.n_rows}); NULL",
            lambda _: dict(map(_counts, session.call("state_counts(drawn)").values)),
        )

    def read_bif(self) -> Trial:
        return self._trial(
            f'arcs_and_squares(read.bif("{self.work.bif.as_posix()}"))',
            lambda answer: (list(zip(answer.values[1::2], answer.values[2::2], strict=True)), float(answer.values[0])),
        )


def _numbers(answer: Answer) -> FloatArray:
    return np.array(answer.values, dtype=float)


def _counts(line: str) -> tuple[str, list[int]]:
    name, *counts = line.split()
    return name, observed(map(int, counts))
