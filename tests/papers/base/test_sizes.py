"""Learning curves and running times: every panel, series and point is drawn on logarithmic axes."""

from __future__ import annotations

import pandas as pd
import pytest

from bnlab.papers.base.sizes import complexity_figure, learning_curves_figure
from bnlab.papers.studies.complexity import exponents


def test_learning_curves_have_a_panel_a_data_set_and_a_curve_a_series() -> None:
    points = pd.DataFrame(
        [
            {"dataset": d, "series": s, "rows": n, "seeds": 3, "low": 0.1, "mean": 0.2 + k, "high": 0.4 + k}
            for d in ("chess", "iris")
            for k, s in enumerate(("LL", "fCLL"))
            for n in (100, 50)
        ]
    )
    figure = learning_curves_figure(points, unit="nats", title="Small samples")
    assert [trace.name for trace in figure.data] == ["LL", "fCLL"] * 2
    assert [trace.showlegend for trace in figure.data] == [True, True, False, False]
    assert all(list(trace.x) == [50, 100] for trace in figure.data)
    assert list(figure.data[0].error_y.array) == pytest.approx([0.2, 0.2])
    assert {axis.type for axis in figure.select_xaxes()} == {"log"}
    assert [note.text for note in figure.layout.annotations] == ["chess", "iris"]
    with pytest.raises(ValueError, match="the records lack the columns low"):
        learning_curves_figure(points.drop(columns="low"))


def test_running_times_have_a_panel_an_algorithm_that_names_its_exponents() -> None:
    times = pd.DataFrame(
        [
            {"algorithm": a, "n": n, "rows": rows, "seed": seed, "seconds": 1e-6 * n**p * (1 + 0.1 * seed) * rows**0.5}
            for a, p, several in (("TAN", 2, (100, 400)), ("Edmonds", 2, (1,)))
            for rows in several
            for n in (10, 20, 40)
            for seed in range(3)
        ]
    )
    figure = complexity_figure(times, exponents(times))
    titles = [note.text for note in figure.layout.annotations]
    assert titles[0].startswith("TAN: n^2.00 (1.9")
    assert "N^0.50" in titles[0]
    assert titles[1].endswith("<br>Claimed O(n^3 log n)")
    assert [trace.name for trace in figure.data if trace.showlegend] == ["100 rows", "400 rows", "Time"]
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    assert [list(line.x) for line in lines] == [[10, 20, 40]] * 3
    assert list(lines[2].y) == pytest.approx([1.1e-4, 4.4e-4, 1.76e-3])
    assert {axis.type for axis in (*figure.select_xaxes(), *figure.select_yaxes())} == {"log"}
    assert list(figure.layout.xaxis.ticktext) == ["10", "20", "40"]
    assert list(figure.layout.yaxis2.ticktext) == ["0.0001", "0.0002", "0.0005", "0.001", "0.002"]
