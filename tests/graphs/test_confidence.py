import numpy as np
import pytest

from bnlab.graphs import Dag, essential_graph, markov_equivalent, v_structures
from bnlab.graphs.confidence import EdgeConfidence, arcs_of
from bnlab.graphs.equivalence import shown_graph
from bnlab.graphs.pdag import Pdag, as_pdag


def confidence(n, **arcs):
    shares = np.zeros((n, n))
    for edge, share in arcs.items():
        shares[ord(edge[0]) - ord("A"), ord(edge[1]) - ord("A")] = share
    return EdgeConfidence(tuple("ABCDEFGH"[:n]), shares, 10)


def test_an_undirected_edge_counts_one_half_each_way():
    graph = Pdag("ABC", directed=[(0, 2)], undirected=[(1, 2)])
    np.testing.assert_array_equal(arcs_of(graph), [[0, 0, 1], [0, 0, 0.5], [0, 0.5, 0]])


def test_edges_are_listed_by_strength_in_their_more_frequent_direction():
    frame = confidence(3, AB=0.2, BA=0.6, BC=0.9).edge_list()
    assert frame[["u", "v"]].to_numpy().tolist() == [["B", "C"], ["B", "A"]]
    np.testing.assert_allclose(frame[["strength", "direction"]], [[0.9, 1.0], [0.8, 0.75]])


def test_the_average_keeps_edges_from_the_threshold_on():
    shares = confidence(4, AB=0.9, BC=0.5, CD=0.2)
    assert shares.consensus(0.5).edges == (("A", "B"), ("B", "C"))
    assert shares.consensus(0).edges == (("A", "B"), ("B", "C"), ("C", "D"))
    assert confidence(3).consensus().edges == ()


def test_the_weakest_edge_of_a_cycle_is_turned_round():
    assert confidence(3, AB=0.9, BC=0.8, CA=0.7).consensus(0.5).edges == (("A", "B"), ("A", "C"), ("B", "C"))


def test_an_average_of_equal_graphs_is_equivalent_to_them():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        order = rng.permutation(7)
        parents = [[] for _ in range(7)]
        for place, v in enumerate(order):
            parents[v] = [int(u) for u in order[:place] if rng.random() < 0.35]
        dag = Dag("ABCDEFG", parents)
        average = EdgeConfidence(dag.names, arcs_of(essential_graph(dag)), 10).consensus()
        assert markov_equivalent(average, dag)
        assert as_pdag(shown_graph(average)) == essential_graph(dag)


def test_edges_without_a_direction_do_not_meet_head_to_head():
    chain = confidence(4, AC=0.5, CA=0.5, BD=0.45, DB=0.45, CD=0.4, DC=0.4)
    assert v_structures(chain.consensus(0.5)) == ()
    known = confidence(4, AB=0.9, BA=0.1, BC=0.4, CB=0.4, CD=0.3, DC=0.3)
    assert known.consensus(0.5).edges == (("A", "B"), ("B", "C"), ("C", "D"))
    assert known.consensus(0.5).undecided == set(), "A -> B decides on the others, as no graph has a v-structure at B"
    assert chain.consensus(0.5).undecided == set(chain.consensus(0.5).edges)


def test_any_shares_average_to_an_acyclic_graph():
    for seed in range(50):
        arcs = np.triu(np.random.default_rng(seed).random((7, 7)) / 2, 1)
        shares = arcs + arcs.T[::-1, ::-1] * (1 - np.eye(7))
        np.fill_diagonal(shares, 0)
        assert isinstance(EdgeConfidence(tuple("ABCDEFG"), shares / 2, 1).consensus(0.1), Dag)


@pytest.mark.parametrize("seed", range(20))
def test_the_threshold_is_at_the_least_distance_of_scutari_and_nagarajan(seed):
    rng = np.random.default_rng(seed)
    strengths = np.sort(rng.integers(0, 21, 15) / 20)
    arcs = np.zeros((6, 6))
    arcs[np.triu_indices(6, 1)] = strengths
    grid = np.linspace(0, 1, 4001)[:-1] + 1 / 8000
    shares = np.searchsorted(strengths, grid, side="right") / len(strengths)

    def distance(level):
        return np.abs(shares - level).mean()

    found = EdgeConfidence(tuple("ABCDEF"), arcs, 20).threshold
    least = min(distance(k / 15) for k in range(16))
    assert distance(np.mean(strengths < found)) == pytest.approx(least, abs=1e-3)


def test_edges_always_or_never_there_need_all_graphs():
    assert confidence(3, AB=1.0).threshold == 1.0
    assert confidence(3, AB=1.0).consensus().edges == (("A", "B"),)


@pytest.mark.parametrize("threshold", [-0.1, 1.5, float("nan")])
def test_a_threshold_is_a_share(threshold):
    with pytest.raises(ValueError, match="between 0 and 1"):
        confidence(2, AB=0.5).consensus(threshold)
