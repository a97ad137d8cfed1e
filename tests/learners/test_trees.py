"""Tree learners: against all trees of few variables, whatever the local score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product

import numpy as np
import pytest

from bnlab.graphs import Dag
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.learners import gains, optimal_branching, tan, with_class
from bnlab.learners.types import ROUNDING, as_local_scores, rounding_unit
from bnlab.networks import load_network
from bnlab.scores import EdgePrior, LocalScores, make_score

Family = tuple[int, tuple[int, ...]]
Scores = dict[Family, float]


def random_scores(seed: int, n: int, *, symmetric: bool = False) -> Scores:
    """A local score for every variable with up to two parents, as a dict; gains of one parent may be symmetric."""
    rng = np.random.default_rng([seed, n])
    families = [(i, parents) for i in range(n) for k in range(3) for parents in subsets(i, n, k)]
    scores = {family: float(-5 * rng.random()) for family in families}
    for i, j in combinations(range(n), 2) if symmetric else ():
        scores[j, (i,)] = scores[j, ()] + scores[i, (j,)] - scores[i, ()]
        for c in set(range(n)) - {i, j}:
            gain = scores[i, tuple(sorted((c, j)))] - scores[i, (c,)]
            scores[j, tuple(sorted((c, i)))] = scores[j, (c,)] + gain
    return scores


def subsets(child: int, n: int, size: int) -> list[tuple[int, ...]]:
    return list(combinations([j for j in range(n) if j != child], size))


def from_dict(scores: Scores) -> Callable[[int, tuple[int, ...]], float]:
    return lambda child, parents: scores[child, parents]


def from_gains(gain: np.ndarray) -> Callable[[int, tuple[int, ...]], float]:
    return lambda child, parents: sum(gain[j, child] for j in parents) - 1.0


def total(scores: Scores, parents: Sequence[tuple[int, ...]]) -> float:
    return sum(scores[i, family] for i, family in enumerate(parents))


def every_tree(n: int, *, spanning: bool = True) -> list[tuple[tuple[int, ...], ...]]:
    trees = []
    for choice in product([(), *((j,) for j in range(n))], repeat=n):
        if spanning and choice.count(()) != 1:
            continue
        try:
            Dag([str(i) for i in range(n)], choice)
        except ValueError:
            continue
        trees.append(choice)
    return trees


def with_the_class(tree: Sequence[tuple[int, ...]], c: int) -> tuple[tuple[int, ...], ...]:
    """Give every node of a tree on the attributes the class, and the class its place, by names."""
    attributes = [v for v in range(len(tree) + 1) if v != c]
    families = {attributes[a]: {attributes[p] for p in parents} | {c} for a, parents in enumerate(tree)}
    return tuple(tuple(sorted(families.get(v, ()))) for v in range(len(tree) + 1))


def test_gains_are_parent_first_and_zero_on_the_diagonal():
    scores = random_scores(0, 3)
    gain = gains(from_dict(scores), 3)
    assert gain[2, 1] == scores[1, (2,)] - scores[1, ()]
    assert gain.diagonal().tolist() == [0, 0, 0]


@pytest.mark.parametrize("n", [2, 3, 6])
def test_gains_of_a_score_that_is_equivalent_are_those_of_both_directions(n):
    scores = random_scores(n, n, symmetric=True)
    phi = as_local_scores(from_dict(scores), n)
    phi.score_equivalent = True
    assert np.allclose(gains(phi, n), gains(from_dict(scores), n), atol=1e-12)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("spanning", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_no_tree_of_four_variables_scores_more(seed, spanning, symmetric):
    scores = random_scores(seed, 4, symmetric=symmetric)
    found = optimal_branching(from_dict(scores), 4, spanning=spanning)
    best = max(total(scores, tree) for tree in every_tree(4, spanning=spanning))
    assert total(scores, found) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("root", range(4))
def test_no_tree_with_the_given_root_scores_more(root, symmetric):
    scores = random_scores(7, 4, symmetric=symmetric)
    found = optimal_branching(from_dict(scores), 4, root=root)
    assert found[root] == ()
    best = max(total(scores, tree) for tree in every_tree(4) if tree[root] == ())
    assert total(scores, found) == pytest.approx(best, abs=1e-9)


def test_a_forest_has_no_edge_that_gains_nothing():
    assert optimal_branching(from_gains(np.zeros((3, 3))), 3, spanning=False) == ((), (), ())
    one_way = np.array([[0, -1, -1], [2, 0, -1], [0, 0, 0]])
    assert optimal_branching(from_gains(one_way), 3, spanning=False) == ((1,), (), ())
    both_ways = np.array([[0, 2, -1], [2, 0, 0], [-1, 0, 0]])
    assert optimal_branching(from_gains(both_ways), 3, spanning=False) == ((), (0,), ())


@pytest.mark.parametrize("symmetric", [False, True])
def test_rounding_noise_settles_no_tie(symmetric):
    rng = np.random.default_rng(0)
    gain = np.full((6, 6), 1 / 3)
    gain[3, 0] += 0 if symmetric else 1 / 5
    for _ in range(20):
        noisy = gain + rng.normal(size=(6, 6)) * 1e-14
        assert optimal_branching(from_gains(noisy), 6) == optimal_branching(from_gains(gain), 6)


@pytest.mark.parametrize("class_index", range(4))
def test_attributes_keep_their_order_and_have_the_class(class_index):
    asked = []
    phi = with_class(lambda child, parents: asked.append((child, parents)) or 0.0, class_index)
    others = [v for v in range(4) if v != class_index]
    phi(2, (0, 1))
    phi(0, ())
    assert asked == [(others[2], (*sorted([others[0], others[1], class_index]),)), (others[0], (class_index,))]
    assert [phi.variable(a) for a in range(3)] == others


def test_many_families_with_the_class_are_those_one_by_one():
    scores = random_scores(5, 4)
    families = [(0, ()), (1, (2,)), (2, (0,))]
    assert with_class(from_dict(scores), 1).many(families).tolist() == [
        scores[0, (1,)],
        scores[2, (1, 3)],
        scores[3, (0, 1)],
    ]


def test_names_of_attributes_are_those_without_the_class():
    phi = as_local_scores(flat, 4)
    assert with_class(phi, 1).names is None
    phi.names = ("a", "b", "c", "d")
    assert with_class(phi, 1).names == ("a", "c", "d")
    assert with_class(phi, 3).names == ("a", "b", "c")
    with pytest.raises(ValueError, match="variables are numbered from 0 to 3"):
        with_class(phi, 4)


@pytest.mark.parametrize("size", [1e-3, 1.0, 700.0, 1e6])
def test_rounding_is_a_power_of_two_in_proportion_to_the_scores(size):
    unit = rounding_unit(np.array([-size, size / 3, 0.0]))
    assert np.frexp(unit)[0] == 0.5
    assert ROUNDING * size / 2 < unit <= ROUNDING * size


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("class_index", range(5))
def test_no_tan_of_four_attributes_scores_more(class_index, symmetric):
    scores = random_scores(11, 5, symmetric=symmetric)
    for spanning in (True, False):
        found = tan(from_dict(scores), 5, class_index, spanning=spanning)
        every = [with_the_class(tree, class_index) for tree in every_tree(4, spanning=spanning)]
        assert found in every
        assert total(scores, found) == pytest.approx(max(total(scores, tree) for tree in every), abs=1e-9)


@pytest.mark.parametrize("symmetric", [False, True])
def test_the_root_of_a_tan_is_a_variable_whose_only_parent_is_the_class(symmetric):
    phi = from_dict(random_scores(12, 5, symmetric=symmetric))
    for root in (0, 1, 3, 4):
        assert tan(phi, 5, 2, root=root)[root] == (2,)
    assert not symmetric or tan(phi, 5, 2)[0] == (2,)


def test_one_attribute_has_the_class_alone():
    assert tan(lambda child, parents: -1.0, 2, 1) == ((1,), ())
    assert optimal_branching(lambda child, parents: 0.0, 1) == ((),)


def test_required_edges_between_numbered_variables_are_told_by_number():
    required = np.zeros((3, 3), dtype=bool)
    required[0, 2] = True
    rules = EdgeRules(required, ~np.eye(3, dtype=bool), np.full(3, 2))
    phi = from_gains(np.array([[0, 1, 1], [1, 0, 9], [1, 9, 0]]))
    assert optimal_branching(phi, 3, root=0, knowledge=rules)[2] == (0,)
    with pytest.raises(ValueError, match="required edge 0 -> 2, but 2 is the root"):
        optimal_branching(phi, 3, root=2, knowledge=rules)
    required[1, 2] = True
    with pytest.raises(ValueError, match="required edges 0 -> 2, 1 -> 2: a variable of a tree has at most one"):
        optimal_branching(phi, 3, knowledge=rules)


def flat(child: int, parents: tuple[int, ...]) -> float:
    return 0.0


@pytest.mark.parametrize(
    ("learn", "message"),
    [
        (lambda: gains(flat, 0), r"n = 0: a tree has at least one variable"),
        (lambda: gains(lambda i, p: float("nan") if p == (2,) else 0.0, 3), r"φ\(0, \(2,\)\) is nan: .*finite"),
        (lambda: gains(lambda i, p: -np.inf, 3), r"φ\(0, \(\)\) is -inf"),
        (lambda: optimal_branching(flat, 3, root=3), r"root 3 is out of range"),
        (lambda: tan(flat, 3, 3), r"class_index=3: variables are numbered from 0 to 2"),
        (lambda: tan(flat, 3, -1), r"class_index=-1: variables are numbered from 0"),
        (lambda: with_class(flat, -1), r"class_index=-1: variables are numbered from 0"),
        (lambda: tan(flat, 1, 0), r"n = 1: a classifier has a class and at least one attribute"),
        (lambda: tan(flat, 3, 1, root=1), r"root 1: the root of the tree is an attribute, 0 to 2 but not the class 1"),
        (lambda: tan(flat, 3, 1, root=3), r"root 3: the root of the tree is an attribute"),
    ],
)
def test_what_cannot_be_learned_is_said(learn, message):
    with pytest.raises(ValueError, match=message):
        learn()


@pytest.mark.parametrize("prior", [None, EdgePrior({("either", "xray"): 0.01}, default=0.2)])
@pytest.mark.parametrize("score", ["k2", "bdeu"])
def test_gains_of_compiled_scores_are_those_of_each_family(score, prior):
    table = load_network("asia").sample(300, seed=1)
    phi = LocalScores(table, make_score(score), structure_prior=prior)
    assert phi.compiled() is not None
    expected = gains(lambda child, parents: phi(child, parents), phi.n)
    np.testing.assert_allclose(gains(phi, phi.n), expected, rtol=1e-12, atol=1e-9)
    assert optimal_branching(phi, phi.n) == optimal_branching(lambda child, parents: phi(child, parents), phi.n)


def test_gains_of_the_first_variables_are_those_among_all():
    phi = LocalScores(load_network("asia").sample(300, seed=1), make_score("k2"))
    np.testing.assert_allclose(gains(phi, 5), gains(phi, phi.n)[:5, :5], rtol=1e-12, atol=1e-9)
