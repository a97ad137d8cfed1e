"""The K2 algorithm."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import bnlab
from bnlab.data import Table, Variable
from bnlab.learners import K2Search
from bnlab.search import Trace, run

from .small_problems import PlantedScores, RandomScores, total

# Ten cases of three binary variables: Cooper and Herskovits 1992, table 1.
CASES = [(1, 0, 0), (1, 1, 1), (0, 0, 1), (1, 1, 1), (0, 0, 0), (0, 1, 1), (1, 1, 1), (0, 0, 0), (1, 1, 1), (0, 0, 0)]


def test_it_finds_the_chain_of_its_papers_example():
    variables = [Variable(name, (0, 1)) for name in ("x1", "x2", "x3")]
    table = Table(variables, [list(column) for column in zip(*CASES, strict=True)])
    assert bnlab.learn(table, "k2", max_parents=2).edges == (("x1", "x2"), ("x2", "x3"))


@pytest.mark.parametrize("seed", range(5))
def test_parents_come_before_their_child_and_no_single_one_more_would_help(seed):
    phi = RandomScores(5, seed)
    order = (3, 1, 4, 0, 2)
    found = run(K2Search(phi, 5, orders=[order]))
    for place, v in enumerate(order):
        assert set(found[v]) <= set(order[:place])
        for u in set(order[:place]) - set(found[v]):
            assert phi(v, tuple(sorted((*found[v], u)))) <= phi(v, found[v]) + 1e-8


def test_the_best_of_all_orders_is_kept():
    phi = RandomScores(4, 7)
    orders = list(permutations(range(4)))
    best = max(total(phi, run(K2Search(phi, 4, orders=[order]))) for order in orders)
    trace = Trace()
    last = trace.run(K2Search(phi, 4, orders=orders))
    assert last.best_score == pytest.approx(best) == total(phi, last.best_parents)
    assert trace.best == sorted(trace.best)
    assert sum(event.kind == "restart" for event in trace.events) == len(orders) - 1


def test_random_orders_depend_on_the_seed_alone():
    phi = RandomScores(5, 3)
    assert run(K2Search(phi, 5, orders=3, seed=1)) == run(K2Search(phi, 5, orders=np.int64(3), seed=1))
    assert total(phi, run(K2Search(phi, 5, orders=40))) >= total(phi, run(K2Search(phi, 5, orders=4)))


def test_the_limit_of_parents_holds():
    phi = PlantedScores([(), (0,), (0, 1), (0, 1, 2)])
    assert run(K2Search(phi, 4, max_parents=1)) == ((), (0,), (0,), (0,))
    assert run(K2Search(phi, 4)) == ((), (0,), (0, 1), (0, 1, 2))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"orders": [(0, 1, 1)]}, "names each"),
        ({"orders": []}, "orders is empty"),
        ({"orders": 0}, "orders=0: it must be at least 1"),
        ({"orders": -1}, "orders=-1: it must be at least 1"),
        ({"orders": 2.0}, "orders=2.0 is not an integer"),
        ({"orders": True}, "orders=True is not an integer"),
        ({"max_parents": -2}, "max_parents=-2"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        K2Search(RandomScores(3, 0), 3, **options)


def test_orders_may_name_the_variables():
    data = bnlab.load_network("cancer").sample(2000, seed=0)
    found = bnlab.learn(data, "k2", orders=[data.names[::-1]])
    place = {name: i for i, name in enumerate(data.names[::-1])}
    assert all(place[u] < place[v] for u, v in found.edges)
