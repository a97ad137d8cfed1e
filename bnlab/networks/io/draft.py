"""Variables and probability tables as a file gives them, until they are complete and checked: one network."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from math import prod

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.names import nearest
from bnlab.data.variable import Variable, shortened
from bnlab.graphs.dag import Dag
from bnlab.networks.network import ROW_TOLERANCE, BayesianNetwork

SUM_TOLERANCE = 5e-3
MAX_CELLS = 2**22
_MESSAGE = 1000


class NetworkFileError(ValueError):
    """A file that does not hold one complete Bayesian network in a format that can be read.

    Attributes
    ----------
    message : str
        What is wrong, without the file and the line.
    variable : str, optional
        Variable whose table is wrong.
    """

    def __init__(self, message: str, place: str = "", variable: str | None = None) -> None:
        cut = message if len(message) <= _MESSAGE else f"{message[: _MESSAGE // 2]} … {message[-_MESSAGE // 2 :]}"
        self.message, self.variable = message, variable
        super().__init__(f"{place}{cut}")


class Draft:
    """Variables and tables of one file, in any order; each is checked when it is added.

    Parameters
    ----------
    size : int
        Number of characters of the file. A table may have more cells than that only if there are few.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._cells = 0
        self._originals: dict[int, Variable] = {}
        self._families: dict[int, tuple[tuple[int, ...], Sequence[float]]] = {}
        self.variables: list[Variable] = []
        self.position: dict[str, int] = {}

    def add_variable(self, name: str, states: Iterable[str]) -> None:
        """Add a variable; NetworkFileError if there is one of this name, or its states are none or not distinct."""
        states = tuple(states)
        if name in self.position:
            raise NetworkFileError(f"variable {name!r} is declared twice.")
        try:
            self.variables.append(Variable.of_checked(name, states))
        except ValueError:
            raise NetworkFileError(f"variable {name!r} needs states that differ: {shortened(states)}.") from None
        self.position[name] = len(self.variables) - 1

    def index(self, name: str) -> int:
        """Position of a variable; NetworkFileError, with suggestions, if there is none of this name."""
        if name not in self.position:
            raise NetworkFileError(f"no variable {name!r} is declared; {nearest(name, self.position)}")
        return self.position[name]

    def indices(self, items: str) -> list[int]:
        """Positions of the variables that a list names; blanks or commas separate names, which may contain both.

        NetworkFileError, with suggestions, if the list has another name.
        """
        found: list[int] = []
        words = [match.span() for match in re.finditer(r"[^\s,]+", items)]
        k = 0
        while k < len(words):
            for last in range(len(words) - 1, k - 1, -1):  # the longest name counts
                name = items[words[k][0] : words[last][1]]
                if name in self.position:
                    found.append(self.position[name])
                    k = last + 1
                    break
            else:
                self.index(items[slice(*words[k])])
        return found

    def family(self, head: str) -> tuple[int, list[int]]:
        """Child and parents of a table, separated by a bar; names may contain bars. NetworkFileError for another name.

        Examples
        --------
        >>> draft = Draft(0)
        >>> for name in ("a|b", "c d"):
        ...     draft.add_variable(name, ["no", "yes"])
        >>> draft.family("a|b | c d"), draft.family("c d")
        ((0, [1]), (1, []))
        """
        bars = [k for k, character in enumerate(head) if character == "|"]
        for bar in [*bars, len(head)]:
            child = head[:bar].strip()
            if child in self.position:
                return self.position[child], self.indices(head[bar + 1 :])
        before, _, after = head.partition("|")
        children = self.indices(before)
        if len(children) != 1:
            raise NetworkFileError(f"a table ({head}) is of {len(children)} variables: one is needed before the bar.")
        return children[0], self.indices(after)

    def restore(self, child: int, name: str | None = None, states: Sequence[str] | None = None) -> None:
        """Give a variable its original name or states in the network; in the file it keeps its own.

        NetworkFileError if there are more or fewer states than in the file.
        """
        own = self._originals.get(child, self.variables[child])
        if states is not None and len(states) != own.arity:
            raise NetworkFileError(f"variable {own.name!r} has {own.arity} states and {len(states)} original ones.")
        self._originals[child] = Variable(
            own.name if name is None else name, own.states if states is None else tuple(states)
        )

    def check_family(self, child: int, given: Sequence[int]) -> None:
        """NetworkFileError if the child has a table already, or a variable occurs twice."""
        name = self.variables[child].name
        if child in self._families:
            raise NetworkFileError(f"variable {name!r} has two probability blocks.")
        if len({child, *given}) <= len(given):
            raise NetworkFileError(f"the probability block of {name!r} names a variable twice.")

    def configurations(self, given: Sequence[int]) -> int:
        """Number of configurations of some variables."""
        return prod(self.variables[p].arity for p in given)

    def reserve(self, child: int, given: Sequence[int]) -> tuple[int, int]:
        """Numbers of rows and columns of a table; NetworkFileError if all tables need far more cells than the file."""
        q, r = self.configurations(given), self.variables[child].arity
        self._cells += q * r
        if self._cells > max(MAX_CELLS, self._size):
            raise NetworkFileError(
                f"with the table of {self.variables[child].name!r} there are {in_digits(self._cells)} cells, far more "
                "than the file has numbers: its default rows stand for too many; give its variable fewer parents."
            )
        return q, r

    def add_table(self, child: int, given: Sequence[int], values: Sequence[float]) -> None:
        """Add the table of a variable.

        Parameters
        ----------
        child : int
        given : sequence of int
            Parents, in the order of the axes.
        values : sequence of q * r floats
            Row after row; the last parent changes fastest among the rows.
        """
        self.check_family(child, given)
        size, needed = len(values), self.configurations(given) * self.variables[child].arity
        if size != needed:
            name = self.variables[child].name
            raise NetworkFileError(f"the table of {name!r} has {size} numbers where {in_digits(needed)} are needed.")
        self._families[child] = tuple(given), values

    def network(self) -> BayesianNetwork:
        """Return the network; NetworkFileError if a table is missing or wrong, or the graph has a cycle."""
        if not self.variables:
            raise NetworkFileError("no variable is declared.")
        for name, i in self.position.items():
            if i not in self._families:
                raise NetworkFileError(f"variable {name!r} has no probability block.")
        families = [self._families[i] for i in range(len(self.variables))]
        tables = self._tables(families)
        variables = [self._originals.get(i, variable) for i, variable in enumerate(self.variables)]
        try:
            dag = Dag([v.name for v in variables], [sorted(given) for given, _ in families])
        except ValueError as error:
            raise NetworkFileError(str(error)) from None
        return BayesianNetwork.of_checked(dag, variables, tables)

    def _tables(self, families: list[tuple[tuple[int, ...], Sequence[float]]]) -> list[NDArray[np.float64]]:
        """Tables with ascending parents, whose rows sum to 1; most files need one look at all rows together."""
        arities = [v.arity for v in self.variables]
        sizes = [len(values) for _, values in families]
        flat = np.fromiter(chain.from_iterable(values for _, values in families), np.float64, sum(sizes))
        widths = np.repeat(arities, [size // r for size, r in zip(sizes, arities, strict=True)])
        with np.errstate(over="ignore", invalid="ignore"):
            sums = np.add.reduceat(flat, np.cumsum(widths) - widths)
            # Sums by rows differ from these in their last bits, so that half of the tolerance is safe.
            exact = flat.min() >= 0 and np.abs(sums - 1).max() <= ROW_TOLERANCE / 2
        tables, end = [], 0
        for variable, (given, values) in zip(self.variables, families, strict=True):
            start, end = end, end + len(values)
            if not exact:
                self._normalise(variable, flat[start:end])
            table = flat[start:end].reshape(*[arities[p] for p in given], variable.arity)
            if list(given) != sorted(given):
                order = sorted(range(len(given)), key=given.__getitem__)
                table = np.ascontiguousarray(table.transpose(*order, len(given)))
            tables.append(table)
        return tables

    def _normalise(self, variable: Variable, values: NDArray[np.float64]) -> None:
        rows = values.reshape(-1, variable.arity)
        with np.errstate(over="ignore", invalid="ignore"):
            wrong = normalise(rows)
            if wrong is not None:
                row = shortened(tuple(rows[wrong].tolist()))
                raise NetworkFileError(
                    f"the row {row} of {variable.name!r} sums to {rows[wrong].sum():.6g}: probabilities are not "
                    "negative and sum to 1.",
                    variable=variable.name,
                )


def normalise(rows: NDArray[np.float64]) -> int | None:
    """Make rounded rows sum to 1, in place; returns the first row that is no distribution, if there is one."""
    sums = rows.sum(axis=-1)
    gap = np.abs(sums - 1)
    worst = gap.max()
    if not (worst <= SUM_TOLERANCE and rows.min() >= 0):
        return int(np.argmin((rows >= 0).all(axis=-1) & (gap <= SUM_TOLERANCE)))
    if worst > ROW_TOLERANCE:
        rounded = gap > ROW_TOLERANCE
        rows[rounded] /= sums[rounded, None]
    return None


def in_digits(number: int) -> str:
    """Number in digits, its magnitude alone where they are many."""
    return str(number) if number < 10**15 else f"about 2**{number.bit_length() - 1}"


def numbers_of(text: str) -> list[float]:
    """Numbers separated by blanks or commas; ValueError, whose text is the word, for a word that is no number."""
    words = text.replace(",", " ").split()
    try:
        if "_" in text:  # Python would read 0_5 as 5
            raise ValueError
        return list(map(float, words))
    except ValueError:
        raise ValueError(next(word for word in words if not _is_number(word))) from None


def _is_number(word: str) -> bool:
    try:
        return "_" not in word and float(word) is not None
    except ValueError:
        return False
