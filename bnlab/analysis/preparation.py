"""Preparation of a data frame as a table: columns left out, continuous columns cut, missing values treated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnlab._runtime.values import NAMES, NUMBERS, check_text, literal, one_of, shown
from bnlab.analysis.columns import check_column, describe_columns, numbers, whole_states
from bnlab.analysis.dates import PARTS, as_dates, with_dates
from bnlab.analysis.ordinals import in_natural_order
from bnlab.analysis.states import StatePairs, checked_states, with_states
from bnlab.data.discretize import find_cuts, with_intervals
from bnlab.data.encode import check_policy, is_continuous
from bnlab.data.table import Missing, Table
from bnlab.dynamic.load import panel_of_rows
from bnlab.dynamic.panel import Panel

FEW_DIGITS = 4
LEFT_OUT = ("identifier", "constant", "empty", "unsuitable", "dates")
CUT = ("continuous", "numbers")


@dataclass(frozen=True)
class Preparation:
    """Steps from a data frame to a table. They consist of numbers and names only, so that they can be repeated.

    Attributes
    ----------
    leave_out : tuple of str
        Columns that do not become variables.
    cuts : mapping of str to tuple of float
        Ascending cut points of the columns that become intervals; a value equal to a cut lies to its left.
    missing : {"error", "drop", "state", "keep"}
        As for `Table.from_pandas`.
    target : str, optional
        Class column. It does not affect the search for networks, but may determine cuts.
    states : mapping of str to tuple of (str, str)
        New states of some columns: pairs (state, new state), both as text, in the order of the new states. States with
        the same new state are merged; states without a pair come last. The pairs may be given as a mapping.
    dates : mapping of str to {"year", "quarter", "month", "weekday", "hour", "decimal year"}
        Part of the date that replaces a column of dates, before cuts; a decimal year is a number such as 2020.5.
    unit, time : str, optional
        Columns of a longitudinal table, which are no variables: the table has the transitions from each time of a unit
        to the next (`bnlab.dynamic.Panel`). Times are whole numbers; dates are numbered in their order within a unit.
        Columns that never change within a unit are static. With ``missing="keep"``, a time that a unit lacks is a row
        of missing values.

    Raises
    ------
    ValueError
        If a name is not text that a file can hold, cut points are not finite and ascending, the policy or the part of a
        date is unknown, the target is left out, a state has two new states, one of `unit` and `time` is missing, or
        rows of a panel are to be dropped.

    Notes
    -----
    Whole numbers stored as floats become integers, such as 3.0 the state 3. Words with a natural order (such as low,
    medium and high, months, or ranges such as "18-29") become states in this order.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"row": ["a", "b", "c", "d"], "weight": [61.5, 70.25, 55.0, 80.0]})
    >>> Preparation(leave_out=("row",), cuts={"weight": (60.0, 75.0)}).apply(frame)
    Table: 4 rows, 1 variable
      weight  3 states: '<=60', '(60, 75]', '>75'
    >>> levels = {"<=60": "light", "(60, 75]": "heavy", ">75": "heavy"}
    >>> Preparation(leave_out=("row",), cuts={"weight": (60.0, 75.0)}, states={"weight": levels}).apply(frame)
    Table: 4 rows, 1 variable
      weight  2 states: 'light', 'heavy'
    """

    leave_out: tuple[str, ...] = ()
    cuts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    missing: Missing = "error"
    target: str | None = None
    states: Mapping[str, StatePairs] = field(default_factory=dict)
    dates: Mapping[str, str] = field(default_factory=dict)
    unit: str | None = None
    time: str | None = None

    def __post_init__(self) -> None:
        check_policy(check_text("missing", self.missing))
        target = None if self.target is None else check_text("target", self.target)
        left_out = NAMES.checked("leave_out", self.leave_out)
        for name, column in (("unit", self.unit), ("time", self.time)):
            if column is not None:
                check_text(name, column)
        if (self.unit is None) != (self.time is None) or (self.unit is not None and self.unit == self.time):
            raise ValueError(f"unit={self.unit!r} and time={self.time!r}: choose two columns, or none.")
        if self.unit is not None and self.missing == "drop":
            raise ValueError('missing="drop" would tear holes into the times of a unit: choose "keep" or "state".')
        if target is not None and target in (*left_out, self.unit, self.time):
            raise ValueError(f"the target {target!r} is left out: use the column, or choose another target.")
        cuts = {check_text("cuts: a name", name): _checked_cuts(name, points) for name, points in self.cuts.items()}
        states = {
            check_text("states: a name", name): checked_states(name, pairs) for name, pairs in self.states.items()
        }
        dates = {
            check_text("dates: a name", name): one_of(*PARTS).checked(f"dates[{shown(name)}]", part)
            for name, part in self.dates.items()
        }
        checked = {"leave_out": left_out, "cuts": cuts, "target": target, "states": states, "dates": dates}
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @classmethod
    def suggested(cls, frame: pd.DataFrame, described: pd.DataFrame | None = None) -> Preparation:
        """Suggest a preparation that gives a table for any columns.

        Identifiers, constants, dates, and empty and unsuitable columns are left out. Continuous columns and whole
        numbers of many values are cut at quantiles. Missing values become a state.

        Parameters
        ----------
        frame : DataFrame
        described : DataFrame, optional
            Result of `describe_columns` for the frame, if it is known already.
        """
        kinds = (describe_columns(frame) if described is None else described)["kind"]
        leave_out = tuple(name for name, kind in kinds.items() if kind in LEFT_OUT)
        cuts = {name: cut_points(frame, name) for name, kind in kinds.items() if kind in CUT}
        gaps = frame.drop(columns=list(leave_out)).isna().any(axis=None)
        return cls(leave_out, cuts, "state" if gaps else "error")

    def apply(self, frame: pd.DataFrame) -> Table:
        """Return the table.

        Raises
        ------
        ValueError, TypeError
            If the frame lacks a column, all columns are left out, a column has decimals but no cuts, a column in
            `dates` does not hold dates, the name of a column is not text that a file can hold, or as for
            `Table.from_pandas`.
        """
        return self.tables(frame)[1]

    def tables(self, frame: pd.DataFrame) -> tuple[Table, Table]:
        """Return the prepared rows, and the table: the same, or with `unit` and `time` the transitions."""
        if self.unit is None:
            table = self._encoded(frame.drop(columns=list(self._checked(frame))))
            return table, table
        panel = self.panel(frame)
        return panel.table, panel.transitions

    def panel(self, frame: pd.DataFrame) -> Panel:
        """Return the units and their times; ValueError without `unit` and `time`, or as for `apply`."""
        if self.unit is None or self.time is None:
            raise ValueError("this preparation names no columns of units and times.")
        unused = self._checked(frame)
        kept = [str(name) for name in frame.columns if name not in unused]
        rows = frame[[self.unit, *kept]].assign(**{self.time: self._times(frame)})
        values = frame.groupby(self.unit, observed=True)[kept].nunique(dropna=self.gaps).max()
        return panel_of_rows(
            rows,
            self.unit,
            self.time,
            self._encoded,
            static=[name for name in kept if values[name] <= 1],
            gaps="missing" if self.gaps else "refuse",
        )

    def _checked(self, frame: pd.DataFrame) -> tuple[str, ...]:
        """Columns that are no variables; ValueError if the frame lacks a column, or none is left."""
        for name in filter(lambda name: isinstance(name, str), frame.columns):
            check_text("column", name)
        for name in self._columns:
            check_column(frame, name)
        if set(frame.columns) <= set(self.unused):
            raise ValueError(f"all {frame.shape[1]} columns are left out: keep two at least.")
        return self.unused

    def _times(self, frame: pd.DataFrame) -> pd.Series:
        """Times of the rows; dates are numbered in their order within a unit."""
        times = with_dates(frame[[str(self.time)]], self.dates)[str(self.time)]
        dates = as_dates(times)
        return times if dates is None else dates.groupby(frame[str(self.unit)], observed=True).rank(method="dense")

    def _encoded(self, kept: pd.DataFrame) -> Table:
        cuts = {name: np.asarray(points, dtype=np.float64) for name, points in self.cuts.items() if name in kept}
        prepared = in_natural_order(whole_states(with_intervals(with_dates(kept, self.dates), cuts)))
        for name in prepared.columns:
            if is_continuous(prepared[name]):
                raise ValueError(
                    f"column {name!r} has numbers with decimals, and each variable needs states: cut it into "
                    "intervals, or leave it out."
                )
        return with_states(Table.from_pandas(prepared, missing=self.missing, target=self.target), self.states)

    def differences(self, other: Preparation) -> str:
        """Return the differences from another preparation: unit and time, a column, a number of columns, or missing
        values; or "".

        Examples
        --------
        >>> Preparation(target="class").differences(Preparation(cuts={"age": (18, 65)}, target="class"))
        'age'
        """
        if (self.unit, self.time) != (other.unit, other.time):
            return "unit and time"
        names = dict.fromkeys((*self._columns, *other._columns))
        found = [name for name in names if self._of(name) != other._of(name)]
        if not found:
            return "missing values" if self.missing != other.missing else ""
        return found[0] if len(found) == 1 else f"{len(found)} columns"

    @property
    def _columns(self) -> tuple[str, ...]:
        """Columns that the preparation names."""
        target = () if self.target is None else (self.target,)
        return (*self.unused, *self.cuts, *self.states, *self.dates, *target)

    def _of(self, name: str) -> tuple[Any, ...]:
        """Treatment of a column."""
        changes = (self.cuts.get(name), self.states.get(name), self.dates.get(name))
        return name in self.leave_out, name == self.target, *changes

    @property
    def unused(self) -> tuple[str, ...]:
        """Columns that are no variables: those that are left out, and those of the unit and the time."""
        own = (self.unit, self.time)
        return (*self.leave_out, *(name for name in own if name is not None and name not in self.leave_out))

    @property
    def gaps(self) -> bool:
        """Whether the table may have missing values."""
        return self.missing == "keep"

    def code(self) -> str:
        """Return Python code that applies the same steps to a DataFrame `frame`; its result is `table`."""
        always = ("leave_out", "cuts", "missing")
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        listed = [
            f"    {name}={literal(value)},\n"
            for name, value in given.items()
            if name in always or value not in (None, {})
        ]
        return f"preparation = Preparation(\n{''.join(listed)})\ntable = preparation.apply(frame)\n"


def without(known: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Mapping without a name."""
    return {key: value for key, value in known.items() if key != name}


def _checked_cuts(name: str, points: Sequence[float]) -> tuple[float, ...]:
    field = f"cuts[{shown(name)}]"
    found = tuple(map(float, NUMBERS.checked(field, points)))
    if any(a >= b for a, b in pairwise(found)):
        raise ValueError(f"{field} = {shown(found)}: cut points ascend.")
    return found


def cut_points(
    frame: pd.DataFrame, column: str, method: str = "quantile", *, bins: int = 3, target: str | None = None
) -> tuple[float, ...]:
    """Cut points of one column, rounded to four digits, or to more if needed to separate the same values.

    Parameters
    ----------
    frame : DataFrame
    column : str
        Column of numbers.
    method : {"quantile", "width", "mdl"}
        Intervals with equal numbers of rows (`bnlab.data.quantile_cuts`), of equal width (`width_cuts`), or by the
        classes of the target (`mdl_cuts`).
    bins : int
        Number of intervals of "quantile" and "width", at least 2.
    target : str, optional
        Column of classes, for "mdl".

    Raises
    ------
    ValueError
        If a name or the method is unknown, the column does not hold numbers, or "mdl" has no target.
    """
    check_column(frame, column)
    values = numbers(frame, column)
    classes = None
    if method == "mdl" and target is not None:
        check_column(frame, target)
        if target == column:
            raise ValueError(f"target={target!r} cannot be cut by itself: choose another target or method.")
        if is_continuous(frame[target]):
            raise ValueError(
                f"the target {target!r} is continuous, and cuts by classes need some: choose another method."
            )
        classes = frame[target].to_numpy(dtype=object, na_value=None)
    found = find_cuts(values, method, bins=bins, y=classes)
    return tuple(_short(cut, values) for cut in found.tolist())


def _short(cut: float, values: NDArray[np.float64]) -> float:
    """Cut point with few digits and the same values to its left."""
    left = np.count_nonzero(values <= cut)
    shorter = (float(f"{cut:.{digits}g}") for digits in range(FEW_DIGITS, 17))
    return next((point for point in shorter if np.count_nonzero(values <= point) == left), cut)
