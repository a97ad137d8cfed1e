"""How each package does each task, as fast as its public functions allow on one core.

A method prepares one repetition from scratch (nothing counted or scored before survives) and returns a `Trial`; only
``trial.run`` is timed. A contender that cannot do a task lacks the method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from itertools import combinations
from math import log
from typing import Any, ClassVar

import networkx as nx
import numpy as np
import pandas as pd

from benchmarks.workload import SEED, Workload

Counts = dict[str, list[int]]


@dataclass(frozen=True)
class Trial:
    """One repetition, prepared.

    Attributes
    ----------
    run : callable
        The work that is timed.
    read : callable
        Turns the result into the form in which contenders are compared: nats, names, arrays.
    share : float
        Part of the task's work that `run` does; times are divided by it.
    note : str
        What a reader has to know about this contender's time.
    """

    run: Callable[[], Any]
    read: Callable[[Any], Any] = lambda result: result
    share: float = 1.0
    note: str = ""


class Contender:
    """A package; `package` is its name in an index and `title` the one shown."""

    package: ClassVar[str]
    title: ClassVar[str]

    def __init__(self, work: Workload) -> None:
        self.work = work
        self.version = version(self.package)


class Bnlab(Contender):
    """The package of this repository."""

    package = "bnlab"
    title = "bnlab"

    def _source(self) -> Any:
        from bnlab.counts.memory import MemorySource
        from bnlab.data import Table

        return MemorySource(Table.from_pandas(self.work.frame), threads=1)

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

    def tan_fit(self) -> Trial:
        from bnlab import TAN

        X, y = attributes_and_class(self.work.train, self.work.target)
        return Trial(
            lambda: TAN("ll").fit(X, y), lambda model: self.work.attribute_tree_weight(model.dag_.edges)
        )  # fmt: skip

    @cached_property
    def _classifier(self) -> Any:
        return self.tan_fit().run()

    def tan_predict(self) -> Trial:
        model = self._classifier
        X = self.work.test.drop(columns=self.work.target)
        return Trial(lambda: model.predict(X), lambda labels: pd.Series(labels, index=X.index))

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


class PyBNesian(Contender):
    """C++ over Arrow; BIC and BDe(u), no K2, no classifiers, no BIF."""

    package = "pybnesian"
    title = "pybnesian"

    def load(self) -> Trial:
        import pybnesian

        return Trial(lambda: pybnesian.BIC(self.work.frame), lambda score: frame_counts(score.data().to_pandas()))

    def load_strings(self) -> Trial:
        import pybnesian

        return Trial(
            lambda: pybnesian.BIC(self.work.strings.astype("category")),
            lambda score: frame_counts(score.data().to_pandas()),
            note="through astype('category')",
        )

    def mutual_information(self) -> Trial:
        import pybnesian

        pairs = list(combinations(self.work.names, 2))
        test = pybnesian.MutualInformation(self.work.frame)
        return Trial(lambda: [test.mi(a, b) for a, b in pairs], np.array)

    def chow_liu(self) -> Trial:
        weigh = self.mutual_information().run
        return Trial(
            lambda: heaviest_tree(self.work.names, weigh()),
            self.work.tree_weight,
            note="its mutual informations, the tree by networkx",
        )

    def _score(self, score: str) -> Any:
        import pybnesian

        made = {"bic": pybnesian.BIC, "bdeu": lambda frame: pybnesian.BDe(frame, 1.0)}
        return made[score](self.work.frame) if score in made else None

    def local_scores(self, score: str) -> Trial | None:
        import pybnesian

        families = self.work.named(self.work.families)
        empty = pybnesian.DiscreteBN(list(self.work.names))
        scorer = self._score(score)
        if scorer is None:
            return None
        return Trial(lambda: [scorer.local_score(empty, child, parents) for child, parents in families], np.array)

    def _network(self) -> Any:
        import pybnesian

        return pybnesian.DiscreteBN(list(self.work.names), list(self.work.network.dag.edges))

    def network_score(self, score: str) -> Trial | None:
        network, scorer = self._network(), self._score(score)
        return None if scorer is None else Trial(lambda: scorer.score(network))

    def sample(self) -> Trial:
        import pyarrow as pa

        network = self._network()
        columns = [
            # Its factors refuse the large strings that newer pandas hands over.
            pa.DictionaryArray.from_arrays(c.cat.codes.to_numpy(), pa.array(c.cat.categories.tolist(), pa.string()))
            for _, c in self.work.frame.items()
        ]
        network.fit(pa.RecordBatch.from_arrays(columns, names=list(self.work.names)))
        return Trial(
            lambda: network.sample(self.work.table.n_rows, seed=SEED),
            lambda batch: frame_counts(batch.to_pandas()),
            note="parameters fitted to the rows",
        )


class PyAgrum(Contender):
    """C++ with a Python wrapper; scores in bits."""

    package = "pyagrum"
    title = "pyAgrum"

    def __init__(self, work: Workload) -> None:
        super().__init__(work)
        import pyagrum

        pyagrum.setNumberOfThreads(1)

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
        {"k2": learner.useScoreK2, "bdeu": learner.useScoreBDeu, "bic": learner.useScoreBIC}[score]()
        return learner.score

    def local_scores(self, score: str) -> Trial:
        part = self.work.families[:1_000]
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

    def tan_fit(self) -> Trial:
        from pyagrum.skbn import createBNClassifier

        X, y = attributes_and_class(self.work.train, self.work.target)
        # The threshold keeps whole numbers of few values discrete.
        make = lambda: createBNClassifier(learningMethod="TAN", discretizationThreshold=100)  # noqa: E731
        return Trial(
            lambda: make().fit(X, y),
            lambda model: self.work.attribute_tree_weight(
                [[model.bn_.variable(i).name() for i in arc] for arc in model.bn_.arcs()]
            ),
        )

    @cached_property
    def _classifier(self) -> Any:
        return self.tan_fit().run()

    def tan_predict(self) -> Trial:
        model = self._classifier
        test = self.work.test.drop(columns=self.work.target)
        seen = np.logical_and.reduce([test[name].isin(self.work.train[name].unique()) for name in test])
        X = test[seen]
        return Trial(
            lambda: model.predict(X),
            lambda labels: pd.Series(labels, index=X.index),
            share=len(X) / len(test),
            note="" if seen.all() else "it fails on a row with a state that training never saw",
        )

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


class Pgmpy(Contender):
    """Python over pandas."""

    package = "pgmpy"
    title = "pgmpy"

    def __init__(self, work: Workload) -> None:
        super().__init__(work)
        from pgmpy import config

        config.set_show_progress(False)

    @property
    def _states(self) -> dict[str, list[Any]]:
        return {variable.name: list(variable.states) for variable in self.work.table.variables}

    def load(self) -> Trial:
        from pgmpy.structure_score import BIC

        return Trial(lambda: BIC(self.work.frame), lambda score: frame_counts(score.data))

    def load_strings(self) -> Trial:
        from pgmpy.structure_score import BIC

        return Trial(lambda: BIC(self.work.strings), lambda score: frame_counts(score.data))

    def mutual_information(self) -> Trial:
        from pgmpy.estimators import TreeSearch

        codes = self.work.codes
        return Trial(
            lambda: TreeSearch._get_weights(codes, n_jobs=1, show_progress=False),
            upper_triangle,
            note="given columns of numbers, the form in which it is fastest",
        )

    def chow_liu(self) -> Trial:
        from pgmpy.estimators import TreeSearch

        search = TreeSearch(self.work.codes, root_node=self.work.names[0], n_jobs=1)
        return Trial(
            lambda: search.estimate("chow-liu", show_progress=False),
            lambda dag: self.work.tree_weight(dag.edges()),
            note="given columns of numbers, the form in which it is fastest",
        )

    def _scorer(self, score: str) -> Any:
        from pgmpy.structure_score import BIC, K2, BDeu

        if score == "bdeu":
            return BDeu(self.work.frame, equivalent_sample_size=1, state_names=self._states)
        return {"k2": K2, "bic": BIC}[score](self.work.frame, state_names=self._states)

    def local_scores(self, score: str) -> Trial:
        part = self.work.families[:300]
        families = [(child, tuple(parents)) for child, parents in self.work.named(part)]
        scorer = self._scorer(score)
        return Trial(
            lambda: [scorer.local_score(child, parents) for child, parents in families],
            np.array,
            share=len(part) / len(self.work.families),
        )

    def network_score(self, score: str) -> Trial:
        from pgmpy.models import DiscreteBayesianNetwork

        network = DiscreteBayesianNetwork(self.work.network.dag.edges)
        network.add_nodes_from(self.work.names)
        scorer = self._scorer(score)
        return Trial(lambda: scorer.score(network), float)

    def tan_fit(self) -> Trial:
        from pgmpy.estimators import TreeSearch
        from pgmpy.models import DiscreteBayesianNetwork
        from pgmpy.parameter_estimator import DiscreteBayesianEstimator

        train, target = self.work.train, self.work.target
        states = {name: sorted(set(train[name]) | set(self.work.test[name])) for name in train}

        def fit() -> Any:
            search = TreeSearch(train, root_node=train.columns[0], n_jobs=1)
            dag = search.estimate("tan", class_node=target, show_progress=False)
            return DiscreteBayesianNetwork(dag.edges()).fit(
                train, estimator=DiscreteBayesianEstimator(state_names=states)
            )

        return Trial(fit, lambda model: self.work.attribute_tree_weight(model.edges()))

    @cached_property
    def _classifier(self) -> Any:
        return self.tan_fit().run()

    def tan_predict(self) -> Trial:
        model, target = self._classifier, self.work.target
        X = self.work.test.drop(columns=target)[:300]
        return Trial(
            lambda: model.predict(X, n_jobs=1),
            lambda labels: labels[target],
            share=len(X) / len(self.work.test),
        )

    def sample(self) -> Trial:
        from pgmpy.readwrite import BIFReader
        from pgmpy.sampling import BayesianModelSampling

        sampler = BayesianModelSampling(BIFReader(str(self.work.bif)).get_model())
        return Trial(
            lambda: sampler.forward_sample(self.work.table.n_rows, seed=SEED, show_progress=False, n_jobs=1),
            frame_counts,
        )

    def read_bif(self) -> Trial:
        from pgmpy.readwrite import BIFReader

        return Trial(
            lambda: BIFReader(str(self.work.bif)).get_model(),
            lambda model: (tuple(model.edges()), sum(float((c.values**2).sum()) for c in model.get_cpds())),
        )


CONTENDERS: tuple[type[Contender], ...] = (Bnlab, PyBNesian, PyAgrum, Pgmpy)


def nats(bits: Any) -> Any:
    """Values in bits, converted."""
    return np.asarray(bits) * log(2)


def observed(counts: Iterable[int]) -> list[int]:
    """Counts of the states that occur, ascending."""
    return sorted(count for count in counts if count)


def frame_counts(frame: pd.DataFrame) -> Counts:
    """Counts of each column's states."""
    return {name: observed(column.value_counts().tolist()) for name, column in frame.items()}


def upper_triangle(matrix: Any) -> Any:
    """Entries of a symmetric matrix, pair by pair."""
    return matrix[np.triu_indices(len(matrix), 1)]


def heaviest_tree(names: tuple[str, ...], weights: Iterable[float]) -> list[tuple[str, str]]:
    """Edges of the maximum spanning tree, by networkx."""
    graph = nx.Graph()
    graph.add_weighted_edges_from(
        (a, b, weight) for (a, b), weight in zip(combinations(names, 2), weights, strict=True)
    )
    return list(nx.maximum_spanning_edges(graph, data=False))


def attributes_and_class(frame: pd.DataFrame, target: str) -> tuple[pd.DataFrame, pd.Series]:
    """Columns of a classification problem."""
    return frame.drop(columns=target), frame[target]
