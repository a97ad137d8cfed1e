"""What an experiment board shows: controls, the table of results, and escaped HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from bnlab.figures.contingency import confusion_table
from bnlab.figures.graphs.network import network_picture
from bnlab.figures.labels import capitalised
from bnlab.figures.table import signed
from bnlab.papers.base.board.state import ALL, NO_DETAIL, NOT_RUN, Moment, State, verdict
from bnlab.papers.base.board.update import VIEWS
from bnlab.papers.base.experiment import Experiment, RunDetail
from bnlab.papers.base.forest import WIDTH, forest_json, forest_picture
from bnlab.papers.base.grid import Record
from bnlab.papers.base.tables import agreement, forest_table
from bnlab.widgets.base import controls as kit
from bnlab.widgets.base.parts import status_message
from bnlab.widgets.base.timing import written_time

if TYPE_CHECKING:
    import pandas as pd

MOST_RUNS = 10_000
WIDE = 14
"""Number of columns above which a confusion matrix takes the whole width."""
COMPUTED = "Test rows by class and prediction, recomputed; the records store only the number of hits."
LINE = "line-height: 1.5"
CHOOSE = f'<div style="{LINE}; padding-top: 12px">Select a cell to see its runs, confusion matrix and network.</div>'
KINDS = {True: ("inside", "✓"), False: ("outside", "✗"), None: ("none", "")}
STATES = {"running": "Running …", "queued": "Queued"}


def page(state: State) -> Mapping[str, Any]:
    """What the page shows; the forest plot takes the place of the table and the legend."""
    shown, forest, counts = state.shown, state.view == "forest", state.confusion
    chosen = None if state.selected is None else (state.selected[0], state.selected[1])
    titles, width = state.titles | {"title": ""}, state.room or WIDTH
    return {
        "heading": heading_html(state, shown),
        "controls": filter_lines(state),
        "results": [] if forest else [[results_table(state, shown)]],
        "forest": forest_json(shown, **titles, width=width, selected=chosen) if forest else None,
        "legend": "" if forest or not len(shown) else legend_html(state, shown),
        "words": detail_html(state),
        "choices": choice_lines(state),
        "confusion": confusion_html(state),
        "wide": counts is not None and len(counts.columns) > WIDE,
        "network": state.network,
        "code": [[kit.code("code", "Code that runs this cell again", state.code)]] if state.code else [],
    }


def heading_html(state: State, shown: pd.DataFrame) -> str:
    """Title, summary of the verdicts of the shown rows, and meaning of the numbers."""
    rerun, variant = state.rerun, state.variant
    sentence = agreement(shown, rerun.verdicts) if len(shown) else "No cell passes the filters."
    unit = rerun.unit(variant)
    unit = capitalised(unit) + ("" if judged(rerun) else ", reported → reproduced")
    return (
        f'<div style="{LINE}"><b>{escape(rerun.title)}</b> · {escape(sentence)}<br>'
        f"{escape(unit)}. {escape(rerun.interval(variant))}</div>"
    )


def legend_html(state: State, shown: pd.DataFrame) -> str:
    """Meaning of the numbers, signs and columns of the table."""
    rerun = state.rerun
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


def still(state: State) -> str:
    """Table, pictures, and the selected row."""
    rerun, shown, network = state.rerun, state.shown, state.network
    parts = [heading_html(state, shown)]
    if len(shown):
        parts.append(legend_html(state, shown))
        parts.append(
            forest_table(shown, corner=rerun.group_name, verdicts=rerun.verdicts, describe=rerun.describe).html
        )
        parts.append(forest_picture(shown, **state.titles).to_html())
    if state.code:
        parts += [detail_html(state), confusion_html(state)]
        if network is not None:
            parts.append(network_picture(network.graph, truth=network.truth, classes=network.kinds).to_html())
        parts.append(f"<pre>{escape(state.code)}</pre>")
    return f"<div>{''.join(parts)}</div>"


def confusion_html(state: State) -> str:
    """Confusion matrix of the shown run; "" if there is none."""
    counts = state.confusion
    return "" if counts is None else confusion_table(counts, caption=COMPUTED).html


def results_table(state: State, table: pd.DataFrame) -> kit.Control:
    """Table with one row per group and one column per item, which says where cells are running or queued."""
    rerun, selected, moment = state.rerun, state.selected, state.moment
    states = moment.states if state.running and moment.variant == state.variant else {}
    items = list(dict.fromkeys(table["item"]))
    found: dict[str, dict[str, list[kit.Control]]] = {}
    for row in table.itertuples():
        place, at_work = [row.group, row.item], states.get((row.group, row.item), "")
        text, (kind, sign) = STATES.get(at_work, row.text), KINDS[row.inside]
        words = text.replace("\n", " ")
        label = f"{row.group}, {row.item}: {words}, {verdict(rerun, row.inside)}"
        classes = [kind, *filter(None, [at_work])]
        shown = kit.cell("selected", place, place == selected, text, label, sign=sign, tip=row.note, classes=classes)
        found.setdefault(row.group, {})[row.item] = [shown]
    rows = [
        (group, ["\n".join(dict.fromkeys([group, rerun.describe(group)])), *(cells.get(item, "") for item in items)])
        for group, cells in found.items()
    ]
    return kit.table(
        "results", f"{rerun.title}: reported and reproduced", [capitalised(rerun.group_name), *items], rows
    )


def detail_html(state: State) -> str:
    """Details of the selected row and of its shown run, stored or recomputed."""
    rerun, row, cell, detail = state.rerun, state.row(state.selected), state.cell, state.run_detail
    if row is None or cell is None:
        return CHOOSE
    record, called = state.records.find(cell), state.shown_run or ""
    going = detail is None and state.wanted != ""
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


def progress_text(moment: Moment) -> str:
    """Progress of a run, and the names of the running cells."""
    time = f", {written_time(moment.left)} left" if moment.left is not None else ""
    now = f": {', '.join(moment.going)}" if moment.going else ""
    return f"{moment.done:,} of {moment.total:,} runs{time}{now}"


def filter_lines(state: State) -> kit.Lines:
    """Filters, buttons, and the progress of a run."""
    rerun, idle, moment = state.rerun, not state.running, state.moment
    share = moment.done / max(moment.total, 1)
    runs = f"{rerun.run_name}s"
    selects: list[tuple[str, str, kit.Options, str]] = [
        ("variant", rerun.variant_name, _choices(rerun.variants), "Protocol of all runs"),
        ("group", rerun.group_name, [(None, "All"), *kit.named(state.table["group"])], "Rows shown"),
        ("item", rerun.item_name, [(None, "All"), *kit.named(state.table["item"])], "Columns shown"),
        ("verdict", "Result", _choices([ALL, *rerun.verdicts, NOT_RUN]), "Results shown"),
    ]
    count = f"Number of {runs} per cell of the table, counted from the first"
    missing = "Run what is missing for the selected cell; if nothing is, recompute the run shown"
    return [
        [
            *(
                kit.select(name, capitalised(label), getattr(state, name), options, tip)
                for name, label, options, tip in selects
                if name != "variant" or len(rerun.variants) > 1
            ),
            kit.tabs("view", "View", state.view, VIEWS.items()),
        ],
        [
            kit.number("runs", capitalised(runs), state.runs, count, least=1, most=MOST_RUNS),
            kit.button("run_selected", "Run selected", missing, enabled=idle and state.selected is not None),
            kit.button("run", "Run all shown", "Run what is missing for the cells shown", enabled=idle),
            kit.button("stop", "Stop", "Stop now; finished runs are saved", enabled=state.running),
        ],
        [] if idle else [kit.progress("progress", "Progress of the run", share, progress_text(moment))],
        [status_message(state.status, failed=state.failed)],
    ]


def choice_lines(state: State) -> kit.Lines:
    """Lists of the runs of the selected row and of the networks of the shown run."""
    run = kit.select(
        "shown_run", "Run", state.shown_run, _choices(state.behind), f"{capitalised(state.rerun.run_name)} shown"
    )
    network = kit.select("shown_network", "Network", state.shown_network, _choices(state.networks), "Network shown")
    return [[run, network] if len(state.networks) > 1 else [run]]


def _choices(names: Iterable[str]) -> kit.Options:
    """Options with labels in sentence case."""
    return [(name, capitalised(name)) for name in names]
