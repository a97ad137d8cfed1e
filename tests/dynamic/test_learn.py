"""Learners over time, beside plain enumeration of what the papers search."""

from __future__ import annotations

from itertools import combinations, product
from math import fsum, log

import numpy as np
import pytest

import bnlab
from bnlab.dynamic import DynamicDag, Panel, learn_dynamic
from bnlab.dynamic.scores import WithPast
from bnlab.graphs import Dag, v_structures
from bnlab.learners.table import CLASS_LEARNERS, LEARNERS
from bnlab.scores import BDeu, LocalScores, make_score
from tests.dynamic.panels import random_panel

SCORES = ["bic", "aic", "ll", "bdeu", "k2", "nml"]


def subsets(items, most):
    return [some for size in range(most + 1) for some in combinations(items, size)]


def trees(n):
    """Parents of every spanning tree of n nodes, None for its root."""
    for parents in product(*([None, *(u for u in range(n) if u != v)] for v in range(n))):
        if parents.count(None) == 1:
            below = [v for v in range(n) if parents[v] is None]
            for v in below:
                below += [w for w in range(n) if parents[w] == v]
            if len(below) == n:
                yield parents


def path(tree, v):
    """Ancestors of a node of a tree."""
    return () if tree[v] is None else (tree[v], *path(tree, tree[v]))


def breadth_first(tree):
    order = [tree.index(None)]
    for v in order:
        order += [w for w in range(len(tree)) if tree[w] == v]
    return order


class Slice:
    """A transition of a panel, with names instead of numbers: the present, the past, and the score of a family."""

    def __init__(self, panel: Panel, score: str):
        table = panel.transitions
        self.present = [f"{name}[t]" for name in panel.names]
        self.past = [name for name in table.names if name not in self.present]
        self.phi = LocalScores(table, make_score(score))

    def best(self, v, sets, p):
        """Greatest score of a variable with one of the sets of the slice and at most p of the past."""
        own = [[self.present[u] for u in some] for some in sets]
        return max(self.phi(self.present[v], (*some, *past)) for some in own for past in subsets(self.past, p))

    def score(self, dag):
        return fsum(self.phi(name, dag.parents_of(name)) for name in self.present)

    def tree(self, dag):
        """Parent of each variable within the slice."""
        found = []
        for name in self.present:
            inner = [u for u in dag.parents_of(name) if u in self.present]
            assert len(inner) <= 1
            found.append(self.present.index(inner[0]) if inner else None)
        return tuple(found)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize(("seed", "lags", "p"), [(0, 1, 1), (1, 1, 2), (2, 2, 1), (3, 1, 0)])
def test_tdbn_is_the_best_of_all_trees_with_all_sets_of_past_parents(score, seed, lags, p):
    panel = random_panel(seed, n=3, static=1, lags=lags)
    some = Slice(panel, score)
    dag = learn_dynamic(panel, "tdbn", score=score, p=p).transition
    best = -np.inf
    for tree in trees(3):
        inner = [() if u is None else (some.present[u],) for u in tree]
        for past in product(subsets(some.past, p), repeat=3):
            families = zip(some.present, inner, past, strict=True)
            best = max(best, fsum(some.phi(name, (*own, *before)) for name, own, before in families))
    assert some.score(dag) == pytest.approx(best, rel=1e-12)
    assert some.tree(dag) in set(trees(3))
    assert all(len(set(dag.parents_of(name)) & set(some.past)) <= p for name in some.present)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("algorithm", "k", "p"), [("cdbn", 2, 1), ("bcdbn", 2, 1), ("cdbn", 1, 2), ("bcdbn", 3, 2)])
def test_consistent_networks_are_the_best_of_their_class_and_no_worse_than_the_tree(score, seed, algorithm, k, p):
    panel = random_panel(seed, n=4)
    some = Slice(panel, score)
    tdbn = learn_dynamic(panel, "tdbn", score=score, p=p).transition
    tree = some.tree(tdbn)
    order = breadth_first(tree)
    before = [path(tree, v) if algorithm == "cdbn" else order[: order.index(v)] for v in range(4)]
    dag = learn_dynamic(panel, algorithm, score=score, k=k, p=p).transition
    best = fsum(some.best(v, subsets(before[v], k), p) for v in range(4))
    assert some.score(dag) == pytest.approx(best, rel=1e-12)
    assert some.score(dag) >= some.score(tdbn) - 1e-9
    for v, name in enumerate(some.present):
        inner = {some.present.index(u) for u in dag.parents_of(name) if u in some.present}
        assert inner <= set(before[v])
        assert len(inner) <= k
        assert len(dag.parents_of(name)) - len(inner) <= p


def test_the_first_slices_have_the_best_tree_with_static_parents():
    panel = random_panel(5, n=3, lags=1, units=300)
    prior = learn_dynamic(panel, "tdbn", p=1).prior
    phi = LocalScores(panel.first, make_score("bic"))
    names = ["x0[0]", "x1[0]", "x2[0]"]
    best = max(
        fsum(
            max(phi(name, (*past, *(() if u is None else (names[u],)))) for past in [(), ("s0",)])
            for name, u in zip(names, tree, strict=True)
        )
        for tree in trees(3)
    )
    assert fsum(phi(name, prior.parents_of(name)) for name in names) == pytest.approx(best)


def test_the_second_of_two_first_slices_may_have_parents_in_the_first_and_not_the_reverse():
    panel = random_panel(6, n=2, static=1, lags=2, units=400)
    prior = learn_dynamic(panel, "bcdbn", p=2, score="aic").prior
    assert prior.names == ("s0", "x0[0]", "x1[0]", "x0[1]", "x1[1]")
    edges = {(u[-2], v[-2]) for u, v in prior.edges}
    assert ("0", "1") in edges
    assert ("1", "0") not in edges


@pytest.mark.parametrize("weights", [False, True])
def test_the_score_of_a_slice_is_the_greatest_over_sets_of_the_past(weights):
    panel = random_panel(8, n=3, static=2, weights=weights)
    table = panel.transitions
    present = [f"{name}[t]" for name in panel.names]
    past = [name for name in table.names if name not in present]
    phi = LocalScores(table.repeated(), BDeu())
    found = WithPast(LocalScores(table, BDeu()), present, past, 2)
    for child in range(3):
        for parents in subsets([u for u in range(3) if u != child], 2):
            own = tuple(present[u] for u in parents)
            expected = max(phi(present[child], (*own, *some)) for some in subsets(past, 2))
            assert found(child, parents) == pytest.approx(expected)
            assert phi(present[child], (*own, *found.past_of(child, parents))) == pytest.approx(expected)


@pytest.mark.parametrize("algorithm", [*(name for name in LEARNERS if name != "chen"), *CLASS_LEARNERS])
def test_other_learners_know_that_nothing_leads_to_the_past(algorithm):
    panel = random_panel(9, n=3, static=1, units=150)
    found = learn_dynamic(panel, algorithm)
    assert isinstance(found, DynamicDag)  # which refuses edges to the past
    assert any("[t-1]" in u for u, _ in found.transition.edges)


def test_exact_search_is_the_optimum_over_all_networks_of_a_slice():
    panel = random_panel(10, n=3, static=1)
    some = Slice(panel, "bdeu")
    best = max(
        fsum(some.best(v, list(subsets(order[:place], 2)), 4) for place, v in enumerate(order))
        for order in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    )
    dag = learn_dynamic(panel, "exact", score="bdeu", max_parents=6).transition
    assert some.score(dag) == pytest.approx(best)


def test_each_step_has_a_transition_of_its_own_if_asked_for():
    panel = random_panel(11, n=2, static=0, units=300)
    found = learn_dynamic(panel, "tdbn", stationary=False)
    assert len(found.transitions) == panel.lengths.max() - 1
    for step, dag in enumerate(found.transitions, 1):
        table = panel.transitions_to(step)
        assert table.n_rows == (panel.lengths > step).sum()
        phi = LocalScores(table, make_score("bic"))
        best = max(
            fsum(
                max(phi(f"x{v}[t]", (*own, *past)) for past in [(), ("x0[t-1]",), ("x1[t-1]",)])
                for v, own in enumerate(inner)
            )
            for inner in [((), ("x0[t]",)), (("x1[t]",), ())]
        )
        assert fsum(phi(f"x{v}[t]", dag.parents_of(f"x{v}[t]")) for v in range(2)) == pytest.approx(best)
    with pytest.raises(ValueError, match="take one of `transitions`"):
        _ = found.transition
    with pytest.raises(ValueError, match="stationary=True"):
        found.unroll(len(found.transitions) + 2)


def test_missing_values_are_scored_on_the_complete_rows_of_each_family():
    panel = random_panel(12, n=2, static=0, units=200, gaps=True)
    table = panel.transitions

    def score(child, parents):
        members = [table.column(name) for name in (child, *parents)]
        arities = [table.arities[table.index(name)] for name in (child, *parents)]
        whole = np.all([column < r for column, r in zip(members, arities, strict=True)], axis=0)
        codes = np.ravel_multi_index([column[whole] for column in members], arities)
        counts = np.bincount(codes, minlength=np.prod(arities)).reshape(arities[0], -1)
        likelihood = fsum(c * log(c / counts[:, j].sum()) for row in counts for j, c in enumerate(row) if c)
        return likelihood * table.total / whole.sum(), (arities[0] - 1) * counts.shape[1]

    chosen = bnlab.learners.table.GAP_LEARNERS["available-cases"].score(4)
    found = learn_dynamic(panel, "tdbn").transition

    def value(child, parents):
        fit, cells = score(child, parents)
        return fit - cells * float(chosen.penalty(np.array([table.total]))[0])

    best = max(
        fsum(
            max(value(f"x{v}[t]", (*own, *past)) for past in [(), ("x0[t-1]",), ("x1[t-1]",)])
            for v, own in enumerate(inner)
        )
        for inner in [((), ("x0[t]",)), (("x1[t]",), ())]
    )
    assert fsum(value(f"x{v}[t]", found.parents_of(f"x{v}[t]")) for v in range(2)) == pytest.approx(best)


def test_a_value_that_was_set_from_outside_says_nothing_about_its_parents():
    panel = random_panel(13, n=2, static=0, units=100)
    done = np.where(np.arange(panel.table.n_rows) % 2, "x1", "")
    rows = panel.table.with_interventions(done.tolist())
    table = Panel(rows, panel.unit_of, panel.times, panel.units).transitions
    present = ["x0[t]", "x1[t]"]
    found = WithPast(LocalScores(table, BDeu()), present, ["x0[t-1]", "x1[t-1]"], 1)
    seen = LocalScores(panel.transitions.take(~table.intervened("x1[t]")), BDeu())
    assert found(1, (0,)) == pytest.approx(max(seen(3, (2,)), seen(3, (0, 2)), seen(3, (1, 2))))


@pytest.mark.parametrize(
    ("algorithm", "options", "message"),
    [
        ("tdbm", {}, "'tdbm'.*'tdbn'"),
        ("tdbn", {"k": 2}, "a tDBN is a tree"),
        ("tdbn", {"p": -1}, "p"),
        ("boss", {"p": 1}, "max_parents"),
        ("cdbn", {"order": "bfs"}, "'bcdbn'"),
        ("cdbn", {"restarts": 3}, "restarts"),
        ("tdbn", {"root": "x0[t-1]"}, "x0"),
    ],
)
def test_wrong_options_are_refused_with_a_way_out(algorithm, options, message):
    with pytest.raises(ValueError, match=message):
        learn_dynamic(random_panel(1), algorithm, **options)


def test_a_table_is_no_panel():
    with pytest.raises(TypeError, match=r"bnlab\.load_panel"):
        learn_dynamic(random_panel(1).table)


def test_options_of_the_tree_apply():
    panel = random_panel(14, n=4)
    dag = learn_dynamic(panel, "tdbn", root="x2[t]").transition
    assert not any("[t]" in u for u in dag.parents_of("x2[t]"))
    known = bnlab.Knowledge(required=[("x3[t]", "x0[t]")])
    assert ("x3[t]", "x0[t]") in learn_dynamic(panel, "cdbn", knowledge=known).transition.edges
    forest = learn_dynamic(panel, "tdbn", spanning=False, score="bic").transition
    assert len(forest.edges) <= len(learn_dynamic(panel, "tdbn").transition.edges)


@pytest.mark.parametrize(
    ("prior", "transition", "message"),
    [
        (Dag(["x[0]"], [()]), Dag(["x[t-1]", "x[t]"], [(1,), ()]), "no edge may lead"),
        (Dag(["x"], [()]), Dag(["x[t-1]", "x[t]"], [(), ()]), "prior graph is on x: it must be on"),
        (Dag(["x[0]"], [()]), Dag(["x[t]", "x[t-1]"], [(), ()]), "a transition is on"),
        (
            Dag(["x[0]", "x[1]"], [(1,), ()]),
            Dag(["x[t-2]", "x[t-1]", "x[t]"], [(), (), ()]),
            "nor back in time",
        ),
    ],
)
def test_graphs_that_are_no_network_over_time_are_refused(prior, transition, message):
    with pytest.raises(ValueError, match=message):
        DynamicDag(prior, (transition,))


def test_the_unrolled_graph_repeats_the_transition():
    structure = learn_dynamic(random_panel(15, n=3, lags=2), "cdbn", p=2)
    dag = structure.unroll(5)
    assert dag.names[:4] == ("s0", "x0[0]", "x1[0]", "x2[0]")
    assert dag.names[-1] == "x2[4]"
    for s in range(2, 5):
        label = {"[t]": f"[{s}]", "[t-1]": f"[{s - 1}]", "[t-2]": f"[{s - 2}]"}
        for name in structure.names:
            given = structure.transition.parents_of(f"{name}[t]")
            moved = {u if u == "s0" else u[: u.index("[")] + label[u[u.index("[") :]] for u in given}
            assert set(dag.parents_of(f"{name}[{s}]")) == moved
    prior = dag.names[:7]
    assert {e for e in dag.edges if e[1] in prior} == set(structure.prior.edges)


def turns(dag, past):
    """Graphs with the same skeleton and v-structures, and without edges to the past."""
    for swaps in product((False, True), repeat=len(dag.edges)):
        edges = [edge[::-1] if swap else edge for edge, swap in zip(dag.edges, swaps, strict=True)]
        try:
            other = Dag(dag.names, edges)
        except ValueError:
            continue
        if set(v_structures(other)) == set(v_structures(dag)) and not any(other.parents_of(name) for name in past):
            yield other


def test_time_directs_edges_and_the_graphs_know_which_others_the_data_leave_open():
    found, directed = set(), set()
    for seed, algorithm in product(range(6), ("tdbn", "hill-climbing", "ges")):
        dag = learn_dynamic(random_panel(seed, units=12), algorithm).transitions[0]
        past = [name for name in dag.names if not name.endswith("[t]")]
        equivalent = [*turns(dag, past)]
        open_edges = {(u, v) for u, v in dag.edges if any((v, u) in other.edges for other in equivalent)}
        assert dag.undecided == open_edges
        found, directed = found | open_edges, directed | (set(dag.edges) - open_edges)
    assert found
    assert directed


@pytest.mark.parametrize("algorithm", ["tdbn", "hill-climbing"])
def test_no_knowledge_is_none(algorithm):
    panel = random_panel(3)
    assert learn_dynamic(panel, algorithm, knowledge=None) == learn_dynamic(panel, algorithm)
