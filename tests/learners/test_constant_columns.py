"""A column of which the rows show one state gets no edges: the data are no evidence for or against any."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import bnlab
from bnlab.counts import AvailableCases, ChunkedSource, count_source
from bnlab.counts.incomplete import ExpectedCounts
from bnlab.data import Table, Variable, remove_values
from bnlab.learners import learn, optimum
from bnlab.learners.table import LEARNERS

REST = ["a", "b", "c", "d"]
CONSTANT = {"site", "kind"}
LIGHT = {"chen": {"max_iterations": 20}}


def some_rows(seed: int, n_rows: int = 300) -> Table:
    """Four dependent variables, a column that declares one state, and one with two states that no row shows."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, n_rows)
    b = np.where(rng.random(n_rows) < 0.8, a, rng.integers(0, 3, n_rows))
    c = np.where(rng.random(n_rows) < 0.7, b > 0, rng.integers(0, 2, n_rows)).astype(int)
    d = np.where(rng.random(n_rows) < 0.75, c, rng.integers(0, 2, n_rows))
    site, kind = np.zeros(n_rows, np.int64), np.ones(n_rows, np.int64)
    states = {"site": ("north",), "a": (0, 1), "b": (0, 1, 2), "kind": ("x", "y", "z"), "c": (0, 1), "d": (0, 1)}
    return Table([Variable(name, found) for name, found in states.items()], [site, a, b, kind, c, d])


def ends(dag: bnlab.Dag) -> set[str]:
    return {name for edge in dag.edges for name in edge}


@pytest.mark.parametrize("score", ["bdeu", "k2", "bic"])
@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_leaves_constant_columns_alone_and_learns_the_rest_as_without_them(name, score):
    table = some_rows(1)
    options = {} if LEARNERS[name].only else {"score": score}
    found = learn(table, name, **options, **LIGHT.get(name, {}))
    assert not ends(found) & CONSTANT
    assert ends(found) == set(REST)
    if name in ("chow-liu", "branching", "hill-climbing", "boss", "exact"):
        rest, scored = table.select(REST), options.get("score", "ll")
        expected = bnlab.score(learn(rest, name, **options), rest, scored)
        assert bnlab.score(list(found.edges), rest, scored) == pytest.approx(expected)


@pytest.mark.parametrize("learner", ["chow-liu", "hill-climbing", "exact"])
@pytest.mark.parametrize("method", ["structural-em", "available-cases"])
def test_columns_that_are_constant_where_they_are_observed_stay_alone(method, learner):
    gone = remove_values(some_rows(2), 0.1, seed=1)
    found = learn(gone, method, learner=learner, score=None if learner == "chow-liu" else "bdeu")
    assert ends(found) == set(REST)


def test_a_variable_that_varies_only_where_it_was_set_is_not_constant():
    rng = np.random.default_rng(1)
    was_set = np.arange(400) < 200
    x = np.where(was_set, rng.integers(0, 2, 400), 0)
    y = np.where(rng.random(400) < 0.9, x, 1 - x)
    pair = [Variable("x", (0, 1)), Variable("y", (0, 1))]
    table = Table(pair, [x, y]).with_interventions(["x" if one else "" for one in was_set])
    chunks = ChunkedSource(lambda: [table.take(slice(100)), table.take(slice(100, None))])
    gaps = remove_values(table, 0.05, seed=2, observed=["x"])
    for data in (table, chunks, AvailableCases(gaps)):
        assert learn(data, "hill-climbing").edges == (("x", "y"),)
    assert learn(table.take(~was_set), "hill-climbing").edges == ()


def test_every_source_finds_the_constant_columns():
    table = some_rows(3)
    parts = [table.take(slice(40)), table.take(slice(40, None))]
    first = Table(table.variables[:2], [[0, 0], [1, 1]])
    second = Table(table.variables[:2], [[0], [0]])
    assert first.constant == count_source(first).constant == (0, 1)
    assert ChunkedSource(lambda: [first, second]).constant == (0,)
    some = table.with_weights(np.arange(table.n_rows) < 1)
    assert some.constant == count_source(some).constant == (0, 1, 2, 3, 4, 5), "rows of weight 0 show nothing"
    for source in (
        table,
        remove_values(table, 0.2, seed=1),
        count_source(table),
        ChunkedSource(lambda: parts),
        AvailableCases(remove_values(table, 0.2, seed=1)),
        ExpectedCounts([table, table]),
        count_source(table.with_interventions("a")),
    ):
        assert source.constant == (0, 3)


def test_a_required_edge_remains_and_a_message_names_the_columns(caplog):
    known = bnlab.Knowledge(required=[("site", "a")], forbidden=[("b", "d")])
    with caplog.at_level(logging.INFO, "bnlab"):
        found = learn(some_rows(4), "hill-climbing", score="bdeu", knowledge=known)
    assert ("site", "a") in found.edges
    assert ("b", "d") not in found.edges
    assert "kind" not in ends(found)
    assert any("one state of 'site', 'kind'" in text for text in caplog.messages)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("exact", {}),
        ("exact", {"structure_prior": "orders"}),
        ("mcmc", {"chains": 2, "draws": 60, "moves": 5}),
        ("bootstrap", {"replicates": 5}),
    ],
)
def test_edges_of_constant_columns_have_probability_zero_and_the_result_says_so(method, options):
    table = some_rows(5, 120)
    found = bnlab.edge_probabilities(table, method, **options)
    frame = found.to_frame()
    assert not frame.loc[sorted(CONSTANT)].to_numpy().any()
    assert not frame[sorted(CONSTANT)].to_numpy().any()
    assert not ends(found.consensus(0.01)) & CONSTANT
    assert found.constant == ("site", "kind")
    assert "constant and without edges: site, kind" in repr(found)
    if method == "exact" and not options:
        alone = bnlab.edge_probabilities(table.select(REST), method).to_frame()
        np.testing.assert_allclose(frame.loc[REST, REST].to_numpy(), alone.to_numpy(), atol=1e-9)


def test_the_optimum_has_no_edge_of_a_constant_column():
    best = optimum(some_rows(6), "bdeu")
    assert not ends(best.graph) & CONSTANT
    assert best.proven


def test_a_first_network_may_join_a_column_that_is_constant_in_these_rows():
    table, edges = some_rows(7), [("site", "a"), ("a", "b"), ("kind", "b")]
    found = learn(table, "hill-climbing", start=bnlab.Dag(table.names, edges))
    assert found == learn(table, "hill-climbing", start=[("a", "b")])
    known = bnlab.Knowledge(required=[("kind", "b")])
    assert ("kind", "b") in learn(table, "hill-climbing", start=edges, knowledge=known).edges
    with pytest.raises(ValueError, match="start disagrees with `knowledge`: edge 'a' -> 'b' is not allowed"):
        learn(table, "hill-climbing", start=edges, knowledge=bnlab.Knowledge(forbidden=[("a", "b")]))
