"""Influence diagrams, and structure learning as one (Matuszak and Miekisz 2012, sections 1 and 3).

References
----------
F. V. Jensen, T. D. Nielsen. Bayesian networks and decision graphs. Springer, 2nd edition 2007, chapter 9.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import TypeAlias

from bnlab._runtime.names import check_known, nearest
from bnlab.graphs.dag import Dag

Choices: TypeAlias = Mapping[str, str | None]
Utility: TypeAlias = Callable[[Choices], float]

KINDS = ("chance", "decision", "utility")


@dataclass(frozen=True)
class InfluenceDiagram:
    """Directed acyclic graph of chance, decision and utility nodes.

    Parameters
    ----------
    chance, decision, utility : sequence of str
        Names of the nodes of each kind.
    edges : iterable of (str, str)
        Edges into a chance node are dependences, edges into a decision show what is known when it is taken, and edges
        into a utility come from its arguments. No edge leaves a utility node.
    options : mapping of str to sequence
        Options of each decision.
    utilities : mapping of str to callable, optional
        Functions of some utility nodes. Their argument is the mapping of all choices ``{decision: option}`` or, with
        probabilities of the chance nodes (`bnlab.networks.best_policy`), the states of the parents.

    Raises
    ------
    ValueError
        If a name repeats or is unknown, the edges close a cycle or leave a utility, or a decision has no options.

    Examples
    --------
    >>> umbrella = InfluenceDiagram(["Rain"], ["Take"], ["U"], [("Rain", "U"), ("Take", "U")], {"Take": ("yes", "no")})
    >>> umbrella
    InfluenceDiagram(1 chance, 1 decision, 1 utility; 2 edges)
    """

    chance: Sequence[str]
    decision: Sequence[str]
    utility: Sequence[str]
    edges: Iterable[tuple[str, str]] = ()
    options: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    utilities: Mapping[str, Utility] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        for kind, names in zip(KINDS, (self.chance, self.decision, self.utility), strict=True):
            object.__setattr__(self, kind, tuple(names))
        object.__setattr__(self, "edges", Dag.from_edges(self.names, self.edges).edges)
        for u, v in self.edges:
            if u in self.utility:
                raise ValueError(f"edge {u} -> {v} leaves a utility node: utility nodes have no children.")
        options = {name: tuple(self.options.get(name, ())) for name in self.decision}
        for name, given in options.items():
            if not given:
                raise ValueError(f"decision {name!r} has no options: give at least one.")
        for name in self.options:
            check_known(name, self.decision, f"options of {name!r}, which is not a decision")
        for name in self.utilities:
            check_known(name, self.utility, f"{name!r} is not a utility node")
        object.__setattr__(self, "options", options)

    def __repr__(self) -> str:
        """Return the number of nodes of each kind and the number of edges."""
        counts = f"{len(self.chance)} chance, {len(self.decision)} decision, {len(self.utility)} utility"
        return f"InfluenceDiagram({counts}; {len(tuple(self.edges))} edges)"

    @property
    def names(self) -> tuple[str, ...]:
        """All nodes: chance, then decision, then utility."""
        return (*self.chance, *self.decision, *self.utility)

    @property
    def dag(self) -> Dag:
        """The diagram as a graph, without the kinds."""
        return Dag.from_edges(self.names, self.edges)

    def kind(self, name: str) -> str:
        """Return "chance", "decision" or "utility"; ValueError if there is no such node."""
        for kind, nodes in zip(KINDS, (self.chance, self.decision, self.utility), strict=True):
            if name in nodes:
                return kind
        raise ValueError(f"no node {name!r} in this diagram: {nearest(name, self.names)}")

    def value(self, choices: Choices) -> float:
        """Sum of the utilities for one option of every decision.

        Raises
        ------
        ValueError
            If a decision is missing or an option unknown, or a utility node has no function.
        """
        for name, options in self.options.items():
            if name not in choices:
                raise ValueError(f"decision {name!r} is not among the choices: every decision takes an option.")
            if choices[name] not in options:
                raise ValueError(f"{name} = {choices[name]!r}: the options are {', '.join(map(repr, options))}.")
        self.check_utilities()
        return fsum(self.utilities[name](choices) for name in self.utility)

    def check_utilities(self) -> None:
        """Raise a ValueError if a utility node has no function."""
        for name in self.utility:
            if name not in self.utilities:
                raise ValueError(f"utility {name!r} has no function: give `utilities`.")


def decision_name(name: str) -> str:
    """Name of the decision node attached to a variable."""
    return f"D({name})"


def structure_learning_diagram(
    names: Sequence[str],
    phi: Callable[[int, tuple[int, ...]], float] | None = None,
    *,
    permanent: Iterable[tuple[str, str]] = (),
    choices: Iterable[tuple[str, str]] = (),
    order: Sequence[str] | None = None,
) -> InfluenceDiagram:
    """Structure learning as a decision problem (section 3).

    Each variable X is a chance node with a decision D(X). Its options are the variables to which an edge from X may
    lead, and None for no edge. Each decision has an edge to its variable, each variable has an edge to the utility "U",
    and the variables are connected as in the current network.

    Parameters
    ----------
    names : sequence of str
        At least two.
    phi : callable (child, parents) -> float, optional
        Local score; U is its sum over the families of the network that the choices give.
    permanent : iterable of (parent, child)
        Permanent edges.
    choices : iterable of (parent, child)
        Edges of the current choices.
    order : sequence of str, optional
        Order of the variables: edges lead only from earlier to later variables.

    Returns
    -------
    InfluenceDiagram

    Raises
    ------
    ValueError
        If there is a single variable, a name is unknown, or the edges close a cycle; also from `value`, if the choices
        close a cycle.

    Examples
    --------
    >>> diagram = structure_learning_diagram(["X1", "X2", "X3"], lambda i, parents: float(len(parents)))
    >>> diagram.options["D(X1)"]
    ('X2', 'X3', None)
    >>> diagram.value({"D(X1)": "X3", "D(X2)": "X3", "D(X3)": None})
    2.0
    """
    names = tuple(names)
    if len(names) < 2:
        raise ValueError(f"variables {names}: a single variable has no edge to decide on; give at least two.")
    fixed = Dag.from_edges(names, permanent).edges
    network = Dag.from_edges(names, [*fixed, *choices])
    ranks = {name: k for k, name in enumerate(names if order is None else order)}
    if set(ranks) != set(names):
        raise ValueError(f"order {tuple(ranks)}: an order names each of the variables {names} once.")
    taken = {(x, x) for x in names} | {*fixed} | {(v, u) for u, v in fixed}  # step 6

    def options(x: str) -> tuple[str | None, ...]:
        """Possible children of x: the ends of a permanent edge are no options of each other."""
        return (*(y for y in names if (x, y) not in taken and (order is None or ranks[x] < ranks[y])), None)

    def utility(selected: Choices) -> float:
        chosen = [(x, child) for x in names if (child := selected[decision_name(x)]) is not None]
        parents = Dag.from_edges(names, [*fixed, *chosen]).parents
        assert phi is not None
        return fsum(phi(i, family) for i, family in enumerate(parents))

    decided = {decision_name(x): options(x) for x in names}
    edges = [*((decision_name(x), x) for x in names), *((x, "U") for x in names), *network.edges]
    return InfluenceDiagram(names, list(decided), ["U"], edges, decided, {} if phi is None else {"U": utility})
