"""A preparation that is edited column by column, with the method of each discretization."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bnlab._runtime.names import nearest
from bnlab.analysis.columns import describe_columns
from bnlab.analysis.preparation import CUT, Preparation, check_column, cut_points, numbers
from bnlab.data.discretize import METHODS
from bnlab.data.encode import check_policy

if TYPE_CHECKING:
    import pandas as pd

ROLES = ("use", "target", "leave out")
DEFAULT = ("quantile", 3)


@dataclass(frozen=True, eq=False)
class Preparing:
    """A preparation of one frame.

    Attributes
    ----------
    frame : DataFrame
    preparation : Preparation
    ways : mapping of str to (method, bins)
        Method of the cuts of a column; columns that are not in it have user-defined cuts.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"weight": [61.5, 70.25, 55.0, 80.0], "class": list("abab")})
    >>> preparing = Preparing.suggested(frame).cut("weight", "width", 2).role("class", "target")
    >>> preparing.preparation.cuts, preparing.preparation.target
    ({'weight': (67.5,)}, 'class')
    """

    frame: pd.DataFrame
    preparation: Preparation
    ways: Mapping[str, tuple[str, int]] = field(default_factory=dict)

    @classmethod
    def suggested(cls, frame: pd.DataFrame) -> Preparing:
        """What is suggested for a frame."""
        preparation = Preparation.suggested(frame)
        return cls(frame, preparation, dict.fromkeys(preparation.cuts, DEFAULT))

    def role(self, column: str, role: str) -> Preparing:
        """Use a column as a variable, as the target, or not at all; only one column is the target.

        Raises
        ------
        ValueError
            When the column or the role is unknown.
        """
        check_column(self.frame, column)
        if role not in ROLES:
            raise ValueError(f"role={role!r}: {nearest(role, ROLES)}")
        now = self.preparation
        others = tuple(name for name in now.leave_out if name != column)
        target = column if role == "target" else None if now.target == column else now.target
        left_out = (*others, column) if role == "leave out" else others
        changed = replace(self, preparation=replace(now, leave_out=left_out, target=target))
        kind = describe_columns(self.frame[[column]])["kind"].iloc[0]
        if role != "leave out" and kind in CUT and column not in now.cuts:
            changed = changed.cut(column, *DEFAULT)
        return changed if target == now.target else changed._guided()

    def cut(self, column: str, method: str, bins: int = 3, text: str = "") -> Preparing:
        """Cut a column of numbers.

        Parameters
        ----------
        column : str
        method : {"quantile", "width", "mdl", "own", ""}
            As for `cut_points`; "own" for the cut points in `text`, and "" for none, so that each number is a state.
        bins : int
        text : str
            Numbers with commas between them.

        Raises
        ------
        ValueError
            When the cut points are no numbers, or as for `cut_points`.
        """
        if method == "own" and not text:
            raise ValueError(f"{column!r}: write its cut points with commas between them, such as 18, 65.")
        points = self._points(column, method, bins, text)
        cuts = {name: cut for name, cut in self.preparation.cuts.items() if name != column}
        ways = {name: way for name, way in self.ways.items() if name != column}
        if points is not None:
            cuts[column] = points
        if method in METHODS:
            ways[column] = (method, bins)
        return replace(self, preparation=replace(self.preparation, cuts=cuts), ways=ways)

    def cut_all(self, method: str, bins: int = 3) -> Preparing:
        """Cut every column that is used and cut now in another way; errors are those of `cut`."""
        changed = self
        for name in self.preparation.cuts:
            if name not in self.preparation.leave_out and not (method == "mdl" and name == self.preparation.target):
                changed = changed.cut(name, method, bins)
        return changed

    def missing(self, policy: Any) -> Preparing:
        """Treat missing values in another way; ValueError when it is unknown."""
        check_policy(policy)
        return replace(self, preparation=replace(self.preparation, missing=policy))

    def _points(self, column: str, method: str, bins: int, text: str) -> tuple[float, ...] | None:
        if method == "":
            return None
        if method == "own":
            numbers(self.frame, column)
            return _read_cuts(column, text)
        return cut_points(self.frame, column, method, bins=bins, target=self.preparation.target)

    def _guided(self) -> Preparing:
        """With supervised cuts recomputed, or quantiles where that is no longer possible."""
        changed = self
        for name, (method, _) in self.ways.items():
            if method == "mdl":
                free = self.preparation.target in (None, name)
                changed = changed.cut(name, *(DEFAULT if free else (method, 3)))
        return changed


def _read_cuts(column: str, text: str) -> tuple[float, ...]:
    parts = [part for part in text.replace(";", ",").split(",") if part.strip()]
    try:
        points = sorted({float(part) for part in parts})
    except ValueError:
        raise ValueError(
            f"{column!r}: {text!r} are no cut points; write numbers with commas, such as 18, 65."
        ) from None
    if not points or not all(map(math.isfinite, points)):
        raise ValueError(f"{column!r}: {text!r} names no finite cut point; write numbers with commas, such as 18, 65.")
    return tuple(points)
