"""Forest plots: panels, what is drawn in them, and the still picture and table of the same."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest

from bnlab.figures.labels import plain
from bnlab.papers.base.forest import forest_figure, forest_json, forest_picture
from bnlab.papers.base.tables import forest_table

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def table() -> pd.DataFrame:
    rows: list[tuple[Any, ...]] = [
        ("iris", "LL", 93.0, 91.0, 95.0, 94.0, 3, 90.0, 96.0, True),
        ("iris", "K2", 92.0, 90.0, 94.0, 80.0, 1, 80.0, 80.0, False),
        (HOSTILE, "K2", 50.0, 49.0, 51.0, float("nan"), 0, float("nan"), float("nan"), None),
    ]
    columns = ["group", "item", "published", "low", "high", "rerun", "runs", "least", "greatest", "inside"]
    made = pd.DataFrame(rows, columns=columns).astype({"inside": object})
    made["inside"] = [row[-1] for row in rows]
    return made.assign(difference=made.rerun - made.published, text="1\n→ 2", note="3 runs")


def points(figure: dict[str, Any], name: str) -> list[tuple[str, float]]:
    found = [trace for trace in figure["data"] if trace.get("name") == name and "customdata" in trace]
    return [(tuple(row), x) for trace in found for row, x in zip(trace["customdata"], trace["x"], strict=True)]  # type: ignore[misc]


def test_a_panel_reaches_over_intervals_and_runs(table: pd.DataFrame) -> None:
    layout = forest_json(table)["layout"]
    assert [note["text"] for note in layout["annotations"]] == ["<b>iris</b>", f"<b>{plain(HOSTILE)}</b>"]
    (low, high), (low2, high2) = layout["xaxis"]["range"], layout["xaxis2"]["range"]
    assert low < 80 < 96 < high
    assert low2 < 49 < 51 < high2


def test_reruns_are_told_apart_by_verdict_and_name_their_rows(table: pd.DataFrame) -> None:
    figure = forest_json(table, verdicts=("holds", "fails"))
    assert points(figure, "Reproduced: holds") == [(("iris", "LL"), 94.0)]
    assert points(figure, "Reproduced: fails") == [(("iris", "K2"), 80.0)]
    assert [x for _, x in points(figure, "Reported")] == [93.0, 92.0, 50.0]


def test_as_many_panels_stand_side_by_side_as_there_is_room_for(table: pd.DataFrame) -> None:
    def left_ends(width: float) -> set[float]:
        layout = forest_json(table, width=width)["layout"]
        return {layout[name]["domain"][0] for name in ("xaxis", "xaxis2")}

    assert len(left_ends(1200)) == 2
    assert len(left_ends(300)) == 1


@pytest.mark.parametrize("width", [300, 1200])
def test_panels_do_not_overlap(table: pd.DataFrame, width: float) -> None:
    layout = forest_json(table, width=width)["layout"]
    boxes = [(layout[f"xaxis{k}"]["domain"], layout[f"yaxis{k}"]["domain"]) for k in ("", "2")]
    (x, y), (x2, y2) = boxes
    assert x[1] < x2[0] or y2[1] < y[0]
    assert all(0 <= low < high <= 1 for box in boxes for low, high in box)


def test_the_selected_row_has_a_ring(table: pd.DataFrame) -> None:
    def rings(selected: tuple[str, str] | None) -> list[Any]:
        traces = forest_json(table, selected=selected)["data"]
        return [t["x"] for t in traces if t.get("marker", {}).get("symbol") == "circle-open"]

    assert rings(None) == []
    assert rings(("iris", "K2")) == [[80.0]]
    assert rings((HOSTILE, "K2")) == [[50.0]]


def test_plotly_takes_the_figure_and_no_tag_of_the_data(table: pd.DataFrame) -> None:
    figure = forest_figure(table, title=HOSTILE, unit=HOSTILE, selected=("iris", "LL"))
    assert figure.layout.title.text == "&lt;img src=x onerror=alert(1)&gt;"
    shown = [a.text for a in figure.layout.annotations] + [t for trace in figure.data for t in trace.text or ()]
    assert any("&lt;img" in text for text in shown)
    assert not any("<img" in text for text in shown)


def test_the_picture_draws_every_row_and_says_how_many_agree(table: pd.DataFrame) -> None:
    picture = forest_picture(table, title=HOSTILE, unit="%")
    root = ElementTree.fromstring(picture.svg)
    details = root.findtext("{http://www.w3.org/2000/svg}desc") or ""
    assert "iris, LL: reported 93, reproduced 94" in details
    assert f"{HOSTILE}, K2: reported 50, not run" in details
    assert len(list(root.iter("{http://www.w3.org/2000/svg}circle"))) == 2, "one that agrees, and the legend"
    assert picture.alt == f"{HOSTILE}: 1 of 2 agree, 1 not run."


def test_the_table_marks_what_agrees_and_counts(table: pd.DataFrame) -> None:
    shown = forest_table(table, corner="data set")
    assert "1 of 2 agree, 1 not run." in shown.html
    assert "2\u00a0✓" in shown.html
    assert "2\u00a0✗" in shown.html
    assert "<img" not in shown.html


def test_an_empty_table_gives_an_empty_figure(table: pd.DataFrame) -> None:
    assert [trace for trace in forest_json(table[:0])["data"] if "customdata" in trace] == []
