"""Editing of a preparation column by column."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from bnlab._runtime.cached import cached_property
from bnlab._runtime.names import check_known
from bnlab.analysis.columns import check_column, describe_columns, numbers
from bnlab.analysis.dates import as_dates, suggested_part, with_dates
from bnlab.analysis.preparation import CUT, Preparation, cut_points, without
from bnlab.analysis.states import StatePairs
from bnlab.data.gaps import Patterns, patterns_of

ROLES = ("use", "target", "leave out")
DEFAULT = ("quantile", 3)


@dataclass(frozen=True, eq=False)
class PreparationEditor:
    """Immutable preparation of one frame that is edited column by column; each change returns a new editor.

    `ways` has the method and the number of bins for each column whose cuts are not user-defined.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"weight": [61.5, 70.25, 55.0, 80.0], "class": list("abab")})
    >>> editor = PreparationEditor.suggested(frame).cut("weight", "width", 2).role("class", "target")
    >>> editor.preparation.cuts, editor.preparation.target
    ({'weight': (67.5,)}, 'class')
    """

    frame: pd.DataFrame
    preparation: Preparation
    ways: Mapping[str, tuple[str, int]] = field(default_factory=dict)

    @classmethod
    def suggested(cls, frame: pd.DataFrame, described: pd.DataFrame | None = None) -> PreparationEditor:
        """Suggest a preparation of a frame; `described` is the result of `describe_columns`, if it is known."""
        preparation = Preparation.suggested(frame, described)
        return cls(frame, preparation, dict.fromkeys(preparation.cuts, DEFAULT))

    @property
    def used(self) -> pd.DataFrame:
        """Data without the columns that are no variables."""
        return self.frame.drop(columns=list(self.preparation.unused))

    @cached_property
    def gaps(self) -> Patterns:
        """Patterns of missing values in the used columns."""
        return patterns_of(self.used)

    def role(self, column: str, role: str) -> PreparationEditor:
        """Use a column as a variable, as the target, or not at all; ValueError for an unknown column or role."""
        check_column(self.frame, column)
        check_known(role, ROLES, f"role={role!r}")
        now = self.preparation
        target = column if role == "target" else None if now.target == column else now.target
        left_out = tuple(name for name in now.leave_out if name != column)
        if role == "leave out":
            left_out = (*left_out, column)
        changed = replace(self, preparation=replace(now, leave_out=left_out, target=target))
        if role != "leave out" and column not in now.cuts:
            changed = changed._with_states(column)
        return changed if target == now.target else changed._cut_by_classes()

    def _cut_by_classes(self) -> PreparationEditor:
        """Update cuts by classes after a change of the target; without a target they become quantiles."""
        changed, target = self, self.preparation.target
        for name in [name for name, (method, _) in self.ways.items() if method == "mdl"]:
            changed = changed.cut(name, *(DEFAULT if target in (None, name) else ("mdl", 3)))
        return changed

    def _with_classes(self) -> pd.DataFrame:
        """Frame whose target has its new states."""
        target = str(self.preparation.target)
        new = dict(self.preparation.states.get(target, ()))
        if not new or target in self.preparation.cuts:
            return self.frame
        classes = self.frame[target].astype(object).map(lambda state: new.get(str(state), state), na_action="ignore")
        return self.frame.assign(**{target: classes})

    def cut(self, column: str, method: str, bins: int = 3, text: str = "") -> PreparationEditor:
        """Cut a column of numbers by a method of `cut_points`, or at the numbers in `text` ("own"), or not at all ("").

        ValueError if the text is not numbers separated by commas, or as for `cut_points`.
        """
        cuts = without(self.preparation.cuts, column)
        ways = without(self.ways, column)
        if method == "own":
            numbers(self.frame.assign(**{column: self.held(column)}), column)
            cuts[column] = _read_cuts(column, text)
        elif method:
            target = self.preparation.target
            frame = self.frame if target is None else self._with_classes()
            frame = frame.assign(**{column: self.held(column)})
            cuts[column] = cut_points(frame, column, method, bins=bins, target=target)
            ways[column] = (method, bins)
        now = self.preparation
        # New cut points make other states.
        same = cuts.get(column) == now.cuts.get(column)
        states = now.states if same else without(now.states, column)
        return replace(self, preparation=replace(now, cuts=cuts, states=states), ways=ways)

    def date(self, column: str, part: str) -> PreparationEditor:
        """Use a part of the dates in a column (see `Preparation.dates`); ValueError if the part is unknown.

        A part is cut if it is a number with many values.
        """
        now = self.preparation
        left_out = tuple(name for name in now.leave_out if name != column)
        plain = replace(now, leave_out=left_out, cuts=without(now.cuts, column), states=without(now.states, column))
        taken = replace(plain, dates={**now.dates, column: part})
        return replace(self, preparation=taken, ways=without(self.ways, column))._with_states(column)

    def _with_states(self, column: str) -> PreparationEditor:
        """Cut a column of numbers; use a part of a column of dates."""
        held = self.held(column)
        kind = describe_columns(held.to_frame())["kind"].iloc[0]
        if kind == "dates":
            dates = as_dates(held)
            assert dates is not None
            return self.date(column, suggested_part(dates))
        return self.cut(column, *DEFAULT) if kind in CUT else self

    def held(self, column: str) -> pd.Series:
        """Return a column before it is cut; for dates, the part that is used."""
        check_column(self.frame, column)
        return with_dates(self.frame[[column]], self.preparation.dates)[column]

    def cut_all(self, method: str, bins: int = 3) -> PreparationEditor:
        """Cut every used column that has cuts in another way; errors are those of `cut`."""
        changed = self
        for name in self.preparation.cuts:
            if name not in self.preparation.unused and not (method == "mdl" and name == self.preparation.target):
                changed = changed.cut(name, method, bins)
        return changed

    def recode(self, column: str, states: Mapping[str, str]) -> PreparationEditor:
        """Rename, merge and order the states of a column.

        Parameters
        ----------
        column : str
        states : mapping of str to str
            New states of present states, in the order of the new states; states that it lacks keep their positions.
            If it is empty, the states of the data are restored.

        Raises
        ------
        ValueError
            If there is no such column or state.
        """
        check_column(self.frame, column)
        now = self.preparation
        of_others = without(now.states, column)
        if not states:
            return self._recoded(column, of_others)
        present = self.states(column)
        for state in states:
            check_known(state, present, f"column {column!r} has no state {state!r}")
        listed = iter(states.items())
        changed = [next(listed) if state in states else (state, state) for state in present]
        pairs = tuple((old, name) for state, name in changed for old in present[state])
        return self._recoded(column, {**of_others, column: pairs})

    def _recoded(self, column: str, states: Mapping[str, StatePairs]) -> PreparationEditor:
        changed = replace(self, preparation=replace(self.preparation, states=states))
        return changed._cut_by_classes() if column == self.preparation.target else changed

    def states(self, column: str) -> dict[str, tuple[str, ...]]:
        """Return the present states of a column in their order, each with the states of the data that it combines."""
        now = self.preparation
        cuts = {name: cut for name, cut in now.cuts.items() if name == column}
        dates = {name: part for name, part in now.dates.items() if name == column}
        (variable,) = Preparation((), cuts, now.missing, dates=dates).apply(self.frame[[column]]).variables
        new = dict(now.states.get(column, ()))
        present: dict[str, tuple[str, ...]] = {}
        for state in [*new, *(text for text in map(str, variable.states) if text not in new)]:
            name = new.get(state, state)
            present[name] = (*present.get(name, ()), state)
        return present

    def panel(self, unit: str | None, time: str | None) -> PreparationEditor:
        """Make transitions between the times of each unit, or of the rows themselves if both columns are None.

        ValueError for an unknown column, or as for `Preparation`.
        """
        for name in (unit, time):
            if name is not None:
                check_column(self.frame, name)
        return replace(self, preparation=replace(self.preparation, unit=unit, time=time))

    def missing(self, policy: Any) -> PreparationEditor:
        """Change the treatment of missing values; ValueError if it is unknown."""
        return replace(self, preparation=replace(self.preparation, missing=policy))


def _read_cuts(column: str, text: str) -> tuple[float, ...]:
    advice = "write numbers with commas between them, such as 18, 65."
    try:
        points = sorted({float(part) for part in text.replace(";", ",").split(",") if part.strip()})
    except ValueError:
        raise ValueError(f"{column!r}: {text!r} are no cut points; {advice}") from None
    if not points or not all(map(math.isfinite, points)):
        raise ValueError(f"{column!r}: {text!r} names no finite cut point; {advice}")
    return tuple(points)
