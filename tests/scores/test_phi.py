"""LocalScores: one score per family, counted once."""

from __future__ import annotations

import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
import pytest

import bnlab
from bnlab.counts.memory import MemorySource
from bnlab.data import Table
from bnlab.scores import BD, BIC, K2, LocalScore, LocalScores, local_scores, make_score
from bnlab.scores.likelihood import PenalisedLikelihood
from tests.scores.small_tables import make_table


def test_names_and_indices_in_any_order_are_the_same_family(four: Table) -> None:
    phi = LocalScores(four, K2())
    value = phi(1, (0, 3))
    calls = [
        ("V1", ("V0", "V3")),
        ("V1", ["V3", "V0"]),
        (1, {3, 0}),
        (np.int64(1), (np.int64(3), 0)),
        ("V1", (3, "V0")),
    ]
    assert [phi(child, parents) for child, parents in calls] == [value] * len(calls)
    assert phi(1, iter((3, 0))) == value
    assert phi.misses == 1


def test_families_in_order_are_scored_as_those_in_any_order(four: Table) -> None:
    phi = LocalScores(four, K2())
    assert phi.indexed([(0, ()), (1, (0, 3)), (0, ())]).tolist() == [phi(0), phi(1, (3, 0)), phi(0)]
    with pytest.raises(ValueError, match="own parent"):
        phi.indexed([(0, (0,))])


def test_more_families_than_the_cache_holds_are_all_scored(four: Table) -> None:
    families = [(child, (parent,)) for child in range(4) for parent in range(4) if parent != child]
    np.testing.assert_array_equal(
        LocalScores(four, K2(), max_entries=3).many(families), LocalScores(four, K2()).many(families)
    )


@pytest.mark.parametrize("score", ["ll", "aic", "bic", "nml", "mit", "k2", "bdeu", BD(0.5)])
def test_a_family_alone_scores_as_among_many_to_the_last_bit(score: str | LocalScore) -> None:
    table = make_table((2, 3, 4, 300, 5, 17, 2, 1, 2), 900, seed=4)
    families = [(c, p) for c in range(9) for k in range(4) for p in combinations([v for v in range(9) if v != c], k)]
    many = LocalScores(table, make_score(score)).many(families)
    phi = LocalScores(MemorySource(table), make_score(score))
    np.testing.assert_array_equal([phi(*family) for family in families], many, strict=True)
    assert (phi.hits, phi.misses) == (0, len(families))


def test_no_families_give_no_scores(four: Table) -> None:
    assert LocalScores(four, BIC()).many([]).shape == (0,)


def test_the_total_is_the_sum_over_the_variables(four: Table) -> None:
    phi = LocalScores(four, K2())
    parents = ((), (0,), ("V1", "V0"), ())
    assert phi.total(parents) == pytest.approx(phi(0) + phi(1, (0,)) + phi(2, (0, 1)) + phi(3), rel=1e-14)
    with pytest.raises(ValueError, match="3 parent sets for 4 variables"):
        phi.total(parents[:3])


@pytest.mark.parametrize("name", ["ll", "bic", "nml", "mit", "k2", "bdeu"])
def test_threads_do_not_change_a_score_by_a_bit(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr("bnlab.scores.phi._MIN_CELLS_TO_SPLIT", 1)
    monkeypatch.setattr("bnlab.counts.memory._LIGHT_ROWS", 0)
    table = make_table((2, 3, 4, 2, 5, 3, 2), 700, seed=3)
    families = [(c, p) for c in range(7) for k in range(4) for p in combinations([v for v in range(7) if v != c], k)]
    one, *others = (LocalScores(MemorySource(table, threads=t), make_score(name)).many(families) for t in (1, 2, 5))
    for values in others:
        np.testing.assert_array_equal(values, one, strict=True)


def test_threads_share_a_cache(four: Table) -> None:
    phi = LocalScores(four, K2(), max_entries=5)
    families = [(child, (parent,)) for child in range(4) for parent in range(4) if parent != child] * 5
    expected = LocalScores(four, K2()).many(families)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda family: phi(*family), families)) == expected.tolist()


@pytest.mark.parametrize(
    ("child", "parents", "message"),
    [
        (3, (1, 3), r"family \(3, \(1, 3\)\): a variable cannot be its own parent"),
        ("V1", ("V1",), r"family \('V1', \('V1',\)\): a variable cannot be its own parent"),
        (0, (1, 2, 1), r"family \(0, \(1, 2, 1\)\): a parent is named twice"),
        (0, (1, "V1"), "a parent is named twice"),
        ("V11", (), r"no variable is called 'V11': did you mean 'V1'\?"),
        (0, ("nonsense",), "no variable is called 'nonsense': known names: V0, V1, V2, V3"),
        (4, (), r"variable 4 is not in 0\.\.3"),
        (0, (-1,), r"variable -1 is not in 0\.\.3"),
    ],
)
def test_impossible_families_are_explained(four: Table, child: object, parents: object, message: str) -> None:
    phi = LocalScores(four, BIC())
    with pytest.raises(ValueError, match=message):
        phi(child, parents)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=message):
        phi.many([(child, parents)])  # type: ignore[list-item]


def test_a_string_is_not_a_collection_of_parents(four: Table) -> None:
    with pytest.raises(TypeError, match=r"a single one is \('V1',\)"):
        LocalScores(four, BIC())("V0", "V1")
    with pytest.raises(TypeError):
        LocalScores(four, BIC())(0.5, ())  # type: ignore[arg-type]


def test_learners_on_one_table_share_the_cache_of_a_score(four: Table) -> None:
    phi = local_scores(four, "bdeu", ess=4)
    assert local_scores(four, "BDeu", ess=4.0) is phi
    assert local_scores(four, "bdeu", ess=5) is not phi
    assert local_scores(make_table((2, 2), 9, seed=0), "bdeu", ess=4) is not phi


def test_the_shared_cache_goes_with_its_table() -> None:
    table = make_table((2, 2), 9, seed=0)
    phi = weakref.ref(local_scores(table, "bic"))
    assert phi() is not None
    del table
    gc.collect()
    assert phi() is None


def test_the_text_form_names_score_and_data(four: Table) -> None:
    assert repr(local_scores(four, "mit")) == "LocalScores(MIT(alpha=0.99), 4 variables, 90 rows)"


def test_a_copy_in_another_process_gives_the_same_scores(four: Table) -> None:
    phi = LocalScores(four, K2(), max_entries=1)
    families = [(0, ()), (1, (0,)), (3, (0, 1))]
    copy = pickle.loads(pickle.dumps(phi))
    assert copy.many(families).tolist() == phi.many(families).tolist()
    copy.many(families)
    assert (copy.hits, copy.misses) == (1, 5)  # it caches one family, too
    assert copy.names == phi.names


@pytest.mark.parametrize("name", ["bic", "k2", "bdeu", "mit"])
def test_scores_of_toggled_families_are_those_of_the_families(name):
    table = bnlab.load_network("asia").sample(500, seed=3)
    phi = LocalScores(table, make_score(name))
    families, neighbours = [(2, ()), (5, (1, 2, 7)), (0, (3,))], [(0, 1, 3, 7), (0, 1, 2, 3, 4, 6, 7), ()]
    toggled = phi.toggled(families, neighbours)
    assert (phi.misses, phi.hits) == (14, 0)
    for (child, parents), others, found in zip(families, neighbours, toggled, strict=True):
        expected = [phi(child, tuple({*parents} ^ {u})) for u in others] + [phi(child, parents)]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    with pytest.raises(ValueError, match="its own parent"):
        phi.toggled([(1, (0, 1))], [(2,)])


@dataclass
class Weighted(PenalisedLikelihood):
    """A score of a user's own, whose parameter may change."""

    weight: float = 1.0
    name: ClassVar[str] = "weighted"

    def penalty(self, n_rows):
        return np.full(len(n_rows), self.weight)


def test_a_score_of_ones_own_that_changes_is_computed_again(four: Table) -> None:
    own, graph = Weighted(), [four.names[:2], four.names[2:]]
    for weight in (1.0, 2.0):
        own.weight = weight
        parameters = (bnlab.score(graph, four, "ll") - bnlab.score(graph, four, "aic")) * weight
        assert bnlab.score(graph, four, own) == pytest.approx(bnlab.score(graph, four, "ll") - parameters)
