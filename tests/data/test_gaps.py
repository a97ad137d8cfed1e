"""Tables with missing values: how they are read, selected and returned, and what refuses them."""

import pickle
from collections import Counter

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.counts import DaskSource, count_source
from bnlab.data import Table, Variable, concat, gap_costs, gap_patterns, remove_values
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


@pytest.mark.parametrize("n", [1, 8, 9, 100])
def test_patterns_of_any_number_of_variables_are_the_different_rows(n):
    rng = np.random.default_rng(n)
    holes = rng.random((5, n)) < 0.5
    holes[0] = True
    frame = pd.DataFrame(np.where(holes[rng.integers(0, 5, 200)], np.nan, 1.0), columns=[f"x{i}" for i in range(n)])
    found = gap_patterns(frame)
    expected = Counter(map(tuple, frame[found.columns[:n]].isna().to_numpy().tolist()))
    assert {tuple(row[:n]): row[n + 1] for row in found.to_numpy().tolist()} == expected
    assert found.n_missing.tolist() == found[found.columns[:n]].sum(axis=1).tolist()


def test_a_variable_with_the_name_of_a_result_is_refused_in_the_frame_and_costs_what_another_one_does():
    frame = pd.DataFrame({"rows": [1, None, None], "b": [1, 2, None]})
    with pytest.raises(ValueError, match="column 'rows' has the name of a result, n_missing, rows, share: rename it"):
        gap_patterns(frame)
    pd.testing.assert_frame_equal(gap_costs(frame), gap_costs(frame.rename(columns={"rows": "a"})))


def test_costs_of_treatments_are_those_of_the_tables_that_they_make():
    frame = asia().sample(300, seed=1).to_pandas()
    holes = np.random.default_rng(2).random(frame.shape) < [0.3, 0.2, 0, 0, 0.1, 0, 0, 0]
    frame = frame.mask(holes)
    costs = gap_costs(frame)
    pd.testing.assert_frame_equal(costs, gap_costs(kept(frame)))
    complete = {v.name: v.arity for v in kept(frame).variables}
    for missing in ("drop", "state", "keep"):
        table = bnlab.load_data(frame, missing=missing)
        assert costs.rows[missing] == len(table) == 300 - costs.rows_lost[missing]
        assert costs.states_added[missing] == max(sum(v.arity - complete[v.name] for v in table.variables), 0)
    assert costs.values_kept["drop"] == 8 * len(frame.dropna())
    assert (
        costs.values_kept["keep"]
        == frame.notna().to_numpy().sum()
        == costs.values_lost["drop"] + 8 * costs.rows["drop"]
    )


@pytest.mark.parametrize("mechanism", ["mcar", "mar", "mnar"])
def test_values_are_removed_as_often_as_wanted_and_by_the_mechanism(mechanism):
    table = asia().sample(20_000, seed=1)
    found = remove_values(table, 0.2, mechanism, seed=2, observed=["smoke"])
    assert "smoke" not in found.gaps
    assert set(found.gaps) == set(table.names) - {"smoke"}
    assert all(abs(n / 20_000 - 0.2) < 0.01 for n in found.gaps.values())
    assert found.fingerprint == remove_values(table, 0.2, mechanism, seed=2, observed=["smoke"]).fingerprint
    gone = found.column("bronc") == 2
    assert (found.column("bronc")[~gone] == table.column("bronc")[~gone]).all()
    ratio = {}
    for cause in ("smoke", "bronc"):
        rare = table.column(cause) != np.bincount(table.column(cause)).argmax()
        ratio[cause] = gone[rare].mean() / gone[~rare].mean()
    if mechanism == "mcar":
        assert all(0.9 < r < 1.1 for r in ratio.values())
    else:
        assert ratio["smoke" if mechanism == "mar" else "bronc"] == pytest.approx(4, rel=0.1)


@pytest.mark.parametrize(
    ("share", "mechanism", "message"),
    [(0.9, "mcar", "share=0.9"), (0.1, "mar", "observed="), (0.1, "random", "mechanism='random'")],
)
def test_values_that_cannot_be_removed_so_are_refused(share, mechanism, message):
    with pytest.raises(ValueError, match=message):
        remove_values(asia().sample(10, seed=1), share, mechanism)
    with pytest.raises(ValueError, match="missing values"):
        remove_values(kept(), 0.1)


def test_a_table_shows_how_many_values_each_variable_lacks():
    assert "2 states: 1, 3; 2 missing (50%)" in repr(kept())
    assert "2 missing (50%)" in kept()._repr_html_()


def test_a_column_without_any_value_is_refused_unless_its_states_are_declared():
    empty = FRAME.assign(text=pd.Series([None] * 4, dtype="string"))
    with pytest.raises(ValueError, match=r"column 'text' has no value in any row, .* leave it out, or declare them"):
        kept(empty)
    declared = empty.astype({"text": pd.CategoricalDtype(["a", "b"])})
    assert kept(declared).gaps["text"] == 4


def test_the_error_for_missing_values_names_what_takes_them():
    with pytest.raises(ValueError, match=r"bnlab.load_data\(df, missing=...\).*\"keep\".*bnlab.learn.*impute"):
        bnlab.learn(FRAME)


def test_columns_of_one_name_are_no_single_pattern() -> None:
    twice = pd.DataFrame([[1, None], [None, 2]], columns=["a", "a"])
    for examined in (gap_patterns, gap_costs):
        with pytest.raises(ValueError, match="two columns are called 'a'"):
            examined(twice)
        with pytest.raises(TypeError, match="column names 1 are not strings"):
            examined(twice.set_axis([1, "1"], axis=1))
