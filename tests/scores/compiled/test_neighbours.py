"""The compiled loop that scores a family and its neighbours, against the scores of their counts."""

from __future__ import annotations

import numpy as np
import pytest

from bnlab.counts.memory import MAX_STATE_ROWS, MemorySource
from bnlab.data import Table, Variable
from bnlab.scores import LocalScores, make_score
from bnlab.scores.compiled.neighbours import SPARE, CompiledScore, score_neighbours
from bnlab.scores.local import FREQUENT

from ..small_tables import make_table

SCORES = [
    ("ll", {}), ("aic", {}), ("bic", {}), ("nml", {}), ("k2", {}),
    ("bdeu", {"ess": 1e-3}), ("bdeu", {}), ("bdeu", {"ess": 1e4}),
]  # fmt: skip


def scored(compiled: CompiledScore, child: int, parents: tuple[int, ...], asked: np.ndarray) -> np.ndarray:
    values = np.full(len(asked), np.nan)
    is_parent = np.zeros(len(asked), dtype=np.bool_)
    is_parent[list(parents)] = True
    score_neighbours(compiled, child, is_parent, asked, values)
    return values


@pytest.mark.parametrize(("name", "params"), SCORES, ids=str)
@pytest.mark.parametrize(
    ("arities", "rows"),
    [((2, 3, 2, 4, 1, 2, 3), 3000), ((16, 2, 5, 3, 16), 700), ((2, 2, 3), 1), ((3,) * 8, 64), ((2,) * 10, 128)],
)
def test_scores_are_those_of_the_families(name, params, arities, rows):
    phi = LocalScores(make_table(arities, rows, seed=1), make_score(name, **params))
    compiled = phi.compiled()
    assert compiled is not None
    rng = np.random.default_rng(0)
    n = len(arities)
    for _ in range(12):
        child, *rest = rng.permutation(n).tolist()
        parents = tuple(sorted(rest[: rng.integers(0, n)]))
        asked = rng.random(n) < 0.8
        asked[child] = False
        found = scored(compiled, child, parents, asked)
        toggled = [tuple(sorted({*parents} ^ {int(u)})) for u in np.flatnonzero(asked)]
        expected = phi.many([*((child, family) for family in toggled), (child, parents)])
        np.testing.assert_allclose(found[[*np.flatnonzero(asked), child]], expected, rtol=1e-11, atol=1e-9)
        assert np.isnan(found[~asked]).sum() == (~asked).sum() - 1


def test_it_begins_anew_when_there_are_more_hyperparameters_than_tables():
    phi = LocalScores(make_table((2, 3, 5, 7, 11, 13, 4), 900, seed=3), make_score("bdeu", ess=2))
    compiled = phi.compiled()
    assert compiled is not None
    room = SPARE + 3
    few = compiled._replace(keys=compiled.keys[:room], terms=compiled.terms[: room * FREQUENT])
    beyond = compiled.terms[room * FREQUENT :]
    beyond[:] = -1.0
    for child in range(7):
        for left in range(7):
            parents = tuple(i for i in range(7) if i not in (child, left))
            asked = np.arange(7) != child
            values = scored(few, child, parents, asked)
            assert few.used[0] <= room
            assert values[child] == pytest.approx(phi(child, parents), rel=1e-12)
    assert (beyond == -1.0).all()


@pytest.mark.parametrize(("name", "params"), SCORES, ids=str)
@pytest.mark.parametrize("count", [FREQUENT - 1, FREQUENT, FREQUENT + 1])
def test_counts_about_the_end_of_a_table_are_scored_alike(name, params, count):
    columns = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [count, 5, count - 7, 7], axis=0)
    phi = LocalScores(Table.from_codes(columns, [Variable(v, (0, 1)) for v in "xy"]), make_score(name, **params))
    compiled = phi.compiled()
    assert compiled is not None
    for child in (0, 1):
        asked = np.arange(2) != child
        both = scored(compiled, child, (1 - child,), asked)
        np.testing.assert_allclose(both[[child, 1 - child]], [phi(child, (1 - child,)), phi(child, ())], rtol=1e-12)


def test_a_certain_child_has_the_likelihood_one_exactly():
    table = make_table((3, 2, 4), 400, seed=2)
    twin = Table.from_codes([table.column(0), table.column(0), table.column(2)], [table.variables[0], *_two(table)])
    compiled = LocalScores(twin, make_score("ll")).compiled()
    assert compiled is not None
    found = scored(compiled, 1, (0,), np.array([False, False, True]))
    assert found[1] == found[2] == 0.0


def _two(table):
    return Variable("twin", table.variables[0].states), table.variables[2]


@pytest.mark.parametrize("score", [make_score("mit"), make_score("bd", hyper=1)])
def test_scores_that_are_no_sums_have_no_compiled_form(score):
    assert LocalScores(make_table((2, 3), 50, seed=0), score).compiled() is None


def test_tables_of_many_states_or_rows_have_none():
    assert MemorySource(make_table((2, 17), 50, seed=0)).states() is None
    assert MemorySource(make_table((2, 2), MAX_STATE_ROWS + 1, seed=0)).states() is None
    assert MemorySource(make_table((2, 2), MAX_STATE_ROWS, seed=0)).states() is not None


@pytest.mark.parametrize("rows", [1, 63, 64, 65, 511, 512, 513])
def test_bitmaps_of_the_states_hold_each_row_once(rows):
    table = make_table((2, 5, 1), rows, seed=rows)
    states = MemorySource(table).states()
    assert states is not None
    bits = np.unpackbits(states.bits.astype("<u8").view(np.uint8), bitorder="little").reshape(-1, 64 * states.width)
    for v, arity in enumerate(table.arities):
        own = bits[states.first[v] // states.width :][:arity]
        np.testing.assert_array_equal(own[:, :rows], np.arange(arity)[:, None] == table.column(v))
        assert not own[:, rows:].any()
