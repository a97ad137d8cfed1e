"""Figures of the leaderboard: every learner, panel and run is drawn, gaps of zero too."""

from __future__ import annotations

import pandas as pd
import pytest

from bnlab.papers.studies.leaderboard_charts import LEAST, cost_figure, profiles_figure


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"learner": name, "score": score, "network": "asia", "gap_percent": gap, "seconds": seconds}
            for name, gaps, seconds in (
                ("slow", (0.0, 0.0), 9.0),
                ("quick", (0.0, 2.0), 0.1),
                ("bad", (20.0, 30.0), 0.2),
            )
            for score in ("bic", "bdeu")
            for gap in gaps
        ]
    )


def test_profiles_rise_to_the_share_of_runs_within_each_gap(frame: pd.DataFrame) -> None:
    figure = profiles_figure(frame, title="Profiles")
    assert [note.text for note in figure.layout.annotations] == ["bic", "bdeu"]
    slow, quick, bad = figure.data[:3]
    assert [trace.name for trace in figure.data] == ["slow", "quick", "bad"] * 2
    assert set(slow.y) == {100.0}
    assert (quick.x[0], quick.y[0], quick.y[-1]) == (LEAST, 50.0, 100.0)
    assert min(x for x, y in zip(quick.x, quick.y, strict=True) if y == 100) == pytest.approx(2.0, rel=0.25)
    assert set(bad.y) == {0.0}


def test_gaps_of_zero_and_great_ones_are_drawn_at_the_ends(frame: pd.DataFrame) -> None:
    figure = cost_figure(frame, ["bad", "slow", "quick"], title="Gap and time")
    assert [trace.name for trace in figure.data] == ["bad", "slow", "quick"]
    bad, slow, quick = figure.data
    assert (bad.y[0], slow.y[0], quick.y[0]) == (10.0, LEAST, 1.0)
    assert (quick.x[0], quick.error_y.array[0]) == (0.1, 1.0)
    assert {axis.type for axis in (*figure.select_xaxes(), *figure.select_yaxes())} == {"log"}


def test_a_learner_looks_the_same_in_all_figures_and_no_two_alike(frame: pd.DataFrame) -> None:
    many = pd.concat([frame[frame.learner == "slow"].assign(learner=f"learner {i}") for i in range(16)])
    drawn = cost_figure(many).data
    assert len({(trace.marker.symbol, trace.marker.color) for trace in drawn}) == 16
    assert len({(trace.line.dash, trace.line.color) for trace in profiles_figure(many).data}) == 16
    (alone,) = cost_figure(many, ["learner 9"]).data
    assert (alone.marker.symbol, alone.marker.color) == (drawn[9].marker.symbol, drawn[9].marker.color)


def test_a_legend_of_many_learners_has_room_above_the_panels(frame: pd.DataFrame) -> None:
    many = pd.concat([frame[frame.learner == "slow"].assign(learner=f"learner {i}") for i in range(15)])
    some, all_of_them = cost_figure(many, [f"learner {i}" for i in range(10)]).layout, cost_figure(many).layout
    assert all_of_them.margin.t >= some.margin.t + 20
    assert all_of_them.height - all_of_them.margin.t == some.height - some.margin.t


def test_records_that_lack_a_column_are_refused(frame: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="the records lack the columns gap_percent"):
        profiles_figure(frame.drop(columns="gap_percent"))
    with pytest.raises(ValueError, match="the records lack the columns seconds"):
        cost_figure(frame.drop(columns="seconds"))


def test_a_learner_without_records_is_refused(frame: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="no record is of the learner 'quik': did you mean 'quick'"):
        cost_figure(frame, ["quik"])
