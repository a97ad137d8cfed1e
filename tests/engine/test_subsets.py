"""Maxima and sums over subsets, beside brute force over all orders and graphs."""

from itertools import permutations, product

import numpy as np
import pytest

from bnlab.engine.subsets import (
    best_of_subsets,
    probabilities_of_parents,
    shares_of_orders,
    sum_over_subsets,
    sums_over_graphs,
    sums_over_orders,
)

N = 4


def others_of(v):
    return [u for u in range(N) if u != v]


def place(v, parents):
    """Bits of a set of variables other than v."""
    return sum(1 << others_of(v).index(u) for u in parents)


def subsets(items):
    return [
        tuple(u for u, there in zip(items, mask, strict=True) if there) for mask in product([0, 1], repeat=len(items))
    ]


def random_weights(seed, spread=3.0):
    """Logarithm of the weight of each set of parents, and of all sets within a set; shape (n, 2 ** (n - 1))."""
    scores = spread * np.random.default_rng(seed).normal(size=(N, 1 << (N - 1)))
    alpha = np.array(
        [
            [np.log(sum(np.exp(of_v[place(v, part)]) for part in subsets(whole))) for whole in sorted_sets(v)]
            for v, of_v in enumerate(scores)
        ]
    )
    return scores, alpha


def sorted_sets(v):
    return sorted(subsets(others_of(v)), key=lambda parents: place(v, parents))


def every_graph():
    """Parents of each variable, of all acyclic graphs, with the number of orders that agree."""
    for graph in product(*(subsets(others_of(v)) for v in range(N))):
        orders = sum(
            all(order.index(u) < order.index(v) for v in range(N) for u in graph[v]) for order in permutations(range(N))
        )
        if orders:
            yield graph, orders


def weight(scores, graph):
    return np.exp(sum(scores[v, place(v, parents)] for v, parents in enumerate(graph)))


def test_sums_over_subsets_have_a_term_for_each_part():
    for seed in range(5):
        scores, alpha = random_weights(seed)
        for v in range(N):
            values = scores[v].copy()
            sum_over_subsets(values)
            np.testing.assert_allclose(values, alpha[v])


def test_the_best_network_on_a_subset_is_that_of_all_graphs_on_it():
    for seed in range(5):
        scores, _ = random_weights(seed)
        gains = np.array(
            [[max(scores[v, place(v, part)] for part in subsets(whole)) for whole in sorted_sets(v)] for v in range(N)]
        )
        best = best_of_subsets(gains)
        assert best[-1] == pytest.approx(max(np.log(weight(scores, graph)) for graph, _ in every_graph()))
        on_two = max(scores[0, 0] + scores[2, place(2, (0,))], scores[2, 0] + scores[0, place(0, (2,))])
        assert best[0b101] == pytest.approx(max(on_two, scores[0, 0] + scores[2, 0]))


@pytest.mark.parametrize("prior", ["graphs", "orders"])
def test_probabilities_of_edges_are_sums_over_all_graphs(prior):
    for seed in range(5):
        scores, alpha = random_weights(seed)
        total, expected, found = 0.0, np.zeros((N, N)), np.zeros((N, N))
        for graph, orders in every_graph():
            term = weight(scores, graph) * (orders if prior == "orders" else 1)
            total += term
            for v, parents in enumerate(graph):
                expected[list(parents), v] += term
        if prior == "graphs":
            weights, shares = sums_over_graphs(alpha)
        else:
            weights, last = sums_over_orders(alpha)
            shares = [shares_of_orders(v, alpha[v], weights, last) for v in range(N)]
        for v in range(N):
            probabilities_of_parents(v, alpha[v], shares[v], found)
        assert weights[-1] == pytest.approx(np.log(total))
        np.testing.assert_allclose(found, expected / total, atol=1e-9)
