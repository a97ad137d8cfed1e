"""What would need too much memory says so, with an estimate and another way, before it begins."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import bnlab
from bnlab._runtime.budget import MemoryBudget, check_memory, memory_budget
from bnlab.classifiers import augmented
from bnlab.counts import FamilyCounts
from bnlab.counts.information import mutual_information
from bnlab.counts.memory import MemorySource
from bnlab.data import Table, Variable, mdl_cuts, quantile_cuts, width_cuts
from bnlab.graphs import Dag, v_structures
from bnlab.learners import (
    Bootstrap,
    ChenSearch,
    GrowingTree,
    HillClimbing,
    K2Search,
    ParentSetSearch,
    gains,
    tan,
    trees,
)
from bnlab.learners.edges import allowed_edges
from bnlab.networks import BayesianNetwork, JunctionTree, MaximumLikelihood, asia, fit, marginal, tile
from bnlab.search import run

WIDE = Table([Variable(f"v{i}", (0, 1)) for i in range(3000)], list(np.zeros((3000, 4), np.uint8)))
SPARSE = FamilyCounts(np.array([[1, 2]]), np.array([7]), (2,) * 40)
NODES = WIDE.select(WIDE.names[:24])
CHAIN = [(u, u + 1) for u in range(2999)]


def below(k: int) -> list[tuple[str, str]]:
    """Edges into each node from so many before it."""
    return [(NODES.names[u], NODES.names[v]) for v in range(24) for u in range(max(0, v - k), v)]


COINS = BayesianNetwork(Dag.empty(NODES.names), NODES.variables, [[0.5, 0.5]] * 24)
TANGLED = fit(below(18), NODES)

CLASSIFIER = bnlab.NaiveBayes().fit(np.zeros((200, 1), int), np.arange(200) % 100)

LARGE: dict[str, tuple[Callable[[], object], str]] = {
    **{
        name: (lambda name=name: bnlab.learn(WIDE, name), "select fewer variables")
        for name in ("chow-liu", "branching", "ckg", "k2", "hill-climbing", "chen", "ordering-search")
    },
    **{
        name: (lambda search=search: search(lambda child, parents: 0.0, 3000), "select fewer variables")
        for name, search in {
            "K2 search": K2Search,
            "hill climbing": HillClimbing,
            "Chen": ChenSearch,
            "gains": gains,
            "sets of all": partial(ParentSetSearch, k=3),
            "tree": lambda phi, n: run(GrowingTree(phi, n)),
            "tan": lambda phi, n: tan(phi, n, 0),
            "edges": lambda phi, n: allowed_edges(None, n),
        }.items()
    },
    "hill climbing in a chain": (
        lambda: HillClimbing(lambda child, parents: 0.0, 3000, within=CHAIN),
        "select fewer variables",
    ),
    "bootstrap": (lambda: Bootstrap(WIDE, partial(bnlab.learn, algorithm="chow-liu")), "select fewer variables"),
    "matrix of a graph": (lambda: Dag.empty([str(i) for i in range(6000)]).adjacency(), "hold the edges alone"),
    "v-structures": (
        lambda: v_structures(Dag([str(i) for i in range(1001)], [()] * 1000 + [range(1000)])),
        "select fewer variables",
    ),
    "sample": (lambda: asia().sample(10**10, seed=1), "draw fewer rows"),
    "sample of many states": (
        lambda: BayesianNetwork(Dag.empty("X"), [Variable("X", tuple(range(300)))], [np.full(300, 1 / 300)]).sample(
            10**7, seed=1
        ),
        "draw fewer rows",
    ),
    "tiles": (lambda: tile(asia(), 10**6, seed=1), "take fewer copies"),
    "table of a node": (lambda: MaximumLikelihood().cpt(SPARSE), "fewer parents"),
    "tables of a network": (lambda: fit(below(18), NODES), "give its nodes fewer parents"),
    "joint distribution": (lambda: marginal(COINS, NODES.names[:21]), "query fewer nodes"),
    "junction tree": (lambda: JunctionTree(TANGLED), "estimate from a sample"),
    "mutual information": (lambda: mutual_information(WIDE), "select fewer variables"),
    "dense table": (lambda: SPARSE.dense(), "hold the observed ones alone"),
    "sets of parents": (lambda: ParentSetSearch(lambda child, parents: 0.0, 100, 6), "allow fewer parents"),
    "cuts for many classes": (lambda: mdl_cuts(np.arange(2000), np.arange(2000)), "take a class of few states"),
    "very many cuts of one width": (lambda: width_cuts([1, 2], 10**9), "ask for fewer"),
    "very many quantiles": (lambda: quantile_cuts([1, 2], 10**9), "ask for fewer"),
    "probabilities of classes": (lambda: CLASSIFIER.predict_proba(np.zeros((30_000, 1), int)), "fewer rows at a time"),
    "tests in steps": (
        lambda: bnlab.skeleton(WIDE.select(WIDE.names[:1500]), rows_per_cell=0),
        "select fewer variables",
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_what_is_too_large_is_refused_before_it_begins(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BNLAB_MEMORY", "32M")
    operation, instead = LARGE[name]
    asia().sample(10, seed=1)  # loading compiled code takes memory of its own
    tracemalloc.start()
    with pytest.raises(ValueError, match=instead) as caught:
        operation()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32 << 20
    assert "more than the 32 MB that one operation may have" in str(caught.value)
    assert isinstance(caught.value, MemoryBudget)


def test_a_table_of_the_configurations_that_occur_is_refused_once_they_are_known(monkeypatch) -> None:
    monkeypatch.setenv("BNLAB_MEMORY", "32M")
    rng = np.random.default_rng(0)
    many = Table([Variable(name, tuple(range(60_000))) for name in "XY"], list(rng.integers(0, 60_000, (2, 5000))))
    for work in (lambda: bnlab.score([("X", "Y")], many, "nml"), lambda: MemorySource(many).count([(1, (0,))])):
        with pytest.raises(
            MemoryBudget, match=r"occur in family \(1, \(0,\)\), over 60,000 states .* use fewer parents"
        ):
            work()


def test_rows_are_classified_in_blocks_where_their_probabilities_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).integers(0, 3, (3000, 2))
    classifier = bnlab.NaiveBayes().fit(rows, rows.sum(axis=1))
    expected = classifier.classes_[classifier.predict_proba(rows).argmax(axis=1)]
    monkeypatch.setattr(augmented, "_BLOCK_CELLS", 1000)
    monkeypatch.setenv("BNLAB_MEMORY", "10K")
    assert (classifier.predict(rows) == expected).all()
    with pytest.raises(MemoryBudget):
        classifier.predict_proba(rows)


def test_what_fits_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BNLAB_MEMORY", "32M")
    table = WIDE.select(WIDE.names[:50])
    assert len(bnlab.learn(table, "branching", score="k2")) == 50
    assert mutual_information(table).shape == (50, 50)


@pytest.mark.parametrize(
    ("name", "estimate", "n"),
    [
        ("branching", trees.BYTES_A_COMPILED_PAIR, 240),  # a table of log-gammas takes half a megabyte for any n
        ("k2", K2Search.bytes_an_edge, 60),
        ("hill-climbing", HillClimbing.bytes_an_edge, 60),
    ],
)
def test_the_estimate_of_a_learner_is_about_what_it_takes(name: str, estimate: int, n: int) -> None:
    def learn(seed: int) -> None:
        rows = np.random.default_rng(seed).integers(0, 2, (n, 64), np.uint8)
        bnlab.learn(Table([Variable(f"v{i}", (0, 1)) for i in range(n)], list(rows)), name)

    learn(0)  # compiling takes memory of its own
    tracemalloc.start()
    learn(1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.4 < peak / (estimate * n * n) < 2.5


def test_a_search_within_few_edges_needs_no_memory_for_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BNLAB_MEMORY", "4M")
    chain = [(u, u + 1) for u in range(299)]
    for search in (HillClimbing, K2Search):
        with pytest.raises(MemoryBudget):
            search(lambda child, parents: 0.0, 300)
        assert search(lambda child, parents: 0.0, 300, within=chain).init().score == 0.0


@pytest.mark.parametrize(
    ("text", "size"), [("1024", 1024), ("1K", 1024), ("1.5 gb", 3 << 29), ("8G", 8 << 30), ("2T", 2 << 40), ("7B", 7)]
)
def test_the_budget_is_a_size_with_a_unit(text: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BNLAB_MEMORY", text)
    assert memory_budget() == size
    check_memory(size, "all of it", "less")
    with pytest.raises(MemoryBudget, match=r"one byte more would need .*: less, or allow more with .*BNLAB_MEMORY"):
        check_memory(size + 1, "one byte more", "less")


@pytest.mark.parametrize("text", ["much", "-1", "8 GG", "1e9"])
def test_a_budget_that_is_no_size_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BNLAB_MEMORY", text)
    with pytest.raises(ValueError, match="is not a size"):
        memory_budget()


def test_without_a_variable_the_budget_is_half_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BNLAB_MEMORY", raising=False)
    assert 1 << 27 < memory_budget() < 1 << 45
