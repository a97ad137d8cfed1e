"""Networks of a workbench: their list with scores, and their comparison."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan, nan

import pandas as pd

from bnlab.analysis.session import Session
from bnlab.figures import picture
from bnlab.figures.agreement import agreement_table, distance_table, text_table
from bnlab.figures.graphs.layers import TooLarge
from bnlab.figures.graphs.network import network_layout, network_picture, not_drawn
from bnlab.figures.labels import capitalised, score_label
from bnlab.figures.scores.differences import differences_data
from bnlab.figures.scores.graph_scores import PLAIN_SCORES
from bnlab.figures.scores.network_scores import NetworkScores
from bnlab.figures.table import signed
from bnlab.graphs.dag import Dag
from bnlab.graphs.equivalence import any_member
from bnlab.graphs.pdag import Pdag
from bnlab.widgets.base import controls as kit
from bnlab.widgets.base.timing import spent
from bnlab.widgets.workbench.measures import Held, Prediction, gap_text, gap_texts
from bnlab.widgets.workbench.state import State

PICTURES = 4
"""Maximum number of pictures side by side."""
LISTED = ("bic", "bdeu")
"""Scores in the list of networks."""
GAP = "To the optimum"
FROM = " from the optimum"
TIP = "Mark the edges that differ"
EDITED = "Add the network as edited in the picture below"
INCOMPLETE = (
    "Values are missing: scores and held-out log-likelihoods need complete rows. Expected score: that of the observed "
    "values by structural EM, in nats, greater is better."
)
KEPT = "*"
UNITS = (
    "Scores in nats, greater is better. Held-out: mean log-likelihood per row in nats, by cross-validation in five "
    "folds, learned anew in each."
)
KEPT_EDGES = f" {KEPT} only the probabilities are learned anew, the edges are kept."


def _per_row(found: Prediction | None, *, kept: bool) -> str:
    if found is None:
        return "…"
    return "–" if isnan(found.mean) else f"{found.mean:,.4f}{KEPT if kept else ''}".replace("-", "−")


def network_lines(state: State) -> kit.Lines:
    """Form with the list of networks: `result_frame`, other measures, and a button that saves an edited picture."""
    name, idle, session = state.shown, not state.busy, state.session
    results = state.results if list(state.results.index) == list(session.study.graphs) else size_frame(session)
    if name is None or name not in results.index:
        return [
            [kit.message("none", "No network yet."), kit.button("learn", "Learn network", enabled=idle, main=True)],
            state.message_line("list"),
        ]
    gaps = gap_texts(session, state.optima, name)
    table = session.table
    is_complete = table is not None and not table.has_gaps
    heads = [*list_heads(results), *(["Held-out"] if is_complete else []), *([GAP] if gaps else [])]
    rows, units = [], UNITS if is_complete else INCOMPLETE
    for key, cells in list_rows(results):
        held = []
        if table is not None and is_complete:
            belongs = Held.of(table, session.study, key)
            held = [_per_row(state.held_out.get(belongs), kept=not belongs.arguments)]
            units = UNITS + KEPT_EDGES if held[0].endswith(KEPT) else units
        rows.append((key, [*cells, *held, *([capitalised(gaps[key].removesuffix(FROM))] if gaps else [])]))
    others = [other for other in results.index if other != name]
    references = [(None, "None"), *kit.named(others)]
    beside = "Draw both networks, with the same positions, selection and evidence"
    return [
        [kit.table("shown", "Networks", heads, rows, name, left=[GAP])],
        [kit.message("units", units, hint=True)],
        [
            *([kit.select("reference", "Compare with", state.reference, references, TIP)] if others else []),
            *([kit.toggle("beside", "Side by side", state.beside, beside)] if state.reference is not None else []),
            kit.button("remove", "Remove network", f"Remove {name} from the list", enabled=idle),
            *([kit.button("edits", "Save edited network as new", EDITED, enabled=idle)] if state.is_edited else []),
            *(_optimum(state, name) if is_complete else []),
        ],
        state.message_line("list"),
    ]


def _optimum(state: State, name: str) -> list[kit.Control]:
    """Distance of the shown network to the optimum, or the button that computes it."""
    if state.searching is not None:
        return [
            kit.button("stop-optimum", "Stop the exact search", "The bound so far stays"),
            kit.progress("searching", "Progress of the exact search", None, state.search_text),
        ]
    sentence = gap_text(state.session, state.optima, name)
    tip = "Exact search, for up to a minute: how far the networks are from the best one"
    return [
        *([] if sentence else [kit.button("optimum", "Distance to the optimum", tip)]),
        kit.message("gap", sentence or state.search_failure, "status"),
    ]


def list_heads(results: pd.DataFrame) -> list[str]:
    """Heads of the list of networks."""
    scores = [score_label(name) for name in LISTED if name in results]
    samples = ["Bootstrap"] if results["bootstrap"].any() else []
    scores += ["Expected score"] if "observed_score" in results else []
    return ["Network", "Edges", *scores, *(["Seconds"] if "seconds" in results else []), *samples]


def list_rows(results: pd.DataFrame) -> Iterator[tuple[str, list[str]]]:
    """Name and texts of each network in the list."""
    for name, row in results.iterrows():
        scores = [nats(row[score]) for score in LISTED if score in results]
        if "observed_score" in results:
            known = "" if isnan(row["observed_score"]) else f" ({score_label(row['learned_by'])})"
            scores.append(f"{nats(row['observed_score'])}{known}")
        seconds = [_seconds(row["seconds"])] if "seconds" in results else []
        shown = f"{name} (stopped early)" if row["stopped"] else str(name)
        samples = [f"{row['bootstrap']:,}" if row["bootstrap"] else "–"] if results["bootstrap"].any() else []
        yield str(name), [shown, f"{row['edges']:,}", *scores, *seconds, *samples]


def nats(value: float) -> str:
    """Score with one decimal; a dash for a class without a graph."""
    return "–" if isnan(value) else f"{value:,.1f}".replace("-", "−")


def _seconds(value: float) -> str:
    return "" if isnan(value) else spent(value).removesuffix(" s").replace("less than ", "<")


def result_frame(session: Session) -> pd.DataFrame:
    """Networks with learner, size and scores.

    Returns
    -------
    DataFrame, indexed by the names of the networks
        Columns of `size_frame`; then every score in nats, greater is better, if no value is missing, else
        observed_score, that of the observed values where structural EM has learned the network, NaN elsewhere.
    """
    study, frame = session.study, size_frame(session)
    if session.table is None or not study.graphs:
        return frame
    if session.table.has_gaps:  # scores need complete rows
        known = [session.observed.get(name, nan) if name in study.recipes else nan for name in study.graphs]
        return frame.assign(observed_score=known)
    graphs = {name: dag for name, graph in study.graphs.items() if (dag := any_member(graph)) is not None}
    if not graphs:
        return frame.assign(**dict.fromkeys(PLAIN_SCORES, float("nan")))
    return frame.join(NetworkScores(session.table, graphs).totals())


def size_frame(session: Session) -> pd.DataFrame:
    """Networks with learner and size.

    Returns
    -------
    DataFrame, indexed by the names of the networks
        algorithm, learned_by : str; edges : int; seconds : float, NaN for a network of an earlier session; stopped :
        bool; bootstrap : int, samples.
    """
    study = session.study
    rows = [
        {
            "algorithm": study.recipes[name].algorithm if name in study.recipes else "",
            "learned_by": (study.recipes[name].score or "") if name in study.recipes else "",
            "edges": len(graph.edges),
            "seconds": session.seconds.get(name, float("nan")),
            "stopped": name in study.stopped,
            "bootstrap": study.confidence[name].graphs if name in study.confidence else 0,
        }
        for name, graph in study.graphs.items()
    ]
    columns = ["algorithm", "learned_by", "edges", "seconds", "stopped", "bootstrap"]
    return pd.DataFrame(rows, index=pd.Index(list(study.graphs), name="network", dtype=object), columns=columns)


def comparison_html(session: Session, results: pd.DataFrame) -> str:
    """Comparison of networks: pictures, edges, distances and scores; "" for fewer than two."""
    study = session.study
    if len(study.graphs) < 2:
        return ""
    # With this width, wide tables scroll instead of making the page wider.
    parts = "".join(_comparison_parts(session, results))
    return f'<div style="width: 0; min-width: 100%; line-height: 1.45">{parts}</div>'


def _comparison_parts(session: Session, results: pd.DataFrame) -> Iterator[str]:
    study = session.study
    classes = study.classes
    graphs = dict(list(classes.items())[:PICTURES])
    yield heading(
        "All networks" if len(study.graphs) <= PICTURES else f"The first {PICTURES} networks"
    ) + _side_by_side(graphs)
    yield heading("Edges") + agreement_table(classes, study.confidence).html
    yield heading("Distances") + distance_table(study.graphs).html
    if not study.preparation.gaps:
        yield heading("Scores") + scores_html(results)


def _side_by_side(graphs: dict[str, Dag | Pdag]) -> str:
    try:
        layout = network_layout(*graphs.values())
    except TooLarge as error:
        return not_drawn(error)
    return picture.row(
        *(network_picture(graph, layout=layout) for graph in graphs.values()), captions=list(graphs)
    ).html


def scores_html(results: pd.DataFrame) -> str:
    scores = [name for name in PLAIN_SCORES if name in results]
    results = results.dropna(subset=scores)
    if results.empty:
        return ""
    differences = differences_data(results[scores])
    rows = [
        [str(name), *(f"{nats(row[s])} ({signed(d[s], 1) if d[s] else 'best'})" for s in scores)]
        for (name, row), (_, d) in zip(results.iterrows(), differences.iterrows(), strict=True)
    ]
    caption = "Nats, greater is better; in brackets the difference from the best network under that score."
    return text_table(["Network", *map(score_label, scores)], rows, caption).html


def heading(title: str) -> str:
    return f'<h4 style="margin: 12px 0 4px">{title}</h4>'
