"""Table of the columns of a data frame: content, role, discretisation and result."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import traitlets

from bnlab.analysis import Preparation, column_preview
from bnlab.widgets.base.page_widget import PageWidget, page_file

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.data import Table

ROLES = (("use", "Variable"), ("target", "Target"), ("leave out", "Ignore"))
METHODS = (
    ("", "None"),
    ("quantile", "Quantiles"),
    ("width", "Equal width"),
    ("mdl", "Supervised (MDL)"),
    ("own", "Custom cut points"),
)
MISSING = (
    ("error", "Not allowed"),
    ("state", "Treat as a category"),
    ("drop", "Drop rows"),
)
SHOWN = 400
"""Most columns that the page lists; the others are prepared as suggested, or by code."""
NUMBERS = ("continuous", "numbers")


class WorkbenchColumns(PageWidget):
    """Table of columns, and details of one.

    Requests arrive at `on_msg`: ``{"type": "look" | "role" | "cut" | "cut-all" | "missing" | "suggest", ...}``.

    Examples
    --------
    >>> WorkbenchColumns()
    WorkbenchColumns(0 columns)
    """

    _esm = page_file("base/problem.js", "base/elements.js", "workbench/columns.js")
    _css = page_file("base/controls.css", "workbench/columns.css")

    columns = traitlets.List(traitlets.Dict()).tag(sync=True)
    """A row each: name, kind, values, missing, example, role, becomes, numeric, method, bins."""
    more = traitlets.Int(0).tag(sync=True)
    """Columns that are not listed."""
    roles = traitlets.List().tag(sync=True)
    """Roles of a column: (value, label)."""
    methods = traitlets.List().tag(sync=True)
    """Methods of discretisation: (value, label)."""
    policies = traitlets.List().tag(sync=True)
    """Treatments of missing values: (value, label)."""
    missing = traitlets.Unicode("error").tag(sync=True)
    """Present treatment."""
    gaps = traitlets.Unicode().tag(sync=True)
    """Sentence about missing values."""
    looked_at = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    """Column whose details are shown."""
    preview = traitlets.Dict().tag(sync=True)
    """Its content: edges, bars, cuts, states, counts, others, missing, advice."""
    summary = traitlets.Unicode().tag(sync=True)
    """Sentence about the resulting table."""
    failed = traitlets.Unicode().tag(sync=True)
    """Error of the last change."""

    def __init__(self) -> None:
        super().__init__(
            roles=[list(role) for role in ROLES],
            methods=[list(method) for method in METHODS],
            policies=[list(policy) for policy in MISSING],
        )

    def show(
        self,
        frame: pd.DataFrame,
        kinds: pd.DataFrame,
        preparation: Preparation,
        table: Table,
        ways: dict[str, tuple[str, int]],
    ) -> None:
        """Show a preparation.

        Parameters
        ----------
        frame, kinds, preparation, table
            Data, the result of `describe_columns`, the preparation and its result.
        ways : dict of str to (method, bins)
            How the cut points of a column were found; the others are custom.
        """
        if self.looked_at not in frame.columns:
            self.looked_at = _first_look(kinds)
        with self.hold_sync():
            self.columns = [
                _row(name, kinds.loc[name], preparation, table, ways) | {"numeric": _is_numeric(frame[name])}
                for name in kinds.index[:SHOWN]
            ]
            self.more = max(len(kinds) - SHOWN, 0)
            self.missing = preparation.missing
            self.gaps = _gap_words(frame)
            self.summary = _summary(table, len(frame))
            self.failed = ""
            self.look(frame, kinds, preparation)

    def look(self, frame: pd.DataFrame, kinds: pd.DataFrame, preparation: Preparation) -> None:
        """Show details of one column."""
        name = self.looked_at
        if name is None or kinds.loc[name, "kind"] in ("empty", "unsuitable"):
            self.preview = {} if name is None else {"advice": kinds.loc[name, "advice"], "states": [], "counts": []}
            return
        cuts = preparation.cuts.get(name)
        found = column_preview(frame, name, cuts)._asdict()
        if cuts is not None and len(cuts) == 0:
            found["advice"] = "No cut was found: all values are one state."
        self.preview = {"advice": str(kinds.loc[name, "advice"]), **found, "text": _cut_text(cuts)}

    def __repr__(self) -> str:
        """How many columns."""
        return f"WorkbenchColumns({len(self.columns) + self.more} columns)"


def _row(
    name: str, known: pd.Series, preparation: Preparation, table: Table, ways: dict[str, tuple[str, int]]
) -> dict[str, Any]:
    cut = name in preparation.cuts
    method, bins = ways.get(name, ("own", 3)) if cut else ("", 3)
    left_out = name in preparation.leave_out
    return {
        "name": name,
        "kind": known["kind"],
        "values": int(known["values"]),
        "missing": int(known["missing"]),
        "example": known["example"],
        "role": "leave out" if left_out else "target" if name == preparation.target else "use",
        "becomes": "" if left_out else _states(table.arities[table.index(name)]),
        "method": method,
        "bins": bins,
    }


def _is_numeric(column: pd.Series) -> bool:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return bool(is_numeric_dtype(column.dtype) and not is_bool_dtype(column.dtype))


def _first_look(kinds: pd.DataFrame) -> str:
    numbers = [name for name, kind in kinds["kind"].items() if kind in NUMBERS]
    return str(numbers[0] if numbers else kinds.index[0])


def _states(arity: int) -> str:
    return f"{arity:,} state{'s' if arity != 1 else ''}"


def _cut_text(cuts: Any) -> str:
    return "" if cuts is None else ", ".join(f"{cut:.12g}" for cut in cuts)


def _gap_words(frame: pd.DataFrame) -> str:
    gaps = frame.isna()
    columns, rows = int(gaps.any().sum()), int(gaps.any(axis=1).sum())
    if not columns:
        return "No value is missing."
    return f"{columns:,} of {frame.shape[1]:,} columns have missing values, in {rows:,} of {len(frame):,} rows."


def _summary(table: Table, rows: int) -> str:
    left = f" (of {rows:,})" if table.n_rows != rows else ""
    most = max(table.arities)
    return f"The table has {table.n_rows:,} rows{left} and {table.n_variables:,} variables of up to {_states(most)}."
