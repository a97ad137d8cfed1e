"""Graphs drawn from a partition, beside sums over all sets of parents."""

from itertools import combinations

import numpy as np
import pytest

from bnlab.engine.partitions import draw_graph, enter_layers, families_of
from bnlab.graphs import Dag


def random_families(seed, spread):
    """Six variables with a core of three candidates and two others: sets of parents, and the same compiled."""
    draw = np.random.default_rng(seed)
    candidates = tuple(tuple(int(u) for u in draw.permutation([w for w in range(6) if w != v])) for v in range(6))
    sets, bits, scores = [], [], []
    for of_v in candidates:
        core = [parents for size in range(4) for parents in combinations(of_v[:3], size)]
        of_v_sets = [*core, *((*parents, u) for parents in core for u in of_v[3:])]
        of_v_scores = -np.sort(-spread * draw.random(len(of_v_sets)))
        of_v_sets = [of_v_sets[place] for place in draw.permutation(len(of_v_sets))]
        sets.append(dict(zip(map(frozenset, of_v_sets), of_v_scores, strict=True)))
        bits.append(np.array([sum(1 << of_v.index(u) for u in parents) for parents in of_v_sets]))
        scores.append(of_v_scores)
    return sets, families_of(candidates, (3,) * 6, tuple(bits), np.concatenate(scores))


def possible_sets(v, sets, layers, layered):
    """Sets of parents of v that a partition allows, with their weights."""
    before = {u for u in range(6) if layers[u] < layers[v]}
    last = {u for u in before if layers[u] == layers[v] - 1}
    free = not layered or layers[v] == 0
    return {s: np.exp(score) for s, score in sets[v].items() if s <= before and (free or s & last)}


@pytest.mark.parametrize("spread", [1.0, 30.0, 400.0])
@pytest.mark.parametrize("layered", [True, False])
def test_edges_of_a_partition_have_the_share_of_the_sets_of_parents_that_have_them(layered, spread):
    for seed in range(10):
        sets, families = random_families(seed, spread)
        draw = np.random.default_rng(seed)
        order = draw.permutation(6)
        layers = np.array([0, 0, 1, 1, 2, 3])[order] if layered else order.astype(np.int64)
        graph, arcs = np.zeros((6, 6), dtype=np.bool_), np.zeros((6, 6), dtype=np.float32)
        score = draw_graph(layers.astype(np.int64), families, layered, draw.random(6), graph, arcs)
        expected = 0.0
        for v in range(6):
            possible = possible_sets(v, sets, layers, layered)
            total = sum(possible.values())
            for u in range(6):
                share = sum(weight for s, weight in possible.items() if u in s) / total
                assert arcs[u, v] == pytest.approx(share, abs=1e-5)
            parents = frozenset(np.flatnonzero(graph[:, v]).tolist())
            assert parents in possible
            expected += sets[v][parents]
        assert score == pytest.approx(expected)


def test_random_numbers_draw_each_set_of_parents_in_proportion_to_its_weight():
    sets, families = random_families(3, 3.0)
    layers = np.array([0, 1, 1, 2, 2, 3])
    drawn = []
    for uniform in np.linspace(0, 1, 2000, endpoint=False):
        graph = np.zeros((6, 6), dtype=np.bool_)
        draw_graph(layers, families, True, np.full(6, uniform), graph, np.zeros((6, 6), dtype=np.float32))
        drawn.append(frozenset(np.flatnonzero(graph[:, 5]).tolist()))
    possible = possible_sets(5, sets, layers, True)
    for parents, weight in possible.items():
        assert drawn.count(parents) / 2000 == pytest.approx(weight / sum(possible.values()), abs=0.001)


def test_the_layer_of_a_variable_is_the_longest_path_to_it():
    graph = Dag("ABCDE", [(), (0,), (0, 1), (2,), ()]).adjacency()
    layers = np.empty(5, dtype=np.int64)
    enter_layers(graph, layers)
    assert layers.tolist() == [0, 1, 2, 3, 0]
