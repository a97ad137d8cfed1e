"""Sums of products of tables over the nodes of a network, by messages in a tree of cliques.

Each clique multiplies its tables by the messages of its children and sends its parent the sum over the nodes that the
two do not share. At the root this is variable elimination (Zhang and Poole 1994). After a second, outward sweep each
clique has the sums over all other nodes (Jensen, Lauritzen and Olesen 1990).

Products of many probabilities can leave the range of a float; the numbers are therefore `bnlab.networks.scaled.Scaled`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from bnlab._runtime.cached import cached_property
from bnlab.networks.scaled import FloatArray, Scaled, range_checked
from bnlab.networks.triangulation import clique_tree
from bnlab.networks.types import Network

Factor: TypeAlias = tuple[FloatArray, tuple[int, ...]]
"""Table, and the nodes of its axes in ascending order."""
Index: TypeAlias = tuple[Any, ...]


def factors_of(net: Network, nodes: Iterable[int], codes: Mapping[int, int]) -> list[Factor]:
    """Probability tables of some nodes as factors, see `factor_of`."""
    parents, arities = net.dag.parents, net.arities
    return [factor_of(net.cpts[i], (*parents[i], i), arities, codes) for i in nodes]


def factor_of(cpt: FloatArray, axes: tuple[int, ...], arities: Sequence[int], codes: Mapping[int, int]) -> Factor:
    """Factor of a node's probability table, restricted to the observed states; nodes of one state have no axis.

    `axes` are those of the table: the parents, ascending, then the node. Rows are divided by their sums, because these
    differ from 1 in published networks with rounded values.
    """
    table = cpt / np.add.reduce(cpt, -1, keepdims=True)
    if any(v in codes or arities[v] == 1 for v in axes):
        table = table[tuple(codes.get(v, 0 if arities[v] == 1 else slice(None)) for v in axes)]
        axes = tuple(v for v in axes if v not in codes and arities[v] > 1)
    if len(axes) > 1 and axes[-1] < axes[-2]:
        order = sorted(range(len(axes)), key=axes.__getitem__)
        table, axes = table.transpose(order), tuple(axes[k] for k in order)
    return table, axes


class Propagation:
    """Tree of cliques over factors, parents before children; the other parameters are those of `clique_tree`.

    If no factor has an axis, there is one clique without nodes. `roots` are the numbers of the cliques without a
    parent, and `sizes` the numbers of cells of all cliques.
    """

    def __init__(
        self,
        factors: Sequence[Factor],
        arities: Sequence[int],
        root: Sequence[int] = (),
        check: Callable[[float], object] = lambda cells: None,
    ) -> None:
        tree = clique_tree([axes for _, axes in factors], arities, root, check)
        self.cliques, self.sizes = tree.cliques, tree.sizes
        self.roots = [c for c, clique in enumerate(self.cliques) if clique.parent is None]
        self._given: list[list[Factor]] = [[] for _ in self.cliques]
        for factor, c in zip(factors, tree.clique_of, strict=True):
            self._given[c].append(factor)
        self._up: list[Index] = []
        self._summed: list[tuple[int, ...]] = []
        for clique in self.cliques:
            above = () if clique.parent is None else self.cliques[clique.parent].nodes
            self._up.append(axes_index(clique.nodes, above))
            self._summed.append(other_axes(clique.nodes, clique.separator))

    def given(self, c: int) -> list[Scaled]:
        """Tables of the factors assigned to a clique, with the axes of the clique."""
        nodes = self.cliques[c].nodes
        return [Scaled(table[axes_index(axes, nodes)]) for table, axes in self._given[c]]

    def inward(self, given: Callable[[int], list[Scaled]]) -> Iterator[tuple[int, Scaled, Scaled]]:
        """Sweep to the roots: yield the number, the table and the message of each clique, children before parents.

        The table is the product of the tables in the subtree of the clique, summed over the nodes that occur only
        below the clique. The message is the sum of the table over the nodes that the parent lacks, with the axes of the
        parent. The message of a root is one number.
        """
        waiting: list[list[Scaled]] = [[] for _ in self.cliques]
        for c in range(len(self.cliques) - 1, -1, -1):
            table = product([*given(c), *waiting[c]])
            waiting[c] = []
            message = table.sum(self._summed[c])[self._up[c]]
            above = self.cliques[c].parent
            if above is not None:
                waiting[above].append(message)
            yield c, table, message

    def total(self, kept: Sequence[int]) -> Scaled:
        """Product of all factors, summed over all nodes except `kept`, which the first clique holds; axes as `kept`."""
        nodes, ascending = self.cliques[0].nodes, tuple(sorted(kept))
        parts = []
        with range_checked():
            for c, table, message in self.inward(self.given):
                if c == 0:
                    joint = table.sum(other_axes(nodes, ascending))[axes_index(nodes, ascending)]
                    parts.append(joint.transpose([ascending.index(v) for v in kept]))
                elif self.cliques[c].parent is None:
                    parts.append(message)
            return product(parts)

    def outward(self, tables: list[Scaled], messages: Sequence[Scaled]) -> None:
        """Sweep from the roots; each table becomes the sum over all other nodes of its component."""
        sums: dict[tuple[int, tuple[int, ...]], Scaled] = {}
        for c, above, axes, down in self._steps_down:
            known = sums.get((above, axes))
            if known is None:
                known = sums[above, axes] = tables[above].sum(axes)
            tables[c] = tables[c] * (known / messages[c])[down]

    @cached_property
    def _steps_down(self) -> list[tuple[int, int, tuple[int, ...], Index]]:
        """Each clique, its parent, the parent's axes that it lacks, and the index from the parent's axes to its own."""
        steps = []
        for c, clique in enumerate(self.cliques):
            if clique.parent is not None:
                nodes = self.cliques[clique.parent].nodes
                steps.append((c, clique.parent, other_axes(nodes, clique.separator), axes_index(nodes, clique.nodes)))
        return steps


def product(factors: list[Scaled]) -> Scaled:
    """Product of arrays that broadcast, the smallest ones first."""
    if not factors:
        return Scaled(np.ones(()))
    # Of factors of equal size the last one comes first: numpy is faster if new axes come before existing ones.
    waiting = sorted(factors, key=lambda factor: factor.values.size, reverse=True)
    found = waiting.pop()
    while waiting:
        found = found * waiting.pop()
    return found


def axes_index(axes: tuple[int, ...], nodes: tuple[int, ...]) -> Index:
    """Index that converts a table with axes `axes` to axes `nodes`: 0 removes an axis of length 1, None inserts one."""
    if axes == nodes:
        return ()
    kept, whole = {*axes} & {*nodes}, slice(None)
    return tuple(whole if v in kept else 0 if v in axes else None for v in sorted({*axes, *nodes}))


def other_axes(nodes: tuple[int, ...], kept: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(axis for axis, node in enumerate(nodes) if node not in kept)
