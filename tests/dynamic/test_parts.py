"""Panels in chunks and on Dask count, score and learn what the panel in memory does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.counts import count_source
from bnlab.data import Table
from bnlab.dynamic import ChunkedPanel, DaskPanel, DynamicNetwork, Panel
from bnlab.networks import BDeuPrior
from tests.dynamic.panels import random_panel

CASES = {
    "lags 1": {},
    "no static": {"static": 0},
    "lags 2, interventions": {"lags": 2},
    "weights, interventions": {"weights": True},
}


def whole(case: str) -> Panel:
    """Panel of 40 units of uneven length; the first ten are too short for a transition."""
    panel = random_panel(21, n=3, **CASES[case])
    steps = np.concatenate([np.arange(length) for length in panel.lengths])
    kept = (panel.unit_of >= 10) | (steps < 1)
    table = panel.table.take(kept)
    if "interventions" in case:
        done = np.random.default_rng(3).choice(["", "", "x1", "x0;x2"], table.n_rows)
        table = table.with_interventions(done.tolist())
    return Panel(table, panel.unit_of[kept], panel.times[kept], panel.units, panel.static, panel.lags)


def frame_of(panel: Panel) -> pd.DataFrame:
    """Long table of a panel, whose rows are in no order within a unit."""
    frame = panel.table.to_pandas().assign(unit=panel.unit_of, time=panel.times, w=1, done="")
    if panel.table.weights is not None:
        frame["w"] = panel.table.weights
    if panel.table.interventions:
        was_set = np.array([panel.table.intervened(name) for name in panel.table.names]).T
        frame["done"] = [",".join(np.array(panel.table.names)[row]) for row in was_set]
    return frame.sort_values(["unit", "x0"])


def in_partitions(frame: pd.DataFrame, ends: list[int]):
    """Dask DataFrame of the units before each end."""
    dd = pytest.importorskip("dask.dataframe")
    begins = [0, *ends]
    return dd.concat(
        [dd.from_pandas(frame[frame.unit.between(a, b - 1)], npartitions=1) for a, b in zip(begins, ends, strict=False)]
    )


def chunked(panel: Panel) -> ChunkedPanel:
    return ChunkedPanel(lambda: [panel.take(range(a, b)) for a, b in ((0, 8), (8, 25), (25, 40))])


def on_dask(panel: Panel) -> DaskPanel:
    weights = None if panel.table.weights is None else "w"
    interventions = "done" if panel.table.interventions else None
    frame = frame_of(panel)
    dropped = [name for name, used in (("w", weights), ("done", interventions)) if used is None]
    return DaskPanel(
        in_partitions(frame.drop(columns=dropped), [8, 25, 40]),
        unit="unit",
        time="time",
        lags=panel.lags,
        static=panel.static,
        weights=weights,
        interventions=interventions,
    )


@pytest.fixture(scope="module", autouse=True)
def threads():
    """Threads of this process in place of a cluster."""
    dask = pytest.importorskip("dask")
    with dask.config.set(scheduler="threads"):
        yield


def same_counts(found, table: Table) -> None:
    expected = count_source(table)
    n = table.n_variables
    families = [(v, tuple(u % n for u in range(v + 1, v + 1 + size))) for v in range(n) for size in (0, min(n, 3) - 1)]
    families.append((0, tuple(range(1, n))))
    assert found.variables == table.variables
    assert found.n_rows == table.total
    assert found.experiments == table.experiments
    for a, b in zip(found.count(families), expected.count(families), strict=True):
        np.testing.assert_array_equal(a.table, b.table)
        np.testing.assert_array_equal(a.configurations, b.configurations)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("make", [chunked, on_dask])
def test_parts_count_the_rows_of_the_whole_panel(make: Callable, case: str) -> None:
    panel = whole(case)
    parts = make(panel)
    assert (parts.names, parts.static, parts.longest) == (panel.names, panel.static, panel.longest)
    same_counts(parts.transitions, panel.transitions)
    for step in range(panel.lags, panel.longest):
        same_counts(parts.transitions_to(step), panel.transitions_to(step))
    for count in range(1, panel.lags + 1):
        same_counts(parts.first_slices(count), panel.first_slices(count))
    same_counts(parts.with_lags(3).transitions, panel.with_lags(3).transitions)


@pytest.mark.parametrize(("make", "case"), [(chunked, "weights, interventions"), (on_dask, "lags 2, interventions")])
def test_learners_and_estimates_are_those_of_the_whole_panel(make: Callable, case: str) -> None:
    panel = whole(case)
    parts = make(panel)
    for algorithm, options in (
        ("tdbn", {"score": "bic"}),
        ("cdbn", {"score": "bdeu", "p": 2}),
        ("bcdbn", {"score": "bic", "stationary": False}),
        ("boss", {"score": "bdeu"}),
    ):
        assert bnlab.learn_dynamic(parts, algorithm, **options) == bnlab.learn_dynamic(panel, algorithm, **options)
    found = bnlab.learn_dynamic(panel, "cdbn", stationary=False)
    for structure in (found, bnlab.learn_dynamic(panel, "cdbn"), bnlab.learn_dynamic(panel.with_lags(1), "tdbn")):
        fitted = DynamicNetwork.fit(structure, parts, BDeuPrior(1.0))
        expected = DynamicNetwork.fit(structure, panel, BDeuPrior(1.0))
        for a, b in zip((fitted.prior, *fitted.transitions), (expected.prior, *expected.transitions), strict=True):
            for one, other in zip(a.cpts, b.cpts, strict=True):
                np.testing.assert_array_equal(one, other)


def test_partitions_show_some_states_only_and_units_of_weight_0_are_no_rows() -> None:
    frame = pd.DataFrame(
        {
            "patient": [*"aabbbccdd"],
            "visit": [1, 2, 1, 2, 3, 5, 6, 1, 2],
            "bp": ["low", "low", "mid", "mid", "low", "high", "mid", "high", "high"],
            "often": [1, 1, 2, 2, 2, 1, 1, 0, 0],
        }
    )
    dd = pytest.importorskip("dask.dataframe")
    parts = dd.concat([dd.from_pandas(frame[frame.patient == p], npartitions=1) for p in "abcd"])
    some = {"unit": "patient", "time": "visit", "weights": "often"}
    same_counts(DaskPanel(parts, **some).transitions, bnlab.load_panel(frame, **some).transitions)


def test_a_unit_in_two_parts_is_refused_by_its_name() -> None:
    panel = whole("lags 1")
    frame = frame_of(panel).drop(columns=["w", "done"])
    dd = pytest.importorskip("dask.dataframe")
    torn = dd.concat([dd.from_pandas(frame[frame.time == t], npartitions=1) for t in (0, 1)])
    some = {"unit": "unit", "time": "time", "static": "s0"}
    with pytest.raises(ValueError, match=r"unit 10 is in two partitions.*frame\.shuffle\(on='unit'\)"):
        DaskPanel(torn[torn.unit >= 10], **some)
    two = frame[frame.time < 2]
    same_counts(
        DaskPanel(torn.shuffle(on="unit", npartitions=3), **some).transitions, bnlab.load_panel(two, **some).transitions
    )
    with pytest.raises(ValueError, match="unit 4 is in two chunks"):
        ChunkedPanel(lambda: [panel.take(range(5)), panel.take(range(4, 9))])


@pytest.mark.parametrize("make", [chunked, on_dask])
def test_what_parts_cannot_count_is_refused(make: Callable) -> None:
    with pytest.raises(ValueError, match="missing values"):
        bnlab.learn_dynamic(make(random_panel(4, gaps=True)))
    with pytest.raises(ValueError, match="no unit has 9 times"):
        _ = make(whole("lags 1")).with_lags(8).transitions
    with pytest.raises(ValueError, match="lags"):
        make(whole("lags 1")).with_lags(0)


def test_chunks_of_other_states_or_none_are_refused() -> None:
    panel = whole("lags 1")
    with pytest.raises(ValueError, match="no chunk"):
        ChunkedPanel(list)
    with pytest.raises(ValueError, match="differ in their variables or states"):
        ChunkedPanel(lambda: [panel.take([11]), random_panel(22).take([12])])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "unt"}, "unit='unt': no column.*'unit'"),
        ({"weights": "often"}, "weights='often': no column"),
        ({"static": "x0"}, "static='x0' changes within unit"),
    ],
)
def test_wrong_columns_of_dask_are_refused(options: dict, message: str) -> None:
    frame = in_partitions(frame_of(whole("lags 1")).drop(columns=["w", "done"]), [20, 40])
    with pytest.raises(ValueError, match=message):
        DaskPanel(frame, **{"unit": "unit", "time": "time"} | options)


def test_a_gap_in_time_is_refused_by_unit_and_time() -> None:
    frame = frame_of(whole("lags 1")).drop(columns=["w", "done"])
    frame.loc[frame.time == 2, "time"] = 7
    with pytest.raises(ValueError, match="has no row at time"):
        DaskPanel(in_partitions(frame, [40]), unit="unit", time="time")
