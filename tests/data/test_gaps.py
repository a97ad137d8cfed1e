"""Tables with missing values: how they are read, selected and returned, and what refuses them."""

import pickle

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.counts import DaskSource, count_source
from bnlab.data import Table, Variable, concat, gap_patterns
from bnlab.networks import asia

FRAME = pd.DataFrame(
    {
        "text": ["b", None, "a", "b"],
        "number": pd.array([3, 1, None, None], dtype="Int64"),
        "full": [True, False, True, True],
        "kind": pd.Categorical(["x", "y", None, "x"], categories=["z", "y", "x"]),
    }
)


def kept(frame=FRAME, **options):
    return bnlab.load_data(frame, missing="keep", **options)


def test_missing_values_are_kept_and_given_back():
    table = kept()
    assert table.has_gaps
    assert table.gaps == {"text": 1, "number": 2, "kind": 1}
    assert table.arities == (2, 2, 2, 3)
    assert table.column("number").tolist() == [1, 0, 2, 2]
    back = table.to_pandas()
    pd.testing.assert_frame_equal(back.isna(), FRAME.isna())
    known = FRAME.notna()
    assert all((back[c][known[c]].astype(object) == FRAME[c][known[c]].astype(object)).all() for c in FRAME)
    assert "4 missing values" in repr(table)


def test_a_table_without_missing_values_is_the_same_under_every_policy():
    frame = FRAME[["full"]]
    table = kept(frame)
    assert not table.has_gaps
    assert table.gaps == {}
    assert table.equals(bnlab.load_data(frame))


def test_rows_columns_and_copies_keep_their_missing_values():
    table = kept(target="full")
    assert table.take([1, 3]).gaps == {"text": 1, "number": 1}
    assert not table.take([0]).has_gaps
    assert table.select(["kind", "full"]).gaps == {"kind": 1}
    assert not table.select(["full"]).has_gaps
    assert concat([table, table.take([0])]).gaps == table.gaps
    assert table.with_target("kind").gaps == table.gaps
    assert pickle.loads(pickle.dumps(table)).equals(table)
    assert pickle.loads(pickle.dumps(table)).has_gaps
    other = Variable("text", ("c", "b", "a"))
    assert table.recoded([other]).column(0).tolist() == [1, 3, 2, 1]
    assert table.fingerprint != kept(FRAME.fillna({"text": "a"})).fingerprint


def test_a_missing_value_has_its_own_code_beside_256_states():
    values = np.append(np.arange(256), [0, 0])
    variable = Variable("x", tuple(range(256)))
    column = np.append(np.arange(256), [256, 0])
    table = Table([variable], [column], gaps=True)
    assert table.column(0).dtype == np.uint16
    assert table.take(np.arange(256)).equals(Table([variable], [values[:256]]))
    assert table.take(np.arange(256)).fingerprint == Table([variable], [values[:256]]).fingerprint
    assert concat([table.take([0]), table]).gaps == {"x": 1}


def test_the_code_of_a_missing_value_is_refused_where_it_is_not_announced():
    with pytest.raises(ValueError, match="holds the code 2"):
        Table([Variable("x", (0, 1))], [[0, 2]])
    with pytest.raises(ValueError, match="holds the code 3"):
        Table([Variable("x", (0, 1))], [[0, 3]], gaps=True)


@pytest.mark.parametrize(
    "use",
    [
        count_source,
        lambda table: bnlab.learn(table, "hill-climbing"),
        lambda table: bnlab.learn(table, "chow-liu"),
        lambda table: bnlab.skeleton(table, "mmpc"),
        lambda table: bnlab.score([], table),
    ],
)
def test_what_needs_complete_rows_names_the_columns_and_the_ways_out(use):
    with pytest.raises(ValueError, match=r"'text', 'number', 'kind' have 4 missing.*drop.*state.*structural-em.*fit"):
        use(kept())


def test_columns_without_missing_values_are_counted_as_ever():
    table = kept()
    counts = count_source(table.select(["full"])).count([(0, ())])[0]
    assert counts.table.tolist() == [[1, 3]]


def test_dask_refuses_to_keep_missing_values():
    dd = pytest.importorskip("dask.dataframe")
    with pytest.raises(ValueError, match="complete rows"):
        DaskSource(dd.from_pandas(FRAME, npartitions=1), missing="keep")


def test_intervals_leave_missing_values_missing():
    frame = pd.DataFrame({"x": [0.5, 1.5, None, 2.5, 3.5, 4.5], "y": list("aabbab")})
    table = bnlab.load_data(frame, missing="keep", discretize="quantile", bins=2)
    assert table.gaps == {"x": 1}
    assert table.arities == (2, 2)


def test_patterns_count_every_row_once_and_are_those_of_the_frame():
    rng = np.random.default_rng(1)
    frame = asia().sample(300, seed=1).to_pandas()
    holes = rng.random(frame.shape) < [0.5, 0.3, 0, 0, 0.1, 0, 0, 0]
    frame = frame.mask(holes)
    found = gap_patterns(kept(frame))
    assert found["rows"].sum() == 300
    assert found["rows"].is_monotonic_decreasing
    pd.testing.assert_frame_equal(found, gap_patterns(frame))
    names = found.columns[:3]
    for _, row in found.iterrows():
        same = (frame[names].isna() == row[names].astype(bool)).all(axis=1)
        assert same.sum() == row["rows"]
    none = gap_patterns(asia().sample(5, seed=1))
    assert none.to_dict("records") == [{"n_missing": 0, "rows": 5, "share": 1.0}]
