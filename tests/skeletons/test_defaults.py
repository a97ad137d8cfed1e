"""The default variant: variables of many states, and tables whose columns are in another order."""

from __future__ import annotations

import logging

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.citests import NOT_PERFORMED, Calls, Dep, G2Tester, expected_g2
from bnlab.citests.tester import UNDECIDED
from bnlab.data import Table, Variable
from bnlab.graphs import compare
from bnlab.networks import asia, simple
from bnlab.search import run
from bnlab.skeletons import make_search, skeleton
from bnlab.skeletons.skeleton import SKELETONS

ORDERS = 8


def quality(graph, true) -> tuple[float, float]:
    """F1 and precision of a graph."""
    found = compare(graph, true)
    return 2 * found.sn * found.sp / (found.sn + found.sp), found.sp


def edges_of(graph) -> set[frozenset[str]]:
    return set(map(frozenset, graph.edges))


@pytest.mark.parametrize("n_rows", [500, 5000])
@pytest.mark.parametrize("algorithm", ["opthpc", "hpc"])
def test_on_wide_variables_the_default_is_better_than_the_paper(algorithm, n_rows):
    net = bnlab.load_network("hailfinder")
    rows = net.sample(n_rows, seed=3)
    f1, precision = quality(skeleton(rows, algorithm).to_pdag(), net.dag)
    as_published, _ = quality(skeleton(rows, algorithm, variant="paper").to_pdag(), net.dag)
    assert f1 > as_published + 0.15
    assert precision > 0.8


@pytest.mark.parametrize("network", ["child", "alarm"])
@pytest.mark.parametrize("algorithm", ["mmpc", "getpc", "heupc"])
def test_tests_in_sparse_tables_find_true_edges(algorithm, network):
    net = bnlab.load_network(network)
    rows = net.sample(500, seed=7)
    f1, precision = quality(skeleton(rows, algorithm).to_pdag(), net.dag)
    as_published, _ = quality(skeleton(rows, algorithm, variant="paper").to_pdag(), net.dag)
    assert f1 > as_published + 0.05
    assert precision > 0.9


@pytest.mark.parametrize("unreliable", ["skip", "dependence"])
def test_an_answer_for_tests_with_too_few_rows_is_given_below_five_rows_a_cell(unreliable):
    rows = asia().sample(200, seed=1)
    assert make_search(rows, "mmpc").tester.rows_per_cell < 1
    assert make_search(rows, "mmpc", unreliable=unreliable).tester.rows_per_cell == 5


def test_on_many_variables_ten_pairs_are_found_by_chance():
    rng = np.random.default_rng(1)
    table = bnlab.load_data(pd.DataFrame(rng.integers(0, 2, (2000, 300)).astype(str)).add_prefix("v"))
    tester = make_search(table, "opthpc").tester
    found = sum(tester.strength(x, y, ()) > 0 for x in range(300) for y in range(x + 1, 300))
    assert found == pytest.approx(10, abs=3 * np.sqrt(10))
    assert make_search(table, "opthpc", alpha=0.001).tester.alpha == 0.001
    assert make_search(asia().sample(200, seed=1), "opthpc").tester.alpha == 0.001


@pytest.mark.parametrize("algorithm", SKELETONS)
@pytest.mark.parametrize("network", ["asia", "alarm"])
def test_the_order_of_columns_changes_no_skeleton(algorithm, network):
    rows = bnlab.load_network(network).sample(500, seed=2)
    search = make_search(rows, algorithm)
    expected, by_steps = skeleton(rows, algorithm), run(search, search.init())
    assert by_steps == expected
    rng = np.random.default_rng(1)
    for _ in range(ORDERS if algorithm == "opthpc" or network == "asia" else 3):
        graph = skeleton(rows.select([rows.names[v] for v in rng.permutation(len(rows.names))]), algorithm)
        assert edges_of(graph) == edges_of(expected)
        assert (graph.nsc, graph.not_performed) == (expected.nsc, expected.not_performed)
        a, b = expected.edges[0]
        assert (graph.strength(a, b), set(graph.given(a, b))) == (expected.strength(a, b), set(expected.given(a, b)))


def test_the_published_algorithm_depends_on_the_order_of_columns():
    rows = bnlab.load_network("alarm").sample(500, seed=2)
    backwards = rows.select(rows.names[::-1])
    assert edges_of(skeleton(rows, variant="paper")) != edges_of(skeleton(backwards, variant="paper"))


def test_the_graph_shown_while_the_search_runs_has_the_edges_of_the_result():
    rows = asia().sample(500, seed=1)
    search = make_search(rows)
    assert search.variable_names() == rows.names
    state = search.init()
    while not search.is_done(state):
        state, _ = search.step(state)
    assert search.graph_of(search.snapshot(state).sketch, rows.names) == search.result(state).to_pdag()


def test_columns_of_equal_entropy_are_taken_by_name():
    x = np.arange(40) % 2
    table = Table([Variable(name, (0, 1)) for name in "CABD"], [x, 1 - x, x, 0 * x])
    assert G2Tester(table).by_entropy().columns == (3, 1, 2, 0)


def test_a_test_with_too_few_rows_may_find_dependence_but_not_independence():
    rng = np.random.default_rng(3)
    x, z = rng.integers(0, 8, (2, 200))
    y = np.where(rng.random(200) < 0.8, x, rng.integers(0, 8, 200))
    table = Table([Variable(name, tuple(range(8))) for name in "XYZ"], [x, y, z])
    skipping, trusting = (G2Tester(table, few_rows=rule) for rule in ("skip", "dependence"))
    full = G2Tester(table, rows_per_cell=0)
    assert skipping.strength(0, 1, (2,)) == NOT_PERFORMED
    outcome = trusting.test("X", "Y", "Z").outcome
    assert outcome.df == expected_g2(trusting.test("X", "Y", "Z").table) > full.test("X", "Y", "Z").outcome.df
    assert trusting.strength(0, 1, (2,)) == pytest.approx(-outcome.log_p, rel=1e-12)
    assert full.strength(0, 2, (1,)) == 0
    assert trusting.strength(0, 2, (1,)) == NOT_PERFORMED
    assert trusting.strength(0, 2, ()) == full.strength(0, 2, ()) == 0


def test_a_test_with_too_few_rows_finds_independence_where_few_of_its_states_occur():
    rng = np.random.default_rng(4)
    hub = rng.integers(0, 40, 500)
    columns = [np.where(rng.random(500) < 0.03, rng.integers(0, 3, 500), hub // k % 3) for k in (1, 1)]
    columns.append(np.where(rng.random(500) < 0.1, rng.integers(0, 3, 500), columns[0]))
    table = Table([Variable("H", tuple(range(40))), *(Variable(name, (0, 1, 2)) for name in "XYZ")], [hub, *columns])
    skipping, trusting = (G2Tester(table, 0.001, few_rows=rule) for rule in ("skip", "dependence"))
    assert trusting.strength(1, 2, ()) > 0
    assert skipping.strength(1, 2, (0,)) == NOT_PERFORMED
    assert trusting.strength(1, 2, (0,)) == 0
    assert trusting.strength(1, 3, (0,)) != 0
    joined = edges_of(skeleton(table))
    assert frozenset("XY") not in joined
    assert {frozenset("HX"), frozenset("XZ")} <= joined


@pytest.mark.parametrize("algorithm", ["opthpc", "hpc"])
def test_the_children_of_a_parent_with_many_states_are_joined_to_it_and_not_to_each_other(algorithm):
    rng = np.random.default_rng(0)
    weights = 1 / np.arange(1, 61)
    hub = rng.choice(60, 500, p=weights / weights.sum())
    columns = [hub]
    for r in rng.integers(2, 6, 40):
        bounds = rng.dirichlet(np.full(r, 0.15), 60).cumsum(1)
        columns.append((rng.random(500)[:, None] > bounds[hub]).sum(1).clip(max=r - 1))
    table = Table([Variable(f"v{i}", tuple(range(column.max() + 1))) for i, column in enumerate(columns)], columns)
    edges = skeleton(table, algorithm).edges
    of_hub = sum("v0" in edge for edge in edges)
    assert of_hub >= 38
    assert len(edges) - of_hub <= 2


@pytest.mark.parametrize("algorithm", ["opthpc", "hpc"])
def test_a_variable_that_determines_another_does_not_separate_it_from_its_parent(algorithm):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, 2000)
    y = np.where(rng.random(2000) < 0.7, x, rng.integers(0, 3, 2000))
    columns = {"X": x, "Y": y, "W": 2 * y + rng.integers(0, 2, 2000)}  # X -> Y -> W, and W determines Y
    table = Table([Variable(name, tuple(range(6))) for name in columns], list(columns.values()))
    skipping, trusting = (G2Tester(table, rows_per_cell=5.0, few_rows=rule) for rule in ("skip", "dependence"))
    assert skipping.strength(0, 1, (2,)) == 0
    assert trusting.strength(0, 1, (2,)) == UNDECIDED
    assert edges_of(skeleton(table, algorithm)) == {frozenset("XY"), frozenset("YW")}


def test_a_test_between_the_two_levels_neither_joins_nor_separates():
    rows = bnlab.load_network("alarm").sample(500, seed=2)
    low, high = G2Tester(rows, 0.01), G2Tester(rows, 0.2)
    tester = G2Tester(rows, 0.01, separating_alpha=0.2)
    found = set()
    for x, y, z in ((x, y, z) for z in range(10) for x in range(10, 20) for y in range(20, 30)):
        at_low, at_high = low.strength(x, y, (z,)), high.strength(x, y, (z,))
        undecided = at_low == 0 < at_high
        assert tester.strength(x, y, (z,)) == (UNDECIDED if undecided else at_low)
        assert tester.strength(x, y, ()) == low.strength(x, y, ())
        found.add(undecided)
    assert found == {True, False}
    calls = Calls()
    dep = Dep(tester, calls, unreliable="skip")
    x, y, z = next(
        t for t in ((x, y, z) for z in range(10) for x in range(10, 20) for y in range(20, 30))
        if tester.strength(t[0], t[1], t[2:]) == UNDECIDED
    )  # fmt: skip
    assert not dep.separates(x, y, (z,))
    assert dep(x, y, (z,)) < 0
    assert (calls.nsc, calls.not_performed) == (2, 0)


@pytest.mark.parametrize("level", [0.005, 1.0, "0.05"])
def test_the_separating_level_lies_between_alpha_and_1(level):
    with pytest.raises((ValueError, TypeError), match=r"separating_alpha=.*: it lies between alpha=0.01 and 1"):
        G2Tester(asia().sample(50, seed=1), 0.01, separating_alpha=level)


def test_an_indecisive_test_does_not_separate_a_weak_edge():
    net = asia()
    rows = [net.sample(500, seed=seed) for seed in range(10)]
    found = [
        np.mean([quality(skeleton(table, **rules).to_pdag(), net.dag)[0] for table in rows])
        for rules in ({"separating_alpha": 0.001}, {})
    ]
    assert found[1] > found[0] + 0.02


def test_no_set_larger_than_the_largest_order_has_rows_enough():
    tester = G2Tester(simple().sample(600, seed=5))
    k = tester.largest_order()
    arities = sorted(r for r in tester.source.arities if r > 1)
    assert 5 * np.prod(arities[: k + 2]) <= 600 < 5 * np.prod(arities[: k + 3])
    assert G2Tester(tester.source, rows_per_cell=0).largest_order() is None


def test_a_warning_tells_the_share_of_tests_with_too_few_rows(caplog):
    wide = bnlab.load_network("hailfinder").sample(300, seed=1)
    with caplog.at_level(logging.WARNING, "bnlab"):
        graph = skeleton(wide, unreliable="skip")
        skeleton(asia().sample(5000, seed=1))
    (record,) = caplog.records
    share = 100 * graph.not_performed / (graph.nsc + graph.not_performed)
    assert f"{share:.0f} % of the tests had too few rows" in record.getMessage()


def test_unknown_variants_and_rules_are_refused():
    rows = asia().sample(100, seed=1)
    with pytest.raises(ValueError, match="variant='papers': the variants are 'default' and 'paper'"):
        skeleton(rows, variant="papers")
    with pytest.raises(ValueError, match="few_rows='guess'"):
        G2Tester(rows, few_rows="guess")


@pytest.mark.parametrize("algorithm", ["opthpc", "hpc"])
def test_what_its_neighbours_determine_is_not_joined_to_what_only_the_other_search_finds(algorithm):
    rng, n_rows = np.random.default_rng(1), 5000
    columns = {}
    for parent in ("dad", "mum"):
        first, second = rng.integers(2, size=(2, n_rows))
        columns |= {f"{parent}1": first, f"{parent}2": second, parent: first + second}
    for child in ("A", "B", "C"):
        given = {p: np.where(rng.random(n_rows) < 0.5, columns[f"{p}1"], columns[f"{p}2"]) for p in ("dad", "mum")}
        columns |= {f"{child}_{p}": allele for p, allele in given.items()} | {child: given["dad"] + given["mum"]}
    rows = pd.DataFrame(columns).astype(str)
    alleles = {frozenset({p, f"{p}{k}"}) for p in ("dad", "mum") for k in (1, 2)}
    false = {frozenset({p, f"{child}_{p}"}) for p in ("dad", "mum") for child in ("A", "B", "C")}
    either, both = (edges_of(skeleton(rows, algorithm, rule=rule)) for rule in ("or", "and"))
    assert false | alleles <= either
    assert alleles <= both
    assert len(false & both) <= 3  # those that an allele finds in its own search
    tester = G2Tester(rows)
    names = tester.names.index
    assert tester.determines((names("dad1"), names("dad2")), names("dad"))
    assert not tester.determines((names("dad1"),), names("dad"))
