"""pyAgrum: C++ with a Python wrapper; scores in bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.contenders.base import (
    PEERS_PC,
    Contender,
    Counts,
    Joined,
    Trial,
    attributes_and_class,
    frame_counts,
    heaviest_tree,
    nats,
    observed,
    pairs_of,
    predicted,
)
from benchmarks.workload import ALPHA, Workload

METHODS = {"nb": "NaiveBayes", "tan": "TAN"}


class PyAgrum(Contender):
    """pyAgrum."""

    package = "pyagrum"
    title = "pyAgrum"

    def __init__(self, work: Workload) -> None:
        super().__init__(work)
        import pyagrum

        pyagrum.setNumberOfThreads(work.cores)

    def _learner(self) -> Any:
        import pyagrum

        learner = pyagrum.BNLearner(self.work.frame)
        learner.useNoPrior()
        return learner

    def _counts(self, learner: Any) -> Counts:
        return {name: observed(int(count) for count in learner.rawPseudoCount([name])) for name in learner.names()}

    def load(self) -> Trial:
        import pyagrum

        return Trial(lambda: pyagrum.BNLearner(self.work.frame), self._counts)

    def load_strings(self) -> Trial:
        import pyagrum

        return Trial(lambda: pyagrum.BNLearner(self.work.strings), self._counts)

    def mutual_information(self) -> Trial:
        pairs = list(combinations(self.work.names, 2))
        learner = self._learner()
        return Trial(lambda: [learner.mutualInformation(a, b) for a, b in pairs], nats)

    def chow_liu(self) -> Trial:
        weigh = self.mutual_information().run
        return Trial(
            lambda: heaviest_tree(self.work.names, weigh()),
            self.work.tree_weight,
            note="its mutual informations, the tree by networkx; its own Chow-Liu classifier is slower",
        )

    def _scorer(self, score: str) -> Callable[[str, list[str]], float]:
        learner = self._learner()
        self._choose(learner, score)
        return learner.score

    def _choose(self, learner: Any, score: str) -> None:
        {"k2": learner.useScoreK2, "bdeu": learner.useScoreBDeu, "bic": learner.useScoreBIC}[score]()

    def local_scores(self, score: str) -> Trial:
        part = self.work.some_families(0.1)
        families = self.work.named(part)
        local = self._scorer(score)
        return Trial(
            lambda: [local(child, parents) for child, parents in families],
            nats,
            share=len(part) / len(self.work.families),
        )

    def network_score(self, score: str) -> Trial:
        families = self.work.named(self.work.structure)
        local = self._scorer(score)
        return Trial(lambda: sum(local(child, parents) for child, parents in families), nats)

    def climb(self, score: str) -> Trial | None:
        if self.work.is_large:
            return None
        learner = self._learner()
        self._choose(learner, score)
        learner.useGreedyHillClimbing()
        return Trial(
            learner.learnDAG,
            lambda dag: self.work.graph_score([[learner.names()[i] for i in arc] for arc in dag.arcs()], score),
        )

    def independence_tests(self) -> Trial:
        learner = self._learner()
        tests = self.work.named_triples
        return Trial(lambda: [learner.G2(x, y, z)[1] for x, y, z in tests], np.array)

    def skeleton(self, algorithm: str) -> Trial | None:
        if algorithm not in PEERS_PC:
            return None
        learner = self._learner()
        learner.usePC()
        learner.useG2Test()
        learner.setPCAlpha(ALPHA)
        return Trial(
            learner.learnPDAG,
            lambda graph: Joined(
                pairs_of([learner.names()[i] for i in edge] for edge in [*graph.edges(), *graph.arcs()])
            ),
            note="its PC with the orientation of edges, by G2 tests",
        )

    def fit(self, kind: str) -> Trial | None:
        if kind not in METHODS:
            return None
        X, y = self._numbers(self.work.train)
        # Laplace's rule changes the tree that it learns, its default prior does not.
        model = self._classifier(kind, smoothed=kind == "nb")
        return Trial(
            lambda: model.fit(X, y),
            lambda fitted: self.work.train_score(self._arcs(fitted)),
            note="with its default prior" if kind == "tan" else "",
        )

    def _classifier(self, kind: str, smoothed: bool) -> Any:
        from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
        from pyagrum.skbn import BNClassifier

        states = DiscreteTypeProcessor()
        for name, column in self.work.train.drop(columns=self.work.target).items():
            states.setDiscretizationParameters(name, "NoDiscretization", f"{{{'|'.join(column.cat.categories)}}}")
        prior = {"prior": "Smoothing", "priorWeight": 1} if smoothed else {}
        return BNClassifier(type_processor=states, learningMethod=METHODS[kind], **prior)

    def _arcs(self, model: Any) -> list[list[str]]:
        return [[model.bn_.variable(i).name() for i in arc] for arc in model.bn_.arcs()]

    def _numbers(self, frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
        return attributes_and_class(frame.astype(object), self.work.target)

    @cached_property
    def _fitted(self) -> dict[str, Any]:
        return {}

    def predict(self, kind: str) -> Trial | None:
        if kind not in METHODS:
            return None
        if kind not in self._fitted:
            self._fitted[kind] = self._classifier(kind, smoothed=True).fit(*self._numbers(self.work.train))
        model = self._fitted[kind]
        X, _ = self._numbers(self.work.test)
        return Trial(lambda: model.predict(X), lambda labels: predicted(labels, X.index, self._arcs(model)))

    def sample(self) -> Trial:
        import pyagrum

        network = pyagrum.loadBN(str(self.work.bif))

        def draw() -> Any:
            generator = pyagrum.BNDatabaseGenerator(network)
            generator.drawSamples(self.work.table.n_rows)
            return generator

        return Trial(draw, lambda generator: frame_counts(generator.to_pandas()))

    def read_bif(self) -> Trial:
        import pyagrum

        def read(network: Any) -> tuple[tuple[tuple[str, str], ...], float]:
            arcs = [tuple(network.variable(i).name() for i in arc) for arc in network.arcs()]
            return tuple(arcs), sum(float((network.cpt(n).toarray() ** 2).sum()) for n in network.names())

        return Trial(lambda: pyagrum.loadBN(str(self.work.bif)), read)
