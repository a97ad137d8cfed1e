"""A whole search in compiled loops finds, and says of its tests, what its steps do one after the other."""

from __future__ import annotations

import pickle
from itertools import product

import numpy as np
import pytest

from bnlab.checkpoint import load_state, save_state
from bnlab.citests import G2Tester, g2_tester
from bnlab.citests.compiled import search as dep_search
from bnlab.counts.memory import MemorySource
from bnlab.data import Table, Variable
from bnlab.networks import load_network, tile
from bnlab.search import run
from bnlab.skeletons import MMPC, make_search, skeleton
from tests.soak import times

SEARCHES = [
    *(("heupc", {"unreliable": u, "max_order": m}) for u, m in product(("independent", "skip"), (None, 0, 1))),
    *(("mmpc", {"unreliable": u, "max_order": m}) for u, m in product(("independent", "skip"), (None, 0, 1))),
    ("mmpc", {"use_symmetry": True, "rule": "or"}),
    *(("opthpc", {"unreliable": u, "sepset": s}) for u, s in product(("independent", "skip"), ("pc", "mb"))),
    ("opthpc", {"zero_order_first": True, "max_order": 1}),
    ("opthpc", {"cache": False, "rule": "and"}),
    *(("hpc", {"unreliable": u, "max_order": m}) for u, m in product(("independent", "skip"), (None, 1))),
    ("hpc", {"rule": "and"}),
    *((name, {"variant": "default"}) for name in ("opthpc", "hpc", "mmpc", "heupc")),
    *((name, {"variant": "default", "unreliable": "dependence"}) for name in ("mmpc", "heupc")),
]
ARITIES = (1, 2, 2, 2, 3, 3, 4, 5, 17, 30, 300)


def random_table(seed: int, n_rows: int, arities: list[int]) -> Table:
    """Columns that copy, with noise, some that stand before them."""
    rng = np.random.default_rng(seed)
    columns: list[np.ndarray] = []
    for r in arities:
        column = rng.integers(0, r, n_rows)
        for earlier in rng.permutation(len(columns))[: rng.integers(0, 3)]:
            column = np.where(rng.random(n_rows) < 0.4, columns[earlier], column)
        columns.append(column % r)
    return Table([Variable(f"v{i}", tuple(range(r))) for i, r in enumerate(arities)], columns)


def assert_same(table: Table, algorithm: str, options: dict, **rules) -> int:
    options = {"variant": "paper", **options}
    search = make_search(table, algorithm, **options, **rules)
    at_once = search.at_once()
    by_steps = run(make_search(table, algorithm, **options, **rules), search.init())
    assert at_once == by_steps
    assert at_once == skeleton(table, algorithm, **options, **rules)
    return at_once.nsc


@pytest.mark.parametrize(("algorithm", "options"), SEARCHES)
def test_random_tables_of_every_kind_give_the_same_graph_tests_and_strengths(algorithm, options):
    performed = 0
    for seed in range(times(4, 12)):
        rng = np.random.default_rng([seed, 7])
        arities = rng.choice(ARITIES, rng.integers(2, 9)).tolist()
        table = random_table(seed, int(rng.choice([30, 200, 2000])), arities)
        for rules in ({}, {"df": "plain", "alpha": 0.3}, {"rows_per_cell": 0.5}):
            performed += assert_same(table, algorithm, options, **rules)
    assert performed > 100


@pytest.mark.parametrize(("algorithm", "options"), SEARCHES)
@pytest.mark.parametrize(
    ("n_rows", "arities"),
    [
        (1, [2, 2, 2]),
        (500, [1, 1]),
        (500, [1, 2, 1, 2, 1]),
        (500, [30, 30, 30, 20]),
        (400, [2] * 70),  # a set of them is more than one word
        (40_000, [2, 3, 2, 3, 2]),  # and their bitmaps more than one block
    ],
)
def test_tables_at_the_edge_give_the_same(algorithm, options, n_rows, arities):
    assert_same(random_table(3, n_rows, arities), algorithm, options)


@pytest.mark.parametrize(("slots", "room"), [(1, 4), (4, 64), (1 << 8, 1 << 10)])
def test_tables_in_a_cache_without_room_for_all_of_them_give_the_same(slots, room, monkeypatch):
    monkeypatch.setattr(dep_search, "TABLES", slots)
    monkeypatch.setattr(dep_search, "ROOM", room)
    tables = [random_table(11, 900, [2, 3, 1, 2, 4, 3, 2, 2, 17]), random_table(12, 40_000, [2, 3, 2, 3, 2])]
    for algorithm, options in SEARCHES:
        for table in tables:
            assert_same(table, algorithm, options)


def test_columns_that_copy_each_other_tie_as_they_do_step_by_step():
    table = random_table(5, 800, [2, 3, 2, 3])
    columns = [table.column(v) for v in (0, 1, 2, 3, 1, 0)]
    twins = Table([Variable(f"v{i}", tuple(range(2 + i % 2))) for i in (0, 1, 2, 3, 5, 4)], columns)
    for algorithm, options in SEARCHES:
        assert_same(twins, algorithm, options)


def test_what_is_not_the_tester_of_a_table_in_memory_is_asked_step_by_step():
    table = random_table(1, 300, [2, 3, 2, 3])
    expected = skeleton(table, "mmpc")

    class Own(G2Tester):
        """Answers as it likes."""

    class Greedy(MMPC):
        def neighbours(self, dep, target, state):
            return [x for x in range(self.n) if x != target], state

    recorded: list[int] = []
    wrapped = G2Tester(table)
    strength = wrapped.strength
    wrapped.strength = lambda x, y, z: recorded.append(x) or strength(x, y, z)  # type: ignore[method-assign]
    assert skeleton(wrapped, "mmpc") == expected
    assert len(recorded) >= expected.nsc
    assert make_search(Own(table), "mmpc").at_once() is None
    assert make_search(G2Tester(table, rows_per_cell=0), "heupc").at_once() is None
    assert len(run(Greedy(G2Tester(table))).pairs) == 6


def test_a_table_beyond_what_is_noted_of_pairs_is_asked_step_by_step(monkeypatch):
    table = random_table(2, 20, [2] * 5)
    monkeypatch.setattr(g2_tester, "MAX_RESULTS", 100)
    for algorithm in ("heupc", "mmpc", "hpc", "opthpc"):
        assert make_search(G2Tester(table), algorithm).at_once() is None


def test_a_search_with_more_to_remember_begins_again_with_more_room_or_goes_step_by_step(monkeypatch):
    table = random_table(3, 400, [2, 3, 2, 3, 2, 2])
    search = make_search(table, "opthpc")
    expected = search.at_once()
    monkeypatch.setattr(dep_search, "REMEMBERED", 4)
    monkeypatch.setattr(dep_search, "REMEMBERED_A_PAIR", 0)
    assert search.at_once() == expected
    monkeypatch.setattr(dep_search, "MAX_REMEMBERED", 16)
    assert search.at_once() is None
    assert run(search) == expected


def test_variables_whose_numbers_need_more_bits_are_searched_as_step_by_step():
    table = tile(load_network("asia"), 70, seed=1).sample(100, seed=2)
    search = make_search(table, "heupc", max_order=1)
    at_once = search.at_once()
    assert len(at_once.names) > 512
    assert at_once == run(search, search.init())


def test_what_is_noted_of_pairs_is_a_dictionary_when_it_is_looked_into_and_when_it_is_saved(tmp_path):
    graph = skeleton(random_table(1, 300, [2, 3, 2, 3]), "heupc")
    assert len(graph.weakest) == len(dict(graph.weakest)) > 0
    assert {**graph.weakest} == graph.weakest
    assert repr(graph.weakest) == repr(dict(graph.weakest))
    again = pickle.loads(pickle.dumps(graph))
    assert again == graph
    assert type(again.weakest) is type(again.separators) is dict
    save_state(graph, tmp_path / "graph")
    assert load_state(tmp_path / "graph") == graph


def test_an_interrupted_search_asks_nothing_more():
    from bnlab.skeletons.compiled import mmpc as mmpc_kernels

    dep = G2Tester(random_table(1, 300, [2, 3, 2])).compiled_dep("independent")

    def interrupted(handle):
        dep.state.stop[0] = True
        return mmpc_kernels.mmpc(handle, False, 3)

    with pytest.raises(RuntimeError, match="has been interrupted"):
        dep.run(interrupted)
    assert dep.results()[2:] == (0, 0)


def test_a_skeleton_in_compiled_loops_needs_none_of_the_kernels_that_count_families(monkeypatch):
    """They take a quarter of the time in which a first skeleton is compiled."""
    monkeypatch.setattr(MemorySource, "batches", None)
    assert skeleton(random_table(1, 300, [2, 3, 17]), "opthpc").edges


def test_what_is_asked_with_lies_in_memory_as_it_is_read():
    import numba

    from bnlab.citests.compiled.dependence import STATE_TYPE

    state = G2Tester(random_table(1, 300, [2, 3, 2])).compiled_dep("independent").state
    for stored, read in zip(numba.typeof(state).types, STATE_TYPE.types, strict=True):
        assert (stored == read) or (stored.dtype, stored.ndim, stored.layout) == (read.dtype, read.ndim, "C")
