"""The best network over the equivalent sample size: winners, exact switches, figure and still form."""

from __future__ import annotations

from collections.abc import Callable
from math import sin
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from bnlab.data import Table
from bnlab.figures import EssData, NetworkScores, ess_data, ess_figure, ess_picture
from bnlab.figures.scores.ess import ess_words
from bnlab.scores import score

HOSTILE = "<img src=x onerror=alert(1)>"


def test_ess_data_finds_who_wins_where() -> None:
    ess = [1.0, 10.0, 100.0]
    data = ess_data(pd.DataFrame({"a": [5.0, 4.0, 0.0], "b": [0.0, 4.5, 9.0], "c": -9.0}, index=ess))
    assert data.differences["a"].tolist() == [0, -0.5, -9]
    assert [(name, low) for name, low, _ in data.winners] == [("a", 1), ("b", pytest.approx(8.11, abs=0.01))]
    assert data.winners[0][2] == data.winners[1][1]
    assert data.winners[-1][2] == 100


def test_ess_figure_names_the_winners_and_marks_the_switch() -> None:
    totals = pd.DataFrame({"a": [5.0, 4.0, 0.0], "<b>": [0.0, 4.5, 9.0]}, index=[1.0, 10.0, 100.0])
    figure = ess_figure(ess_data(totals))
    assert [t.name for t in figure.data] == ["a", "&lt;b&gt;"]
    assert [a.text for a in figure.layout.annotations] == ["a", "&lt;b&gt;", "8.11"]
    assert [shape.type for shape in figure.layout.shapes] == ["rect", "rect", "line"]
    assert figure.layout.xaxis.type == "log"


def exact(grid: list[float], at: Callable[[float], list[float]]) -> EssData:
    names = list("abcdef")[: len(at(1.0))]
    return ess_data(pd.DataFrame([at(ess) for ess in grid], index=grid, columns=names), at)


def test_switches_are_found_to_ten_digits_whatever_the_grid() -> None:
    for grid in ([0.1, 10.0], [0.1, 1.0, 3.0, 10.0]):
        data = exact(grid, lambda ess: [5 - ess, 4 - ess / 2])
        assert [(name, high) for name, _, high in data.winners] == [("a", pytest.approx(2, rel=1e-10)), ("b", 10.0)]


def test_a_third_network_that_wins_between_two_points_is_found() -> None:
    data = exact([0.1, 10.0], lambda ess: [-abs(np.log(ess / c)) for c in (0.1, 1.0, 10.0)])
    assert [name for name, _, _ in data.winners] == ["a", "b", "c"]
    assert [high for _, _, high in data.winners[:-1]] == pytest.approx([10**-0.5, 10**0.5], rel=1e-9)


def test_a_stretch_hidden_between_two_points_of_one_winner_is_found() -> None:
    grid = [0.1, 0.4, 1.0, 2.5, 10.0]
    data = exact(grid, lambda ess: [0.0, 0.02 - np.log(ess / 1.3) ** 2])
    assert [name for name, _, _ in data.winners] == ["a", "b", "a"]
    ends = [1.3 * np.exp(sign * 0.02**0.5) for sign in (-1, 1)]
    assert [low for _, low, _ in data.winners[1:]] == pytest.approx(ends, rel=1e-8)
    assert grid[2] < ends[0] < ends[1] < grid[3], "no point of the grid lies within the stretch"


def test_networks_of_one_score_win_together() -> None:
    rounding = 1e-13

    def at(ess: float) -> list[float]:
        return [-100 - ess, -100 - ess + rounding * sin(1e6 * ess), -103.0]

    data = exact([0.1, 1.0, 2.0, 5.0, 10.0], at)
    assert [(name, high) for name, _, high in data.winners] == [("a", pytest.approx(3)), ("c", 10.0)]
    assert data.equal == {"a": ("b",)}
    assert data.to_frame()["equal"].tolist() == ["b", ""]
    assert ess_words(data) == "“a = b” is best up to ess 3, then “c”"


def test_words_count_the_switches_when_there_are_many() -> None:
    data = exact(np.geomspace(0.1, 30, 90).tolist(), lambda ess: [sin(3 * ess), 0.0])
    assert len(data.winners) > 7
    assert ess_words(data) == f"the best network changes {len(data.winners) - 1} times between ess 0.1 and 30"
    assert ess_words(exact([1.0, 10.0], lambda _: [1.0, 0.0])) == "“a” is best at every ess"


def test_the_figure_marks_the_present_ess_and_keeps_colours() -> None:
    data = exact([1.0, 10.0], lambda ess: [5 - ess, 4 - ess / 2])
    figure = ess_figure(data, ess=3.0, order=["z", "a", "b"])
    assert "ess = 3" in [note.text for note in figure.layout.annotations]
    assert figure.data[0].line.color == figure.layout.shapes[0].line.color
    assert figure.data[0].line.color != ess_figure(data).data[0].line.color
    assert len({trace.line.dash for trace in figure.data}) == 2
    assert "ess = 30" not in str(ess_figure(data, ess=30.0)), "outside of the axis"


def test_the_picture_says_who_wins_and_names_stay_text() -> None:
    grid = [0.1, 1.0, 10.0]
    totals = pd.DataFrame({HOSTILE: [3.0, 2.0, 0.0], "b": [0.0, 1.0, 5.0]}, index=grid)
    data = ess_data(totals)
    picture = ess_picture(data)
    texts = [element.text for element in ElementTree.fromstring(picture.svg).iter()]
    assert HOSTILE in texts
    assert f"“{HOSTILE}” is best up to ess" in picture.alt
    assert "<img src=x" not in picture.svg
    assert "<img" not in str(ess_figure(data, ess=1.0).to_dict())


def test_one_network_at_one_ess_is_drawn() -> None:
    data = ess_data(pd.DataFrame({"only": [-5.0, -6.0]}, index=[1.0, 2.0]))
    assert data.winners == [("only", 1.0, 2.0)]
    assert ess_figure(data).data[0].name == "only"
    assert "only" in ess_picture(data).svg


def test_bdeu_over_ess_is_the_score_at_each_ess(alarm5k: Table) -> None:
    tree = [(alarm5k.names[0], name) for name in alarm5k.names[1:]]
    scores = NetworkScores(alarm5k, {"star": tree, "empty": []})
    totals = scores.over_ess([0.5, 50.0])
    for ess in totals.index:
        assert totals.loc[ess, "star"] == pytest.approx(score(tree, alarm5k, "bdeu", ess=ess), rel=1e-12)
