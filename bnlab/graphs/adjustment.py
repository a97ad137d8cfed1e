"""Which variables to adjust for, and what an essential graph leaves open about the effect of one variable on another.

References
----------
J. Pearl. Causality. Cambridge University Press, 2nd edition 2009, section 3.3 (back-door criterion).
B. van der Zander, M. Liskiewicz, J. Textor. Constructing separators and adjustment sets in ancestral graphs. UAI 2014.
H. Shen, W. Liang. Efficient enumeration of all minimal separators in a graph. Theoretical Computer Science 180, 1997.
M. Maathuis, M. Kalisch, P. Buehlmann. Estimating high-dimensional intervention effects from observational data. Annals
of Statistics 37, 2009.
E. Perkovic. Identifying causal effects in maximally oriented partially directed acyclic graphs. UAI 2020.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, islice
from typing import TYPE_CHECKING

from bnlab._runtime.names import nearest
from bnlab._runtime.values import at_least
from bnlab.graphs.dag import GraphLike, as_dag
from bnlab.graphs.paths import reachable
from bnlab.graphs.pdag import Pdag

if TYPE_CHECKING:
    import networkx as nx

MOST_SETS = 1000


def adjustment_sets(
    graph: GraphLike, treatment: str, outcome: str, *, observed: Iterable[str] | None = None, most: int = MOST_SETS
) -> tuple[tuple[str, ...], ...]:
    """Minimal back-door adjustment sets: what to adjust for to estimate the effect of one variable on another.

    A set Z satisfies the back-door criterion if it contains no descendant of the treatment and d-separates treatment
    and outcome in the graph without the edges that leave the treatment. Then
    P(y | do(x)) = sum_z P(y | x, z) P(z). No proper subset of a minimal set satisfies the criterion.

    Parameters
    ----------
    graph : Dag, networkx.DiGraph, or anything with a `dag`
    treatment, outcome : str
        Two different variables.
    observed : iterable of str, optional
        Variables that may be adjusted for; all by default.
    most : int
        Maximum number of sets to enumerate, at least 1; their number can grow exponentially with the graph.

    Returns
    -------
    tuple of tuple of str
        Each in node order; smaller sets first. ``((),)`` if there is nothing to adjust for; ``()`` if no set
        satisfies the criterion, because an unobserved variable is needed or the outcome is a parent of the treatment.

    Raises
    ------
    ValueError
        If a variable is unknown, both are the same, or `most` is less than 1.

    Notes
    -----
    The sets are right if the graph is: every edge a direct cause, and no common cause of two variables missing.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> adjustment_sets(asia(), "bronc", "dysp")
    (('smoke',), ('lung',), ('either',))
    >>> adjustment_sets(asia(), "bronc", "dysp", observed=["asia", "tub"])
    ()
    """
    dag = as_dag(graph)
    x, y = two_variables(dag.names, treatment, outcome)
    wanted = dag.names if observed is None else tuple(observed)
    allowed = {dag.index(name) for name in wanted} - {x, y, *map(dag.index, dag.descendants_of(dag.names[x]))}
    found = islice(_separators(_separation_graph(dag.parents, x, y, allowed | {x, y}), x, y), at_least("most", most, 1))
    return tuple(tuple(dag.names[v] for v in z) for z in sorted(map(sorted, found), key=lambda z: (len(z), z)))


def is_identified(graph: Pdag, treatment: str, outcome: str) -> bool:
    """Whether every graph of a Markov equivalence class gives the same effect of one variable on another.

    This holds exactly if no possibly directed path from the treatment to the outcome begins with an undirected edge
    (Perkovic 2020, Theorem 3.6).

    Parameters
    ----------
    graph : Pdag
        Essential graph, such as `essential_graph` makes.
    treatment, outcome : str
        Two different variables.

    Raises
    ------
    ValueError
        If a variable is unknown, or both are the same.

    Examples
    --------
    >>> from bnlab.graphs import essential_graph
    >>> from bnlab.networks import asia
    >>> graph = essential_graph(asia())
    >>> is_identified(graph, "either", "dysp"), is_identified(graph, "smoke", "dysp")
    (True, False)
    """
    x, y = two_variables(graph.names, treatment, outcome)
    onward: list[set[int]] = [set() for _ in graph.names]
    for u, v in graph.directed:
        onward[u].add(v)
    for u, v in graph.undirected:
        onward[u].add(v)
        onward[v].add(u)
    # If all edges of a cycle in an essential graph may point forward, none of them is directed. A walk along edges that
    # may each point forward is therefore a possibly directed path.
    starts = [v for v in onward[x] if (min(x, v), max(x, v)) in graph.undirected]
    without = [() if u == x else nodes - {x} for u, nodes in enumerate(onward)]
    return y not in starts and y not in reachable(without, starts)


def possible_parents(graph: Pdag, name: str) -> tuple[tuple[str, ...], ...]:
    """Every set of parents that a variable has in some graph of a Markov equivalence class.

    Each set holds the parents in the essential graph and any undirected neighbours that are adjacent to each other:
    others would form a new v-structure (Maathuis, Kalisch and Buehlmann 2009, Lemma 3.1).

    Parameters
    ----------
    graph : Pdag
        Essential graph.
    name : str

    Returns
    -------
    tuple of tuple of str
        Each in node order; smaller sets first.

    Raises
    ------
    ValueError
        If the variable is unknown.

    Examples
    --------
    >>> from bnlab.graphs import essential_graph
    >>> from bnlab.networks import asia
    >>> possible_parents(essential_graph(asia()), "smoke")
    ((), ('lung',), ('bronc',))
    """
    v = _index(graph.names, name)
    adjacent = graph.undirected | {(min(edge), max(edge)) for edge in graph.directed}
    parents = {u for u, w in graph.directed if w == v}
    cliques: list[tuple[int, ...]] = [()]
    for u in sorted({u for edge in graph.undirected if v in edge for u in edge} - {v}):
        cliques += [(*clique, u) for clique in cliques if all((w, u) in adjacent for w in clique)]
    found = sorted((sorted({*parents, *clique}) for clique in cliques), key=lambda nodes: (len(nodes), nodes))
    return tuple(tuple(graph.names[u] for u in nodes) for nodes in found)


def _index(names: tuple[str, ...], name: str) -> int:
    if name not in names:
        raise ValueError(f"no variable {name!r} in this graph; {nearest(name, names)}")
    return names.index(name)


def two_variables(names: tuple[str, ...], treatment: str, outcome: str) -> tuple[int, int]:
    """Indices of a treatment and an outcome; ValueError if one is unknown, or they are the same."""
    if treatment == outcome:
        raise ValueError(f"treatment and outcome are both {treatment!r}: give two different variables.")
    return _index(names, treatment), _index(names, outcome)


def _separation_graph(parents: tuple[tuple[int, ...], ...], x: int, y: int, kept: set[int]) -> nx.Graph:
    """Graph on the nodes `kept`, which include x and y, with the separators that x and y have in the moral graph.

    The moral graph is that of the ancestors of x and y, without the edges that leave x. Two kept nodes are neighbours
    if a path joins them there whose inner nodes are not kept.
    """
    import networkx as nx

    backdoor = nx.DiGraph([(p, v) for v, family in enumerate(parents) for p in family if p != x])
    backdoor.add_nodes_from((x, y))
    graph = nx.moral_graph(backdoor.subgraph({x, y} | nx.ancestors(backdoor, x) | nx.ancestors(backdoor, y)))
    others = set(graph) - kept
    for part in list(nx.connected_components(graph.subgraph(others))):
        graph.add_edges_from(combinations(nx.node_boundary(graph, part), 2))
    graph.remove_nodes_from(others)
    return graph


def _separators(graph: nx.Graph, x: int, y: int) -> Iterator[frozenset[int]]:
    """Every minimal set of nodes that separates x from y, each once (Shen and Liang 1997)."""
    import networkx as nx

    if graph.has_edge(x, y):
        return

    def side(node: int, without: Iterable[int]) -> set[int]:
        return set(nx.node_connected_component(graph.subgraph(set(graph) - set(without)), node))

    def closest(inside: set[int]) -> frozenset[int]:
        """Minimal separator that is closest to some nodes on the side of x."""
        return frozenset(nx.node_boundary(graph, side(y, nx.node_boundary(graph, inside))))

    queue = [closest({x})]
    seen = set(queue)
    while queue:
        found = queue.pop(0)
        yield found
        inside = side(x, found)
        for v in sorted(found):
            if not graph.has_edge(v, y) and (new := closest({*inside, v})) not in seen:
                seen.add(new)
                queue.append(new)
