"""Background knowledge in the learners: none of them breaks it, and exact search finds the best graph that keeps it."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from math import inf

import numpy as np
import pytest

import bnlab
from bnlab import Knowledge
from bnlab.classifiers import estimators
from bnlab.counts.chunked import ChunkedSource
from bnlab.data import Table, remove_values
from bnlab.learners import (
    BestOrderSearch,
    Bootstrap,
    OptimumSearch,
    ParentSetSearch,
    exact_search,
    make_search,
    ordering_search,
)
from bnlab.learners.chain import Chain
from bnlab.learners.table import LEARNERS
from bnlab.scores import EdgePrior
from bnlab.scores.function import LocalScoreFunction
from bnlab.search import iterate, run
from bnlab.skeletons.skeleton import SKELETONS
from tests.learners.small_problems import RandomScores, every_dag, random_knowledge, random_table, total
from tests.scores.small_tables import make_table
from tests.soak import times

pytestmark = pytest.mark.timeout(6000)  # 10,000 cases take up to 13 minutes of processor time

N = 5
FEW = {
    "boss": {"restarts": 3},
    "ordering-search": {"restarts": 2, "k": 6},
    "chen": {"Q": 30, "max_iterations": 200},
    "hill-climbing": {"restarts": 2, "tabu": 3},
    "exact": {"max_parents": None},
    "k2": {"orders": 2},
    "ckg": {"k": 6},
}
TREES = ("chow-liu", "branching", "ckg")
TABLE = make_table((2, 3, 2, 2, 3), 300, seed=3)


class Named(LocalScoreFunction):
    """A local score with names of the variables and without a compiled form."""

    def __init__(self, phi, n: int) -> None:
        self.phi, self.n, self.names = phi, n, tuple("abcdefgh"[:n])

    def __call__(self, child, parents):
        return self.phi(child, parents)


def test_random_knowledge_has_all_kinds_of_rules():
    some = [random_knowledge(seed, TABLE.names) for seed in range(100)]
    assert all(sum(bool(getattr(knowledge, kind)) for knowledge in some) > 20 for kind in ("required", "forbidden"))
    assert sum(len(knowledge.tiers) > 1 for knowledge in some) > 20
    assert {len(knowledge.limits) > 0 for knowledge in some} == {None in knowledge.max_parents for knowledge in some}
    assert {knowledge.within is None for knowledge in some} == {True, False}


OTHERS = [
    ("ckg", {"k": "mdl"}),
    ("ckg", {"k": 3, "order": "bfs"}),
    ("ordering-search", {"start": "bfs", "restarts": 1, "k": 6}),
    ("chen", {"max_iterations": 30, "choices": 2}),
    ("chen", {"variant": "paper", "Q": 20, "max_iterations": 60}),
    (None, {}),
]


@pytest.mark.parametrize(
    ("algorithm", "options"), [*((name, FEW.get(name, {})) for name in LEARNERS), *OTHERS], ids=str
)
def test_no_learner_breaks_what_is_known(algorithm, options):
    broken = []
    for seed in range(times(15, 10_000)):
        table = random_table(seed)
        knowledge = random_knowledge(seed, table.names, trees=algorithm in TREES)
        graph = bnlab.learn(table, algorithm, knowledge=knowledge, **options)
        broken += [(seed, knowledge, rule) for rule in knowledge.violations(graph)]
    assert broken == []


@pytest.mark.parametrize(("n", "kind"), [(5, Chain), (20, BestOrderSearch), (620, BestOrderSearch)])
def test_the_recommended_learner_takes_knowledge_and_a_prior_of_edges(n, kind):
    table = make_table((2,) * n, 60, seed=1)
    a, b = table.names[-2:]
    knowledge = Knowledge(required=[(a, b)], forbidden=[(b, table.names[0])])
    prior = EdgePrior({(a, b): 0.9})
    search = make_search(table, effort="quick", score="bdeu", knowledge=knowledge, structure_prior=prior)
    assert isinstance(search, kind)
    part = search.first if isinstance(search, Chain) else search
    assert part.knowledge == knowledge
    assert part.phi.structure_prior == prior


def test_a_table_with_missing_values_is_learned_with_knowledge_and_a_prior_of_edges():
    gaps = np.random.default_rng(2).random((N, 300)) < 0.05
    columns = [np.where(gap, TABLE.arities[v], TABLE.column(v)) for v, gap in enumerate(gaps)]
    table = Table(TABLE.variables, columns, gaps=True)
    for seed in range(2):
        knowledge = random_knowledge(seed, TABLE.names)
        graph = bnlab.learn(table, score="bdeu", knowledge=knowledge, draws=1, rounds=2)
        assert knowledge.violations(graph) == ()
    strong = EdgePrior({}, default=1e-300)
    assert bnlab.learn(table, score="bdeu", structure_prior=strong, draws=1, rounds=2).edges == ()


@pytest.mark.parametrize(
    ("algorithm", "options"), [("structural-em", {"draws": 1, "rounds": 2}), ("available-cases", {})]
)
def test_no_learner_breaks_what_is_known_where_values_are_missing(algorithm, options):
    for seed in range(times(4, 10_000)):
        table = remove_values(random_table(seed), 0.1, seed=seed)
        knowledge = random_knowledge(seed, table.names)
        graph = bnlab.learn(table, algorithm, learner="hill-climbing", knowledge=knowledge, **options)
        assert knowledge.violations(graph) == (), (seed, knowledge)


def test_hill_climbing_over_chunks_scores_likely_moves_within_what_is_known():
    table = bnlab.load_network("asia").sample(500, seed=5)
    chunks = ChunkedSource(lambda: [table.take(slice(0, None, 2)), table.take(slice(1, None, 2))], threads=1)
    for seed in range(4):
        knowledge = random_knowledge(seed, table.names)
        found = bnlab.learn(chunks, "hill-climbing", knowledge=knowledge)
        assert knowledge.violations(found) == ()
        assert found == bnlab.learn(table, "hill-climbing", knowledge=knowledge)


@pytest.mark.parametrize("algorithm", ["boss", "hill-climbing", "k2"])
def test_no_network_on_the_way_breaks_what_is_known(algorithm):
    for seed in range(times(6, 200)):
        knowledge = random_knowledge(seed, TABLE.names)
        search = bnlab.learners.make_search(TABLE, algorithm, knowledge=knowledge, **FEW[algorithm])
        rules = knowledge.resolved(TABLE.names)
        for state, _ in iterate(search):
            assert rules.violations(search.result(state)) == ()
            assert rules.violations(search.snapshot(state).sketch) == ()


@pytest.mark.parametrize("algorithm", ["boss", "hill-climbing"])
@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_the_compiled_engine_finds_the_networks_of_the_readable_one(algorithm, score):
    phi = bnlab.scores.local_scores(TABLE, score)
    plain = Named(phi, N)
    plain.names = TABLE.names
    make = LEARNERS[algorithm].search
    for seed in range(times(8, 500)):
        options = {"knowledge": random_knowledge(seed, TABLE.names), **FEW[algorithm]}
        assert run(make(phi, N, **options)) == run(make(plain, N, **options))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("by_programs", [False, True])
def test_exact_search_finds_the_best_of_all_graphs_that_agree(seed, by_programs):
    phi = Named(RandomScores(4, seed), 4)
    knowledge = random_knowledge(seed, phi.names)
    rules = knowledge.resolved(phi.names)
    best = max((total(phi, dag) for dag in every_dag(4) if not rules.violations(dag)), default=-inf)
    if by_programs:
        start = run(BestOrderSearch(phi, 4, restarts=0, knowledge=knowledge))
        sets = run(ParentSetSearch(phi, 4, 3, knowledge=knowledge))
        found = run(OptimumSearch(sets, start=start, subsets=0))
    else:
        found = run(exact_search(phi, 4, None, knowledge=knowledge))
    assert rules.violations(found) == ()
    assert total(phi, found) == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_an_ordering_search_of_many_starts_finds_the_best_of_all_graphs_that_agree(seed):
    phi = Named(RandomScores(4, seed), 4)
    knowledge = random_knowledge(seed, phi.names)
    rules = knowledge.resolved(phi.names)
    best = max(total(phi, dag) for dag in every_dag(4) if not rules.violations(dag))
    found = ordering_search(phi, 4, 3, knowledge=knowledge, restarts=30)
    assert rules.violations(found) == ()
    assert total(phi, found) == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("spanning", [True, False])
def test_the_optimal_tree_is_the_best_of_all_forests_that_agree(seed, spanning):
    phi = Named(RandomScores(4, seed), 4)
    knowledge = random_knowledge(seed, phi.names, trees=True)
    rules = knowledge.resolved(phi.names)
    forests = [dag for dag in every_dag(4) if max(map(len, dag)) <= 1 and not rules.violations(dag)]
    if spanning:
        most = max(sum(map(len, dag)) for dag in forests)
        forests = [dag for dag in forests if sum(map(len, dag)) == most]
    found = bnlab.learners.optimal_branching(phi, 4, spanning=spanning, knowledge=knowledge)
    assert found in forests
    assert total(phi, found) == pytest.approx(max(total(phi, dag) for dag in forests), abs=1e-6)


@pytest.mark.parametrize("algorithm", TREES)
def test_a_tree_refuses_two_required_parents_of_one_variable(algorithm):
    a, b, c, *_ = TABLE.names
    with pytest.raises(ValueError, match=f"required edges '{a}' -> '{c}', '{b}' -> '{c}': a variable of a tree has"):
        bnlab.learn(TABLE, algorithm, knowledge=Knowledge(required=[(a, c), (b, c)]))
    with pytest.raises(ValueError, match=f"required edge '{a}' -> '{b}', but '{b}' is the root"):
        bnlab.learn(TABLE, algorithm, root=b, knowledge=Knowledge(required=[(a, b)]))


def test_knowledge_against_another_option_is_refused():
    a, b, c, *_ = TABLE.names
    required = Knowledge(required=[(a, c), (b, c)])
    with pytest.raises(ValueError, match=f"required edge '{a}' -> '{c}' may not be used: `within`"):
        bnlab.learn(TABLE, knowledge=required, within=[(a, b)])
    with pytest.raises(ValueError, match=f"'{c}' has 2 required parents, '{a}', '{b}', but may have 1"):
        bnlab.learn(TABLE, knowledge=required, max_parents=1)
    with pytest.raises(ValueError, match=f"start disagrees with `knowledge`: required edge '{a}' -> '{c}' is missing"):
        bnlab.learn(TABLE, "hill-climbing", knowledge=required, start=[(b, c)])
    with pytest.raises(ValueError, match="has a variable before one of its required parents"):
        bnlab.learn(TABLE, "k2", knowledge=required, orders=[TABLE.names[::-1]])
    with pytest.raises(ValueError, match="has a node before one of its required parents"):
        bnlab.learn(TABLE, "ordering-search", knowledge=required, start=TABLE.names[::-1])
    with pytest.raises(ValueError, match=f"permanent edges: required edge '{c}' -> '{a}' may not be used: `within`"):
        bnlab.learn(TABLE, "chen", variant="paper", knowledge=required, permanent=[(c, a)])
    with pytest.raises(TypeError, match=r"knowledge is a list: give a bnlab\.Knowledge"):
        bnlab.learn(TABLE, knowledge=[(a, b)])


@pytest.mark.parametrize("seed", range(2))
def test_the_order_of_k2_may_be_given_by_tiers(seed):
    order = [TABLE.names[v] for v in np.random.default_rng(seed).permutation(N)]
    tiers = Knowledge(tiers=[[name] for name in order])
    expected = bnlab.learn(TABLE, "k2", orders=[order])
    assert bnlab.learn(TABLE, "k2", knowledge=tiers) == expected
    assert bnlab.learn(TABLE, "k2", knowledge=tiers, orders=3) == expected


def test_edges_of_one_direction_that_close_a_cycle_give_no_order():
    a, b, c, *_ = TABLE.names
    around = Knowledge(forbidden=[(b, a), (c, b), (a, c)])
    assert around.resolved(TABLE.names).along(range(N)) == tuple(range(N))
    assert around.violations(bnlab.learn(TABLE, "k2", knowledge=around)) == ()


@pytest.mark.parametrize("seed", range(2))
def test_permanent_edges_and_the_order_of_chen_are_required_edges_and_tiers(seed):
    order = [TABLE.names[v] for v in np.random.default_rng(seed).permutation(N)]
    options = {"variant": "paper", "Q": 60, "max_iterations": 300, "seed": seed}
    given = bnlab.learn(TABLE, "chen", permanent=[(order[0], order[3])], order=order, **options)
    known = Knowledge(required=[(order[0], order[3])], tiers=[[name] for name in order])
    assert bnlab.learn(TABLE, "chen", knowledge=known, **options) == given


def test_the_policies_of_chen_give_no_probability_to_an_edge_that_is_not_allowed():
    for seed in range(times(10, 200)):
        knowledge = random_knowledge(seed, TABLE.names)
        allowed = knowledge.resolved(TABLE.names).allowed | np.eye(N, dtype=np.bool_)
        search = make_search(TABLE, "chen", variant="paper", Q=60, max_iterations=200, knowledge=knowledge, seed=seed)
        for state, _ in iterate(search):
            assert not search.snapshot(state).policies.tau[~allowed].any()


@pytest.mark.parametrize("algorithm", SKELETONS)
def test_a_skeleton_joins_required_edges_and_no_pair_without_an_edge(algorithm):
    for seed in range(times(6, 10_000)):
        table = random_table(seed)
        n = table.n_variables
        knowledge = random_knowledge(seed, table.names)
        rules = knowledge.resolved(table.names)
        known = bnlab.skeleton(table, algorithm).pairs
        found = bnlab.skeleton(table, algorithm, knowledge=knowledge).pairs
        for i, j in combinations(range(n), 2):
            required = rules.required[i, j] or rules.required[j, i]
            possible = rules.allowed[i, j] or rules.allowed[j, i]
            assert ((i, j) in found) == (required or (possible and (i, j) in known)), (seed, knowledge)


def test_a_bootstrap_gives_its_knowledge_to_the_learner_and_counts_known_directions_in_full():
    a, b, *_ = TABLE.names
    knowledge = Knowledge(required=[(b, a)], tiers=[TABLE.names[1:], [a]])
    confidence = run(Bootstrap(TABLE, bnlab.learn, replicates=10, knowledge=knowledge))
    assert confidence.arcs[1, 0] == 1.0
    assert not confidence.arcs[0].any()
    with pytest.raises(ValueError, match="knowledge: no variable 'x'"):
        Bootstrap(TABLE, bnlab.learn, knowledge=Knowledge(forbidden=[("x", a)]))


@pytest.mark.parametrize("classifier", [bnlab.TAN(), bnlab.CkG(), bnlab.CkG(order="bfs"), bnlab.CkG(order="search")])
def test_a_classifier_keeps_what_is_known_of_its_attributes(classifier, monkeypatch):
    # 1,000 restarts take thirty times as long as all else, and each order keeps the rules.
    monkeypatch.setattr(estimators, "ordering_search", partial(ordering_search, restarts=2))
    for seed in range(times(6, 10_000)):
        table = random_table(seed)
        *attributes, target = table.names
        if len(np.unique(table.column(target))) < 2:  # no classifier takes a single class
            continue
        frame = table.to_pandas()
        knowledge = random_knowledge(seed, attributes, trees=True)
        graph = classifier.set_params(knowledge=knowledge).fit(frame[attributes], frame[target]).dag_
        among = [edge for edge in graph.edges if target not in edge]
        assert knowledge.violations(among) == (), (seed, knowledge)
