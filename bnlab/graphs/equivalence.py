"""From a graph to its equivalence class and back: essential graphs, one member of a class, and learned graphs.

A learned graph is a member of its class that knows which of its edges data do not decide (`Dag.undecided`).

References
----------
D. Dor, M. Tarsi. A simple algorithm to construct a consistent extension of a partially oriented graph. 1992.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from bnlab.graphs.dag import Dag, GraphLike, as_dag
from bnlab.graphs.knowledge import Knowledge
from bnlab.graphs.orientation import Pair
from bnlab.graphs.pdag import Pdag, arrows_and_lines, as_graph, index_pairs, set_apart


def essential(
    graph: GraphLike | Pdag, *, knowledge: Knowledge | None = None, experiments: Iterable[Collection[str]] = ()
) -> Pdag:
    """Return what data can say of a graph: its essential graph, which represents all graphs equivalent to it.

    Edges that all of them share are directed, the others undirected. Also known as the CPDAG.

    Parameters
    ----------
    graph : Dag, networkx.DiGraph, anything with a `dag`, or a Pdag, for the class of its members
    knowledge : Knowledge, optional
        Directions that it decides are directed too.
    experiments : iterable of collections of str
        Interventions, `Table.experiments`, see `bnlab.graphs.essential_graph`.

    Raises
    ------
    ValueError
        If the graph disagrees with the knowledge, or is a Pdag without a member.

    Examples
    --------
    >>> essential(Dag.from_edges("XYZW", [("X", "Z"), ("Y", "Z"), ("W", "Y")]))
    Pdag(4 nodes, 3 edges: X -> Z, Y -> Z, Y - W)
    """
    return (knowledge or Knowledge()).essential_graph(member(graph), experiments)


def member(graph: GraphLike | Pdag, names: Sequence[str] | None = None) -> Dag:
    """Return one graph of an equivalence class; a graph without undirected edges is its own.

    The member has the edges and the directions of the class, and no v-structure more (Dor and Tarsi 1992). Of several,
    it is always the same one: nodes late in the order are effects where the class permits it.

    Parameters
    ----------
    graph : Pdag, or what `as_dag` takes
    names : sequence of str, optional
        The variables and their order in the result.

    Raises
    ------
    ValueError
        If no graph has these directions without a further v-structure, or the variables differ.

    Examples
    --------
    >>> member(Pdag("XYZ", undirected=[(0, 1), (1, 2)]))
    Dag(3 nodes, 2 edges: [X][Y|X][Z|Y])
    """
    return learned_member(graph, names).with_undecided(None)


def learned_member(graph: GraphLike | Pdag, names: Sequence[str] | None = None) -> Dag:
    """As `member`, which still knows the edges that have no direction in the class."""
    if not isinstance(graph, Pdag):
        return as_dag(graph, names)
    lines = {edge for pair in graph.undirected_edges for edge in (pair, pair[::-1])}
    found = Dag(graph.names, extended(graph)).with_undecided(lines)
    return found if names is None else found.reordered(names)


def as_learned(dag: Dag, knowledge: Knowledge | None = None, experiments: Iterable[Collection[str]] = ()) -> Dag:
    """Return the graph as a learned one: the edges that are undirected in its class (`class_of`) are undecided.

    Examples
    --------
    >>> chain = Dag("XYZ", [("X", "Y"), ("Y", "Z")])
    >>> sorted(as_learned(chain).undecided), as_learned(chain, experiments=[{"Y"}]).undecided
    ([('X', 'Y'), ('Y', 'Z')], frozenset())
    """
    names, (_, lines) = dag.names, _arrows_and_lines(dag, knowledge, experiments)
    return dag.with_undecided((names[a], names[b]) for u, v in lines for a, b in ((u, v), (v, u)))


def class_of(dag: Dag, knowledge: Knowledge | None = None, experiments: Iterable[Collection[str]] = ()) -> Pdag:
    """Essential graph in which the edges that a learned graph knows to be decided are directed too.

    Knowledge decides as in `essential` if the graph agrees with it, otherwise not at all.
    """
    return Pdag(dag.names, *_arrows_and_lines(dag, knowledge, experiments))


def _arrows_and_lines(
    dag: Dag, knowledge: Knowledge | None, experiments: Iterable[Collection[str]]
) -> tuple[frozenset[Pair], frozenset[Pair]]:
    known = set_apart(dag, experiments)
    if knowledge is not None and not knowledge.resolved(dag.names).violations(dag.parents):
        known |= knowledge.decided(dag.names, index_pairs(dag.parents))
    if dag.undecided is not None:
        known |= {(dag.index(u), dag.index(v)) for u, v in {*dag.edges} - dag.undecided}
    return arrows_and_lines(dag, known)


def agreeing_member(graph: Pdag, knowledge: Knowledge) -> Dag | None:
    """One graph of an equivalence class that agrees with knowledge, as `learned_member`; None if it has none.

    Examples
    --------
    >>> agreeing_member(Pdag("XYZ", undirected=[(0, 1), (1, 2)]), Knowledge(required=[("Y", "X")]))
    Dag(3 nodes, 2 edges: [X|Y][Y][Z|Y])
    """
    try:
        found = learned_member(knowledge.directed(graph))
    except ValueError:
        return None
    return None if knowledge.violations(found) else found


def shown_graph(graph: GraphLike | Pdag) -> Dag | Pdag:
    """Return a graph as it is shown: of a learned one, undecided edges have no direction.

    Examples
    --------
    >>> chain = as_learned(Dag("XYZ", [("X", "Y"), ("Y", "Z")]))
    >>> shown_graph(chain), shown_graph(member(chain))
    (Pdag(3 nodes, 2 edges: X - Y, Y - Z), Dag(3 nodes, 2 edges: [X][Y|X][Z|Y]))
    """
    found = as_graph(graph)
    if isinstance(found, Pdag) or not found.undecided:
        return found
    pairs = [(found.index(u), found.index(v)) for u, v in found.edges]
    lines = {(found.index(u), found.index(v)) for u, v in found.undecided}
    return Pdag(found.names, directed=[pair for pair in pairs if pair not in lines], undirected=lines)


def any_member(graph: Dag | Pdag) -> Dag | None:
    """One graph of an equivalence class, as `learned_member`; None if it has none."""
    try:
        return learned_member(graph)
    except ValueError:
        return None


def extended(graph: Pdag) -> list[list[int]]:
    """Parents of each node in a member of the class; ValueError if there is none."""
    n = len(graph)
    near: list[set[int]] = [set() for _ in range(n)]
    lines: list[set[int]] = [set() for _ in range(n)]
    children: list[set[int]] = [set() for _ in range(n)]
    for u, v in (*graph.directed, *graph.undirected):
        near[u].add(v)
        near[v].add(u)
    for u, v in graph.directed:
        children[u].add(v)
    for u, v in graph.undirected:
        lines[u].add(v)
        lines[v].add(u)
    parents: list[list[int]] = [[] for _ in range(n)]
    waiting, left = set(range(n)), set(range(n))
    while waiting:
        v = max(waiting)
        waiting.remove(v)
        if children[v] or any(near[v] - near[u] - {u} for u in lines[v]):
            continue  # no sink yet; it waits again when a neighbour is gone
        left.remove(v)
        parents[v] = sorted(near[v])
        waiting |= near[v]
        for u in near[v]:
            near[u].discard(v)
            lines[u].discard(v)
            children[u].discard(v)
    if left:
        some = ", ".join(repr(graph.names[v]) for v in sorted(left)[:3])
        raise ValueError(
            f"the Pdag has no member: any directions of the undirected edges of {some} close a cycle or make a further "
            "v-structure. A search within its edges finds a graph, bnlab.learn(data, within=pdag)."
        )
    return parents
