"""Consistent k-graphs: against all consistent k-graphs of few variables, for every score."""

from __future__ import annotations

import pickle
from functools import cache
from itertools import combinations, pairwise, product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnlab
from bnlab.data import Table, Variable
from bnlab.graphs import Dag
from bnlab.learners import (
    CkGSearch,
    ckg,
    count_consistent_k_graphs,
    optimal_branching,
    parent_sets,
    subsets,
    tan,
    with_class,
)
from bnlab.learners.ckg import MDLChoice, mdl_of
from bnlab.networks import Dirichlet, fit
from bnlab.scores import BD, BDe, LocalScores, make_score
from bnlab.search import iterate, run
from tests.scores.small_tables import make_table
from tests.soak import times

NAMES = ["ll", "aic", "bic", "nml", "mit", "k2", "bdeu", "bd", "bde"]


def dependent_table(seed: int, n: int, n_rows: int) -> Table:
    """Dependent columns of 2 to 4 states."""
    return make_table(np.random.default_rng(seed).integers(2, 5, n).tolist(), n_rows, seed)


@cache
def scores_of(name: str, seed: int, n: int, n_rows: int = 60) -> LocalScores:
    table = dependent_table(seed, n, n_rows)
    if name == "bd":
        return LocalScores(table, BD(0.5))
    if name == "bde":
        return LocalScores(table, BDe(fit(Dag.empty(table.names), table, Dirichlet(1.0)), ess=3))
    return LocalScores(table, make_score(name))


def on_the_path(tree, node):
    """Nodes met from a node up to its root."""
    return on_the_path(tree, tree[node][0]) | {tree[node][0]} if tree[node] else set()


def every_consistent_graph(tree, k):
    """Definition 3.1: at most k parents each, all on the path from the root."""
    n = len(tree)
    families = [
        [
            family
            for size in range(k + 1)
            for family in combinations(range(n), size)
            if set(family) <= on_the_path(tree, node)
        ]
        for node in range(n)
    ]
    return product(*families)


def without_bounds(phi):
    """The same local score, as a function without upper bounds."""

    def bare(child, parents):
        return phi(child, parents)

    bare.many, bare.once = phi.many, phi.once
    return bare


CHAIN = ((), (0,), (1,), (2,), (3,))
trees = st.integers(1, 7).flatmap(
    lambda n: st.tuples(*(st.sampled_from([(), *((j,) for j in range(i))]) for i in range(n)))
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("n", "k"), [(5, 0), (5, 2), (4, 3), (6, 2)])
def test_no_consistent_graph_scores_more(name, n, k):
    for seed in range(3):
        phi = scores_of(name, seed, n)
        tree = optimal_branching(phi, n)
        found = ckg(phi, n, k)
        every = list(every_consistent_graph(tree, min(k, n - 1)))
        assert found in every
        assert phi.total(found) == pytest.approx(max(map(phi.total, every)), abs=1e-7)
        assert phi.total(ckg(phi, n, k, order="bfs")) >= phi.total(found) - 1e-7


@pytest.mark.parametrize("name", NAMES)
def test_no_chain_refinement_scores_more(name):
    phi = scores_of(name, 7, 5)
    found = run(CkGSearch(phi, CHAIN, 2))
    assert phi.total(found) == pytest.approx(max(map(phi.total, every_consistent_graph(CHAIN, 2))), abs=1e-7)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("class_index", [0, 2, 4])
def test_the_tan_is_a_consistent_1_graph_of_its_own_tree(name, class_index):
    phi = scores_of(name, 3, 5)
    attributes = with_class(phi, class_index)
    tree = optimal_branching(attributes, 4)
    best = tan(phi, 5, class_index)
    assert best in [attributes.augmented(graph) for graph in every_consistent_graph(tree, 1)]
    refined = attributes.augmented(ckg(attributes, 4, 1))
    assert phi.total(refined) >= phi.total(best) - 1e-7


def test_in_breadth_first_order_all_earlier_nodes_are_candidates():
    tree = ((2,), (2,), (), (0,))  # in the order 2, 0, 1, 3
    search = CkGSearch(lambda child, parents: float(len(parents)), tree, 3, order="bfs")
    assert search.candidates == ((2,), (0, 2), (), (0, 1, 2))
    assert run(search) == search.candidates
    assert CkGSearch(search.phi, tree, 3).candidates == ((2,), (2,), (), (0, 2))


def test_ties_go_to_the_smaller_and_then_to_the_first_set():
    worth = {(): 1.0, (1, 2): 2.0, (0, 1, 3): 2.0, (0, 3): 2.0, (2, 3): 2.0}
    search = CkGSearch(lambda child, parents: worth.get(parents, 0.0) if child == 4 else 0.0, CHAIN, 3)
    assert run(search)[4] == (0, 3)


@pytest.mark.parametrize("seed", range(20))
def test_rounding_noise_settles_no_tie(seed):
    rng = np.random.default_rng(seed)
    worth = {
        parents: float(len(set(parents) & {1, 3}) > 0) / 3 for k in range(5) for parents in combinations(range(4), k)
    }
    noisy = {parents: value + 1e-14 * rng.normal() for parents, value in worth.items()}
    search = CkGSearch(lambda child, parents: noisy.get(parents, 0.0) if child == 4 else 0.0, CHAIN, 4)
    assert run(search)[4] == (1,)


def test_a_copied_column_is_not_taken_twice():
    codes = np.random.default_rng(5).integers(0, 2, (50, 1)) * np.ones(4, dtype=np.int64)
    phi = LocalScores(Table.from_codes(codes, [Variable(name, (0, 1)) for name in "abcd"]), make_score("ll"))
    assert ckg(phi, 4, 3) == optimal_branching(phi, 4) == ((), (0,), (0,), (0,))
    assert run(CkGSearch(phi, CHAIN[:4], 3)) == ((), (0,), (0,), (0,))


@given(st.sampled_from(["ll", "aic", "bic"]), st.integers(0, 30), st.integers(1, 40), st.sampled_from(["path", "bfs"]))
@settings(max_examples=times(30, 100))
def test_bounds_hold_and_never_change_the_result(name, seed, n_rows, order):
    phi = scores_of(name, seed, 5, n_rows)
    for size in range(5):
        families = np.array(list(combinations(range(1, 5), size)), dtype=np.int64).reshape(comb(4, size), size)
        values = phi.many([(0, tuple(family)) for family in families.tolist()])
        assert (values <= phi.bounds(0, families)).all()
    tree = optimal_branching(phi, 5)
    found = run(CkGSearch(phi, tree, 4, order=order))
    assert found == run(CkGSearch(without_bounds(phi), tree, 4, order=order))
    attributes = with_class(phi, 1)
    assert ckg(attributes, 4, 3, order=order) == ckg(with_class(without_bounds(phi), 1), 4, 3, order=order)


def test_the_size_of_a_step_does_not_change_the_result(monkeypatch):
    phi = scores_of("k2", 4, 6)
    results = set()
    for window in (1, 2, 7, 1000):
        monkeypatch.setattr(parent_sets, "WINDOW", window)
        results.add(run(CkGSearch(phi, CHAIN, 3)))
    assert len(results) == 1


def test_what_is_found_on_the_way_is_never_worse_than_the_tree(monkeypatch):
    monkeypatch.setattr(parent_sets, "WINDOW", 1)
    phi = scores_of("k2", 5, 6)
    tree = optimal_branching(phi, 6)
    search = CkGSearch(phi, tree, 2)
    totals = [phi.total(search.result(state)) for state in [search.init(), *(state for state, _ in iterate(search))]]
    assert totals[0] == phi.total(tree)
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(totals))


@given(trees, st.integers(0, 4))
def test_consistent_graphs_are_as_many_as_the_product_says(tree, k):
    every = list(every_consistent_graph(tree, min(k, len(tree) - 1)))
    assert count_consistent_k_graphs(tree, k) == len(every)
    if k and sum(not parents for parents in tree) == 1:  # Proposition 3.3
        others = [graph for graph in every if sorted(map(len, graph)) != [0] + [1] * (len(tree) - 1)]
        assert len(others) >= 2 ** (len(tree) - 1) - 1


def test_the_most_consistent_graphs_belong_to_a_chain():
    assert count_consistent_k_graphs(CHAIN, 1) == 1 * 2 * 3 * 4 * 5
    assert count_consistent_k_graphs(CHAIN, 2) == 1 * 2 * 4 * 7 * 11
    assert count_consistent_k_graphs(CHAIN, 4) == count_consistent_k_graphs(CHAIN, 99) == 2**10
    assert count_consistent_k_graphs(((), (0,), (0,), (0,)), 3) == 2**3
    assert count_consistent_k_graphs(CHAIN, 0) == 1


def test_subsets_are_numbered_lexicographically():
    for n, size in product(range(7), range(7)):
        expected = list(combinations(range(n), size))
        numbered = subsets.lexicographic(n, size, 0, len(expected))
        assert [tuple(row) for row in numbered.tolist()] == expected
        assert subsets.lexicographic_rank(n, numbered).tolist() == list(range(len(expected)))


def test_the_front_door_learns_consistent_graphs():
    data = bnlab.load_network("asia").sample(3000, seed=0)
    branching = bnlab.learn(data, "branching", score="bdeu", ess=4)
    path = bnlab.learn(data, "ckg", score="bdeu", ess=4, k=3)
    bfs = bnlab.learn(data, "ckg", score="bdeu", ess=4, k=3, order="bfs")
    found = [bnlab.score(dag, data, "bdeu", ess=4) for dag in (branching, path, bfs)]
    assert found == sorted(found)
    assert found[0] < found[2]
    assert max(len(parents) for parents in bfs.parents) <= 3
    assert bnlab.learn(data, "ckg", k=0).edges == ()
    assert bnlab.learn(data, "ckg", root="either").parents_of("either") == ()


def flat(child, parents):
    return 0.0


@pytest.mark.parametrize(
    ("learn", "error", "message"),
    [
        (lambda: ckg(flat, 3, -1), ValueError, "k=-1: it must be at least 0"),
        (lambda: ckg(flat, 3, 2.5), TypeError, "k=2.5 is not an integer"),
        (lambda: ckg(flat, 3, "2"), TypeError, "k='2' is not an integer"),
        (lambda: ckg(flat, 3, True), TypeError, "k=True is not an integer"),
        (lambda: ckg(flat, 3, order="pth"), ValueError, "order='pth': did you mean 'path'"),
        (lambda: ckg(flat, 0), ValueError, "n = 0"),
        (lambda: ckg(flat, 3, root=3), ValueError, "variable 3 is out of range"),
        (lambda: CkGSearch(flat, ((1,), (0,)), 2), ValueError, "node 0 is on a cycle or below one"),
        (lambda: CkGSearch(flat, ((), (), (0, 1)), 2), ValueError, r"node 2 has the parents \(0, 1\)"),
        (lambda: CkGSearch(flat, ((2,), ()), 2), ValueError, r"node 0 has the parents \(2,\)"),
        (lambda: CkGSearch(flat, ((), *((j,) for j in range(199))), 99), ValueError, "allow fewer parents"),
        (lambda: count_consistent_k_graphs(CHAIN, -1), ValueError, "k=-1"),
        (
            lambda: run(CkGSearch(lambda i, p: np.nan if len(p) == 2 else 0.0, CHAIN)),
            ValueError,
            r"φ\(2, \(0, 1\)\) is nan",
        ),
    ],
)
def test_what_cannot_be_learned_is_said(learn, error, message):
    with pytest.raises(error, match=message):
        learn()


@pytest.mark.parametrize("name", ["ll", "bic", "nml", "k2"])
@pytest.mark.parametrize("order", ["path", "bfs"])
def test_k_of_least_description_length_is_that_of_the_best_mdl_score_of_all(name, order):
    for seed in range(4):
        phi = scores_of(name, seed, 6)
        mdl = LocalScores(dependent_table(seed, 6, 60), make_score("mdl"))
        networks = [((),) * 6, *(ckg(phi, 6, k, order=order) for k in (1, 2, 3))]
        values = [mdl.total(network) for network in networks]
        chosen = ckg(phi, 6, "mdl", order=order)
        assert chosen in networks
        assert mdl.total(chosen) == pytest.approx(max(values), rel=1e-12)
    assert name != "ll" or chosen != networks[-1]


def test_k_grows_with_the_rows_until_it_is_that_of_the_network():
    """Each node of the network has two parents; the likelihood alone always takes three."""
    rng = np.random.default_rng(3)
    edges = [("v0", "v2"), ("v1", "v2"), ("v1", "v3"), ("v2", "v3"), ("v2", "v4"), ("v3", "v4")]
    variables = [Variable(f"v{i}", ("0", "1")) for i in range(5)]
    table = Table(variables, [rng.integers(0, 2, 400) for _ in variables])
    net = fit(Dag.from_edges([v.name for v in variables], edges), table, Dirichlet(0.2))
    chosen = []
    for rows in (20, 20_000):
        data = net.sample(rows, seed=1)
        search = MDLChoice(
            phi := LocalScores(data, make_score("ll")), optimal_branching(phi, 5), mdl_of(phi), order="bfs"
        )
        states = [state for state, _ in iterate(search)]
        assert [search.snapshot(state).work.done for state in states] == [1, 2, 3]
        assert run(search, pickle.loads(pickle.dumps(states[0]))) == search.result(states[-1])
        chosen.append(states[-1].best_k)
    assert chosen[0] < chosen[1] <= 3


def test_a_wrong_k_and_a_function_without_data_are_refused():
    with pytest.raises(TypeError, match="k='bic' is not an integer"):
        ckg(lambda child, parents: 0.0, 3, "bic")
    with pytest.raises(ValueError, match="k='mdl': a plain function has no data"):
        ckg(lambda child, parents: 0.0, 3, "mdl")
