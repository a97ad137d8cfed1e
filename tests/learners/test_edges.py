"""Edges that a search may use, in every form in which a caller may have them; data that are no good for learning."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import bnlab
from bnlab.data import Table, Variable, remove_values
from bnlab.graphs import Dag, Pdag
from bnlab.learners import GrowingTree, HillClimbing
from bnlab.learners.edges import allowed_edges, as_edges, as_order
from bnlab.learners.orderings import orderings_search
from bnlab.scores import local_scores
from bnlab.search import run
from bnlab.skeletons import SuperStructure

SEARCHES = ("hill-climbing", "k2", "chen")
NAMES = ("a", "b", "c")

FORMS = {
    "what bnlab.skeleton returns": lambda s: s,
    "an undirected Pdag": lambda s: s.to_pdag(),
    "a networkx graph": lambda s: nx.Graph(list(s.edges)),
    "pairs of names": lambda s: s.edges,
    "pairs the other way round": lambda s: [(v, u) for u, v in s.edges],
    "a set of sets": lambda s: set(map(frozenset, s.edges)),
    "pairs of indices": lambda s: iter(s.pairs),
    "a matrix": lambda s: allowed_edges(s, len(s)),
}


@pytest.fixture(scope="module")
def data() -> Table:
    return bnlab.load_network("asia").sample(3000, seed=4)


@pytest.fixture(scope="module")
def chain(data) -> SuperStructure:
    """A super-structure that says no to most edges of the data."""
    full = bnlab.skeleton(data, "mmpc")
    pairs = frozenset((i, i + 1) for i in range(len(full) - 1))
    return SuperStructure(full.names, pairs, full.weakest, full.separators, full.nsc, full.nsc, full.not_performed)


@pytest.mark.parametrize("algorithm", SEARCHES)
def test_every_form_of_a_super_structure_restricts_a_search_alike(data, chain, algorithm):
    expected = bnlab.learn(data, algorithm, within=chain)
    allowed = set(map(frozenset, chain.edges))
    assert expected.edges
    assert set(map(frozenset, expected.edges)) <= allowed
    assert not set(map(frozenset, bnlab.learn(data, algorithm).edges)) <= allowed
    for form, of in FORMS.items():
        assert bnlab.learn(data, algorithm, within=of(chain)) == expected, form


@pytest.mark.parametrize("method", ["structural-em", "available-cases"])
def test_every_round_with_missing_values_keeps_to_pairs_that_can_be_read_once(data, method):
    gone, pairs = remove_values(data.take(slice(300)), 0.1, seed=1), [("smoke", "lung"), ("smoke", "bronc")]
    found = [bnlab.learn(gone, method, learner="hill-climbing", within=of(pairs)) for of in (list, iter)]
    assert found[0].edges
    assert found[0] == found[1]


def test_a_first_graph_comes_in_every_form_and_in_any_order_of_its_variables(data):
    graph, phi = bnlab.load_network("asia").dag, local_scores(data, "bic")
    backwards = graph.reordered(data.names[::-1])
    for start in (graph, backwards, graph.edges, set(graph.edges), graph.parents, graph.to_networkx(), graph.to_dot()):
        assert HillClimbing(phi, 8, start=start).init().parents == graph.parents
    with pytest.raises(ValueError, match=r"start: .*it has 'Pollution'"):
        HillClimbing(phi, 8, start=bnlab.load_network("cancer").dag)


def test_a_tree_and_an_order_begin_with_variables_by_name(data):
    phi = local_scores(data, "bic")
    assert run(GrowingTree(phi, 8, root="lung")) == run(GrowingTree(phi, 8, root=data.names.index("lung")))
    orders = (data.names[::-1], range(7, -1, -1))
    assert len({run(orderings_search(phi, 8, 2, start=order, restarts=1)) for order in orders}) == 1
    for wrong in (lambda: GrowingTree(phi, 8, root="lungs"), lambda: orderings_search(phi, 8, start=["lungs"])):
        with pytest.raises(ValueError, match="no variable 'lungs': did you mean 'lung'"):
            wrong()


def test_directed_edges_may_be_used_as_they_point():
    directed = Pdag(NAMES, directed=[(0, 1)], undirected=[(1, 2)])
    expected = [[0, 1, 0], [0, 0, 1], [0, 1, 0]]
    assert allowed_edges(directed, 3).astype(int).tolist() == expected
    digraph = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "b")])
    assert allowed_edges(digraph, 3, NAMES).astype(int).tolist() == expected
    assert allowed_edges(Dag(NAMES, [(), (0,), ()]), 3).astype(int).tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]


def test_no_edges_at_all_allow_nothing_and_none_allows_all():
    assert not allowed_edges([], 3, NAMES).any()
    assert allowed_edges(None, 3).sum() == 6


def test_a_graph_may_name_the_variables_in_another_order():
    for graph in (Pdag("cba", undirected=[(0, 2)]), nx.Graph([("c", "a"), ("b", "c")])):
        allowed = allowed_edges(graph, 3, NAMES)
        assert allowed[0, 2]
        assert allowed[2, 0]
        assert not allowed[0, 1]


@pytest.mark.parametrize("algorithm", SEARCHES)
def test_a_super_structure_over_other_variables_is_refused_by_name(data, algorithm):
    with pytest.raises(ValueError, match=r"within: .*it lacks 'tub', 'lung'.*Both need the same variables"):
        bnlab.learn(data, algorithm, within=bnlab.skeleton(data.select(["asia", "smoke", "xray", "dysp", "bronc"])))
    with pytest.raises(ValueError, match=r"within: .*it has 'Pollution', 'Smoker'"):
        bnlab.learn(data, algorithm, within=bnlab.load_network("cancer").dag)
    with pytest.raises(ValueError, match="within: no variable 'smok': did you mean 'smoke'"):
        bnlab.learn(data, algorithm, within=[("smok", "lung")])


@pytest.mark.parametrize(
    ("within", "message"),
    [
        (np.ones((3, 3), dtype=bool), r"shape \(3, 3\): for 2 variables"),
        (np.ones((2, 2)), "matrix of float64"),
        (Pdag(NAMES), "3 nodes, but there are 2 variables"),
        ("mmpc", "within is a str: give what bnlab.skeleton returns"),
        (7, "within is a int"),
        (["ab"], "within holds 'ab'"),
        ([1, 2], "within holds 1"),
        ([(0, 1, 1)], "an edge is a pair"),
        ([(0, 0)], "own parent"),
        ([(0, 2)], "out of range"),
    ],
)
def test_what_is_no_restriction_is_refused(within, message):
    with pytest.raises((ValueError, TypeError), match=message):
        allowed_edges(within, 2)


def ternary(**columns: np.ndarray) -> Table:
    return Table([Variable(name, (0, 1, 2)) for name in columns], list(columns.values()))


@pytest.fixture(scope="module")
def related() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    x = rng.integers(0, 3, 300)
    return {"x": x, "y": (x + (rng.random(300) < 0.3)) % 3, "z": (x + (rng.random(300) < 0.2)) % 3}


@pytest.mark.parametrize(("algorithm", "options"), [("hill-climbing", {"ties": "columns"}), ("k2", {})])
def test_columns_that_determine_each_other_are_joined_and_the_first_explains_the_rest(related, algorithm, options):
    shifted = (related["x"] + 1) % 3
    first = bnlab.learn(ternary(**related, copy=shifted), algorithm, **options, score="bic")
    assert set(map(frozenset, first.edges)) == {frozenset(("x", v)) for v in ("y", "z", "copy")}
    other = bnlab.learn(ternary(copy=shifted, **related), algorithm, **options, score="bic")
    assert set(map(frozenset, other.edges)) == {frozenset(("copy", v)) for v in ("x", "y", "z")}


def test_names_and_indices_may_be_mixed():
    assert as_order(["C", 0, "B"], 3, "ABC") == [2, 0, 1]
    assert as_edges([("A", 2), (1, "A")], 3, "ABC") == [(0, 2), (1, 0)]


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        (["AB"], "is a pair"),
        ([("A", "D")], "no variable 'D'"),
        ([("A", 3)], "variable 3 is out of range: 3 variables have indices 0 to 2"),
        ([("A", -1)], "variable -1 is out of range"),
        ([("B", 1)], "cannot be its own parent"),
    ],
)
def test_edges_that_are_none_are_refused(edges, message):
    with pytest.raises(ValueError, match=message):
        as_edges(edges, 3, "ABC")


def test_the_variables_of_a_search_have_the_names_of_its_local_scores():
    data = bnlab.load_network("cancer").sample(50, seed=0)
    assert HillClimbing(local_scores(data, "k2"), 5).variable_names() == data.names
    assert HillClimbing(lambda child, parents: 0.0, 5).variable_names() is None
