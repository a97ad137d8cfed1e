"""State of an experiment board as traits, and its content: controls, the table of results, escaped HTML."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from html import escape
from typing import TYPE_CHECKING, Any

import traitlets

from bnlab._runtime.names import check_known, nearest
from bnlab.figures.labels import capitalised
from bnlab.figures.table import signed
from bnlab.papers.base.batch import Batch
from bnlab.papers.base.board.background import DetailLoader, Row
from bnlab.papers.base.experiment import Experiment, Network, Records, RunDetail
from bnlab.papers.base.forest import forest_figure, forest_picture
from bnlab.papers.base.grid import Cell, Record
from bnlab.papers.base.tables import agreement, forest_table
from bnlab.widgets.base import controls as kit
from bnlab.widgets.base.panel import Panel, status_message
from bnlab.widgets.base.timing import written_time

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

ALL, NOT_RUN = "all", "not run"
NO_DETAIL = RunDetail("")
VIEWS = {"table": "Table", "forest": "Forest plot"}


class BoardTraits(Panel):
    """Traits of an `ExperimentBoard` and what follows from them, without its page."""

    variant = traitlets.Unicode()
    """Protocol of all runs, or the kind of reported numbers."""
    group = traitlets.Unicode(None, allow_none=True)
    """Shown group, such as a data set; None for all."""
    item = traitlets.Unicode(None, allow_none=True)
    """Shown item, such as a score; None for all."""
    verdict = traitlets.Unicode(ALL)
    """Shown rows: "all", "not run", or one of the paper's two verdicts, such as "agrees" and "differs"."""
    view = traitlets.Enum(list(VIEWS), "table")
    """Table or forest plot."""
    selected = traitlets.List(traitlets.Unicode(), default_value=None, allow_none=True)
    """Selected row, [group, item]; None if no row is selected."""
    shown_run = traitlets.Unicode(None, allow_none=True)
    """Name of the shown run of the selected row; None if no row is selected."""
    shown_network = traitlets.Unicode(None, allow_none=True)
    """Name of the shown network of that run; None until its networks are known."""
    runs = traitlets.Int(1, min=1)
    """Number of seeds or samples per row that `run` runs, counted from the first."""
    running = traitlets.Bool(False)
    """Whether cells are running."""
    progress = traitlets.Dict()
    """Progress of the current or last run: done, total, and left in seconds or None."""
    rerun: Experiment
    records: Records
    _details: DetailLoader
    table: pd.DataFrame
    behind: dict[str, Cell]

    def to_frame(self) -> pd.DataFrame:
        """Reported and reproduced numbers of the shown rows.

        Returns
        -------
        DataFrame
            As `bnlab.papers.base.experiment.Experiment.table`, without the texts.
        """
        return self.shown().drop(columns=["text", "note"]).reset_index(drop=True)

    def figure(self, **options: Any) -> go.Figure:
        """Forest plot of the shown rows; options as for `bnlab.papers.base.forest.forest_figure`."""
        return forest_figure(self.shown(), **{**self.titles(), **options})

    @property
    def cell(self) -> Cell | None:
        """Cell of the shown run."""
        return self.behind.get(self.shown_run or "")

    @property
    def run_detail(self) -> RunDetail | None:
        """Details of the shown run; None until they are recomputed."""
        cell = self.cell
        if cell is None or self.selected is None:
            return None
        return self._details.find(self.variant, self.selected[1], cell)

    @property
    def confusion(self) -> pd.DataFrame | None:
        """Confusion matrix of the shown run; None if it has none or is not recomputed yet."""
        return (self.run_detail or NO_DETAIL).confusion

    @property
    def networks(self) -> list[str]:
        """Names of the networks of the shown run."""
        return list((self.run_detail or NO_DETAIL).networks)

    @property
    def network(self) -> Network | None:
        """Shown network."""
        return (self.run_detail or NO_DETAIL).networks.get(self.shown_network or "")

    @property
    def code(self) -> str:
        """Python code that repeats the shown run; empty if no run is shown."""
        cell = self.cell
        return "" if cell is None or self.selected is None else self.rerun.code(self.variant, cell)

    def shown(self) -> pd.DataFrame:
        """Rows of the table that pass the filters."""
        table = self.table
        for name, value in (("group", self.group), ("item", self.item)):
            if value is not None:
                table = table[table[name] == value]
        if self.verdict != ALL:
            table = table[[verdict(self.rerun, value) == self.verdict for value in table.inside]]
        return table

    def _row(self, row: Sequence[str]) -> Any:
        found = self.table[(self.table.group == row[0]) & (self.table["item"] == row[1])]
        return next(found.itertuples(), None)

    def titles(self) -> dict[str, Any]:
        """Title, unit and verdicts of the forest plot, as its options."""
        return {"title": self.rerun.title, "unit": self.rerun.unit(self.variant), "verdicts": self.rerun.verdicts}

    @traitlets.validate("variant")
    def _check_variant(self, proposal: Any) -> str:
        check_known(proposal["value"], self.rerun.variants, f"{self.rerun.variant_name} {proposal['value']!r}")
        return str(proposal["value"])

    @traitlets.validate("group", "item", "verdict", "shown_run", "shown_network")
    def _check_choice(self, proposal: Any) -> str | None:
        name, value = proposal["trait"].name, proposal["value"]
        known: list[str] = {
            "group": list(dict.fromkeys(self.table["group"])),
            "item": list(dict.fromkeys(self.table["item"])),
            "verdict": [ALL, *self.rerun.verdicts, NOT_RUN],
            "shown_run": list(self.behind),
            "shown_network": self.networks,
        }[name]
        if value is not None and value not in known:
            raise ValueError(f"{name}={value!r}: {nearest(value, known) if known else 'there is none yet'}")
        return None if value is None else str(value)

    @traitlets.validate("selected")
    def _check_selected(self, proposal: Any) -> list[str] | None:
        row: list[str] | None = proposal["value"]
        if row is not None and (len(row) != 2 or self._row(row) is None):
            raise ValueError(f"selected={row!r}: no such row; give [group, item] of `to_frame`, or None")
        return row


def verdict(rerun: Experiment, inside: bool | None) -> str:
    """Text of a verdict."""
    return NOT_RUN if inside is None else rerun.verdicts[not inside]


MOST_RUNS = 10_000
LINE = "line-height: 1.5"
CHOOSE = f'<div style="{LINE}; padding-top: 12px">Select a cell to see its runs, confusion matrix and network.</div>'
KINDS = {True: ("inside", "✓"), False: ("outside", "✗"), None: ("none", "")}
STATES = {"running": "Running …", "queued": "Queued"}


def heading_html(board: BoardTraits, shown: pd.DataFrame) -> str:
    """Title, summary of the verdicts of the shown rows, and meaning of the numbers."""
    rerun, variant = board.rerun, board.variant
    sentence = agreement(shown, rerun.verdicts) if len(shown) else "No cell passes the filters."
    unit = rerun.unit(variant)
    unit = capitalised(unit) + ("" if judged(rerun) else ", reported → reproduced")
    return (
        f'<div style="{LINE}"><b>{escape(rerun.title)}</b> · {escape(sentence)}<br>'
        f"{escape(unit)}. {escape(rerun.interval(variant))}</div>"
    )


def legend_html(board: BoardTraits, shown: pd.DataFrame) -> str:
    """Meaning of the numbers, signs and columns of the table."""
    rerun = board.rerun
    good, bad = map(escape, rerun.verdicts)
    kept, first = "the claim holds in all cases or in most", ""
    if not judged(rerun):
        kept, runs = "the reproduced number lies in the interval of the reported one", escape(rerun.run_name)
        first = f"First the reported number, after → the reproduced one (median of the {runs}s). "
    signs = f"{first}✓ {good}: {kept}; ✗ {bad}: not so; no sign: not run."
    items = ((item, rerun.describe_item(item)) for item in dict.fromkeys(shown["item"]))
    lines = [f"<dt><b>{escape(item)}</b></dt><dd>{escape(words)}</dd>" for item, words in items if words]
    columns = f"<details><summary>What the columns are</summary><dl>{''.join(lines)}</dl></details>" if lines else ""
    return f'<div style="{LINE}">{signs}{columns}</div>'


def still_html(board: BoardTraits, detail: str) -> str:
    """Board for pages without a kernel; `detail` is HTML about the selected row."""
    rerun, shown = board.rerun, board.shown()
    parts = [heading_html(board, shown)]
    if len(shown):
        parts.append(legend_html(board, shown))
        parts.append(
            forest_table(shown, corner=rerun.group_name, verdicts=rerun.verdicts, describe=rerun.describe).html
        )
        parts.append(forest_picture(shown, **board.titles()).to_html())
    if board.code:
        parts += [detail, f"<pre>{escape(board.code)}</pre>"]
    return f"<div>{''.join(parts)}</div>"


def results_table(board: BoardTraits, table: pd.DataFrame, states: Mapping[Row, str]) -> kit.Control:
    """Table with one row per group and one column per item; `states` has those with unfinished cells."""
    rerun, selected = board.rerun, board.selected
    items = list(dict.fromkeys(table["item"]))
    found: dict[str, dict[str, list[kit.Control]]] = {}
    for row in table.itertuples():
        place, state = [row.group, row.item], states.get((row.group, row.item), "")
        text, (kind, sign) = STATES.get(state, row.text), KINDS[row.inside]
        words = text.replace("\n", " ")
        label = f"{row.group}, {row.item}: {words}, {verdict(rerun, row.inside)}"
        classes = [kind, *filter(None, [state])]
        shown = kit.cell("selected", place, place == selected, text, label, sign=sign, tip=row.note, classes=classes)
        found.setdefault(row.group, {})[row.item] = [shown]
    rows = [
        (group, ["\n".join(dict.fromkeys([group, rerun.describe(group)])), *(cells.get(item, "") for item in items)])
        for group, cells in found.items()
    ]
    return kit.table(
        "results", f"{rerun.title}: reported and reproduced", [capitalised(rerun.group_name), *items], rows
    )


def detail_html(
    rerun: Experiment, row: Any, called: str, record: Record | None, detail: RunDetail | None, *, going: bool = False
) -> str:
    """Details of a row of `Experiment.table` and of its run with the name `called`, stored or recomputed."""
    head = f"<b>{escape(row.group)} · {escape(row.item)}</b>"
    title = rerun.describe(row.group)
    more = f" <span>{escape(title)}</span>" if title != row.group else ""
    lines = [
        f"{head}{more}",
        escape(reported_and_reproduced(rerun, row)),
        f"{escape(capitalised(called))}: {escape(compared(rerun, row.item, record, detail, going))}",
    ]
    rows = "".join(
        f'<tr><td style="padding: 0 12px 0 0; vertical-align: top; white-space: nowrap">{name}</td>'
        f'<td style="text-align: left">{escape(value)}</td></tr>'
        for name, value in ((escape(capitalised(k)), v) for k, v in (detail or NO_DETAIL).facts.items())
    )
    table = f'<table style="border-collapse: collapse; {LINE}">{rows}</table>' if rows else ""
    return f'<div style="{LINE}; padding-top: 12px" aria-live="polite">{"<br>".join(lines)}</div>{table}'


def judged(rerun: Experiment) -> bool:
    """Whether the paper reports claims, which have verdicts of their own, instead of numbers."""
    return rerun.verdicts != Experiment.verdicts


def reported_and_reproduced(rerun: Experiment, row: Any) -> str:
    """Reported number, reproduced number and verdict. A claim has no number; its note is shown instead."""
    if row.inside is None:
        return f"Reported {row.published:g}; not run."
    word = verdict(rerun, row.inside)
    if judged(rerun):
        return f"{row.text.replace(chr(10), ', ')}: {row.note}."
    interval = f" ({row.low:.4g} to {row.high:.4g})"
    reproduced = f"reproduced {row.rerun:.4g} ({row.note}), {signed(row.difference)}"
    return f"Reported {row.published:g}{interval}; {reproduced}, {word}."


def compared(rerun: Experiment, item: str, record: Record | None, detail: RunDetail | None, going: bool) -> str:
    """Outcome of a run, and whether the recomputed outcome equals the stored one."""
    stored = None if record is None else rerun.outcome(record, item)
    if detail is None:
        words = f"{stored} (stored)." if stored is not None else "no record."
        return words + (" Recomputing …" if going else "")
    if stored is None:
        return f"{detail.outcome}. Computed now; the run has no record."
    if stored == detail.outcome:
        return f"{detail.outcome}. Recomputed; the stored record agrees."
    return f"{detail.outcome}. The stored record differs: {stored}."


def progress_text(batch: Batch, going: Sequence[str]) -> str:
    """Progress of a batch, and the names of the running cells."""
    left = batch.seconds_left()
    time = f", {written_time(left)} left" if left is not None else ""
    now = f": {', '.join(going)}" if going else ""
    return f"{batch.done:,} of {batch.total:,} runs{time}{now}"


def ended(batch: Batch, failure: Exception | None, *, stopped: bool) -> str:
    """Message about the end of a run."""
    if isinstance(failure, BrokenExecutor):
        return "Run failed: a process ended unexpectedly; finished runs are saved."
    if failure is not None:
        return f"Run failed: {failure or type(failure).__name__}"
    runs = f"{batch.done:,} of {batch.total:,} runs"
    return f"Stopped after {runs}; finished runs are saved." if stopped and batch.left else f"Ran {runs}."


def filter_lines(board: BoardTraits, share: tuple[float, str] | None) -> kit.Lines:
    """Filters, buttons, and the progress of a run as (share, text)."""
    rerun, idle = board.rerun, not board.running
    runs = f"{rerun.run_name}s"
    selects: list[tuple[str, str, kit.Options, str]] = [
        ("variant", rerun.variant_name, _choices(rerun.variants), "Protocol of all runs"),
        ("group", rerun.group_name, [(None, "All"), *kit.named(board.table["group"])], "Rows shown"),
        ("item", rerun.item_name, [(None, "All"), *kit.named(board.table["item"])], "Columns shown"),
        ("verdict", "Result", _choices([ALL, *rerun.verdicts, NOT_RUN]), "Results shown"),
    ]
    count = f"Number of {runs} per cell of the table, counted from the first"
    missing = "Run what is missing for the selected cell; if nothing is, recompute the run shown"
    return [
        [
            *(
                kit.select(name, capitalised(label), getattr(board, name), options, tip)
                for name, label, options, tip in selects
                if name != "variant" or len(rerun.variants) > 1
            ),
            kit.tabs("view", "View", board.view, VIEWS.items()),
        ],
        [
            kit.number("runs", capitalised(runs), board.runs, count, least=1, most=MOST_RUNS),
            kit.button("run_selected", "Run selected", missing, enabled=idle and board.selected is not None),
            kit.button("run", "Run all shown", "Run what is missing for the cells shown", enabled=idle),
            kit.button("stop", "Stop", "Stop now; finished runs are saved", enabled=board.running),
        ],
        [] if share is None else [kit.progress("progress", "Progress of the run", *share)],
        [status_message(board)],
    ]


def choice_lines(board: BoardTraits) -> kit.Lines:
    """Lists of the runs of the selected row and of the networks of the shown run."""
    run = kit.select(
        "shown_run", "Run", board.shown_run, _choices(board.behind), f"{capitalised(board.rerun.run_name)} shown"
    )
    network = kit.select("shown_network", "Network", board.shown_network, _choices(board.networks), "Network shown")
    return [[run, network] if len(board.networks) > 1 else [run]]


def _choices(names: Iterable[str]) -> kit.Options:
    """Options with labels in sentence case."""
    return [(name, capitalised(name)) for name in names]
