"""Python code that builds a graph again."""

from __future__ import annotations

from collections.abc import Iterable

from bnlab.graphs.dag import Dag
from bnlab.graphs.pdag import Pdag


def python_code(graph: Dag | Pdag) -> str:
    """Code that assigns an equal graph to `dag` (a `Pdag`: to `pdag`); every name in it is quoted.

    Examples
    --------
    >>> print(python_code(Dag.from_edges(["A", 'say "B"'], [("A", 'say "B"')])))
    from bnlab.graphs import Dag
    <BLANKLINE>
    dag = Dag.from_edges(
        [
            'A',
            'say "B"',
        ],
        [
            ('A', 'say "B"'),
        ],
    )
    <BLANKLINE>
    """
    names = _listed(graph.names)
    if isinstance(graph, Dag):
        return f"from bnlab.graphs import Dag\n\ndag = Dag.from_edges(\n    {names},\n    {_listed(graph.edges)},\n)\n"
    directed, undirected = (_listed(sorted(pairs)) for pairs in (graph.directed, graph.undirected))
    return (
        f"from bnlab.graphs import Pdag\n\npdag = Pdag(\n    {names},\n"
        f"    directed={directed},\n    undirected={undirected},\n)\n"
    )


def _listed(items: Iterable[object]) -> str:
    lines = "".join(f"        {item!r},\n" for item in items)
    return f"[\n{lines}    ]" if lines else "[]"
