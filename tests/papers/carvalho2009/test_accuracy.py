"""Figures and tables of experiments: the numbers exactly, then titles, legends and traces."""

from __future__ import annotations

import pandas as pd
import pytest

from bnlab.figures import html_table
from bnlab.papers import PAPER_FIGURES, accuracy_data, accuracy_figure, seeds_data, seeds_figure
from bnlab.papers.base.metrics import beside_reported, half_width
from bnlab.papers.carvalho2009.reported import table2 as carvalho2009_table2


@pytest.fixture
def published() -> pd.DataFrame:
    rows = [
        *[("letter", "LL", 78.48, 1.13), ("letter", "K2", 82.14, 1.06)],
        *[("iris", "LL", 93.33, 2.03), ("iris", "K2", 92.67, 2.12)],
    ]
    return pd.DataFrame(rows, columns=["dataset", "score", "accuracy", "half_width"])


@pytest.fixture
def records() -> pd.DataFrame:
    rows = [
        *[("letter", "k2", 0, 5000, 0.90), ("letter", "ll", 0, 5000, 0.78)],
        *[("letter", "ll", 1, 5000, 0.80), ("iris", "ll", 0, 150, 1.0)],
    ]
    return pd.DataFrame(rows, columns=["dataset", "score", "seed", "n_test", "accuracy"]).assign(protocol="complete")


def test_accuracy_data_gives_each_source_its_interval(records: pd.DataFrame, published: pd.DataFrame) -> None:
    data = accuracy_data(records, published)
    assert data[["dataset", "score", "source", "runs"]].to_numpy().tolist() == [
        ["letter", "LL", "published", 1],
        ["letter", "LL", "rerun", 2],
        ["letter", "K2", "published", 1],
        ["letter", "K2", "rerun", 1],
        ["iris", "LL", "published", 1],
        ["iris", "LL", "rerun", 1],
        ["iris", "K2", "published", 1],
    ]
    mean = data.iloc[1]
    half = 100 * half_width(0.79, 5000)
    assert (mean.accuracy, mean.low, mean.high) == pytest.approx((79, 79 - half, 79 + half))
    assert data.iloc[0][["accuracy", "low", "high"]].tolist() == pytest.approx([78.48, 77.35, 79.61])
    assert data.iloc[5][["accuracy", "low", "high"]].tolist() == [100, 100, 100]


def test_records_that_mix_protocols_or_lack_a_column_are_refused(records: pd.DataFrame) -> None:
    both = pd.concat([records, records.assign(protocol="all rows")])
    with pytest.raises(ValueError, match="mix the protocols 'all rows', 'complete'"):
        accuracy_data(both)
    with pytest.raises(ValueError, match="lack the columns n_test"):
        accuracy_data(records.drop(columns="n_test"))


def test_accuracy_figure_has_a_curve_a_score_and_source(records: pd.DataFrame, published: pd.DataFrame) -> None:
    figure = accuracy_figure(accuracy_data(records, published), title="Figure 4")
    assert figure.layout.title.text == "Figure 4"
    assert [(t.name, t.meta, t.showlegend) for t in figure.data] == [
        ("LL", "published", False),
        ("LL", "rerun", True),
        ("K2", "published", False),
        ("K2", "rerun", True),
    ]
    assert [t.marker.symbol for t in figure.data] == ["circle-open", "circle", "cross-open", "cross"]
    assert list(figure.layout.xaxis.ticktext) == ["letter", "iris"]
    assert [b.label for b in figure.layout.updatemenus[0].buttons] == ["Both", "○ Reported", "● Reproduced"]
    assert list(figure.layout.updatemenus[0].buttons[1].args[0]["visible"]) == [True, False, True, False]


def test_points_of_one_data_set_stand_apart_and_within_its_band(records: pd.DataFrame, published: pd.DataFrame) -> None:
    figure = accuracy_figure(accuracy_data(records, published))
    places = sorted(x for trace in figure.data for x in trace.x if x < 0.5)
    assert len(places) == len(set(places)) == 4
    assert -0.5 < places[0] < places[-1] < 0.5


def test_the_papers_figures_choose_their_scores() -> None:
    table = carvalho2009_table2()
    records = table[["dataset", "score"]].assign(accuracy=table.accuracy / 100, n_test=100)
    data = accuracy_data(records, table)
    for number, curves in {1: 16, 2: 8, 3: 8, 4: 6}.items():
        figure = accuracy_figure(data, PAPER_FIGURES[number])
        assert len(figure.data) == curves
        assert len(figure.layout.xaxis.ticktext) == 12
    with pytest.raises(ValueError, match="none of \\['AIC'\\]"):
        accuracy_figure(data, ["AIC"])


@pytest.fixture
def compared(records: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    named = records.assign(score=records.score.str.upper())
    wide = published.assign(half_width_95=1.96 * published.half_width)
    return beside_reported(named, wide, ["dataset", "score"]).drop(columns="protocol")


def test_a_reported_number_is_beside_the_median_of_its_seeds(compared: pd.DataFrame) -> None:
    assert compared.rerun.tolist() == pytest.approx([79, 90, 100])
    assert compared.difference.tolist() == pytest.approx([0.52, 7.86, 6.67])
    assert compared.inside.tolist() == [True, False, False]


def test_the_end_of_an_interval_is_inside_up_to_the_rounding_of_the_print() -> None:
    published = pd.DataFrame({"dataset": ["a", "b"], "accuracy": 80.0, "half_width": 1.0, "half_width_95": [1.0, 1.96]})
    records = pd.DataFrame({"dataset": ["a", "b"], "protocol": "x", "accuracy": [0.81004, 0.8101]})
    found = beside_reported(records, published, ["dataset"])
    assert found.inside.tolist() == [True, False]
    assert found.inside_95.tolist() == [True, True]


def test_seeds_data_places_the_published_value_among_the_runs(published: pd.DataFrame) -> None:
    records = pd.DataFrame(
        {"dataset": "letter", "score": "ll", "seed": range(101), "accuracy": [0.75 + i / 2000 for i in range(101)]}
    )
    data = seeds_data(records, published)
    [row] = data.reported.to_dict("records")
    assert (row["dataset"], row["score"], row["published"]) == ("letter", "LL", 78.48)
    assert row["share_below"] == pytest.approx(70 / 101)
    assert len(data.runs) == 101


def test_seeds_without_a_published_value_have_only_runs(records: pd.DataFrame) -> None:
    data = seeds_data(records)
    assert (len(data.runs), len(data.reported)) == (4, 0)
    assert [len(trace.x) for trace in seeds_figure(data).data] == [3, 0, 1, 0]


def test_the_seeds_figure_marks_what_was_published(records: pd.DataFrame, published: pd.DataFrame) -> None:
    figure = seeds_figure(seeds_data(records, published), title="Seeds")
    assert figure.layout.title.text == "Seeds"
    assert [(t.type, t.name, len(t.x)) for t in figure.data] == [
        *[("box", "Runs", 3), ("scatter", "Reported", 2)],
        *[("box", "Runs", 1), ("scatter", "Reported", 1)],
    ]


def test_a_table_shows_formats_grounds_and_gaps() -> None:
    frame = pd.DataFrame({"name": ["<a>", "b"], "value": [1.25, float("nan")]})
    table = html_table(
        frame,
        formats={"value": "{:.1f}".format},
        grounds=lambda column, text: "red" if (column, text) == ("value", "1.2") else None,
        caption="<c>",
    )
    assert 'text-align: right; background: red">1.2</td>' in table.html
    assert 'text-align: right"></td>' in table.html
    assert "&lt;c&gt;" in table.html
    assert "&lt;a&gt;" in table.html
    assert "<a>" not in table.html
    assert table._repr_mimebundle_() == {"text/html": table.html, "text/plain": table.text}
