"""What every contender is given: the same rows, the same families, the same network."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from bnlab.counts.family import Family, FloatArray
from bnlab.counts.information import mutual_information
from bnlab.data import Table
from bnlab.networks import BayesianNetwork, load_network, write_bif

SEED = 1


@dataclass(frozen=True)
class Workload:
    """Rows drawn from a network, local scores to compute on them, and a classification problem.

    Attributes
    ----------
    network : BayesianNetwork
    bif : Path
        The network's file.
    table : Table
        Rows drawn from the network.
    families : tuple of (child, parents)
        Distinct, with 0 to 3 parents.
    train, test : DataFrame
        Rows of the classification problem, attributes and class.
    target : str
        Name of the class.
    """

    network: BayesianNetwork
    bif: Path
    table: Table
    families: tuple[Family, ...]
    train: pd.DataFrame
    test: pd.DataFrame
    target: str

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

    @cached_property
    def pair_weights(self) -> FloatArray:
        """Mutual information of each pair of variables, nats."""
        return mutual_information(self.table)

    @cached_property
    def attribute_weights(self) -> FloatArray:
        """Mutual information of each pair of attributes given the class, nats; the class is the last variable."""
        table = Table.from_pandas(self.train)
        return mutual_information(table, given=table.index(self.target))

    def tree_weight(self, edges: Iterable[tuple[str, str]]) -> float:
        """Sum of the weights of a spanning tree's edges; nan for any other graph."""
        return _tree_weight(edges, self.names, self.pair_weights)

    def attribute_tree_weight(self, edges: Iterable[tuple[str, str]]) -> float:
        """As `tree_weight`, for the tree among the attributes of a classifier; edges from the class are left out."""
        names = tuple(self.train.columns)
        inner = [edge for edge in edges if self.target not in edge]
        return _tree_weight(inner, names, self.attribute_weights, ignored=1)


def _tree_weight(
    edges: Iterable[tuple[str, str]], names: tuple[str, ...], weights: FloatArray, ignored: int = 0
) -> float:
    position = {name: i for i, name in enumerate(names)}
    pairs = {frozenset((position[u], position[v])) for u, v in edges}
    joined = list(range(len(names)))
    for u, v in pairs:
        joined = [joined[u] if group == joined[v] else group for group in joined]
    if len(pairs) != len(names) - 1 - ignored or len(set(joined)) != 1 + ignored:
        return float("nan")
    return float(sum(weights[tuple(pair)] for pair in pairs))


def full_workload() -> Workload:
    """ALARM with 100,000 rows and 10,000 families; letter in file order, 15,000 and 5,000 rows."""
    from bnlab import load_frame
    from bnlab.data.catalogue import fetch

    network = load_network("alarm")
    letter = load_frame("letter")
    target = next(name for name in letter.columns if letter[name].dtype.kind not in "iuf")
    letter[target] = letter[target].astype(str).astype(object)
    letter = letter[[*letter.columns.drop(target), target]]
    rows = network.sample(100_000, seed=SEED)
    families = random_families(len(network), 10_000)
    return Workload(
        network, fetch("networks/alarm.bif"), rows, families, letter[:15_000], letter[15_000:], target
    )  # fmt: skip


def quick_workload(folder: Path) -> Workload:
    """Asia, which needs no download, with few rows: shows that the code runs, measures nothing."""
    network = load_network("asia")
    bif = folder / "asia.bif"
    write_bif(network, bif)
    rows = network.sample(2_000, seed=SEED)
    frame = rows.to_pandas().astype(str).astype(object)
    return Workload(
        network, bif, rows, random_families(len(network), 200), frame[:1_500], frame[1_500:], frame.columns[-1]
    )  # fmt: skip


def random_families(n: int, count: int) -> tuple[Family, ...]:
    """Distinct families of n variables: a child, 0 to 3 parents, each number as likely until those run out."""
    rng = np.random.default_rng(SEED)
    families: dict[Family, None] = {}
    while len(families) < count:
        child, *parents = rng.choice(n, size=1 + rng.integers(4), replace=False).tolist()
        families[child, tuple(sorted(parents))] = None
    return tuple(families)
