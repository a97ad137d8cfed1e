"""Controls of an experiment board."""

from __future__ import annotations

from bnlab.widgets.base.controls import Lines, Options, button, named, number, progress, select, tabs
from bnlab.widgets.board.traits import ALL, NOT_RUN, VIEWS, BoardTraits

MOST_RUNS = 10_000


def filter_lines(board: BoardTraits, share: tuple[float, str] | None) -> Lines:
    """Filters, buttons, and the progress of a run as (share, text)."""
    rerun, idle = board.rerun, not board.running
    runs = f"{rerun.run_name}s"
    selects: list[tuple[str, str, Options, str]] = [
        ("variant", rerun.variant_name, named(rerun.variants), "Protocol of all runs"),
        ("group", rerun.group_name, [(None, ALL), *named(board._table["group"])], "Rows shown"),
        ("item", rerun.item_name, [(None, ALL), *named(board._table["item"])], "Columns shown"),
        ("verdict", "result", named([ALL, *rerun.verdicts, NOT_RUN]), "Results shown"),
    ]
    count = f"Number of {runs} per cell of the table, counted from the first"
    missing = "Run what is missing for the selected cell; if nothing is, recompute the run shown"
    return [
        [
            *(
                select(name, label, getattr(board, name), options, tip)
                for name, label, options, tip in selects
                if name != "variant" or len(rerun.variants) > 1
            ),
            tabs("view", "View", board.view, VIEWS.items()),
        ],
        [
            number("runs", runs, board.runs, count, least=1, most=MOST_RUNS),
            button("run_selected", "Run selected", missing, enabled=idle and board.selected is not None),
            button("run", "Run all shown", "Run what is missing for the cells shown", enabled=idle),
            button("stop", "Stop", "Stop now; finished runs are saved", enabled=board.running),
        ],
        [] if share is None else [progress("progress", "Progress of the run", *share)],
    ]


def choice_lines(board: BoardTraits) -> Lines:
    """Runs and networks of the selected row, to choose from."""
    run = select("shown_run", "run", board.shown_run, named(board._behind), f"{board.rerun.run_name} shown")
    network = select("shown_network", "network", board.shown_network, named(board.networks), "Network shown")
    return [[run, network] if len(board.networks) > 1 else [run]]
