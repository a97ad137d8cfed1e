"""Which scores give Markov-equivalent graphs the same value, over all 543 graphs of four nodes.

The papers list BDe and BDeu among those that do not; these tests show that they do.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import pytest

from bnlab.data import Table
from bnlab.scores import AIC, BD, BIC, K2, LL, MIT, NML, BDe, BDeu, LocalScore, LocalScores
from tests.learners.small_problems import every_dag
from tests.scores.exact_scores import random_joint
from tests.scores.small_tables import JointPrior

Parents = tuple[tuple[int, ...], ...]


def equivalence_class(parents: Parents) -> tuple[frozenset[frozenset[int]], frozenset[tuple[int, int, int]]]:
    """Skeleton and v-structures (Verma and Pearl, Theorem 2.13)."""
    skeleton = frozenset(frozenset((i, p)) for i, ps in enumerate(parents) for p in ps)
    collisions = frozenset(
        (a, i, b) for i, ps in enumerate(parents) for a, b in combinations(ps, 2) if frozenset((a, b)) not in skeleton
    )
    return skeleton, collisions


@pytest.fixture(scope="module")
def classes() -> list[list[Parents]]:
    dags = every_dag(4)
    by_class = defaultdict(list)
    for dag in dags:
        by_class[equivalence_class(dag)].append(dag)
    assert (len(dags), len(by_class)) == (543, 185)
    return list(by_class.values())


def scores(table: Table) -> list[LocalScore]:
    prior = JointPrior(table.variables, random_joint(table.arities, seed=5))
    plain = [LL(), AIC(), BIC(), NML(), MIT(), MIT(0.9), K2(), BD(0.5), BDeu(), BDeu(10)]
    return [*plain, BDe(prior), BDe(prior, ess=30)]


def test_equivalent_graphs_score_the_same_exactly_when_the_score_says_so(
    four: Table, classes: list[list[Parents]]
) -> None:
    for score in scores(four):
        phi = LocalScores(four, score)
        totals = [[phi.total(dag) for dag in members] for members in classes]
        widest = max(max(values) - min(values) for values in totals)
        if score.score_equivalent:
            assert widest < 1e-9, score
        else:
            assert widest > 1e-3, score
