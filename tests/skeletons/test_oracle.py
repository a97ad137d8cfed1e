"""What theory says of each learner, asked with d-separation in place of tests.

Proofs and their limits: Villanueva and Maciel 2012; Rodrigues de Morais and Aussem 2010; Tsamardinos et al. 2006; Peña
et al. 2007; Spirtes et al. 2000. The claim of the first that separators of spouses always lie among the parents and
children is false, as a graph of five nodes shows.
"""

from __future__ import annotations

from itertools import permutations

import pytest

from bnlab.citests import DSeparation
from bnlab.graphs import Dag
from bnlab.search import run
from bnlab.skeletons import make_search, skeleton
from tests.learners.small_problems import random_dag
from tests.soak import times

EXACT = [
    ("hpc", {"rule": "or"}),
    ("hpc", {"rule": "and"}),
    ("mmpc", {}),
    ("mmpc", {"use_symmetry": True}),
    ("getpc", {}),
    ("heupc", {}),
    ("opthpc", {"sepset": "mb"}),
    ("opthpc", {"sepset": "mb", "zero_order_first": True}),
]
SUPERSET = [
    ("opthpc", {}),
    ("opthpc", {"zero_order_first": True}),
    ("mmpc", {"rule": "or"}),
    ("getpc", {"rule": "or"}),
    ("heupc", {"max_order": 1}),
]
SIZES = [(5, 2.0), (6, 2.5), (7, 2.0), (8, 2.0), (9, 2.5)]
GRAPHS_PER_SIZE = times(25, 100)

# T and X need {A, B} to be separated, and B is only a spouse of T.
SPOUSE_NEEDED = Dag.from_edges(
    ["T", "A", "B", "X", "C"], [("T", "A"), ("B", "A"), ("B", "X"), ("A", "X"), ("T", "C"), ("X", "C")]
)


def edges_of(graph) -> set[frozenset[str]]:
    return set(map(frozenset, graph.edges))


def oracle_of(dag: Dag, seed: int) -> DSeparation:
    return DSeparation(dag, lambda x, y, z: 1 + hash((seed, x, y, z)) % 1009)


@pytest.mark.parametrize(("n", "degree"), SIZES)
def test_what_is_proved_holds_on_random_graphs(n, degree):
    wrong_or = 0
    for seed in range(GRAPHS_PER_SIZE):
        dag = random_dag(seed, n, degree)
        oracle, true = oracle_of(dag, seed), edges_of(dag)
        for algorithm, options in EXACT:
            assert edges_of(skeleton(oracle, algorithm, **options)) == true, (algorithm, options, dag)
        for algorithm, options in SUPERSET:
            found = edges_of(skeleton(oracle, algorithm, **options))
            assert found >= true, (algorithm, options, dag)
            wrong_or += algorithm == "mmpc" and found != true
    assert wrong_or > 0


@pytest.mark.parametrize(
    ("algorithm", "options", "extra", "nsc"),
    [
        ("hpc", {}, set(), 484),
        ("opthpc", {}, {"TX"}, 163),
        ("opthpc", {"sepset": "mb"}, set(), 197),
        ("mmpc", {}, set(), 132),
        ("mmpc", {"use_symmetry": True}, set(), 113),
        ("mmpc", {"rule": "or"}, {"TX", "BC"}, 132),
        ("heupc", {}, set(), 57),
    ],
)
def test_a_separator_that_needs_a_spouse_is_missed_among_parents_and_children(algorithm, options, extra, nsc):
    graph = skeleton(DSeparation(SPOUSE_NEEDED), algorithm, **options)
    assert edges_of(graph) == edges_of(SPOUSE_NEEDED) | set(map(frozenset, extra))
    assert graph.nsc == nsc


def test_getpc_counts_each_run_of_its_inner_search():
    graph = skeleton(DSeparation(SPOUSE_NEEDED), "getpc")
    assert edges_of(graph) == edges_of(SPOUSE_NEEDED)
    assert graph.nsc_memoised == 273
    assert graph.nsc > 2 * graph.nsc_memoised


def test_whether_the_spouse_is_missed_hangs_on_the_order_of_columns_for_opthpc_alone():
    wrong = dict.fromkeys([*(algorithm for algorithm, _ in EXACT[1:]), "opthpc"], 0)
    for names in permutations(SPOUSE_NEEDED.names):
        oracle, true = DSeparation(SPOUSE_NEEDED.reordered(names)), edges_of(SPOUSE_NEEDED)
        for algorithm in wrong:
            wrong[algorithm] += edges_of(skeleton(oracle, algorithm)) != true
    assert wrong == {"hpc": 0, "mmpc": 0, "getpc": 0, "heupc": 0, "opthpc": 70}


@pytest.mark.parametrize("zero_order_first", [False, True])
def test_opthpc_tests_no_pair_twice_at_order_0_and_makes_fewer_calls_than_hpc(zero_order_first):
    for seed in range(times(10, 40)):
        oracle, asked = oracle_of(random_dag(seed, 10, 2.5), seed), []
        strength = oracle.strength
        oracle.strength = lambda x, y, z, asked=asked, strength=strength: (
            asked.append((*sorted((x, y)), *z)) or strength(x, y, z)
        )
        graph = skeleton(oracle, "opthpc", zero_order_first=zero_order_first)
        small = [question for question in asked if len(question) < 4]
        assert len(small) == len(set(small))
        assert sum(len(question) == 2 for question in asked) <= 45
        assert len(asked) == graph.nsc < skeleton(oracle, "hpc").nsc


@pytest.mark.parametrize("sepset", ["pc", "mb"])
def test_without_its_cache_opthpc_finds_the_same_in_more_calls(sepset):
    for seed in range(times(10, 20)):
        oracle = oracle_of(random_dag(seed, 8, 2.5), seed)
        cached = run(make_search(oracle, "opthpc", sepset=sepset))
        uncached = run(make_search(oracle, "opthpc", sepset=sepset, cache=False))
        assert (cached.pairs, cached.separators, cached.weakest) == (
            uncached.pairs,
            uncached.separators,
            uncached.weakest,
        )
        assert cached.nsc < uncached.nsc


def test_every_pair_left_out_has_a_separator():
    for seed in range(times(10, 20)):
        dag = random_dag(seed, 8, 2.5)
        oracle = oracle_of(dag, seed)
        for algorithm in ("opthpc", "hpc", "mmpc", "getpc", "heupc"):
            graph = skeleton(oracle, algorithm)
            for (i, j), z in graph.separators.items():
                assert oracle.strength(i, j, z) == 0
            missing = {(i, j) for j in range(8) for i in range(j)} - graph.pairs
            assert missing <= graph.separators.keys()
