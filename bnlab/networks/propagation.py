"""Sums of products of tables over the nodes of a network, by messages in a tree of cliques.

Each clique multiplies its tables by the messages of its children and sends its parent the sum over the nodes that the
two do not share. At the root this is variable elimination (Zhang and Poole 1994). After a second, outward sweep each
clique has the sums over all other nodes (Jensen, Lauritzen and Olesen 1990). `bnlab.engine.propagate` does the sweeps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from math import prod
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import check_memory
from bnlab._runtime.cached import cached_property
from bnlab._runtime.interrupts import run_interruptible
from bnlab.graphs.dag import Dag
from bnlab.networks.triangulation import clique_tree

if TYPE_CHECKING:
    from bnlab.engine.propagate import Tree

FloatArray: TypeAlias = NDArray[np.float64]
CodeArray: TypeAlias = NDArray[np.integer[Any]]
Numbers: TypeAlias = FloatArray
"""Numbers beyond the range of floats, as pairs (value, power) in a last axis; see `bnlab.engine.propagate`."""
Factor: TypeAlias = tuple[FloatArray, tuple[int, ...]]
"""Table, and the nodes of its axes in ascending order."""

MAX_TREE_CELLS = 2**26
BYTES_A_CELL = 64
"""Of a tree: for the products of the tables, the numbers of a sweep and their places, and expected counts."""
_CELLS_PER_CALL = 2**20
_LONG = 2**22
"""Number of cells above which a single sweep would delay Ctrl-C."""
_SAMPLES_PER_CALL = 16


class Propagation:
    """Tree of cliques over factors, for rows of codes in which the arity of a node stands for a missing value.

    Parameters
    ----------
    scopes : sequence of sequence of int
        Nodes of each factor, ascending. Nodes of one state are left out.
    arities : sequence of int
    root : sequence of int
        Nodes that the first clique holds.
    late : sequence of int
        Nodes that are maximised rather than summed out, after all others.

    Attributes
    ----------
    cliques : list of Clique
        Parents before children.
    n_cells : int
        Number of cells of all cliques.

    Raises
    ------
    ValueError
        If the cliques need more than 2**26 cells, or more memory than one operation may have.
    """

    def __init__(
        self,
        scopes: Sequence[Sequence[int]],
        arities: Sequence[int],
        root: Sequence[int] = (),
        late: Sequence[int] = (),
    ) -> None:
        self.arities = tuple(arities)
        self._scopes = [tuple(scope) for scope in scopes]
        tree = clique_tree(self._scopes, arities, root, check_size, late)
        self.cliques, self._clique_of, self._sizes = tree.cliques, tree.clique_of, tree.sizes
        self.n_cells = sum(self._sizes)
        check_size(self.n_cells)
        self._shapes = [tuple(arities[v] for v in clique.nodes) for clique in self.cliques]
        self.flat = self._flattened({*late})
        self._step = max(_CELLS_PER_CALL // self.n_cells, 1)

    @classmethod
    def of_graph(cls, dag: Dag, arities: Sequence[int]) -> Propagation:
        """Tree for the probability tables of a graph."""
        families = [(*parents, i) for i, parents in enumerate(dag.parents)]
        return cls([sorted(v for v in family if arities[v] > 1) for family in families], arities)

    def product(self, factors: Sequence[Factor]) -> Numbers:
        """Products of the factors of each clique, one clique after the other; the scopes are those of the tree."""
        from bnlab.engine import propagate

        numbers = np.tile([1.0, 0.0], (self.n_cells, 1))
        for factor, c in zip(factors, self._clique_of, strict=True):
            self._multiply(numbers, c, factor)
        numbers[numbers[:, 0] == 0, 1] = propagate.LOWEST
        return numbers

    def weighted(self, numbers: Numbers, weights: Mapping[int, FloatArray]) -> Numbers:
        """Products with a weight from 0 to 1 for each state of some nodes, each of shape (r,)."""
        from bnlab.engine import propagate

        numbers = numbers.copy()
        for v, table in weights.items():
            self._multiply(numbers, self._homes[v][1], (table, (v,)))
        numbers[numbers[:, 0] == 0, 1] = propagate.LOWEST
        return numbers

    def _multiply(self, numbers: Numbers, c: int, factor: Factor) -> None:
        """Multiply the numbers of a clique by a table of numbers of at most 1, in place."""
        from bnlab.engine import propagate

        table, axes = factor
        begin, shape = self.flat.table[c], self._shapes[c]
        part = numbers[begin : begin + self._sizes[c]].reshape(*shape, 2)
        values, powers = part[..., 0], part[..., 1]
        index = tuple(slice(None) if v in axes else None for v in self.cliques[c].nodes)
        for _ in range(2):  # the factor itself may be as small as 2**-1074
            small = table < propagate.TINY
            if not small.any():
                break
            table = np.where(small, table * propagate.UP, table)
            powers -= small[index]
        values *= table[index]
        small = values < propagate.TINY
        if small.any():
            values[small] *= propagate.UP
            powers -= small

    def sweep(self, numbers: Numbers, codes: CodeArray, both: bool) -> tuple[float, list[Numbers]]:
        """Sweep inward and, for `both`, outward, for one row of codes, shape (n,).

        Returns
        -------
        log_probability : float
            Of the row, in nats; -inf if it is impossible.
        tables : list of ndarray of float64, each with a last axis of length 2
            The table of each clique: summed over the nodes below it or, for `both`, over all nodes outside it. The axis
            of an observed node has length 1.
        """
        from bnlab.engine import propagate

        work = propagate.work_of(self.flat)
        row = np.ascontiguousarray(codes, np.int32)
        log_probability = self._call(propagate.sweep, work, numbers, row, both)
        tables = []
        for begin, clique in zip(self.flat.table[:-1].tolist(), self.cliques, strict=True):
            shape = [self.arities[v] if row[v] == self.arities[v] else 1 for v in clique.nodes]
            tables.append(work.tables[begin : begin + prod(shape)].reshape(*shape, 2))
        return log_probability, tables

    def log_probabilities(self, numbers: Numbers, codes: CodeArray) -> FloatArray:
        """Log-probability of the observed values of each row, in nats, shape (rows,)."""
        from bnlab.engine import propagate

        work, found = propagate.work_of(self.flat), np.zeros(codes.shape[1])
        for part, rows in self._parts(codes):
            self._call(propagate.log_probabilities, work, numbers, rows, found[part])
        return found

    def marginals(
        self, numbers: Numbers, codes: CodeArray, nodes: Sequence[int]
    ) -> tuple[list[FloatArray], FloatArray]:
        """Distribution of each of some nodes given each row, shape (rows, r), and the log-probabilities of the rows.

        The distributions are NaN if the row is impossible.
        """
        from bnlab.engine import propagate

        inside = [v for v in nodes if self.arities[v] > 1]
        where = np.array([self._homes[v] for v in inside], np.int64).reshape(-1, 2)
        work, logs = propagate.work_of(self.flat), np.empty(codes.shape[1])
        found = np.empty((codes.shape[1], sum(self.arities[v] for v in inside)))
        for part, rows in self._parts(codes):
            self._call(propagate.marginals, work, numbers, rows, where, found[part], logs[part])
        parts = iter(np.split(found, np.cumsum([self.arities[v] for v in inside]), axis=1))
        return [next(parts) if self.arities[v] > 1 else np.ones((codes.shape[1], 1)) for v in nodes], logs

    def expected(self, numbers: Numbers, codes: CodeArray, weights: FloatArray) -> tuple[list[FloatArray], float]:
        """Expected counts of the scope of each factor, and the log-likelihood of the observed values.

        Parameters
        ----------
        numbers : ndarray of float64, shape (cells, 2)
        codes : ndarray of int, shape (n, rows)
        weights : ndarray of float64, shape (rows,)
            How often each row occurs.

        Returns
        -------
        counts : list of ndarray of float64
            Their axes are those of the scopes.
        log_likelihood : float
            Nats; -inf if a row is impossible, and then the counts are not complete.
        """
        from bnlab.engine import propagate

        work, totals, log_likelihood = propagate.work_of(self.flat), np.zeros(self.n_cells), 0.0
        for part, rows in self._parts(codes):
            log_likelihood += self._call(propagate.add_expected, work, numbers, rows, weights[part], totals)
        parts = np.split(totals, self.flat.table[1:-1])
        tables = [part.reshape(shape) for part, shape in zip(parts, self._shapes, strict=True)]
        cliques = [self.cliques[c].nodes for c in self._clique_of]
        counts = [
            tables[c].sum(axis=other_axes(nodes, scope))
            for c, nodes, scope in zip(self._clique_of, cliques, self._scopes, strict=True)
        ]
        return counts, log_likelihood

    def completed(
        self,
        numbers: Numbers,
        codes: CodeArray,
        method: Literal["map", "sample"],
        generators: Sequence[np.random.Generator],
    ) -> list[CodeArray]:
        """Rows with their missing values filled in, once for each random generator.

        With "map" the filled-in values are the jointly most probable ones; with "sample" they are drawn from their
        joint distribution given the observed values of the row, which must have a probability above 0.
        """
        from bnlab.engine import propagate

        n_cliques, work = len(self.cliques), propagate.work_of(self.flat)
        flat = self.flat._replace(maximal=np.full(n_cliques, method == "map"))
        found = [codes.copy() for _ in generators]
        for part, rows in self._parts(codes):
            for begin in range(0, len(generators), _SAMPLES_PER_CALL):
                some = slice(begin, begin + _SAMPLES_PER_CALL)
                random = np.stack([generator.random((n_cliques, len(rows))) for generator in generators[some]])
                filled = np.empty((len(random), *rows.shape), np.int32)
                propagate.complete(flat, work, numbers, rows, random, filled)
                for completed, values in zip(found[some], filled, strict=True):
                    completed[:, part] = values.T
        for completed in found:
            for v, arity in enumerate(self.arities):
                if arity == 1:
                    completed[v] = 0
        return found

    def greatest(self, numbers: Numbers, codes: CodeArray) -> CodeArray:
        """Row with the most probable states of the late nodes, shape (n,); other nodes get some possible state."""
        from bnlab.engine import propagate

        row = np.ascontiguousarray(codes, np.int32)
        filled, random = np.empty((1, 1, len(row)), np.int32), np.zeros((1, len(self.cliques), 1))
        self._call(propagate.complete, propagate.work_of(self.flat), numbers, row[None], random, filled)
        filled[0, 0, np.array(self.arities) == 1] = 0
        return np.asarray(filled[0, 0])

    def summing(self) -> Propagation:
        """Same tree, in which no node is maximised."""
        other = copy(self)
        other.flat = self.flat._replace(maximal=np.zeros_like(self.flat.maximal))
        return other

    def _call(self, function: Any, *args: Any) -> Any:
        """Call compiled code; in a thread if a row takes long, so that Ctrl-C acts at once."""
        return run_interruptible(function, self.flat, *args) if self.n_cells > _LONG else function(self.flat, *args)

    def _parts(self, codes: CodeArray) -> Iterator[tuple[slice, NDArray[np.int32]]]:
        """Blocks of rows, so that Ctrl-C acts between two blocks: their slice, and their codes, shape (rows, n)."""
        for begin in range(0, codes.shape[1], self._step):
            part = slice(begin, begin + self._step)
            yield part, np.ascontiguousarray(codes[:, part].T, np.int32)

    @cached_property
    def _homes(self) -> dict[int, tuple[int, int]]:
        """Place of each node in the smallest clique that has it, and the number of this clique."""
        found: dict[int, tuple[int, int]] = {}
        for c in sorted(range(len(self.cliques)), key=self._sizes.__getitem__):
            for k, v in enumerate(self.cliques[c].nodes, start=int(self.flat.first[c])):
                found.setdefault(v, (k, c))
        return found

    def _flattened(self, late: set[int]) -> Tree:
        from bnlab.engine import propagate

        separators = [clique.separator for clique in self.cliques]
        above = [() if clique.parent is None else self.cliques[clique.parent].nodes for clique in self.cliques]
        nodes = [clique.nodes for clique in self.cliques]
        messages = [prod(self.arities[v] for v in separator) for separator in separators]
        return propagate.Tree(
            np.array([-1 if clique.parent is None else clique.parent for clique in self.cliques], np.int64),
            np.array([bool(late & {*clique.nodes} - {*clique.separator}) for clique in self.cliques], np.bool_),
            _offsets(self._sizes),
            _offsets(messages),
            _offsets([len(each) for each in nodes]),
            _offsets([len(each) for each in above]),
            _flat(nodes),
            _flat([[self.arities[v] for v in each] for each in nodes]),
            _flat([self._strides(each, each) for each in nodes]),
            _flat([self._strides(separator, each) for separator, each in zip(separators, nodes, strict=True)]),
            _flat([self._strides(separator, each) for separator, each in zip(separators, above, strict=True)]),
        )

    def _strides(self, scope: Sequence[int], nodes: Sequence[int]) -> list[int]:
        """Strides of some nodes in a table over a scope, 0 for a node outside it."""
        stride, found = 1, {}
        for v in reversed(scope):
            found[v] = stride
            stride *= self.arities[v]
        return [found.get(v, 0) for v in nodes]


def _offsets(sizes: Sequence[int]) -> NDArray[np.int64]:
    return np.cumsum([0, *sizes], dtype=np.int64)


def _flat(lists: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    return np.array([value for each in lists for value in each], np.int64)


def check_size(cells: float) -> None:
    """Raise ValueError if a tree of so many cells is too large."""
    way_out = "query fewer nodes, give nodes fewer parents, or estimate from a sample"
    if cells > MAX_TREE_CELLS:
        raise ValueError(
            f"exact inference needs tables of {cells:.3g} cells, more than {MAX_TREE_CELLS:.3g}: {way_out}."
        )
    check_memory(BYTES_A_CELL * cells, f"exact inference with tables of {cells:.3g} cells", way_out)


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


def factors_of(dag: Dag, cpts: Sequence[FloatArray]) -> list[Factor]:
    """Probability tables of all nodes as factors, for `Propagation.of_graph`."""
    arities = [cpt.shape[-1] for cpt in cpts]
    return [factor_of(cpt, (*dag.parents[i], i), arities, {}) for i, cpt in enumerate(cpts)]


def ordered_as(family: Sequence[int], table: FloatArray, arities: Sequence[int]) -> FloatArray:
    """Table whose axes are those of `family`, from one in ascending order without nodes of one state."""
    ascending = sorted(family)
    table = table.reshape([arities[v] for v in ascending])
    return np.ascontiguousarray(table.transpose([ascending.index(v) for v in family]))


def other_axes(nodes: tuple[int, ...], kept: Sequence[int]) -> tuple[int, ...]:
    """Axes of a table over `nodes` that are not those of `kept`."""
    return tuple(axis for axis, node in enumerate(nodes) if node not in kept)


def summed(numbers: Numbers, axes: tuple[int, ...]) -> Numbers:
    """Sums of numbers over axes, which get length 1."""
    powers = numbers[..., 1].max(axes, keepdims=True)
    return np.stack([_shifted(numbers, powers).sum(axes, keepdims=True), powers], axis=-1)


def shares(numbers: Numbers, axes: tuple[int, ...]) -> FloatArray:
    """Divide each number by the sum over axes; 0 if the sum is. A share below 1e-308 may be 0."""
    values = _shifted(numbers, numbers[..., 1].max(axes, keepdims=True))
    total = values.sum(axes, keepdims=True)
    return np.asarray(values / np.where(total > 0, total, 1.0))


def _shifted(numbers: Numbers, powers: FloatArray) -> FloatArray:
    """Numbers in units of 2**(512 powers)."""
    shift = 512 * np.clip(numbers[..., 1] - powers, -4, 0)
    return np.asarray(np.ldexp(numbers[..., 0], shift.astype(np.intc)))
