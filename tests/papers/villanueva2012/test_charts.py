"""Figures of skeleton learners: sensitivity, cost, searches within skeletons, and the counts behind a test."""

import numpy as np
import pandas as pd
import pytest

from bnlab.citests import G2Tester
from bnlab.data import Table, Variable
from bnlab.figures import contingency_data, contingency_table
from bnlab.figures.labels import algorithm_style, algorithms_in_order
from bnlab.networks import asia
from bnlab.papers import (
    cost_data,
    cost_figure,
    hybrid_data,
    hybrid_figure,
    sensitivity_data,
    sensitivity_figure,
)


@pytest.fixture
def records():
    """Two networks, two sizes, two data sets, two algorithms, tilings of 1 and 4; cost = variables² or variables."""
    rows = []
    for network, n in (("Alarm", 37), ("<b>mine", 10)):
        for copies in (1, 4):
            for size in (500, 5000):
                for version in (1, 2):
                    for algorithm, power in (("hpc", 2), ("mine", 1)):
                        rows.append(
                            {
                                "network": network,
                                "copies": copies,
                                "origin": "MMHC" if copies == 1 else "own",
                                "variables": n * copies,
                                "rows": size,
                                "version": version,
                                "algorithm": algorithm,
                                "reading": "as printed",
                                "sn": 0.5 + 0.1 * version + size / 50_000,
                                "sp": 0.9 - 0.1 * version,
                                "nsc": (n * copies) ** power * (1 if size == 500 else 3),
                                "cpu": 0.1,
                            }
                        )
    return pd.DataFrame(rows)


def test_means_and_reach_of_the_data_sets(records) -> None:
    data = sensitivity_data(records[records.copies == 1])
    assert len(data.points) == 16
    row = data.means.set_index(["network", "algorithm", "rows"]).loc["Alarm", "HPC", 5000]
    assert row.runs == 2
    assert row[["sn", "sn_low", "sn_high"]].tolist() == pytest.approx([0.75, 0.7, 0.8])
    assert row[["sp", "sp_low", "sp_high"]].tolist() == pytest.approx([0.75, 0.7, 0.8])


def test_a_curve_goes_from_few_rows_to_many_and_its_marks_grow(records) -> None:
    figure = sensitivity_figure(sensitivity_data(records[records.copies == 1]))
    curves = [trace for trace in figure.data if trace.mode == "lines+markers"]
    assert [trace.name for trace in curves] == ["HPC", "mine", "HPC", "mine"]
    assert [trace.showlegend for trace in curves] == [True, True, False, False]
    assert ["500 rows" in curves[0].text[0], "5,000 rows" in curves[0].text[1]] == [True, True]
    assert curves[0].marker.size[0] < curves[0].marker.size[1]
    dots = [trace for trace in figure.data if trace.mode == "markers"]
    assert sum(len(trace.x) for trace in dots) == 16
    assert "precision" in figure.layout.xaxis.title.text


def test_readings_are_not_mixed(records) -> None:
    two = pd.concat([records, records.assign(reading="AND")])
    for data in (sensitivity_data, cost_data):
        with pytest.raises(ValueError, match="the records mix readings of hpc, mine"):
            data(two)
    with pytest.raises(ValueError, match="lack the columns cpu"):
        cost_data(records.drop(columns="cpu"), "cpu")


def test_cost_is_a_mean_over_sizes_whatever_the_number_of_data_sets(records) -> None:
    fewer = records.drop(records[(records.rows == 500) & (records.version == 2)].index)
    for part in (records, fewer):
        points = cost_data(part).points.set_index(["network", "algorithm", "copies"])
        assert points.cost["Alarm", "HPC", 1] == pytest.approx(2 * 37**2)
    assert points.runs["Alarm", "HPC", 1] == 3


def test_slopes_are_exponents(records) -> None:
    slopes = cost_data(records).slopes.set_index(["network", "algorithm"]).slope
    assert slopes["Alarm", "HPC"] == pytest.approx(2)
    assert slopes["<b>mine", "mine"] == pytest.approx(1)


def test_a_tiling_without_every_size_is_drawn_beside_the_curve(records) -> None:
    extra = records[(records.copies == 4) & (records.rows == 5000)].assign(origin="MMHC", nsc=7)
    data = cost_data(pd.concat([records, extra]))
    assert data.points[~data.points.whole].origin.unique().tolist() == ["MMHC"]
    assert data.slopes.set_index(["network", "algorithm"]).slope["Alarm", "HPC"] == pytest.approx(2)
    figure = cost_figure(data)
    curve, beside = figure.data[:2]
    assert (curve.mode, len(curve.x), beside.mode, len(beside.x)) == ("lines+markers", 2, "markers", 1)
    assert list(curve.marker.symbol) == ["square", "square-open"]
    assert figure.layout.yaxis.type == figure.layout.xaxis.type == "log"


def test_panels_are_in_the_order_of_the_records(records) -> None:
    titles = [note.text for note in cost_figure(cost_data(records)).layout.annotations]
    assert titles == ["Alarm", "&lt;b&gt;mine"]


def test_one_network_size_has_no_slope(records) -> None:
    assert np.isnan(cost_data(records[records.copies == 1]).slopes.slope).all()


def test_algorithms_keep_order_and_style() -> None:
    assert algorithms_in_order(["mine", "HPC", "OptHPC", "HPC"]) == ["OptHPC", "HPC", "mine"]
    styles = {algorithm_style(name) for name in ("OptHPC", "HPC", "MMPC", "GetPC", "HeuPC")}
    assert len(styles) == 5
    assert algorithm_style("mine") == algorithm_style("mine")


def test_counts_of_a_test_are_those_of_the_rows() -> None:
    table = asia().sample(300, seed=1)
    test = G2Tester(table).test("lung", "bronc", ["smoke", "xray"])
    counts = contingency_data(test, table)
    frame = table.to_pandas()
    expected = frame.groupby(["smoke", "xray", "lung", "bronc"], observed=False).size()
    for row in counts.to_dict("records"):
        for state in ("yes", "no"):
            assert row[f"bronc = {state}"] == expected[row["smoke"], row["xray"], row["lung"], state]
    assert len(counts) == len(frame[["smoke", "xray", "lung"]].drop_duplicates())
    assert counts[["bronc = yes", "bronc = no"]].to_numpy().sum() == 300


def test_a_sparse_table_shows_only_configurations_that_occur() -> None:
    many = [Variable(f"z{i}", tuple(range(40))) for i in range(4)]
    x, y = Variable("x", ("a", "<b>")), Variable("y", (0, 1))
    draw = np.random.default_rng(1)
    columns = [draw.integers(40, size=200) for _ in many] + [draw.integers(2, size=200) for _ in range(2)]
    table = Table([*many, x, y], columns)
    test = G2Tester(table).test("x", "y", [v.name for v in many])
    counts = contingency_data(test, table)
    names = [v.name for v in many]
    assert len(counts[names].drop_duplicates()) == len(table.to_pandas()[names].drop_duplicates())
    assert counts[["y = 0", "y = 1"]].to_numpy().sum() == 200
    shown = contingency_table(test, table, most=3)
    assert shown.html.count("<tr>") == 1 + (counts.groupby(names, sort=False).ngroup() < 3).sum()
    assert "<b>" not in shown.html
    assert "configurations that occur are not shown" in shown.html


def test_a_test_given_nothing_is_one_table() -> None:
    table = asia().sample(50, seed=1)
    shown = contingency_table(G2Tester(table).test("asia", "tub"), table)
    assert "given nothing" in shown.html
    assert "not shown" not in shown.html
    assert shown.html.count("<tr>") == 1 + table.to_pandas().asia.nunique()


@pytest.fixture(scope="module")
def runs() -> pd.DataFrame:
    rows = [
        {
            "network": network,
            "copies": 1,
            "search": "k2",
            "score": "bdeu",
            "restriction": restriction,
            "rows": size,
            "version": version,
            "seconds": size / 1000 + version,
            "shd_cpdag": 10 * version + len(restriction),
            "gap": -1.0,
            "sn": 0.5,
            "sp": 0.5,
        }
        for network in ("Child", "<b>")
        for restriction in ("unrestricted", "opthpc", "true skeleton")
        for size in (1000, 500)
        for version in (1, 2, 3)
    ]
    return pd.DataFrame(rows)


def test_points_are_means_with_the_least_and_the_greatest(runs):
    data = hybrid_data(runs)
    point = data.points[(data.points.panel == "Child") & (data.points.restriction == "opthpc")].iloc[0]
    assert point.to_dict() == {
        "panel": "Child",
        "restriction": "opthpc",
        "rows": 1000,
        "seconds": 3.0,
        "value": 26.0,
        "low": 16,
        "high": 36,
        "samples": 3,
    }


def test_a_line_a_restriction_runs_through_growing_sizes_in_each_panel(runs):
    figure = hybrid_figure(hybrid_data(runs))
    assert [trace.name for trace in figure.data] == ["Unrestricted", "Within OptHPC", "Within the truth"] * 2
    assert [trace.showlegend for trace in figure.data] == [True] * 3 + [False] * 3
    assert list(figure.data[0].x) == [2.5, 3.0]
    assert (
        len({trace.marker.color for trace in figure.data}) == len({trace.marker.symbol for trace in figure.data}) == 3
    )
    assert [a.text for a in figure.layout.annotations] == ["Child", "&lt;b&gt;"]
    assert figure.layout.xaxis.type == "log"


def test_panels_may_be_searches(runs):
    child = runs[runs.network == "Child"]
    both = pd.concat([child, child.assign(search="chen")])
    figure = hybrid_figure(hybrid_data(both, "gap", panel="search"))
    assert [a.text for a in figure.layout.annotations] == ["K2", "Chen's search"]


def test_what_the_figure_cannot_tell_apart_is_refused(runs):
    with pytest.raises(ValueError, match="'k2', 'chen' for search"):
        hybrid_data(pd.concat([runs, runs.assign(search="chen")]))
    with pytest.raises(ValueError, match="for network: select one"):
        hybrid_data(runs, panel="search")
    with pytest.raises(ValueError, match="none for score"):
        hybrid_data(runs[:0])
    with pytest.raises(ValueError, match="did you mean 'shd_cpdag'"):
        hybrid_data(runs, "shd_cpdg")
    with pytest.raises(ValueError, match="known names: network, search"):
        hybrid_data(runs, panel="size")
