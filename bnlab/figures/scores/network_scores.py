"""All scores of several networks on one table, for parameters that change often.

Families are counted once. A change of ess or alpha evaluates only the scores that depend on it, on the same counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from bnlab._runtime.names import known_name
from bnlab.counts.base import batches_of
from bnlab.counts.cache import BoundedCache
from bnlab.counts.source import DataLike, count_source
from bnlab.counts.types import Family, FloatArray
from bnlab.data.variable import Variable
from bnlab.figures.scores.graph_scores import PLAIN_SCORES
from bnlab.graphs.checks import is_edge
from bnlab.graphs.dag import Dag, GraphLike, HasDag, names_of
from bnlab.graphs.equivalence import member
from bnlab.scores import LocalScore, make_score
from bnlab.scores.dirichlet import Hyperparameters, PriorNetwork

AnyNetwork: TypeAlias = "GraphLike | Any"
Networks: TypeAlias = "Mapping[str, AnyNetwork] | Sequence[AnyNetwork] | AnyNetwork"

NEEDED = {"bde": "a prior network, prior=...", "bd": "hyperparameters, hyper=..."}
CACHED_SCORES = 32
EXAMPLE = '{"true": net, "learned": dag}'


class NetworkScores:
    """Local scores of every node of every network.

    Parameters
    ----------
    data : Table, DataFrame or CountSource
    networks : mapping of str to graph, or sequence of graphs, or graph
        Each a Dag, networkx.DiGraph, (parent, child) pairs, or anything with a `dag`, on the variables of the data in
        any order. Without names they are called "network 1", "network 2", ...
    prior : BayesianNetwork, optional
        Prior network of BDe; without one there is no BDe.
    hyper : float, array_like or callable, optional
        Hyperparameters of BD, as `bnlab.scores.BD` takes them; without them there is no BD.

    Attributes
    ----------
    nodes : tuple of str
    networks : dict of str to Dag
    scores : tuple of str
        Names of the scores, as `bnlab.scores.make_score` takes them.
    n_rows : int
    size : int
        Number of cells of the contingency tables. The time of a score is linear in it.

    Raises
    ------
    ValueError
        If there is no network, or one has other variables than the data.
    TypeError
        If the name of a network is not a string, one is not a directed graph, or the data cannot be counted.
    """

    def __init__(
        self,
        data: DataLike,
        networks: Networks,
        *,
        prior: PriorNetwork | None = None,
        hyper: Hyperparameters | Any = None,
    ) -> None:
        source = count_source(data)
        self.nodes = tuple(source.names)
        self.n_rows = source.n_rows
        self.networks = named_networks(networks, self.nodes)
        self.scores = (*PLAIN_SCORES, *(["bde"] if prior is not None else []), *(["bd"] if hyper is not None else []))
        self._variables: Sequence[Variable] = source.variables
        self._prior = None if prior is None else _CachedPrior(prior)
        self._hyper = hyper
        families = [family for dag in self.networks.values() for family in enumerate(dag.parents)]
        self._families: list[Family] = list(dict.fromkeys(families))
        position = {family: i for i, family in enumerate(self._families)}
        # Index of the family of each node in each network, shape (networks, nodes).
        self._index = np.array([position[family] for family in families]).reshape(len(self.networks), len(self.nodes))
        self._counts = source.count(self._families)
        self._batches = list(batches_of(self._counts))
        self._values: BoundedCache[LocalScore, FloatArray] = BoundedCache(CACHED_SCORES)
        self.size = sum(batch.table.size for _, batch in self._batches)

    def known_score(self, name: str) -> str:
        """Name of one of `scores`, in any spelling.

        Raises
        ------
        ValueError
            If there is no such score here.
        TypeError
            If it is not a string.
        """
        try:
            return known_name(name, self.scores, "score")
        except ValueError:
            needed = NEEDED.get(name.lower())
            if needed is None:
                raise
            raise ValueError(f"score={name!r}: it is computed only with {needed}.") from None

    def local(self, name: str, *, ess: float = 1.0, alpha: float = 0.99) -> pd.DataFrame:
        """Local scores under one score.

        Parameters
        ----------
        name : str
            One of `scores`.
        ess : float
            Equivalent sample size of BDeu and BDe.
        alpha : float
            Confidence level of MIT.

        Returns
        -------
        DataFrame of float, shape (nodes, networks)
            Nats; greater is better.

        Raises
        ------
        ValueError
            If there is no such score here, or a parameter is out of range.
        """
        values = self._of_families(self.score(name, ess=ess, alpha=alpha))
        return pd.DataFrame(values[self._index].T, index=list(self.nodes), columns=list(self.networks))

    def totals(self, *, ess: float = 1.0, alpha: float = 0.99) -> pd.DataFrame:
        """Scores of the networks.

        Returns
        -------
        DataFrame of float, shape (networks, scores)
            Nats; greater is better.

        Raises
        ------
        ValueError
            If a parameter is out of range.
        """
        columns = {name: self.total(name, ess=ess, alpha=alpha) for name in self.scores}
        return pd.DataFrame(columns, index=list(self.networks))

    def total(self, name: str, *, ess: float = 1.0, alpha: float = 0.99) -> FloatArray:
        """Scores of the networks under one score, in nats, shape (networks,).

        Raises
        ------
        ValueError
            If there is no such score here, or a parameter is out of range.
        """
        values: FloatArray = self._of_families(self.score(name, ess=ess, alpha=alpha))[self._index].sum(axis=1)
        return values

    def over_ess(self, ess: Iterable[float], name: str = "bdeu") -> pd.DataFrame:
        """BDeu or BDe of the networks at each of several equivalent sample sizes, for `ess_data`.

        Returns
        -------
        DataFrame of float, shape (ess, networks)
            Nats; greater is better.

        Raises
        ------
        ValueError
            If there is no such score here.
        """
        grid = list(ess)
        rows = [self.at_ess(e, name) for e in grid]
        return pd.DataFrame(rows, index=grid, columns=list(self.networks))

    def at_ess(self, ess: float, name: str = "bdeu") -> FloatArray:
        """BDeu or BDe of the networks at one equivalent sample size, in nats, which is not cached."""
        values: FloatArray = self._evaluated(self.score(name, ess=ess))[self._index].sum(axis=1)
        return values

    def score(self, name: str, *, ess: float = 1.0, alpha: float = 0.99) -> LocalScore:
        """Local score of this name, with these parameters, as for `local`."""
        name = self.known_score(name)
        parameters: dict[str, dict[str, Any]] = {
            "mit": {"alpha": alpha},
            "bdeu": {"ess": ess},
            "bde": {"prior_network": self._prior, "ess": ess},
            "bd": {"hyper": self._hyper},
        }
        return make_score(name, **parameters.get(name, {}))

    def _of_families(self, score: LocalScore) -> FloatArray:
        return self._values.find([score], lambda _: [self._evaluated(score)])[0]

    def _evaluated(self, score: LocalScore) -> FloatArray:
        if score.needs_family:
            families = zip(self._families, self._counts, strict=True)
            return np.array([score.for_family(family, self._variables)(counts) for family, counts in families])
        values = np.empty(len(self._families))
        for positions, batch in self._batches:
            values[positions] = score.batch(batch)
        return values


class _CachedPrior:
    """Prior network whose marginals are inferred once, because a change of ess only scales them."""

    def __init__(self, prior: PriorNetwork) -> None:
        self._prior = prior
        self._marginals: dict[tuple[str, ...], FloatArray] = {}

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self._prior.variables

    def marginal(self, nodes: Sequence[str], /) -> FloatArray:
        key = tuple(nodes)
        if key not in self._marginals:
            self._marginals[key] = self._prior.marginal(nodes)
        return self._marginals[key]


def named_networks(networks: Networks, nodes: Sequence[str]) -> dict[str, Dag]:
    """Networks on some variables by name; those without names are numbered.

    Raises
    ------
    ValueError
        If there is none, or one has other variables.
    TypeError
        If `networks` is neither a graph nor graphs, or the name of one is not a string.

    Examples
    --------
    >>> named_networks([[("X", "Y")], []], "XY")
    {'network 1': Dag(2 nodes, 1 edge: [X][Y|X]), 'network 2': Dag(2 nodes, 0 edges: [X][Y])}
    >>> named_networks([("X", "Y"), ("Y", "Z")], "XYZ")
    {'network 1': Dag(3 nodes, 2 edges: [X][Y|X][Z|Y])}
    """
    are_edges = isinstance(networks, list | tuple | set) and bool(networks) and all(map(is_edge, networks))
    if isinstance(networks, Mapping):
        named = dict(networks)
    elif names_of(networks) or isinstance(networks, HasDag) or are_edges:
        named = {"network 1": networks}
    elif isinstance(networks, str) or not isinstance(networks, Iterable):
        raise TypeError(f"networks={networks!r}: give graphs by their names, such as {EXAMPLE}, or in a list.")
    else:
        named = {f"network {i}": graph for i, graph in enumerate(networks, start=1)}
    if not named:
        raise ValueError(f"no networks to score: give at least one, such as {EXAMPLE}.")
    found = {}
    for name, graph in named.items():
        if not isinstance(name, str):
            raise TypeError(f"network {name!r}: the name of a network is a string.")
        try:
            found[name] = member(graph, nodes)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"network {name!r}: {error}") from error
    return found
