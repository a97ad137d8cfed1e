"""Charts in a narrow notebook: no words of a chart cover others or leave it."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page
from plotly.offline import get_plotlyjs

from bnlab import figures
from bnlab.papers import carvalho2007, carvalho2009, villanueva2012
from bnlab.papers.carvalho2007 import scoreboard as scores
from bnlab.papers.carvalho2007.scoreboard_chart import scoreboard_figure
from bnlab.papers.villanueva2012 import charts
from bnlab.search import Progress, Trace

RESULTS = Path(__file__).parents[2] / "notebooks/results"
WIDTH = 620
"""Pixels of an output of JupyterLab in a window of 800."""
WORDS = ".gtitle, .gtitle-subtitle, .xtitle, .ytitle, .annotation-text, .legendtext"
DRAW = """(chart) => {
  document.body.replaceChildren(document.createElement("div"));
  return Plotly.newPlot(document.body.firstChild, JSON.parse(chart), { responsive: true });
}"""
BOXES = """words => [...document.querySelectorAll(words)].filter(one => one.textContent).map(one => {
    const box = one.getBoundingClientRect();
    return [one.textContent, box.left, box.right, box.top, box.bottom];
})"""


def scoreboard() -> Any:
    candidates = carvalho2009.records_frame(RESULTS / "carvalho2009/candidates.jsonl")
    board = scores.scoreboard(
        carvalho2007.records_frame(RESULTS / "carvalho2007/table1.jsonl"),
        carvalho2009.records_frame(RESULTS / "carvalho2009/table2.jsonl"),
    )
    return scoreboard_figure(scores.explained(board, candidates), title="138 accuracies: reproduced less reported")


def convergence() -> Any:
    names = ("Chen's search", "Chen's search, then a climb", "Chen's search, constraint of acyclicity")
    traces = {}
    for i, name in enumerate(names):
        traces[name] = Trace()
        traces[name].add(Progress(3, (-9.0 - i, -8.0, -7.0), -7.0), 1.0)
    return figures.convergence_figure(figures.convergence_data(traces, {"Chow-Liu": -8.5}), title="ALARM: best score")


def policies() -> Any:
    data = figures.policies_data(np.full((8, 8), 1 / 8), [f"variable {i}" for i in range(8)])
    return figures.policies_figure(dict.fromkeys(("begin", "(a)", "(b)"), data), title="Policies τ")


def records() -> Any:
    return villanueva2012.under(
        villanueva2012.records_frame(*(RESULTS / "villanueva2012" / f"{name}.jsonl" for name in ("base", "tilings"))),
        "as printed",
    )


def sensitivity() -> Any:
    known = records()
    return charts.sensitivity_figure(charts.sensitivity_data(known[known.copies == 1]))


def cost() -> Any:
    return charts.cost_figure(charts.cost_data(records()))


def test_no_words_of_a_narrow_chart_cover_others(page: Page) -> None:
    page.set_viewport_size({"width": WIDTH, "height": 1000})
    page.set_content('<body style="margin: 0"></body>')
    page.add_script_tag(content=get_plotlyjs())
    for build in (scoreboard, convergence, policies, sensitivity, cost):
        page.evaluate(DRAW, build().to_json())
        boxes = page.evaluate(BOXES, WORDS)
        assert len(boxes) > 3, build
        for text, left, right, top, _ in boxes:
            assert min(left, top, WIDTH - right) >= 0, f"{text} is cut off"
        for (one, left, right, top, bottom), (other, left2, right2, top2, bottom2) in combinations(boxes, 2):
            apart = right <= left2 or right2 <= left or bottom <= top2 + 1 or bottom2 <= top + 1
            assert apart, f"{one} covers {other}"
