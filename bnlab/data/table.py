"""Tables of discrete data: columns of small unsigned integer codes, with the names of the states."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab._runtime.budget import check_memory
from bnlab._runtime.cached import cached_property
from bnlab._runtime.interrupts import reraise_interrupts
from bnlab._runtime.names import nearest
from bnlab.data.blocks import Blocks, blocks_of, columns_of, positions_of, rows_joined, rows_taken
from bnlab.data.carried import (
    Interventions,
    checked_weights,
    experiments_of,
    interventions_of,
    joined,
    texts_of,
)
from bnlab.data.summary import Summary
from bnlab.data.variable import Codes, Variable, checked_columns, shortened, translated_codes

if TYPE_CHECKING:
    import pandas as pd

Missing = Literal["error", "drop", "state", "keep"]


class Table:
    """Immutable table of N rows and n discrete variables.

    Each column holds the codes 0 .. arity - 1 in the smallest unsigned dtype that fits. Columns of the same dtype are
    the rows of a C-contiguous block, so that the codes of a variable are adjacent in memory.

    A variable may declare states that do not occur, and more states than there are rows. A missing value (gap) has the
    code ``arity``, one more than the last state; only a table made with ``gaps=True`` can have gaps.

    Parameters
    ----------
    variables : sequence of Variable
        With distinct names.
    columns : sequence of array_like of int, each of shape (N,)
        Codes of each variable, which are copied.
    target : str, optional
        Name of the class variable.
    gaps : bool
        Whether the code ``arity`` is allowed, as a missing value.

    Raises
    ------
    ValueError
        If there are no variables or no rows, names occur twice, columns have different lengths, codes are outside
        0 .. arity - 1 (or ``arity`` with gaps), or the target is not a variable.
    TypeError
        If codes are not integers.

    Examples
    --------
    >>> rain = Variable("rain", ("no", "yes"))
    >>> grass = Variable("grass", ("dry", "wet"))
    >>> table = Table([rain, grass], [[0, 1, 1], [0, 1, 0]])
    >>> table
    Table: 3 rows, 2 variables
      rain   2 states: 'no', 'yes'
      grass  2 states: 'dry', 'wet'
    >>> table.column("grass")
    array([0, 1, 0], dtype=uint8)
    >>> Table([rain, grass], [[0, 2, 1], [0, 1, 0]], gaps=True).gaps
    {'rain': 1}
    """

    def __init__(
        self,
        variables: Sequence[Variable],
        columns: Sequence[ArrayLike],
        *,
        target: str | None = None,
        gaps: bool = False,
    ) -> None:
        self._set_variables(variables, target)
        self._set_columns(checked_columns(self._variables, columns, gaps), gaps)

    _interventions: Interventions = MappingProxyType({})
    _weights: NDArray[Any] | None = None
    _missing_marks: tuple[str, ...] = ()

    def _set_variables(self, variables: Sequence[Variable], target: str | None) -> None:
        self._variables = tuple(variables)
        if not self._variables:
            raise ValueError("a Table needs at least one variable; there are no columns.")
        self._positions = {variable.name: i for i, variable in enumerate(self._variables)}
        if len(self._positions) < len(self._variables):
            names = [variable.name for variable in self._variables]
            twice = sorted({name for name in names if names.count(name) > 1})
            raise ValueError(f"two variables are called {shortened(tuple(twice))}: names must differ.")
        self._arities = tuple(len(variable.states) for variable in self._variables)
        if target is not None:
            self.index(target)
        self._target = target

    def _set_columns(self, columns: Sequence[NDArray[np.integer[Any]]], gaps: bool) -> None:
        codes = [r + int(gaps and c.max() == r) for r, c in zip(self._arities, columns, strict=True)]
        self._set_blocks(blocks_of(columns, codes), sum(codes) > sum(self._arities))

    def _set_blocks(self, blocks: Blocks, has_gaps: bool) -> None:
        self._blocks, self._has_gaps = blocks, has_gaps
        self._n_rows: int = blocks[0][1].shape[1]
        self._columns = columns_of(blocks)

    @classmethod
    def of_blocks(
        cls, variables: Sequence[Variable], blocks: Blocks, target: str | None = None, has_gaps: bool = False
    ) -> Table:
        """Table of valid codes in the layout of `blocks_of`, without a check or a copy."""
        table = cls.__new__(cls)
        table._set_variables(variables, target)
        table._set_blocks(blocks, has_gaps)
        return table

    @classmethod
    def of_parts(cls, parts: Sequence[Table]) -> Table:
        """Rows of tables of the same variables, without a check."""
        first = parts[0]
        if any(part.has_gaps for part in parts):
            columns = [np.concatenate([part.column(i) for part in parts]) for i in range(len(first.names))]
            table = cls(first.variables, columns, target=first.target, gaps=True)
        else:
            table = first.with_blocks(rows_joined([part.blocks() for part in parts]))
        if any(part.weights is not None for part in parts):
            ones = [np.ones(part.n_rows, np.int64) if part.weights is None else part.weights for part in parts]
            table._weights = np.concatenate(ones)
        return table._set_interventions(joined([(part.interventions, part.n_rows) for part in parts], first.names))

    def with_blocks(self, blocks: Blocks) -> Table:
        """Table of the same variables with other rows; these may have no gaps."""
        table = self.of_blocks(self._variables, blocks, self._target, self._has_gaps)
        if self._has_gaps:
            table._set_columns(table._columns, gaps=True)  # there may be none left
        return table

    def __reduce__(self) -> tuple[Any, ...]:
        content = self._variables, self._blocks, self._target, self._has_gaps
        carried = {"_interventions": dict(self._interventions), "_weights": self._weights}
        return Table.of_blocks, content, carried | {"_missing_marks": self._missing_marks}

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Variables in column order."""
        return self._variables

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables in column order."""
        return tuple(self._positions)

    @property
    def arities(self) -> tuple[int, ...]:
        """Number of declared states of each variable."""
        return self._arities

    @property
    def n_rows(self) -> int:
        """Number of rows, N."""
        return self._n_rows

    @property
    def n_variables(self) -> int:
        """Number of variables, n."""
        return len(self._variables)

    @property
    def target(self) -> str | None:
        """Name of the class variable, if one is set."""
        return self._target

    @property
    def has_gaps(self) -> bool:
        """Whether there is a missing value."""
        return self._has_gaps

    @cached_property
    def gaps(self) -> dict[str, int]:
        """Number of missing values of each variable that has some."""
        if not self._has_gaps:
            return {}
        counts = (int(np.count_nonzero(c == r)) for c, r in zip(self._columns, self._arities, strict=True))
        return {name: count for name, count in zip(self.names, counts, strict=True) if count}

    @cached_property
    def constant(self) -> tuple[int, ...]:
        """Positions of the variables of which the rows show at most one state: they say nothing about its edges."""
        rows = slice(None) if self._weights is None else self._weights > 0
        shown = ((codes[rows], arity) for codes, arity in zip(self._columns, self._arities, strict=True))
        known = (codes[codes < arity] if self._has_gaps else codes for codes, arity in shown)
        return tuple(v for v, codes in enumerate(known) if not (codes != codes[:1]).any())

    def __len__(self) -> int:
        return self._n_rows

    def index(self, name: str) -> int:
        """Position of a variable; ValueError, with suggestions, for an unknown name."""
        try:
            return self._positions[name]
        except (KeyError, TypeError):
            raise ValueError(f"no variable is called {name!r}: {nearest(name, self._positions)}") from None

    def column(self, variable: int | str) -> Codes:
        """Codes of one variable, by position or name: read-only ndarray of unsigned int, shape (N,).

        The arity stands for a missing value.
        """
        return self._columns[self.index(variable) if isinstance(variable, str) else variable]

    def blocks(self) -> Blocks:
        """Columns grouped by dtype, without a copy.

        Returns
        -------
        list of (ndarray of intp, shape (m,), ndarray of unsigned int, shape (m, N))
            Positions of the variables, and their codes, one variable per row, C-contiguous and read-only.
        """
        return list(self._blocks)

    def take(self, rows: ArrayLike | slice) -> Table:
        """Table of some rows: positions (in the given order, repeats allowed), a boolean mask, or a slice.

        Raises
        ------
        ValueError
            If no row is selected or a mask has another length.
        IndexError
            If a position is outside the table.
        """
        positions = positions_of(rows, self._n_rows)
        blocks = rows_taken(self._blocks, positions)
        table = self.with_blocks(blocks)
        table._weights = None if self._weights is None else self._weights[positions]
        return table._set_interventions({name: was_set[positions] for name, was_set in self._interventions.items()})

    def head(self, n: int = 5) -> Table:
        """First n rows."""
        return self.take(slice(max(n, 0)))

    def select(self, names: Iterable[str]) -> Table:
        """Table of some variables, in the given order; target and interventions are kept if they are among them."""
        return self.recoded([self._variables[self.index(name)] for name in names])

    def with_target(self, name: str | None) -> Table:
        """Same data with another class variable, or none (None); shares memory with this table."""
        if name is not None:
            self.index(name)
        table = copy(self)
        table._target = name
        return table

    def recoded(self, variables: Sequence[Variable]) -> Table:
        """Same rows in the coding of other variables, so that equal states have equal codes.

        Variables are matched by name; the result has exactly those of `variables`, in that order. States are matched by
        equality, otherwise by their text (1 and "1"). A state that does not occur needs no match.

        Raises
        ------
        ValueError
            If this table lacks a name, or rows have a state that the new variable does not have.
        """
        old = [self.index(new.name) for new in variables]
        columns = [
            translated_codes(self._columns[i], self._variables[i], new) for i, new in zip(old, variables, strict=True)
        ]
        target = self._target if self._target in {new.name for new in variables} else None
        return Table(variables, columns, target=target, gaps=self._has_gaps).carrying(self)

    @property
    def interventions(self) -> Interventions:
        """For each variable that was set from outside in some row: whether it was set in each row, shape (N,)."""
        return self._interventions

    @cached_property
    def experiments(self) -> frozenset[frozenset[str]]:
        """Variables that were set together in some rows that count; the empty set if some were only observed."""
        counted = np.arange(self._n_rows) if self._weights is None else np.flatnonzero(self._weights)
        return frozenset(experiments_of(self._interventions, counted))

    def intervened(self, name: str | None = None) -> NDArray[np.bool_]:
        """Whether a variable (by default any) was set from outside in each row, shape (N,).

        ValueError for an unknown name.
        """
        names = self.names if name is None else (self.names[self.index(name)],)
        some = [self._interventions[one] for one in names if one in self._interventions]
        return np.any(some, axis=0) if some else np.zeros(self._n_rows, dtype=np.bool_)

    def with_interventions(self, targets: str | Sequence[Any] | Mapping[str, ArrayLike] | None) -> Table:
        """Same data, some rows of which are interventions: variables were set from outside, not by their causes.

        Scores and `bnlab.networks.fit` leave such a row out of the counts of the families whose child it sets (Cooper
        and Yoo 1999). Rows that are selected, concatenated or recoded keep their interventions.

        Parameters
        ----------
        targets : str, sequence of N values, mapping, or None
            Variables that were set, as a string for all rows or a value for each row: the name of a variable, several
            names separated by commas or semicolons or in a tuple, or "" (also None and NaN) for a row that was only
            observed. Or a mapping from variables to an array of N bool, whether it was set in each row. If `targets` is
            None, no row is an intervention.

        Raises
        ------
        ValueError
            If a variable is unknown, there is not one value for each row, or a value of a mapping is neither true nor
            false.

        Examples
        --------
        >>> from bnlab.data import concat
        >>> from bnlab.networks import asia
        >>> net = asia()
        >>> seen, done = net.sample(100, seed=1), net.do({"smoke": "yes"}).sample(50, seed=2)
        >>> table = concat([seen, done.with_interventions("smoke")])
        >>> int(table.intervened("smoke").sum())
        50
        """
        return copy(self)._set_interventions(interventions_of(targets, self.names, self._n_rows))

    @property
    def weights(self) -> NDArray[Any] | None:
        """Weight of each row, int64 if all are whole numbers, else float64, shape (N,); None if each counts once."""
        return self._weights

    @property
    def total(self) -> int | float:
        """Sum of the weights of the rows, a whole number if all weights are; the number of rows without weights."""
        return self._n_rows if self._weights is None else self._weights.sum().item()

    def with_weights(self, weights: ArrayLike | None) -> Table:
        """Same data, in which rows count several times or in part; None: each row counts once.

        Counts are sums of weights. A row of weight 3 counts as three equal rows.

        Parameters
        ----------
        weights : array_like of float, shape (N,), or None

        Raises
        ------
        ValueError
            If there is not one weight for each row, or a weight is negative, infinite or missing, or all are 0.

        Examples
        --------
        >>> from bnlab.counts import count_source
        >>> coin = Table([Variable("coin", ("heads", "tails"))], [[0, 1]]).with_weights([30, 12])
        >>> count_source(coin).count([(0, ())])[0].table
        array([[30, 12]])
        """
        table = copy(self)
        table._weights = None if weights is None else checked_weights(weights, self._n_rows)
        return table

    def repeated(self) -> Table:
        """Table without weights that repeats each row as often as its weight says, for what draws or orders rows.

        Raises
        ------
        ValueError
            If a weight is not a whole number, or the rows would need more memory than one operation may use.
        """
        if self._weights is None:
            return self
        if self._weights.dtype.kind == "f":
            raise ValueError(
                "some weights are fractions, and what draws, splits or orders rows needs whole ones: use what counts, "
                "such as bnlab.learn(data), bnlab.score or bnlab.networks.fit, or round the weights, "
                "table.with_weights(table.weights.round())."
            )
        cells = int(self._weights.sum()) * (self.n_variables + 8)
        check_memory(cells, f"{self._weights.sum():,} rows", "divide the weights by a common factor")
        return self.take(np.repeat(np.arange(self._n_rows), self._weights)).with_weights(None)

    def carrying(self, other: Table) -> Table:
        """Same data with the weights of another table of the same rows, and its interventions on variables here.

        Raises
        ------
        ValueError
            If the number of rows differs.
        """
        if other.n_rows != self.n_rows:
            raise ValueError(f"{other.n_rows:,} rows, but this table has {self.n_rows:,}: both need the same rows.")
        known = other.interventions
        table = copy(self)
        table._weights = other.weights
        return table._set_interventions({name: known[name] for name in self.names if name in known})

    def _set_interventions(self, interventions: Interventions) -> Table:
        """Set the interventions of this table, which must be new, and return it."""
        self._interventions = {name: was_set for name, was_set in interventions.items() if was_set.any()}
        return self

    def equals(self, other: Table) -> bool:
        """Whether two tables have the same variables, states, codes, target, interventions and weights."""
        return (self._target, self.fingerprint) == (other._target, other.fingerprint)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of names, states, codes, interventions and weights, not of the target. Computed on demand."""
        digest = hashlib.sha256(repr([(v.name, v.states) for v in self._variables]).encode())
        for column in self._columns:
            digest.update(column.astype(column.dtype.newbyteorder("<"), copy=False).data)
        if self._interventions:
            digest.update(repr(texts_of(self._interventions)).encode())
        if self._weights is not None:
            digest.update(self._weights.astype("<f8").data)
        return digest.hexdigest()

    @classmethod
    def from_codes(
        cls, codes: ArrayLike | Sequence[ArrayLike], variables: Sequence[Variable], *, target: str | None = None
    ) -> Table:
        """Make a table from integer codes: an array of shape (N, n), or a list or tuple of n columns."""
        if isinstance(codes, np.ndarray):
            if codes.ndim != 2:
                raise ValueError(f"codes have {codes.ndim} dimension(s): an array of shape (N, n) is needed.")
            codes = list(codes.T)
        if not isinstance(codes, (list, tuple)):
            raise TypeError(f"codes are a {type(codes).__name__}: give an array of shape (N, n) or a list of columns.")
        return cls(variables, codes, target=target)

    @classmethod
    @reraise_interrupts()
    def from_pandas(cls, df: pd.DataFrame, *, missing: Missing = "error", target: str | None = None) -> Table:
        """Make a table from a DataFrame of discrete columns.

        Categoricals keep all their categories, in their order. The states of strings, integers and booleans are the
        values that occur, sorted. The index is ignored.

        Parameters
        ----------
        df : DataFrame
            Its column names are distinct strings.
        missing : {"error", "drop", "state", "keep"}
            Treatment of missing values: raise an error; drop incomplete rows; give each column with missing values one
            more state, the last, called "missing" ("missing_2" if that state exists, and so on); or keep them as gaps,
            which `bnlab.networks.fit`, `bnlab.networks.impute` and the learner "structural-em" accept.
        target : str, optional
            Name of the class column.

        Raises
        ------
        ValueError
            If columns are continuous, values are missing, names occur twice, there are no columns or rows, or the
            target is unknown.
        TypeError
            If names are not strings, or columns have mixed or unsuitable types.

        Examples
        --------
        >>> import pandas as pd
        >>> df = pd.DataFrame({"x": ["b", "a", "b"], "y": [3, 3, None]}).astype({"y": "Int64"})
        >>> Table.from_pandas(df, missing="state")
        Table: 3 rows, 2 variables
          x  2 states: 'a', 'b'
          y  2 states: 3, 'missing'
        >>> Table.from_pandas(df, missing="keep")
        Table: 3 rows, 2 variables, 1 missing value
          x  2 states: 'a', 'b'
          y  1 state: 3; 1 missing (33%)
        """
        from bnlab.data.encode import encode

        variables, columns, complete = encode(df, missing)
        if complete:
            return cls.of_blocks(variables, blocks_of(columns, [v.arity for v in variables]), target)
        return cls(variables, columns, target=target, gaps=missing == "keep")

    def to_pandas(self) -> pd.DataFrame:
        """Convert to a DataFrame of categoricals of the declared states, with missing values.

        Interventions and weights are left out.
        """
        import pandas as pd

        def categorical(variable: Variable, codes: Codes) -> Any:
            categories = pd.Index(list(variable.states), tupleize_cols=False)
            if variable.name in self.gaps:
                codes = np.where(codes == variable.arity, -1, codes.astype(np.int64))
            return pd.Categorical.from_codes(codes, categories, validate=False)

        columns = zip(self._variables, self._columns, strict=True)
        return pd.DataFrame({variable.name: categorical(variable, codes) for variable, codes in columns}, copy=False)

    def __repr__(self) -> str:
        return self._summary().text()

    def _repr_html_(self) -> str:
        return self._summary().html()

    def with_missing_marks(self, marks: Sequence[str]) -> Table:
        """Note what stood for missing values in the file of this table, which must be new, and return it."""
        self._missing_marks = tuple(marks)
        return self

    def _summary(self) -> Summary:
        summary = Summary.of(self._variables, self._n_rows, self._target, self.gaps, self._missing_marks)
        return summary if self._weights is None else summary.weighing(self.total)


def concat(tables: Iterable[Table]) -> Table:
    """Concatenate the rows of several tables of the same variables.

    Raises
    ------
    ValueError
        If there is no table, or names or states differ (see `Table.recoded`).
    """
    parts = list(tables)
    if not parts:
        raise ValueError("concat needs at least one table.")
    first = parts[0]
    for number, part in enumerate(parts[1:], start=1):
        if part.names != first.names:
            raise ValueError(f"table {number} has the variables {shortened(part.names)}, table 0 has others.")
        for a, b in zip(first.variables, part.variables, strict=True):
            if a != b:
                raise ValueError(
                    f"variable {a.name!r} has the states {shortened(a.states)} in table 0 and {shortened(b.states)} "
                    f"in table {number}: bring them to one coding first, tables[{number}].recoded(tables[0].variables)."
                )
    return Table.of_parts(parts)
