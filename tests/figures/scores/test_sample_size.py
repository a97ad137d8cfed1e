"""Scores on growing prefixes of the rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bnlab.counts import MemorySource
from bnlab.data import Table
from bnlab.figures import PrefixScores, differences_data, rows_figure
from bnlab.figures.scores.sample_size import row_numbers
from bnlab.networks import load_network
from bnlab.scores import score


@pytest.fixture(scope="module")
def table() -> Table:
    return load_network("asia").sample(500, seed=2)


def test_scores_are_those_of_the_first_rows(table: Table) -> None:
    edges = [("smoke", "lung"), ("smoke", "bronc")]
    scores = PrefixScores(table, {"some": edges, "none": []})
    for n in (1, 37, 500):
        totals = scores.at(n).totals(ess=3.0)
        for name in totals.columns:
            options = {"ess": 3.0} if name == "bdeu" else {}
            assert totals.loc["some", name] == pytest.approx(score(edges, table.head(n), name, **options), rel=1e-12)


@pytest.mark.parametrize("n", [0, -3, 501])
def test_rows_that_are_not_there_are_refused(table: Table, n: int) -> None:
    with pytest.raises(ValueError, match="there are 500 rows"):
        PrefixScores(table, {"none": []}).at(n)


def test_counts_have_no_first_rows(table: Table) -> None:
    scores = PrefixScores(MemorySource(table), {"none": []})
    assert scores.sizes == (500,)
    assert scores.at(500) is scores.all
    with pytest.raises(ValueError, match="pass a Table"):
        scores.at(10)


@pytest.mark.parametrize("n", [1, 2, 9, 10, 11, 57, 5000, 10**6])
def test_numbers_of_rows_ascend_to_all(n: int) -> None:
    sizes = row_numbers(n)
    assert sizes[-1] == n
    assert sizes[0] == min(10, n)
    assert list(sizes) == sorted(set(sizes))
    assert len(sizes) <= 5 * np.log10(n) + 2


def test_differences_below_a_tenth_of_a_nat_are_drawn_beside_a_tick() -> None:
    data = pd.DataFrame({"a": [0.0, 0.0], "b": [-0.02, -0.05]}, index=[10, 100])
    axis = rows_figure(data, "K2").layout.yaxis
    assert axis.ticktext == ("−0.1", "0")
    assert axis.range[0] < axis.tickvals[0] < axis.tickvals[1] < axis.range[1]


def test_the_figure_marks_the_present_number_of_rows_and_names_stay_text() -> None:
    totals = pd.DataFrame({"<b>a": [-5.0, -50.0], "b": [-4.0, -60.0]}, index=[10, 100])
    figure = rows_figure(differences_data(totals.T, "<b>a").T, "<i>", "<b>a", n_rows=40)
    assert [shape.x0 for shape in figure.layout.shapes] == [40]
    assert list(figure.data[1].x) == [10, 100]
    assert list(figure.data[1].customdata) == ["+1.00", "−10.00"]
    assert not any(tag in str(figure.to_dict()) for tag in ("<b>", "<i>"))
    assert len({trace.line.dash for trace in figure.data}) == 2
