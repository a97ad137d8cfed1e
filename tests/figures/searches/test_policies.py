"""Policies as tables, heat maps and still pictures."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from bnlab.figures import policies_data, policies_figure, policies_picture
from bnlab.learners.chen.search import ChenSearch
from bnlab.search import Policies, Trace

TAU = np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.2, 0.8, 0.0]])
HOSTILE = "<img src=x onerror=alert(1)>"


def decided(active: list[bool], *permanent: tuple[int, int]) -> Policies:
    """Policies of which some are active, and some edges settled."""
    edges = np.zeros((3, 3), dtype=bool)
    for edge in permanent:
        edges[edge] = True
    return Policies(TAU, np.array(active), edges)


def test_no_edge_is_the_last_column_and_nobody_chooses_itself() -> None:
    data = policies_data(TAU, ["A", "B", "C"])
    assert list(data.tau.columns) == ["A", "B", "C", "none"]
    assert data.tau.loc["A"].tolist()[1:] == [0.25, 0.25, 0.5]
    assert np.isnan(np.diag(data.tau.to_numpy())).all()
    np.testing.assert_allclose(data.tau.sum(axis=1), 1.0)


def test_entropy_is_that_of_the_row() -> None:
    data = policies_data(TAU)
    expected = [-sum(p * np.log(p) for p in row if p > 0) for row in TAU]
    np.testing.assert_allclose(data.entropy, expected)
    assert list(data.entropy.index) == ["X1", "X2", "X3"]


def test_a_state_of_the_search_brings_its_flags_and_its_permanent_edges() -> None:
    search = ChenSearch(lambda child, parents: float(len(parents)), 3, beta=0.5, Q=30, seed=1, permanent=[(0, 2)])
    start = policies_data(search.init(), "ABC")
    assert start.permanent == (("A", "C"),)
    assert start.active.all()
    end = policies_data(Trace().run(search), "ABC")
    assert not end.active.any()
    assert end.entropy.mean() < start.entropy.mean()


def test_the_figure_has_a_panel_a_moment_and_blanks_what_is_decided() -> None:
    first = policies_data(TAU, "ABC")
    last = policies_data(decided([False, True, True], (0, 2)), "ABC")
    figure = policies_figure({"begin": first, "end": last})
    heats = [trace for trace in figure.data if trace.type == "heatmap"]
    assert len(heats) == 2
    assert np.isnan(np.asarray(heats[1].z, dtype=float)[0]).all()
    dots = [trace for trace in figure.data if trace.type == "scatter"][1]
    assert (list(dots.x), list(dots.y)) == ([2], [0])
    words = [note.text for note in figure.layout.annotations]
    assert words[0].startswith("begin<br>Mean entropy 0.5")
    assert words[1].startswith("end<br>")


def test_when_all_is_decided_the_heading_says_so() -> None:
    figure = policies_figure(policies_data(decided([False] * 3)))
    assert figure.layout.annotations[0].text == "All decided"


@pytest.mark.parametrize(
    ("policies", "names", "message"),
    [(np.ones((2, 3)), None, "square"), (TAU, ["A"], "1 names for the policies of 3")],
)
def test_what_does_not_fit_is_refused(policies: np.ndarray, names: list[str] | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        policies_data(policies, names)


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(ValueError, match="no policies"):
        policies_figure({})


def test_the_still_picture_has_a_square_a_probability_and_a_dot_an_edge() -> None:
    data = policies_data(decided([True, True, False], (2, 0)), [HOSTILE, "B", "C"])
    picture = policies_picture(data)
    root = ElementTree.fromstring(picture.svg)
    cells = list(root.iter("{http://www.w3.org/2000/svg}svg"))[1]
    assert len([r for r in cells if r.tag.endswith("rect")]) == 6, "two rows, each without its own node"
    assert len(list(root.iter("{http://www.w3.org/2000/svg}circle"))) == 2, "one edge, and the legend"
    assert "2 of 3 decisions active" in picture.alt
    assert "<img" not in picture.svg
    assert "<img" not in policies_figure(data).to_json()
