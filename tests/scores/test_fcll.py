"""Factorised conditional log-likelihood: against the published formula, all trees, and what follows from it."""

from __future__ import annotations

from itertools import product
from math import log, pi
from typing import Any

import numpy as np
import pytest

import bnlab
from bnlab.classifiers import TAN, CkG, NaiveBayes
from bnlab.data import Table
from bnlab.scores import FCLL, FCLLNML, LocalScores, make_score, multinomial_complexity
from tests.scores.small_tables import make_table

A, B, LAMBDA = (pi**2 + 6) / 24, (pi**2 - 18) / 24, pi**2 / 6
NAMES = ("fcll", "fcll-nml")
Parents = tuple[tuple[int, ...], ...]


def joint_counts(table: Table, variables: tuple[int, ...]) -> np.ndarray:
    counts = np.zeros([table.arities[v] for v in variables])
    np.add.at(counts, tuple(table.column(table.names[v]) for v in variables), 1)
    return counts


def as_published(table: Table, child: int, parents: tuple[int, ...], target: int) -> float:
    """The formula cell by cell; child and class are the last two axes of the counts."""
    if child == target:
        n = joint_counts(table, (target,))
        return float((A + B - B * LAMBDA) * sum(m * log(m / n.sum()) for m in n if m))
    others = tuple(p for p in parents if p != target)
    n = joint_counts(table, (*others, child, target)).reshape(-1, table.arities[child], table.arities[target])
    total = 0.0
    for j, k, c in product(*map(range, n.shape)):
        if n[j, k, c]:
            n_ijc, n_ijk, n_ij = n[j, :, c].sum(), n[j, k].sum(), n[j].sum()
            contrast = log(n[j, k, c] / n_ijk) - log(n_ijc / n_ij)
            total += n[j, k, c] * ((A + B) * log(n[j, k, c] / n_ijc) - B * LAMBDA * contrast)
    return total


def nml_penalty(table: Table, child: int, parents: tuple[int, ...], target: int) -> float:
    r = table.arities[child]
    weight = A + B - B * LAMBDA
    if child == target:
        return weight * float(multinomial_complexity(r, table.n_rows))
    others = tuple(p for p in parents if p != target)
    n = joint_counts(table, (*others, target)).reshape(-1, table.arities[target]).astype(int)
    whole = multinomial_complexity(r, n.sum(axis=1)).sum()
    return float(weight * multinomial_complexity(r, n).sum() + B * LAMBDA * whole)


def augmented_trees(n: int, target: int) -> list[Parents]:
    """All networks of a class and a directed spanning tree of the attributes."""
    attributes = [v for v in range(n) if v != target]
    found: list[Parents] = []
    for chosen in product([None, *attributes], repeat=len(attributes)):
        above = dict(zip(attributes, chosen, strict=True))
        roots = [v for v in attributes if above[v] is None]
        if len(roots) == 1 and all(_reaches(above, v, roots[0]) for v in attributes):
            found.append(tuple(_family(above, v, target) for v in range(n)))
    return found


def _family(above: dict[int, int | None], node: int, target: int) -> tuple[int, ...]:
    if node == target:
        return ()
    parent = above[node]
    return (target,) if parent is None else tuple(sorted((target, parent)))


def _reaches(above: dict[int, int | None], node: int, root: int) -> bool:
    at: int | None = node
    for _ in above:
        if at == root:
            return True
        at = None if at is None else above[at]
    return at == root


@pytest.fixture(scope="module")
def table() -> Table:
    """120 rows; the class is in the middle and has two states."""
    return make_table((2, 3, 2, 4, 3), 120, seed=4)


TARGET = 2
FAMILIES = [(2, ()), (0, (2,)), (1, (0, 2)), (3, (2, 4)), (4, (0, 1, 2)), (0, (1, 2, 3, 4))]


@pytest.mark.parametrize("target", [2, 3])
def test_scores_are_those_of_the_published_formula(table: Table, target: int) -> None:
    """With four classes, too, for which the formula computes but is not derived."""
    phi = LocalScores(table, FCLL(table.names[target]))
    for child, parents in [(target, ()), (0, (target,)), (1, (0, target)), (4, (0, 1, target))]:
        assert phi(child, parents) == pytest.approx(as_published(table, child, parents, target), rel=1e-12)


def test_the_nml_version_subtracts_the_complexity_of_both_likelihoods(table: Table) -> None:
    phi = LocalScores(table, FCLLNML(table.names[TARGET]))
    for child, parents in FAMILIES:
        expected = as_published(table, child, parents, TARGET) - nml_penalty(table, child, parents, TARGET)
        assert phi(child, parents) == pytest.approx(expected, rel=1e-12)
        assert nml_penalty(table, child, parents, TARGET) > 0


def test_markov_equivalent_augmented_trees_score_the_same_by_fcll_and_not_by_its_nml_version(table: Table) -> None:
    by_skeleton: dict[frozenset[frozenset[int]], list[Parents]] = {}
    for parents in augmented_trees(5, TARGET):
        skeleton = frozenset(frozenset((i, p)) for i, ps in enumerate(parents) for p in ps)
        by_skeleton.setdefault(skeleton, []).append(parents)
    assert {len(members) for members in by_skeleton.values()} == {4}
    for name in NAMES:
        phi = LocalScores(table, make_score(name, target=table.names[TARGET]))
        widest = max(np.ptp([phi.total(parents) for parents in members]) for members in by_skeleton.values())
        assert (widest < 1e-9) == phi.score_equivalent == (name == "fcll")


@pytest.mark.parametrize("name", NAMES)
def test_classifiers_learn_with_the_score_and_fill_in_the_class(table: Table, name: str) -> None:
    frame = table.to_pandas()
    target = table.names[TARGET]
    X, y = frame.drop(columns=target), frame[target]
    learned = TAN(name, smoothing=5).fit(X, y)
    named = TAN(make_score(name, target=target)).fit(X, y)
    assert learned.dag_ == named.dag_
    scored = {k: bnlab.score(CkG(k, name).fit(X, y).dag_, frame, name, target=target) for k in (0, 1, 2)}
    assert bnlab.score(learned.dag_, frame, name, target=target) <= scored[1] <= scored[2]
    assert CkG(0, name).fit(X, y).dag_ == NaiveBayes().fit(X, y).dag_
    with pytest.raises(ValueError, match="target='other', but the class is 'V2': leave the target out"):
        TAN(name, score_params={"target": "other"}).fit(X, y)


@pytest.mark.parametrize(
    ("edges", "params", "message"),
    [
        ([("V2", "V0")], {}, 'which variable is the class. Name it: target="V4"'),
        ([("V2", "V0")], {"target": "V9"}, "target='V9' is no variable"),
        ([("V2", "V0")], {"target": "V2"}, r"the class 'V2' is not a parent of 'V1': .*TAN\(score=\"fcll\"\)"),
        ([("V2", "V0"), ("V2", "V1"), ("V3", "V2")], {"target": "V2"}, "the class 'V2' has the parent 'V3'; it must"),
    ],
)
def test_networks_that_the_score_is_not_defined_for_are_refused(
    table: Table, edges: list[tuple[str, str]], params: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        bnlab.score(edges, table, "fcll", **params)


def test_counts_alone_are_no_family_of_the_score() -> None:
    from bnlab.counts import FamilyCounts

    with pytest.raises(ValueError, match=r"must know the class; score with for_family"):
        FCLL("c")(FamilyCounts(np.array([[1, 1]]), np.array([0]), ()))
