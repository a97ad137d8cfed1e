"""Forms of a workbench about columns: content, role, discretization and result of each, and the details of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bnlab.analysis import column_preview
from bnlab.analysis.preparation import PreparationEditor
from bnlab.graphs.dag import counted
from bnlab.widgets.base import controls as kit
from bnlab.widgets.workbench.traits import WorkbenchTraits

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.data import Table

ROLES = (("use", "Variable"), ("target", "Target"), ("leave out", "Ignore"))
METHODS = {"": "None", "quantile": "Quantiles", "width": "Equal width", "mdl": "Supervised (MDL)"}
DATES = {
    "year": "Year",
    "quarter": "Quarter",
    "month": "Month",
    "weekday": "Weekday",
    "hour": "Hour",
    "decimal year": "Intervals",
}
OWN = {"own": "Custom cut points"}
WITH_BINS = ("quantile", "width")
MISSING = {
    "error": "Not allowed",
    "state": "Treat as a category",
    "drop": "Drop rows",
    "keep": "Keep as missing (structural EM)",
}
HEADS = ("Column", "Content", "Missing", "Role", "Discretize", "Result")
SHOWN = 400
"""Most columns that the page lists; the others are prepared as suggested, or by code."""
MANY = 12
"""Columns from which on there is a field to find one."""
NUMBERS = ("continuous", "numbers")


def column_lines(panel: WorkbenchTraits) -> kit.Lines:
    """Columns and their preparation."""
    preparing, kinds, result = panel._preparing, panel._session.kinds, panel._session.table
    if preparing is None or kinds is None or result is None:
        return []
    frame, preparation, typed = preparing.frame, preparing.preparation, panel._typed
    rows, quiet = _rows(preparing, kinds, result), preparation.leave_out
    find = "Find a column" if len(kinds) >= MANY else ""
    more = len(kinds) - SHOWN
    further = f"{more:,} further columns are not listed; they are prepared as suggested, and code can change that."
    return [
        [
            kit.select("missing", "Missing values", preparation.missing, _missing_options(preparing)),
            kit.select("method", "Discretize", typed["method"], METHODS.items(), "Method for all numeric columns"),
            *_bins("bins", "Intervals of all numeric columns", typed["method"], typed["bins"]),
            kit.button("cut-all", "Apply to all", "Discretize all numeric columns with this method"),
            kit.button("suggest", "Reset to suggestions", "Suggested roles, cut points and missing values"),
        ],
        [kit.message("gaps", _gap_text(preparing))],
        [kit.table("column", "Columns", HEADS, rows, panel._column, left=HEADS[1:2], quiet=quiet, find=find)],
        [kit.message("more", further)] if more > 0 else [],
        [kit.message("failed", *_failure(panel))],
        [kit.message("summary", table_text(result, len(frame)), "status")],
    ]


def detail_lines(panel: WorkbenchTraits) -> kit.Lines:
    """Details of one column: advice, a histogram, cut points and states."""
    preparing, kinds, name = panel._preparing, panel._session.kinds, panel._column
    if preparing is None or kinds is None or name is None:
        return []
    known, cuts = kinds.loc[name], preparing.preparation.cuts.get(name)
    advice = "no cut was found: all values are one state" if cuts is not None and len(cuts) == 0 else known["advice"]
    sentences = [counted(known["values"], "different value"), *filter(None, [advice.rstrip(".")])]
    words = kit.message("advice", " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences))
    if known["kind"] in ("empty", "unsuitable"):
        return [[words]]
    held = preparing.held(name).to_frame()
    found = column_preview(held, name, cuts)
    own = "" if cuts is None else ", ".join(f"{cut:.12g}" for cut in cuts)
    tip = "Cut points, separated by commas; a value equal to a cut point lies to its left"
    states = [*zip(found.states, found.counts, strict=True), *([("missing", found.missing)] if found.missing else [])]
    most = max((count for _, count in states), default=1) or 1
    rows: list[tuple[str, list[str | list[kit.Control]]]] = [
        (str(i), [state, [kit.progress(f"share:{i}", state, count / most, f"{count:,}")]])
        for i, (state, count) in enumerate(states)
    ]
    return [
        [words],
        [_histogram(found.edges, found.bars, found.cuts)] if len(found.edges) > 1 else [],
        [kit.text("cuts", "Cut points", own, tip, placeholder="such as 18, 65")] if _is_numeric(held[name]) else [],
        [kit.table("states", f"States of {name}", ("State", "Rows"), rows)],
        [kit.message("others", f"and {found.others:,} further values")] if found.others else [],
    ]


def first_column(kinds: pd.DataFrame) -> str:
    """Column whose details are shown first: one of numbers, if there is one."""
    numbers = [name for name, kind in kinds["kind"].items() if kind in NUMBERS]
    return str(numbers[0] if numbers else kinds.index[0])


def table_text(result: Table, rows: int) -> str:
    """Size of the table that a preparation gives from some rows."""
    left = f" (of {rows:,})" if result.n_rows != rows else ""
    states = counted(max(result.arities), "state")
    return f"The table has {result.n_rows:,} rows{left} and {result.n_variables:,} variables of up to {states}."


def _rows(
    preparing: PreparationEditor, kinds: pd.DataFrame, result: Table
) -> Iterator[tuple[str, list[str | list[kit.Control]]]]:
    preparation = preparing.preparation
    for name, known in kinds.head(SHOWN).iterrows():
        left_out = name in preparation.leave_out
        role = "leave out" if left_out else "target" if name == preparation.target else "use"
        method, bins = preparing.ways.get(str(name), ("own" if name in preparation.cuts else "", 3))
        content = known["kind"] if known["kind"] == "empty" else f"{known['kind']}: {known['example']}"
        cut: list[kit.Control] = []
        part = preparation.dates.get(str(name), "")
        if known["kind"] == "dates":
            parts = [*([] if part else [("", "–")]), *DATES.items()]
            cut = [kit.bare(kit.select(f"date:{name}", f"Part of the dates in {name}", part, parts))]
        if (name in preparation.cuts or _is_numeric(preparing.frame[name])) and not left_out:
            methods = (METHODS | OWN).items()
            cut += [kit.bare(kit.select(f"method:{name}", f"Discretization of {name}", method, methods))]
            cut += _bins(f"bins:{name}", f"Intervals of {name}", method, bins)
        yield (
            str(name),
            [
                *(str(name), f"{content} …" if known["values"] > 3 else content),
                f"{known['missing']:,}" if known["missing"] else "",
                [kit.bare(kit.select(f"role:{name}", f"Role of {name}", role, ROLES))],
                cut,
                "–" if left_out else counted(result.arities[result.index(str(name))], "state"),
            ],
        )


def _bins(id: str, label: str, method: str, bins: int) -> list[kit.Control]:
    field = kit.bare(kit.number(id, label, bins, "Number of intervals", least=2, most=99))
    return [field] if method in WITH_BINS else []


def _histogram(edges: tuple[float, ...], bars: tuple[int, ...], cuts: tuple[float, ...]) -> kit.Control:
    low, high, most = edges[0], edges[-1], max(*bars, 1)
    listed = f": {', '.join(map(_short, cuts))}" if cuts else ""
    label = f"Histogram from {_short(low)} to {_short(high)}; {len(cuts)} cuts{listed}"
    places = [(cut - low) / (high - low) if high > low else 0.5 for cut in cuts]
    return kit.histogram("histogram", label, [bar / most for bar in bars], places, (_short(low), _short(high)))


def _failure(panel: WorkbenchTraits) -> tuple[str, str]:
    text, failed = panel._messages.get("columns", ("", False))
    return text if failed else "", "alert"


def _is_numeric(column: pd.Series) -> bool:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return bool(is_numeric_dtype(column.dtype) and not is_bool_dtype(column.dtype))


def _short(value: float) -> str:
    return f"{value:.4g}"


def _gaps(preparing: PreparationEditor) -> tuple[int, int, int]:
    """Numbers of used columns and of rows with missing values, and of these values."""
    gaps = preparing.frame.drop(columns=list(preparing.preparation.leave_out)).isna()
    return int(gaps.any().sum()), int(gaps.any(axis=1).sum()), int(gaps.to_numpy().sum())


def _missing_options(preparing: PreparationEditor) -> list[tuple[str, str]]:
    """Ways to treat missing values, each with its cost."""
    columns, rows, values = _gaps(preparing)
    costs = {
        "error": "",
        "state": f": {counted(columns, 'state')} added",
        "drop": f": {rows:,} of {counted(len(preparing.frame), 'row')} lost",
        "keep": f": {counted(values, 'value')} stay missing",
    }
    return [(policy, f"{label}{costs[policy] if columns else ''}") for policy, label in MISSING.items()]


def _gap_text(preparing: PreparationEditor) -> str:
    columns, rows, values = _gaps(preparing)
    if not columns:
        return "No value of the used columns is missing."
    found = f"{counted(values, 'value')} of {counted(columns, 'used column')} are missing, in {counted(rows, 'row')}"
    return f"{found} of {len(preparing.frame):,}."
