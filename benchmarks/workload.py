"""What every contender is given: the same rows, the same families, the same network."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd

from benchmarks.augmented import GivenStructure
from bnlab import score as network_score
from bnlab.counts.information import mutual_information
from bnlab.counts.types import Family, FloatArray
from bnlab.data import Table
from bnlab.dynamic import Panel
from bnlab.networks import BayesianNetwork, load_network, write_bif
from bnlab.papers.sousa2018 import random_network

Edges: TypeAlias = tuple[tuple[str, str], ...]
Triple: TypeAlias = tuple[int, int, tuple[int, ...]]

SEED = 1
ALPHA = 0.05


@dataclass(frozen=True)
class Workload:
    """Rows drawn from a network, what to compute on them, and a classification problem.

    Attributes
    ----------
    network : BayesianNetwork
    bif : Path
        The network's file.
    folder : Path
        For files that a contender needs.
    sizes : tuple of int
        A small, a usual and a large number of rows.
    table : Table
        Rows drawn from the network, or of another origin where `families` are all that is asked.
    families : tuple of (child, parents)
        Distinct; numbers of parents take turns.
    train, test : DataFrame
        Rows of the classification problem, attributes and class: categoricals that declare all states.
    target : str
        Name of the class.
    cores : int
        Number of threads that a contender may use.
    """

    network: BayesianNetwork
    bif: Path
    folder: Path
    sizes: tuple[int, int, int]
    table: Table
    families: tuple[Family, ...]
    train: pd.DataFrame
    test: pd.DataFrame
    target: str
    cores: int = 1
    _others: dict[object, Workload] = field(default_factory=dict, compare=False, repr=False)

    def with_rows(self, rows: int) -> Workload:
        """The same with another number of rows drawn from the network."""
        if rows == self.table.n_rows:
            return self
        return self._other(rows, lambda: replace(self, table=self.network.sample(rows, seed=SEED), _others={}))

    def with_families(self, parents: tuple[int, ...], count: int, *, letter: bool = False) -> Workload:
        """The same with other families, of the network's variables or those of the classification problem."""

        def make() -> Workload:
            table = Table.from_pandas(pd.concat([self.train, self.test])) if letter else self.table
            families = random_families(table.n_variables, count, parents)
            return replace(self, table=table, families=families, _others={})

        return self._other((parents, count, letter), make)

    def _other(self, key: object, make: Callable[[], Workload]) -> Workload:
        if key not in self._others:
            self._others[key] = make()
        return self._others[key]

    @property
    def is_small(self) -> bool:
        """Whether these are the small number of rows."""
        return self.table.n_rows <= self.sizes[0]

    @property
    def is_large(self) -> bool:
        """Whether these are the large number of rows."""
        return self.table.n_rows >= self.sizes[2]

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The rows as categoricals."""
        return self.table.to_pandas()

    @cached_property
    def strings(self) -> pd.DataFrame:
        """The rows as text."""
        return self.frame.astype(str)

    @cached_property
    def codes(self) -> pd.DataFrame:
        """The rows as numbers."""
        return pd.DataFrame({name: self.table.column(name).astype(np.int64) for name in self.table.names})

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""
        return self.table.names

    @property
    def structure(self) -> tuple[Family, ...]:
        """Families of the network that the rows were drawn from."""
        return tuple(enumerate(self.network.dag.parents))

    def named(self, families: Iterable[Family]) -> list[tuple[str, list[str]]]:
        """Families by name."""
        return [(self.names[child], [self.names[p] for p in parents]) for child, parents in families]

    def some_families(self, share: float) -> tuple[Family, ...]:
        """The first families, about that share of them."""
        return self.families[: max(1, round(share * len(self.families)))]

    @cached_property
    def triples(self) -> tuple[Triple, ...]:
        """Tests of independence x, y | z with 0 to 3 variables in z."""
        rng = np.random.default_rng(SEED)
        drawn = [rng.permutation(len(self.names))[: 2 + k % 4].tolist() for k in range(min(1_000, self.table.n_rows))]
        return tuple((x, y, tuple(sorted(z))) for x, y, *z in drawn)

    @property
    def named_triples(self) -> list[tuple[str, str, list[str]]]:
        """The tests by name."""
        return [(self.names[x], self.names[y], [self.names[v] for v in z]) for x, y, z in self.triples]

    @cached_property
    def pair_weights(self) -> FloatArray:
        """Mutual information of each pair of variables, nats."""
        return mutual_information(self.table)

    def tree_weight(self, edges: Iterable[tuple[str, str]]) -> float:
        """Sum of the weights of a spanning tree's edges; nan for any other graph."""
        return _tree_weight(edges, self.names, self.pair_weights)

    def graph_score(self, edges: Iterable[Iterable[str]], score: str) -> float:
        """Score of a graph on the rows, nats."""
        return float(network_score([(u, v) for u, v in edges], self.table, score))

    @cached_property
    def panel(self) -> Panel:
        """Units of a random network over time: ten variables, ten times, a unit for each 200 rows."""
        return random_network(10, "two parents", SEED).sample(self.table.n_rows // 200, 10, SEED)

    def transition_score(self, edges: Iterable[Iterable[str]]) -> float:
        """BIC of a transition of the panel, nats."""
        return float(network_score([(u, v) for u, v in edges], self.panel.transitions, "bic"))

    @cached_property
    def true_pairs(self) -> frozenset[frozenset[str]]:
        """Pairs that the network joins."""
        return frozenset(frozenset(edge) for edge in self.network.dag.edges)

    @cached_property
    def _train_table(self) -> Table:
        return Table.from_pandas(self.train)

    def train_score(self, edges: Iterable[Iterable[str]]) -> float:
        """Log-likelihood of a classifier's structure on the rows to train, nats."""
        return float(network_score([(u, v) for u, v in edges], self._train_table, "ll"))

    def classifier(self, edges: Edges) -> GivenStructure:
        """The classifier of bnlab with a structure that somebody else has learned."""
        X, y = self.train.drop(columns=self.target), self.train[self.target]
        return GivenStructure(edges).fit(X, y)


def _tree_weight(edges: Iterable[tuple[str, str]], names: tuple[str, ...], weights: FloatArray) -> float:
    position = {name: i for i, name in enumerate(names)}
    pairs = {frozenset((position[u], position[v])) for u, v in edges}
    joined = list(range(len(names)))
    for u, v in pairs:
        joined = [joined[u] if group == joined[v] else group for group in joined]
    if len(pairs) != len(names) - 1 or len(set(joined)) != 1:
        return float("nan")
    return float(sum(weights[tuple(pair)] for pair in pairs))


def full_workload(folder: Path, cores: int = 1) -> Workload:
    """ALARM with 100,000 rows and 10,000 families; letter in file order, 15,000 and 5,000 rows."""
    from bnlab import load_frame
    from bnlab.data.catalogue import fetch

    network = load_network("alarm")
    letter = load_frame("letter")
    target = next(name for name in letter.columns if letter[name].dtype.kind not in "iuf")
    letter = declared(letter[[*letter.columns.drop(target), target]])
    sizes = 5_000, 100_000, 1_000_000
    rows = network.sample(sizes[1], seed=SEED)
    families = random_families(len(network), 10_000)
    return Workload(
        network=network,
        bif=fetch("networks/alarm.bif"),
        folder=folder,
        sizes=sizes,
        table=rows,
        families=families,
        train=letter[:15_000],
        test=letter[15_000:],
        target=target,
        cores=cores,
    )


def quick_workload(folder: Path) -> Workload:
    """Asia, which needs no download, with few rows: shows that the code runs, measures nothing."""
    network = load_network("asia")
    bif = folder / "asia.bif"
    write_bif(network, bif)
    rows = network.sample(2_000, seed=SEED)
    frame = declared(rows.to_pandas())
    return Workload(
        network=network,
        bif=bif,
        folder=folder,
        sizes=(500, 2_000, 3_000),
        table=rows,
        families=random_families(len(network), 200),
        train=frame[:1_500],
        test=frame[1_500:],
        target=frame.columns[-1],
    )


def declared(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns as categoricals of text that declare every state, whole numbers in their order."""
    columns = {}
    for name, column in frame.items():
        states = [str(state) for state in sorted(column.unique())]
        columns[name] = pd.Categorical(column.astype(str).astype(object), categories=pd.Index(states, dtype=object))
    return pd.DataFrame(columns)


def random_families(n: int, count: int, parents: tuple[int, ...] = (0, 1, 2, 3)) -> tuple[Family, ...]:
    """Distinct families of n variables, the numbers of parents taking turns until one of them runs out."""
    rng = np.random.default_rng(SEED)
    families: dict[Family, None] = {}
    turn = 0
    while len(families) < count:
        child, *chosen = rng.choice(n, size=1 + parents[turn % len(parents)], replace=False).tolist()
        families[child, tuple(sorted(chosen))] = None
        turn += 1
    return tuple(families)
