"""Bayesian networks: a graph with a table of conditional probabilities for each node (Carvalho 2009, section 2)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab._runtime.cached import cached_property
from bnlab.data.variable import Variable
from bnlab.graphs.dag import Dag

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from bnlab.data.table import Table
    from bnlab.networks.query.estimate import Method
    from bnlab.networks.query.evidence import Evidence
    from bnlab.networks.query.explain import Explanation
    from bnlab.networks.query.inference import Posterior

FloatArray = NDArray[np.float64]
States = Mapping[str, Hashable]
"""States of some nodes by name."""

ROW_TOLERANCE = 1e-6


@dataclass(frozen=True, init=False, repr=False, eq=False)
class BayesianNetwork:
    """Directed acyclic graph with theta_ijk, the probability of state k of node i under parent configuration j.

    Networks are immutable. They are equal if their graphs, variables and probabilities are equal.

    Parameters
    ----------
    dag : Dag
    variables : sequence of Variable
        Variables of the graph, in its order.
    cpts : sequence of array_like
        One table per node. Its axes are the parents in the order of ``dag.parents[i]`` (ascending), then the node.
        A row (last axis) sums to 1 within 1e-6 and is stored as given, so that rounded values of published networks
        do not change. Sampling, inference and the log-likelihood of tables with missing values normalise rows; the
        log-likelihood of other tables uses the stored values.

    Attributes
    ----------
    dag : Dag
    variables : tuple of Variable
    cpts : tuple of ndarray of float64, each ``(*parent_arities, r)``
        Read-only copies.

    Raises
    ------
    ValueError
        If graph and variables differ, or a table has the wrong shape, a negative or infinite value, a NaN, or a row
        that does not sum to 1; the message names the node and the parent configuration.

    Examples
    --------
    >>> rain, wet = Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))
    >>> dag = Dag.from_edges(["rain", "wet"], [("rain", "wet")])
    >>> net = BayesianNetwork(dag, [rain, wet], [[0.8, 0.2], [[0.9, 0.1], [0.25, 0.75]]])
    >>> net
    BayesianNetwork(2 nodes, 1 edge, 3 free parameters: [rain][wet|rain])
    >>> float(net.cpt("wet")[rain.code("yes"), wet.code("yes")])
    0.75
    """

    dag: Dag
    variables: tuple[Variable, ...]
    cpts: tuple[FloatArray, ...]

    def __init__(self, dag: Dag, variables: Sequence[Variable], cpts: Sequence[ArrayLike]) -> None:
        variables = tuple(variables)
        names = tuple(v.name for v in variables)
        if names != dag.names:
            raise ValueError(
                f"the graph is on {', '.join(dag.names)}, the variables are {', '.join(names)}: both must be the "
                "same names in the same order; dag.reordered(names) changes the order of a graph."
            )
        if len(cpts) != len(variables):
            raise ValueError(f"{len(cpts)} probability tables for {len(variables)} nodes: each needs one.")
        object.__setattr__(self, "dag", dag)
        object.__setattr__(self, "variables", variables)
        with np.errstate(invalid="ignore"):
            object.__setattr__(self, "cpts", tuple([self._checked_cpt(i, cpt) for i, cpt in enumerate(cpts)]))

    @classmethod
    def of_checked(cls, dag: Dag, variables: Sequence[Variable], cpts: Sequence[FloatArray]) -> BayesianNetwork:
        """Network of tables that need no check and no copy because nothing else refers to them."""
        net = object.__new__(cls)
        object.__setattr__(net, "dag", dag)
        object.__setattr__(net, "variables", tuple(variables))
        object.__setattr__(net, "cpts", tuple(map(np.ascontiguousarray, cpts)))
        for cpt in net.cpts:
            cpt.flags.writeable = False
        return net

    def _checked_cpt(self, i: int, given: ArrayLike) -> FloatArray:
        name = self.names[i]
        try:
            cpt = np.array(given, dtype=np.float64, order="C")
        except (TypeError, ValueError) as error:
            raise ValueError(f"node {name!r}: its table is no array of numbers: {error}.") from None
        shape = tuple(self.arities[v] for v in (*self.dag.parents[i], i))
        if cpt.shape != shape:
            axes = ", ".join(self.names[v] for v in (*self.dag.parents[i], i))
            raise ValueError(
                f"node {name!r}: its table has the shape {cpt.shape}; the axes ({axes}) have {shape} states."
            )
        sums = cpt.sum(axis=-1)
        gap = np.abs(sums - 1)
        if not (cpt.min() >= 0 and gap.max() <= ROW_TOLERANCE):
            wrong = ~((cpt >= 0).all(axis=-1) & (gap <= ROW_TOLERANCE))
            at = tuple(int(k) for k in np.argwhere(wrong)[0])
            row = ", ".join(f"{value:g}" for value in cpt[at])
            raise ValueError(
                f"node {name!r}, {self._configuration(i, at)}: the row ({row}) sums to {sums[at]:g}; "
                "probabilities are finite, not negative and sum to 1."
            )
        cpt.flags.writeable = False
        return cpt

    def _configuration(self, i: int, codes: Sequence[int]) -> str:
        known = zip(self.dag.parents[i], codes, strict=True)
        return ", ".join(f"{self.names[p]}={self.variables[p].states[k]}" for p, k in known) or "no parents"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the nodes, in order."""
        return self.dag.names

    @cached_property
    def arities(self) -> tuple[int, ...]:
        """Number of states of each node, r_i."""
        return tuple(v.arity for v in self.variables)

    @property
    def n_parameters(self) -> int:
        """Number of free parameters, the sum of q_i (r_i - 1): the values of a row sum to 1."""
        return free_parameters(self.dag, self.arities)

    def cpt(self, name: str) -> FloatArray:
        """Table of one node, ndarray of float64, shape ``(*parent_arities, r)``, parents as in `dag.parents_of`.

        Raises
        ------
        ValueError
            If there is no such node.
        """
        return self.cpts[self.dag.index(name)]

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.variables)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BayesianNetwork):
            return NotImplemented
        return (
            self.dag == other.dag
            and self.variables == other.variables
            and all(np.array_equal(a, b) for a, b in zip(self.cpts, other.cpts, strict=True))
        )

    def __hash__(self) -> int:
        return hash((self.dag, self.variables))

    def __repr__(self) -> str:
        counts, model = repr(self.dag).removeprefix("Dag(").split(":", 1)
        return f"BayesianNetwork({counts}, {self.n_parameters} free parameters:{model}"

    def log_likelihood(self, table: Table | pd.DataFrame) -> FloatArray:
        """Log-probability of each row.

        For a row with missing values it is the log-probability of the observed values. For an intervention it is that
        of the nodes that the intervention does not set.

        Parameters
        ----------
        table : Table or DataFrame
            Has a column for each node, in any order, and may have others. States are matched by name (`Table.recoded`).

        Returns
        -------
        ndarray of float64, shape (N,)
            Nats; -inf for a row that is impossible.

        Raises
        ------
        ValueError
            If a node is missing or a row has a state that the network does not have.

        Examples
        --------
        >>> from bnlab.data import Table
        >>> from bnlab.networks import asia
        >>> net = asia()
        >>> net.log_likelihood(net.sample(2, seed=1)).shape
        (2,)
        """
        from bnlab.data.load import as_table

        table = as_table(table, "keep", self.names)
        if table.variables != self.variables:
            table = table.recoded(self.variables)
        if table.has_gaps:
            from bnlab.networks.propagation import Propagation, factors_of
            from bnlab.networks.rows import codes_of_rows
            from bnlab.networks.set_variables import by_set_variables

            found = np.empty(table.n_rows)
            for same in by_set_variables(table, self.dag):
                codes = codes_of_rows(table, same.rows)
                tree = Propagation.of_graph(same.dag, self.arities)
                values = tree.log_probabilities(tree.product(factors_of(same.dag, same.tables(self.cpts))), codes)
                found[same.rows] = values + same.correction(codes, self.arities)
            return found
        total = np.zeros(table.n_rows)
        for i, cpt in enumerate(self.cpts):
            with np.errstate(divide="ignore"):
                values = np.log(cpt)[tuple(table.column(v) for v in (*self.dag.parents[i], i))]
            total += np.where(table.intervened(self.names[i]), 0.0, values) if table.interventions else values
        return total

    def sample(self, n: int, seed: int) -> Table:
        """Draw n rows independently; see `bnlab.networks.sample.sample`.

        A seed, not negative, gives the same rows on every machine, and a shorter sample is the start of a longer one.
        """
        from bnlab.networks.sample import sample

        return sample(self, n, seed)

    def marginal(
        self, nodes: str | Sequence[str], evidence: Evidence | None = None, *, do: States | None = None
    ) -> FloatArray:
        """Joint distribution of some nodes given others, exact; see `bnlab.networks.query.inference.marginal`.

        Evidence may be uncertain: ``{"xray": {"yes": 0.9, "no": 0.1}}`` gives the likelihoods of the states, and
        ``{"xray": ["yes", "no"]}`` states one of which is true. Nodes in `do` are set rather than observed; see
        `BayesianNetwork.do`.

        Examples
        --------
        Observing a positive x-ray changes the probability of lung cancer; setting the x-ray does not.

        >>> from bnlab.networks import asia
        >>> asia().marginal("lung", {"xray": "yes"}).round(3), asia().marginal("lung", do={"xray": "yes"}).round(3)
        (array([0.489, 0.511]), array([0.055, 0.945]))
        """
        from bnlab.networks.query.inference import marginal

        return marginal(self._set_beside(do, evidence), nodes, evidence)

    def joint(
        self, targets: str | Sequence[str], evidence: Evidence | None = None, *, do: States | None = None
    ) -> pd.Series:
        """Joint distribution of some nodes as a labelled series; otherwise as `marginal`.

        Returns
        -------
        Series
            The probability of each joint state; the index has one level per target.

        Examples
        --------
        >>> from bnlab.networks import asia
        >>> asia().joint(["lung", "bronc"], {"dysp": "yes"}).round(3)
        lung  bronc
        yes   yes      0.065
              no       0.038
        no    yes      0.769
              no       0.128
        Name: probability, dtype: float64
        """
        import pandas as pd

        names = [targets] if isinstance(targets, str) else list(targets)
        values = self.marginal(names, evidence, do=do).ravel()
        states = [self.variables[self.dag.index(name)].states for name in names]
        return pd.Series(values, pd.MultiIndex.from_product(states, names=names), name="probability")

    def most_probable(
        self, evidence: Evidence | None = None, of: Sequence[str] | None = None, *, do: States | None = None
    ) -> Explanation:
        """Most probable states of all unobserved nodes, or of some; see `bnlab.networks.query.explain.most_probable`.

        Examples
        --------
        >>> from bnlab.networks import asia
        >>> asia().most_probable({"dysp": "yes"}, of=["lung"]).states
        {'lung': 'no'}
        """
        from bnlab.networks.query.explain import most_probable

        return most_probable(self._set_beside(do, evidence), evidence, of)

    def predict(self, data: pd.DataFrame | Table, targets: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Most probable state of each target in each row; see `bnlab.networks.query.predict.predict`."""
        from bnlab.networks.query.predict import predict

        return predict(self, data, targets)

    def predict_proba(self, data: pd.DataFrame | Table, target: str) -> pd.DataFrame:
        """Probabilities of a target's states in each row; see `bnlab.networks.query.predict.predict_proba`."""
        from bnlab.networks.query.predict import predict_proba

        return predict_proba(self, data, target)

    def posterior(
        self, evidence: Evidence | None = None, *, do: States | None = None, method: Method = "auto", seed: int = 0
    ) -> Posterior:
        """Marginals of all nodes given evidence on some, as for `marginal`; nodes in `do` are set.

        If exact inference would need too large tables, "auto" estimates the marginals by likelihood weighting, with
        their standard errors in ``posterior.errors``; "exact" refuses, and "estimate" always estimates. For many
        queries of one network `bnlab.networks.JunctionTree` is faster; the errors are those of `JunctionTree.posterior`
        and `bnlab.networks.query.estimate.LikelihoodWeighting.posterior`.

        Examples
        --------
        >>> from bnlab.networks import asia
        >>> asia().posterior({"dysp": "yes"}, do={"smoke": "yes"}).marginals["bronc"].round(3)
        array([0.88, 0.12])
        """
        from bnlab.networks.query.estimate import inference_of

        return inference_of(self._set_beside(do, evidence), method, seed).posterior(evidence)

    def do(self, states: States) -> BayesianNetwork:
        """Network after an intervention that sets some nodes to given states (Pearl 2009, section 3.2).

        Each of these nodes loses its parents and has its state with probability 1; the other tables do not change. The
        joint distribution is the truncated factorisation: the product of P(x_i | pa_i) over the other nodes if the set
        nodes have their states, and 0 otherwise.

        Parameters
        ----------
        states : mapping of str to state

        Returns
        -------
        BayesianNetwork
            On the same variables.

        Raises
        ------
        ValueError
            If a node or a state is unknown.

        Notes
        -----
        The result describes an action only if each edge is a direct cause, no two nodes have a common cause that is not
        in the network, and the action changes nothing but these nodes. Data alone cannot prove any of this. Moreover, a
        graph learned from observations leaves some directions open: see `bnlab.networks.possible_effects`.

        References
        ----------
        J. Pearl. Causality. Cambridge University Press, 2nd edition 2009.

        Examples
        --------
        >>> from bnlab.networks import asia
        >>> asia().do({"lung": "no"}).dag.parents_of("lung")
        ()
        """
        indices = {self.dag.index(name): state for name, state in states.items()}
        codes = {i: self.variables[i].code(state) for i, state in indices.items()}
        parents = [() if i in codes else family for i, family in enumerate(self.dag.parents)]
        cpts = [np.eye(self.arities[i])[codes[i]] if i in codes else cpt for i, cpt in enumerate(self.cpts)]
        return BayesianNetwork(Dag(self.names, parents), self.variables, cpts)

    def _set_beside(self, do: States | None, evidence: Evidence | None) -> BayesianNetwork:
        """Network after an intervention; ValueError if one of its nodes is also observed."""
        both = [name for name in do or () if (evidence or {}).get(name) is not None]
        if both:
            raise ValueError(f"node {both[0]!r} is both set by `do` and observed: leave out one.")
        return self.do(do) if do else self

    def save(self, path: str | Path) -> None:
        """Write the network in the format of the suffix: .xmlbif (.bifxml, .xml), .bif or .net.

        XMLBIF is read by most other packages without a loss; see `bnlab.networks.io.writers.write_network`.
        """
        from bnlab.networks.io.writers import write_network

        write_network(self, path)

    def to_pgmpy(self) -> Any:
        """Model of pgmpy, which must be installed; `bnlab.networks.as_network` converts it back.

        States become text.
        """
        from bnlab.networks.io.exports import to_pgmpy

        return to_pgmpy(self)

    def to_pyagrum(self) -> Any:
        """Model of pyAgrum, which must be installed; `bnlab.networks.as_network` converts it back.

        States become text.
        """
        from bnlab.networks.io.exports import to_pyagrum

        return to_pyagrum(self)

    def to_bif(self, path: str | Path, *, portable: bool = False) -> None:
        """Write the network as a BIF file, whatever the suffix; see `bnlab.networks.io.bif_writer.write_bif`."""
        from bnlab.networks.io.bif_writer import write_bif

        write_bif(self, path, portable=portable)

    def to_networkx(self) -> nx.DiGraph:
        """Convert to a `networkx.DiGraph` with the attributes ``states``, ``parents`` and ``cpt`` on each node.

        ``parents`` names the axes of ``cpt`` except the last, which is the node itself.

        Examples
        --------
        >>> from bnlab.networks import asia
        >>> asia().to_networkx().nodes["either"]["parents"]
        ('tub', 'lung')
        """
        from bnlab.networks.io.networkx import with_tables

        return with_tables(self)

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph) -> BayesianNetwork:
        """Convert a graph such as `to_networkx` returns; the nodes keep their order.

        Parameters
        ----------
        graph : networkx.DiGraph
            Each node has the attributes ``states`` and ``cpt``. It needs ``parents`` if their order in ``cpt`` differs
            from the order of the graph's nodes.

        Raises
        ------
        ValueError
            If an attribute is missing, ``parents`` are not the node's parents, or as for `Dag` and `BayesianNetwork`.
        """
        from bnlab.networks.io.networkx import tables_of

        return cls(*tables_of(graph))


def free_parameters(dag: Dag, arities: Sequence[int]) -> int:
    """Number of free parameters of a network with this graph and these numbers of states: the sum of q_i (r_i - 1).

    Examples
    --------
    >>> free_parameters(Dag("ABC", [(), (), (0, 1)]), (2, 3, 4))
    21
    """
    families = zip(dag.parents, arities, strict=True)
    return sum(prod(arities[u] for u in parents) * (r - 1) for parents, r in families)
