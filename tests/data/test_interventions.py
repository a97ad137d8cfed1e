"""Rows that are interventions, kept beside a table."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.data import Table, Variable, concat
from bnlab.data.carried import texts_of


@pytest.fixture
def table():
    variables = [Variable("a", ("x", "y")), Variable("b", ("x", "y", "z"))]
    return Table(variables, [[0, 1, 0, 1], [0, 1, 2, 0]], target="b").with_interventions(["", "a", "b, a", None])


def test_each_row_names_what_was_set(table):
    assert list(table.interventions) == ["a", "b"]
    assert table.intervened("a").tolist() == [False, True, True, False]
    assert table.intervened("b").tolist() == [False, False, True, False]
    assert table.intervened().tolist() == [False, True, True, False]


@pytest.mark.parametrize(
    ("change", "texts"),
    [
        (lambda t: t.take([2, 0, 1]), ["a; b", "", "a"]),
        (lambda t: t.take(t.intervened()), ["a", "a; b"]),
        (lambda t: t.head(2), ["", "a"]),
        (lambda t: t.with_target(None), ["", "a", "a; b", ""]),
        (lambda t: t.recoded([t.variables[1], t.variables[0]]), ["", "a", "b; a", ""]),
        (lambda t: t.select(["b"]), ["", "", "b", ""]),
        (lambda t: pickle.loads(pickle.dumps(t)), ["", "a", "a; b", ""]),
        (
            lambda t: concat([t.with_interventions(None).head(1), t.with_interventions("b"), t]).take([0, 1, 6]),
            ["", "b", "a"],
        ),
    ],
)
def test_interventions_go_with_the_rows(table, change, texts):
    assert texts_of(change(table).interventions) == texts


def test_tables_that_differ_in_interventions_differ(table):
    plain = table.with_interventions(None)
    assert not plain.interventions
    assert not plain.intervened().any()
    assert not table.equals(plain)
    assert table.fingerprint != plain.fingerprint
    assert table.equals(plain.with_interventions([(), ["a"], {"a", "b"}, float("nan")]))
    assert not plain.with_interventions(["", None, "", pd.NA]).interventions
    assert table.equals(plain.with_interventions({"b": [False, False, True, False], "a": [0, 1, 1, 0]}))
    assert not plain.with_interventions({"a": [False] * 4}).interventions


def test_load_data_reads_the_column_of_interventions(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b,set\nx,u,\ny,,b\nx,v,a;b\ny,u,a\n")
    table = bnlab.load_data(path, interventions="set", missing="drop")
    assert table.names == ("a", "b")
    assert texts_of(table.interventions) == ["", "a; b", "a"]
    frame = pd.read_csv(path).set_index(np.zeros(4))
    kept = bnlab.load_data(frame, interventions="set", missing="state")
    assert texts_of(kept.interventions) == ["", "b", "a; b", "a"]


def test_what_is_no_intervention_is_refused(table):
    with pytest.raises(ValueError, match="2 interventions for 4 rows"):
        table.with_interventions(["a", "b"])
    with pytest.raises(ValueError, match="intervention on 'c': no variable is called so"):
        table.with_interventions("a; c")
    with pytest.raises(ValueError, match="intervention 3 is no text"):
        table.with_interventions([3, "", "", ""])
    with pytest.raises(ValueError, match=r"interventions on 'a': shape \(2,\), but one for each row is needed"):
        table.with_interventions({"a": [True, False]})
    with pytest.raises(ValueError, match="no variable is called 'c'"):
        table.with_interventions({"c": [True] * 4})
    with pytest.raises(ValueError, match="interventions='sett': no column is called so; did you mean 'set'"):
        bnlab.load_data(pd.DataFrame({"a": ["x"], "set": ["a"]}), interventions="sett")


def test_interventions_in_rows_of_weight_zero_decide_no_direction() -> None:
    table = bnlab.load_network("asia").sample(400, seed=1).select(["smoke", "lung"])
    done = table.with_interventions(["smoke"] * 100 + [""] * 300)
    assert done.experiments == {frozenset(), frozenset({"smoke"})}
    ignored = done.with_weights([0] * 100 + [1] * 300)
    assert ignored.experiments == {frozenset()}
    assert (
        bnlab.learn(ignored, "hill-climbing").undecided
        == bnlab.learn(table.take(range(100, 400)), "hill-climbing").undecided
    )


@pytest.mark.parametrize("wrong", [[np.nan, 1], ["False", "True"], [None, True], [pd.NA, True], [2, 0]])
def test_a_mapping_says_of_each_row_whether_a_variable_was_set(wrong: list[object]) -> None:
    table = Table([Variable("a", (0, 1))], [[0, 1]])
    assert table.with_interventions({"a": [0, 1]}).intervened("a").tolist() == [False, True]
    assert table.with_interventions({"a": pd.Series([True, False], dtype="boolean")}).interventions["a"].tolist() == [
        True,
        False,
    ]
    with pytest.raises(ValueError, match=r"interventions on 'a': .* in row 0 is neither true nor false"):
        table.with_interventions({"a": wrong})
