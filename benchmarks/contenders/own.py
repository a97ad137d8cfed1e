"""The package of this repository."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from benchmarks.contenders.base import (
    Contender,
    Joined,
    Trial,
    attributes_and_class,
    frame_counts,
    pairs_of,
    predicted,
    upper_triangle,
)
from benchmarks.workload import SEED

NEVER = 1 - 1e-15  # a level of significance under which every test answers with its p-value


class Bnlab(Contender):
    """bnlab."""

    package = "bnlab"
    title = "bnlab"

    def _source(self) -> Any:
        from bnlab.counts.memory import MemorySource
        from bnlab.data import Table

        return MemorySource(Table.from_pandas(self.work.frame), threads=self.work.cores)

    def load(self) -> Trial:
        from bnlab.data import Table

        return Trial(lambda: Table.from_pandas(self.work.frame), lambda table: frame_counts(table.to_pandas()))

    def load_strings(self) -> Trial:
        from bnlab.data import Table

        return Trial(lambda: Table.from_pandas(self.work.strings), lambda table: frame_counts(table.to_pandas()))

    def mutual_information(self) -> Trial:
        from bnlab.counts.information import mutual_information

        source = self._source()
        return Trial(lambda: mutual_information(source), upper_triangle)

    def chow_liu(self) -> Trial:
        from bnlab import learn

        source = self._source()
        return Trial(lambda: learn(source, "chow-liu"), lambda dag: self.work.tree_weight(dag.edges))

    def local_scores(self, score: str) -> Trial:
        from bnlab.scores import LocalScores, make_score

        phi = LocalScores(self._source(), make_score(score))
        return Trial(lambda: phi.many(self.work.families))

    def network_score(self, score: str) -> Trial:
        from bnlab import score as network_score

        source = self._source()
        return Trial(lambda: network_score(self.work.network.dag, source, score))

    def climb(self, score: str) -> Trial:
        from bnlab import learn

        source = self._source()
        return Trial(
            lambda: learn(source, "hill-climbing", score=score), lambda dag: self.work.graph_score(dag.edges, score)
        )

    def ckg(self, k: int) -> Trial:
        from bnlab import learn

        source = self._source()
        return Trial(lambda: learn(source, "ckg", k=k), lambda dag: self.work.graph_score(dag.edges, "bic"))

    def dynamic(self, algorithm: str) -> Trial:
        from bnlab import learn_dynamic

        panel = self.work.panel.take(range(len(self.work.panel.units)))  # nothing counted before survives
        return Trial(
            lambda: learn_dynamic(panel, algorithm, score="bic"),
            lambda found: self.work.transition_score(found.transition.edges),
        )

    def independence_tests(self) -> Trial:
        from bnlab.citests import G2Tester

        tester = G2Tester(self._source(), NEVER, rows_per_cell=0)
        return Trial(
            lambda: [tester.strength(x, y, z) for x, y, z in self.work.triples],
            lambda strengths: np.exp(-np.array(strengths)),
        )

    def skeleton(self, algorithm: str) -> Trial:
        from bnlab import skeleton

        source = self._source()
        return Trial(
            lambda: skeleton(source, algorithm),
            lambda graph: Joined(pairs_of(graph.edges), graph.nsc),
        )

    def _classifier(self, kind: str) -> Any:
        from bnlab import TAN, CkG, NaiveBayes

        made = {
            "nb": NaiveBayes,
            "tan": lambda **options: TAN("ll", **options),
            "c2g": lambda **options: CkG(2, "ll", **options),
        }
        return made[kind](smoothing="laplace")

    def fit(self, kind: str) -> Trial:
        X, y = attributes_and_class(self.work.train, self.work.target)
        model = self._classifier(kind)
        return Trial(lambda: model.fit(X, y), lambda fitted: self.work.train_score(fitted.dag_.edges))

    @cached_property
    def _fitted(self) -> dict[str, Any]:
        return {}

    def predict(self, kind: str) -> Trial:
        if kind not in self._fitted:
            self._fitted[kind] = self.fit(kind).run()
        model = self._fitted[kind]
        X = self.work.test.drop(columns=self.work.target)
        return Trial(lambda: model.predict(X), lambda labels: predicted(labels, X.index, model.dag_.edges))

    def sample(self) -> Trial:
        return Trial(
            lambda: self.work.network.sample(self.work.table.n_rows, seed=SEED),
            lambda table: frame_counts(table.to_pandas()),
        )

    def read_bif(self) -> Trial:
        from bnlab.networks import read_bif

        return Trial(
            lambda: read_bif(self.work.bif), lambda net: (net.dag.edges, sum(float((c**2).sum()) for c in net.cpts))
        )
