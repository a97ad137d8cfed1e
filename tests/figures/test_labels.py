"""Labels of charts are in sentence case: those of all charts that notebooks store, and those of the score panel."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bnlab
from bnlab.figures.scores.sample_size import PrefixScores
from bnlab.widgets.scores.content import CHARTS, ScoreContent, Settings
from tools.pictures import PLOTLY

NOTEBOOKS = sorted(path for path in Path("notebooks").rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)


def stored_charts(path: Path) -> Iterator[dict[str, Any]]:
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        yield from (out["data"][PLOTLY] for out in cell.get("outputs", []) if PLOTLY in out.get("data", {}))


def labels(chart: dict[str, Any]) -> list[str]:
    """Titles of a chart, its axes and its colour bars."""
    layout = chart["layout"]
    titles = [layout.get("title"), *(axis.get("title") for name, axis in layout.items() if name[1:].startswith("axis"))]
    titles += [trace.get("colorbar", {}).get("title") for trace in chart["data"]]
    texts = [title.get("text") if isinstance(title, dict) else title for title in titles]
    return [text for text in texts if text]


def in_sentence_case(label: str) -> bool:
    """Whether a label begins with a capital, a digit or a sign; a single letter is a symbol, such as k or τ."""
    return len(label) == 1 or not label[0].islower()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_labels_of_stored_charts_are_in_sentence_case(path: Path) -> None:
    for chart in stored_charts(path):
        assert labels(chart)
        assert [label for label in labels(chart) if not in_sentence_case(label)] == []


def test_notebooks_store_charts_whose_labels_are_found() -> None:
    found = [label for path in NOTEBOOKS for chart in stored_charts(path) for label in labels(chart)]
    assert {"Score in nats", "Probability", "Gap to the best score, %", "Figure 1, as printed"} <= set(found)


def test_labels_of_the_score_panel_are_in_sentence_case() -> None:
    network = bnlab.load_network("asia")
    content = ScoreContent(PrefixScores(network.sample(200, seed=1), {"true": network, "none": []}))
    settings = Settings(1.0, 0.99, 200, None, "bdeu", content.networks)
    for name in CHARTS:
        assert [label for label in labels(content.chart(name, settings)) if not in_sentence_case(label)] == []
