"""Forms of a workbench for columns: content, role, discretization and result of each, and details of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from math import floor, log10
from typing import Any

import numpy as np
import pandas as pd

from bnlab._runtime.history import History
from bnlab.analysis.columns import ColumnPreview, column_preview
from bnlab.analysis.preparation_editor import PreparationEditor
from bnlab.analysis.session import Session
from bnlab.data import Table
from bnlab.data.gaps import Patterns
from bnlab.figures.labels import capitalised
from bnlab.graphs.dag import counted
from bnlab.widgets.base import controls as kit
from bnlab.widgets.workbench.state import State
from bnlab.widgets.workbench.states import CHANGES, changed_states, state_lines

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
    "error": "Stop if values are missing",
    "state": "Keep as a state “missing”",
    "drop": "Drop rows",
    "keep": "Keep (structural EM)",
}
HEADS = ("Column", "Content", "Distribution", "Missing", "Role", "Discretize", "Result")
SHOWN = 400
"""Maximum number of columns in the page; the others are prepared as suggested, or by code."""
MANY = 12
"""Minimum number of columns for a field that finds one."""
NUMBERS = ("continuous", "numbers")
OF_COLUMN = ("role", "method", "bins", "date", "cut-points")
"""Controls of one column; the name of the column follows a colon."""
PANEL = ("transitions", "rows")
"""Buttons that make a table of the transitions of units between their times, or of the rows themselves."""
BARS = 24
"""Maximum number of states in a small chart of frequencies."""
PATTERNS, NAMED = 10, 6
"""Maximum numbers of patterns of missing values in the table, and of columns named in one pattern."""
FIGURE_SPACE = "\u2007"
"""Space as wide as a digit."""
STEPS = 100
"""Minimum number of steps from one end of a histogram to the other."""
MOVES = "Drag cut points, or move them by the arrow keys; Delete removes one, a double click adds one"


def column_lines(state: State) -> kit.Lines:
    """Form with the columns and their preparation."""
    preparing, kinds, result = state.preparing, state.session.kinds, state.session.rows
    if preparing is None or kinds is None or result is None or state.edits is None:
        return []
    preparation, rows = preparing.preparation, [*_rows(state, preparing, kinds, result)]
    filled = [i for i in range(len(HEADS)) if any(cells[i] for _, cells in rows)]
    heads, listed = [HEADS[i] for i in filled], [(name, [cells[i] for i in filled]) for name, cells in rows]
    find = "Find a column" if len(kinds) >= MANY else ""
    gaps = preparing.gaps
    more = len(kinds) - SHOWN
    text, failed = state.said.get("columns", ("", False))
    further = f"{more:,} further columns are not listed; they are prepared as suggested, and code can change that."
    return [
        [kit.select("missing", "Missing values", preparation.missing, _missing_options(gaps))],
        [kit.message("gaps", _gap_text(gaps))],
        _cut_line(preparing, state.typed),
        [
            kit.button("suggest", "Reset to suggestions", "Suggested roles, cut points and missing values"),
            *kit.undo_and_redo(state.edits.last, state.edits.next),
        ],
        [kit.greyed(kit.table("column", "Columns", heads, listed, state.column, find=find), preparation.unused)],
        [kit.message("more", further)] if more > 0 else [],
        [kit.message("failed", text if failed else "", "alert")],
        [kit.message("summary", table_text(state.session), "status")],
    ]


def _cut_line(preparing: PreparationEditor, typed: Mapping[str, Any]) -> list[kit.Control]:
    """Controls that cut all numeric columns; none if no numeric column is used."""
    if not any(_is_numeric(column) for _, column in preparing.used.items()):
        return []
    return [
        kit.select("method", "Discretize numeric columns", typed["method"], METHODS.items()),
        *_bins("bins", "Intervals", typed["method"], typed["bins"]),
        kit.button("cut-all", "Apply to all", "Discretize all numeric columns with this method"),
    ]


def detail_lines(state: State) -> kit.Lines:
    """Details of one column: advice, a histogram, cut points and states."""
    preparing, kinds, result, name = state.preparing, state.session.kinds, state.session.rows, state.column
    if preparing is None or kinds is None or result is None or name is None:
        return []
    known, cuts = kinds.loc[name], preparing.preparation.cuts.get(name)
    advice = "no cut was found: all values are one state" if cuts is not None and len(cuts) == 0 else known["advice"]
    if known["kind"] == "identifier" and name in preparing.preparation.unused:
        advice = "looks like an identifier; ignored"
    sentences = [counted(known["values"], "different value"), *filter(None, [advice.rstrip(".")])]
    words = kit.message("advice", " ".join(f"{capitalised(sentence)}." for sentence in sentences))
    if known["kind"] in ("empty", "unsuitable"):
        return [[words]]
    column = preparing.held(name)
    own = "" if cuts is None else ", ".join(f"{cut:.12g}" for cut in cuts)
    tip = "Cut points, separated by commas; a value equal to a cut point lies to its left"
    found, is_used = _preview(state, preparing, name), name not in preparing.preparation.unused
    return [
        [words],
        [] if cuts is None else [_histogram(f"cut-points:{name}", name, found, is_whole=column.dtype.kind in "iu")],
        [kit.text("cuts", "Cut points", own, tip, placeholder="such as 18, 65")] if _is_numeric(column) else [],
        *(state_lines(preparing, result, name) if is_used else _frequencies(name, found)),
    ]


def _frequencies(name: str, found: ColumnPreview) -> kit.Lines:
    """States of a column that does not become a variable."""
    states = [*zip(found.states, found.counts, strict=True), *([("missing", found.missing)] if found.missing else [])]
    most = max((count for _, count in states), default=1) or 1
    rows: list[tuple[str, list[kit.Cell]]] = [
        (str(i), [state, [kit.progress(f"share:{i}", state, count / most, f"{count:,}")]])
        for i, (state, count) in enumerate(states)
    ]
    return [
        [kit.table("states", f"States of {name}", ("State", "Rows"), rows)],
        [kit.message("others", f"and {found.others:,} further values")] if found.others else [],
    ]


def after_change(state: State, what: str, of: str, value: Any, shown: str) -> History[PreparationEditor]:
    """History of preparations after the use of a control of the columns, or of the details of the shown column.

    `of` is the part after the colon in the name of the control, a column or a state.
    """
    edits, typed = state.edits, state.typed
    if edits is None:
        raise ValueError("there are no data yet: load some.")
    if what in ("undo", "redo"):
        return edits.undo() if what == "undo" else edits.redo()
    now = edits.now
    method, bins = now.ways.get(of, ("", 3))
    changes: dict[str, Callable[[], PreparationEditor]] = {
        "role": lambda: now.role(of, value),
        "method": lambda: now.cut(of, value, bins),
        "bins": lambda: now.cut(of, method, value or bins),
        "date": lambda: now.date(of, value),
        "cuts": lambda: now.cut(shown, "own", text=value),
        "cut-points": lambda: now.cut(of, "own", text=_moved_cuts(now, of, value)),
        "cut-all": lambda: now.cut_all(typed["method"], typed["bins"]),
        "missing": lambda: now.missing(value),
        "suggest": lambda: PreparationEditor.suggested(now.frame),
        "ignore": lambda: reduce(lambda new, name: new.role(name, "leave out"), state.identifiers, now),
        "merge-alike": lambda: reduce(lambda new, item: new.recode(*item), state.alike.items(), now),
        "transitions": lambda: _transitions(now, typed["unit"], typed["time"]),
        "rows": lambda: now.panel(None, None),
        **{change: lambda: now.recode(shown, changed_states(now, shown, what, of, value)) for change in CHANGES},
    }
    return state.next_edit(changes[what]())


def _transitions(preparing: PreparationEditor, unit: str, time: str) -> PreparationEditor:
    if not (unit or time):
        raise ValueError("choose the columns of the unit and of the time first.")
    return preparing.panel(unit or None, time or None)


def _moved_cuts(preparing: PreparationEditor, column: str, cuts: Sequence[float]) -> str:
    """Text of the cut points after those in the histogram are replaced; those outside its span stay."""
    now = preparing.preparation.cuts.get(column, ())
    inside = column_preview(preparing.held(column).to_frame(), column, now).cuts
    return ", ".join(map(repr, sorted({*(cut for cut in now if cut not in inside), *map(float, cuts)})))


def first_column(kinds: pd.DataFrame) -> str:
    """Column whose details are shown first: the first numeric column, if there is one."""
    numbers = [name for name, kind in kinds["kind"].items() if kind in NUMBERS]
    return str(numbers[0] if numbers else kinds.index[0])


def table_text(session: Session) -> str:
    """Size of the table after the preparation."""
    table, rows = session.table, len(session.frame)
    if table is None:
        return ""
    states, size = counted(max(table.arities), "state"), counted(table.n_variables, "variable")
    if session.study.preparation.unit is not None:
        return f"The table has {table.n_rows:,} transitions (from {rows:,} rows) and {size} of up to {states}."
    left = f" (of {rows:,})" if table.n_rows != rows else ""
    return f"The table has {table.n_rows:,} rows{left} and {size} of up to {states}."


def _rows(
    state: State, preparing: PreparationEditor, kinds: pd.DataFrame, result: Table
) -> Iterator[tuple[str, list[kit.Cell]]]:
    preparation = preparing.preparation
    for name, known in kinds.head(SHOWN).iterrows():
        left_out = name in preparation.unused
        role = "leave out" if left_out else "target" if name == preparation.target else "use"
        method, bins = preparing.ways.get(str(name), ("own" if name in preparation.cuts else "", 3))
        variable = None if left_out else result.variables[result.index(str(name))]
        content = known["example"] + (" …" if known["values"] > 3 else "")
        if known["kind"] not in ("states", *NUMBERS):
            content = f"{known['kind']}: {content}".removesuffix(": ")
        elif variable is not None and name not in preparation.cuts:
            content = ", ".join(map(str, variable.states))
        elif variable is not None and (edges := _preview(state, preparing, str(name)).edges):
            content = f"{_short(edges[0])} to {_short(edges[-1])}"
        cut: list[kit.Control] = []
        own = {preparation.unit: "Unit", preparation.time: "Time"}.get(str(name))
        part = preparation.dates.get(str(name), "")
        if known["kind"] == "dates":
            parts = [*([] if part else [("", "–")]), *DATES.items()]
            cut = [kit.bare(kit.select(f"date:{name}", f"Part of the dates in {name}", part, parts))]
        if (name in preparation.cuts or _is_numeric(preparing.frame[name])) and not left_out:
            methods = (METHODS | OWN).items()
            cut += [kit.bare(kit.select(f"method:{name}", f"Discretization of {name}", method, methods))]
            cut += map(kit.bare, _bins(f"bins:{name}", f"Intervals of {name}", method, bins))
        yield (
            str(name),
            [
                str(name),
                [kit.bare(kit.message(f"content:{name}", content))],
                [] if left_out else [_distribution(state, preparing, result, str(name))],
                f"{known['missing']:,}" if known["missing"] else "",
                [kit.bare(kit.select(f"role:{name}", f"Role of {name}", role, ROLES))] if own is None else own,
                cut,
                "–" if variable is None else counted(variable.arity, "state"),
            ],
        )


def _bins(id: str, label: str, method: str, bins: int) -> list[kit.Control]:
    return [kit.number(id, label, bins, "Number of intervals", least=2, most=99)] if method in WITH_BINS else []


def _preview(state: State, preparing: PreparationEditor, name: str) -> ColumnPreview:
    """Preview of a column, cached by its cut points."""
    cuts, part = preparing.preparation.cuts.get(name), preparing.preparation.dates.get(name)
    key = name, cuts, part
    if key not in state.previews:
        state.previews[key] = column_preview(preparing.held(name).to_frame(), name, cuts)
    return state.previews[key]


def _distribution(state: State, preparing: PreparationEditor, result: Table, name: str) -> kit.Control:
    """Small histogram of a column with cut points, or frequencies of the states of any other column."""
    if name in preparing.preparation.cuts:
        return kit.bare(_histogram(f"bars:{name}", name, _preview(state, preparing, name)))
    variable, codes = result.variables[result.index(name)], result.column(name)
    counts = np.bincount(codes, minlength=variable.arity)[: variable.arity].tolist()
    rows = [f"{state} {count:,}" for state, count in zip(variable.states[:BARS], counts, strict=False)]
    label = f"Rows of each state of {name}: {', '.join(rows)}"
    return kit.bare(kit.histogram(f"bars:{name}", label, _shares(counts[:BARS]), tip=label))


def _histogram(id: str, name: str, found: ColumnPreview, *, is_whole: bool | None = None) -> kit.Control:
    """Histogram with cut points. `is_whole`: whether the numbers are integers; if None, the points cannot move."""
    low, high = (found.edges[0], found.edges[-1]) if found.edges else (0.0, 0.0)
    listed = f": {', '.join(map(_short, found.cuts))}" if found.cuts else ""
    counted_cuts = counted(len(found.cuts), "cut point")
    label = f"Histogram of {name} from {_short(low)} to {_short(high)}; {counted_cuts}{listed}"
    span, ends = (low, high), (_short(low), _short(high))
    step = None
    if is_whole is not None and high > low:
        step = 10.0 ** floor(log10((high - low) / STEPS))
        step = max(step, 1.0) if is_whole else step
    tip = label if step is None else MOVES
    return kit.histogram(id, label, _shares(found.bars), found.cuts, tip, span=span, ends=ends, step=step)


def _shares(counts: Sequence[int]) -> list[float]:
    most = max(*counts, 1)
    return [count / most for count in counts]


def _is_numeric(column: pd.Series) -> bool:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return bool(is_numeric_dtype(column.dtype) and not is_bool_dtype(column.dtype))


def _short(value: float) -> str:
    text = f"{value:.4g}"
    return f"{value:,.0f}" if "e+0" in text else text


def pattern_lines(state: State) -> kit.Lines:
    """Patterns of columns that are missing together, with numbers of rows; none if no value is missing."""
    if state.preparing is None or not state.preparing.gaps.names:
        return []
    gaps = state.preparing.gaps
    rows: list[tuple[str, list[kit.Cell]]] = []
    for i, (pattern, count) in enumerate(zip(gaps.missing[:PATTERNS], gaps.rows.tolist(), strict=False)):
        missing = [name for name, is_missing in zip(gaps.names, pattern, strict=True) if is_missing]
        text = ", ".join(missing[:NAMED]) + (", …" if len(missing) > NAMED else "") or "None (complete rows)"
        part = count / gaps.rows.sum()
        share = f"{part:6.1%}".replace(" ", FIGURE_SPACE)
        bar = kit.progress(f"pattern:{i}", f"Share of the rows: {text}", part, share)
        rows.append((str(i), [text, f"{count:,}", [bar]]))
    more = len(gaps.rows) - PATTERNS
    return [
        [kit.table("patterns", "Patterns of missing values", ("Missing together", "Rows", "Share"), rows)],
        [kit.message("more-patterns", f"{counted(more, 'further pattern')}.")] if more > 0 else [],
    ]


def _missing_options(gaps: Patterns) -> list[tuple[str, str]]:
    """Ways to treat missing values, each with its cost."""
    costs = {
        "error": "",
        "state": f": {counted(len(gaps.names), 'variable')}",
        "drop": f": {gaps.incomplete_rows:,} of {gaps.rows.sum():,} lost",
        "keep": f": {counted(gaps.values, 'value')}",
    }
    return [(policy, f"{label}{costs[policy] if gaps.names else ''}") for policy, label in MISSING.items()]


def _gap_text(gaps: Patterns) -> str:
    if not gaps.names:
        return "No value of the used columns is missing."
    values, columns = counted(gaps.values, "value"), counted(len(gaps.names), "used column")
    rows = counted(gaps.incomplete_rows, "row")
    return f"{values} of {columns} are missing, in {rows} of {gaps.rows.sum():,}."
