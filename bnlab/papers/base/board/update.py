"""The state of an experiment board that follows a message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from bnlab._runtime.names import check_known, nearest
from bnlab._runtime.values import at_least
from bnlab.papers.base.board.effects import Kill, Recompute, RunCells
from bnlab.papers.base.board.state import (
    ALL,
    NOT_RUN,
    Ended,
    Moment,
    Moved,
    Recomputed,
    Resized,
    Row,
    Run,
    RunSelected,
    State,
    StopRun,
)
from bnlab.widgets.base.pure import Failed, Set, Stop, Told

Next: TypeAlias = tuple[State, Sequence[Any]]
VIEWS = {"table": "Table", "forest": "Forest plot"}
DETAILS = 32
"""Number of details that are kept."""


def checked(state: State, name: str, value: Any) -> Any:
    """Value of a public field; ValueError or TypeError if it is not possible."""
    match name:
        case "variant":
            check_known(value, state.rerun.variants, f"{state.rerun.variant_name} {value!r}")
        case "view":
            check_known(value, VIEWS, f"view={value!r}")
        case "runs":
            return at_least("runs", value, 1)
        case "selected" if value is not None:
            pair = isinstance(value, (list, tuple)) and len(value) == 2
            if not pair or state.row(value) is None:
                raise ValueError(f"selected={value!r}: no such row; give [group, item] of `to_frame`, or None")
            return list(value)
        case "group" | "item" | "verdict" | "shown_run" | "shown_network" if value is not None:
            known: list[str] = {
                "group": [*dict.fromkeys(state.table["group"])],
                "item": [*dict.fromkeys(state.table["item"])],
                "verdict": [ALL, *state.rerun.verdicts, NOT_RUN],
                "shown_run": list(state.behind),
                "shown_network": state.networks,
            }[name]
            if value not in known:
                raise ValueError(f"{name}={value!r}: {nearest(str(value), known) if known else 'there is none yet'}")
        case "group" | "item" | "selected" | "shown_run" | "shown_network":
            return None
        case _:
            raise ValueError(f"{name}={value!r}: a board has no such setting.")
    return value


def begun(state: State) -> State:
    """State with the table of its variant and without filters that it does not have."""
    table = state.rerun.table(state.records, state.variant)
    group, item = (
        value if value in {*table[name]} else None for name, value in (("group", state.group), ("item", state.item))
    )
    new = replace(state, table=table, group=group, item=item)
    return replace(new, selected=None if new.row(new.selected) is None else new.selected)


def looked_at(state: State) -> Next:
    """List the runs of the selected row, and show one of them."""
    behind = {}
    if state.selected is not None:
        group, item = state.selected
        stored = state.records.behind(state.variant, group, item)
        planned = state.rerun.cells(state.variant, group, item, state.runs)
        behind = {state.rerun.run_label(cell): cell for cell in [*stored, *planned]}
    shown = state.shown_run if state.shown_run in behind else next(iter(behind), None)
    return detailed(replace(state, behind=behind, shown_run=shown))


def detailed(state: State, *, again: bool = False) -> Next:
    """Show the details of the shown run; recompute them if they are not known, or `again`."""
    key, effects = state.detail_key, []
    if key and key != state.wanted and (again or key not in state.details):
        assert state.selected is not None
        assert state.cell is not None
        question = state.rerun, state.variant, state.selected[1], state.cell
        effects = [Recompute(key, *question, state.details_runner)]
        state = replace(state, wanted=key)
    if state.shown_network not in state.networks:
        state = replace(state, shown_network=next(iter(state.networks), None))
    return state, effects


def run(state: State, rows: Sequence[Row] | None) -> Next:
    """Run what is missing in some rows, by default in all shown ones."""
    if state.running:
        raise RuntimeError("cells are running already: `stop` first, or `wait`")
    chosen = list(zip(state.shown.group, state.shown["item"], strict=True)) if rows is None else rows
    by_row = {(g, i): state.rerun.cells(state.variant, g, i, state.runs) for g, i in chosen}
    missing = len(state.records.missing(cell for cells in by_row.values() for cell in cells))
    if not missing:
        return replace(state, status="Nothing to run: all of these runs have records.", failed=False), []
    new = replace(state, running=True, status="", failed=False, moment=Moment(state.variant, total=missing))
    return new, [RunCells(state.records, state.variant, by_row, state.runner)]


def moved(state: State, message: Moved | Ended) -> State:
    """State with the numbers of the new records."""
    moment = message.moment
    progress = {"done": moment.done, "total": moment.total, "left": moment.left}
    table = state.rerun.table(state.records, state.variant)
    return replace(state, moment=moment, progress=progress, table=table)


def update(state: State, message: Any) -> Next:
    """Next state and effects."""
    match message:
        case Set(name, value):
            new = replace(state, **{name: checked(state, name, value)})
            if state.failed:
                new = replace(new, status="", failed=False)
            match name:
                case "variant":
                    return looked_at(begun(new))
                case "selected":
                    return looked_at(new)
                case "shown_run":
                    return detailed(new)
            return new, []
        case Run(rows):
            return run(state, rows)
        case RunSelected():
            if state.selected is None:
                raise ValueError("no row is selected: set `selected` to [group, item]")
            group, item = state.selected
            if state.records.missing(state.rerun.cells(state.variant, group, item, state.runs)):
                return run(state, [(group, item)])
            words = "All of its runs have records; the run below is recomputed."
            return detailed(replace(state, status=words, failed=False), again=True)
        case StopRun():
            return state, [Stop("run"), *([] if state.runner is None else [Kill(state.runner)])]
        case Moved():
            return moved(state, message), []
        case Ended(_, text, failed):
            return looked_at(replace(moved(state, message), running=False, status=text, failed=failed))
        case Recomputed(key, detail):
            others = [(name, value) for name, value in state.details.items() if name != key]
            new = replace(state, details=dict([*others[1 - DETAILS :], (key, detail)]))
            if key != state.wanted:
                return new, []
            if state.failed:
                new = replace(new, status="", failed=False)
            return detailed(replace(new, wanted=""))
        case Failed(Recompute(key)):
            return replace(state, wanted="" if key == state.wanted else state.wanted), []
        case Failed(RunCells()):
            return replace(state, running=False), []
        case Failed():
            return state, []
        case Told(text):
            return replace(state, status=text, failed=True), []
        case Resized(room):
            return replace(state, room=room), []
    raise TypeError(f"{message!r} is no message of an experiment board.")
