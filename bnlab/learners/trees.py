"""Tree networks and TAN classifiers of greatest score (Carvalho 2009, Algorithms 2-7).

A tree needs only the gains φ_i({X_j}, T) - φ_i(∅, T) of its edges, and a TAN is a tree under the score
φ_i(Π ∪ {C}, T), so one learner and `with_class` are enough.

References
----------
A. M. Carvalho. Scoring functions for learning Bayesian networks. INESC-ID Tec. Rep. 54/2009.
C. K. Chow, C. N. Liu. Approximating discrete probability distributions with dependence trees. 1968.
N. Friedman, D. Geiger, M. Goldszmidt. Bayesian network classifiers. Machine Learning 29, 1997.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np

from bnlab._runtime.budget import check_pairs
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.graphs.knowledge import Knowledge
from bnlab.graphs.spanning_tree import maximum_spanning_tree
from bnlab.learners.edges import Known, resolved_rules
from bnlab.learners.types import Floats, Mask, ParentTuples, Phi, as_local_scores, evaluate, rounding_unit, scores_alone
from bnlab.learners.with_class import with_class
from bnlab.scores.function import LocalScoreFunction

BYTES_A_PAIR, BYTES_A_COMPILED_PAIR = 280, 48


def gains(phi: Phi, n: int) -> Floats:
    """Gain of the score by each edge (step 1 of Algorithms 2-4).

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score φ_i(Π_i, T) of child i, greater is better. If it is a `LocalScoreFunction` that is
        `score_equivalent`, each edge is scored in one direction only.
    n : int
        Number of variables, at least one.

    Returns
    -------
    ndarray of float, shape (n, n)
        [j, i] = φ_i({X_j}, T) - φ_i(∅, T) for the edge j -> i; zeros on the diagonal. In the units of φ.

    Raises
    ------
    ValueError
        If there is no variable, or a score is nan or infinite.

    Examples
    --------
    >>> scores = {(0, ()): -3.0, (0, (1,)): -2.0, (1, ()): -5.0, (1, (0,)): -3.5}
    >>> gains(lambda child, parents: scores[child, parents], 2)
    array([[0. , 1.5],
           [1. , 0. ]])
    """
    return _gains(as_local_scores(phi, n), n)[0]


def optimal_branching(
    phi: Phi, n: int, *, root: int | None = None, spanning: bool = True, knowledge: Known = None
) -> ParentTuples:
    """Tree network of greatest score, for any decomposable φ (Algorithm 4).

    If all gains are symmetric up to `ROUNDING`, as for a score-equivalent φ, this is Algorithm 3: the score is the same
    for every root. If φ is the log-likelihood LL, the gain of an edge is N times the mutual information of its ends,
    and the tree is that of Chow and Liu (Algorithm 2).

    Parameters
    ----------
    phi : callable (child, parents) -> float
        As for `gains`.
    n : int
        Number of variables.
    root : int, optional
        The variable without parents; by default one of greatest score, and variable 0 if all have the same.
    spanning : bool
        False leaves out edges that do not increase the score: a forest.
    knowledge : Knowledge, optional
        Edges that the tree must have or may not have. If no tree over all variables is possible, the result is the
        forest of fewest trees, and of these the one of greatest score.

    Returns
    -------
    tuple of tuple of int, length n
        Parents of each variable: one, or none.

    Raises
    ------
    ValueError
        If the root is not a variable, two required edges lead to one variable or one to the root, or as for `gains`.

    Notes
    -----
    Gains are rounded to multiples of the power of two below `ROUNDING` times the greatest ``|φ|``, so that noise in
    their last digits does not break ties; `maximum_spanning_tree` and `maximum_arborescence` describe how ties are
    broken.

    Examples
    --------
    >>> gain = np.array([[0, 5, 1], [6, 0, 3], [2, 4, 0]])
    >>> phi = lambda child, parents: sum(gain[j, child] for j in parents)
    >>> optimal_branching(phi, 3)
    ((1,), (2,), ())
    >>> optimal_branching(phi, 3, root=0)
    ((), (0,), (1,))
    """
    from bnlab.engine.branchings import maximum_arborescence

    scores = as_local_scores(phi, n)
    rules = None if knowledge is None else rules_of_tree(knowledge, scores.names, root)
    gain, unit = _gains(scores, n)
    if rules is not None:
        return _within_rules(np.rint(gain / unit), root, spanning, rules)
    if np.array_equal(gain, gain.T) or (np.abs(gain - gain.T) <= unit).all():
        weights = np.rint((gain + gain.T) / 2 / unit)
        parents = maximum_spanning_tree(weights, 0 if root is None else root)
        # The heaviest forest is the heaviest tree without the edges that weigh nothing or less.
        return tuple((int(p),) if p >= 0 and (spanning or weights[p, i] > 0) else () for i, p in enumerate(parents))
    parents = maximum_arborescence(np.rint(gain / unit), root, spanning=spanning)
    return tuple((int(p),) if p >= 0 else () for p in parents)


def rules_of_tree(knowledge: Knowledge | EdgeRules, names: Sequence[str] | None, root: int | None) -> EdgeRules:
    """Rules of the edges, checked to be possible for a tree."""
    rules = resolved_rules(knowledge, names)
    shown = list(map(str, range(len(rules.limits))) if names is None else map(repr, names))
    for v, parents in enumerate(rules.parents):
        given = ", ".join(f"{shown[u]} -> {shown[v]}" for u in parents)
        if len(parents) > 1:
            raise ValueError(
                f"required edges {given}: a variable of a tree has at most one parent. Require one of them, or take "
                "another learner."
            )
        if parents and v == root:
            raise ValueError(f"required edge {given}, but {shown[v]} is the root: take another root.")
    return rules


def _within_rules(gain: Floats, root: int | None, spanning: bool, rules: EdgeRules) -> ParentTuples:
    """Forest of greatest gain, in units: all required edges, then as many allowed ones as possible if `spanning`."""
    from bnlab.engine.branchings import maximum_arborescence

    n = len(gain)
    # An edge that may not be used costs more than all others gain, and a required one gains more than all those cost.
    gain = np.where(rules.allowed, gain, 0.0)
    cost = 1.0 + 2.0 * n * np.abs(gain).max(initial=0.0)
    weights = np.where(rules.allowed, gain, -cost) + np.where(rules.required, 2.0 * n * cost, 0.0)
    parents = maximum_arborescence(weights, root, spanning=spanning)
    return tuple((int(p),) if p >= 0 and rules.allowed[p, v] else () for v, p in enumerate(parents))


def tan(
    phi: Phi,
    n: int,
    class_index: int,
    *,
    root: int | None = None,
    spanning: bool = True,
    knowledge: Known = None,
) -> ParentTuples:
    """Tree augmented naive Bayes classifier of greatest score (Algorithms 5-7).

    `optimal_branching` of the attributes under `with_class`: Algorithm 5 for φ = LL, Algorithm 6 when the
    gains are symmetric, Algorithm 7 otherwise.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score on all n variables, including the class; as for `gains`.
    n : int
        Number of variables, including the class.
    class_index : int
        The class C.
    root : int, optional
        The attribute whose only parent is the class, as an index among all variables.
    spanning : bool
        False leaves out edges between attributes that do not increase the score.
    knowledge : Knowledge, optional
        Edges between attributes, as for `optimal_branching`.

    Returns
    -------
    tuple of tuple of int, length n
        Ascending parents of each variable: none for the class; the class and at most one attribute for others.

    Raises
    ------
    ValueError
        If the class is not a variable, there is no attribute, the root is not an attribute, or as for `gains`.

    Examples
    --------
    >>> gain = np.array([[0, 0, 5], [0, 0, 0], [6, 0, 0]])
    >>> tan(lambda child, parents: sum(gain[j, child] for j in parents), 3, class_index=1)
    ((1, 2), (), (1,))
    """
    if n < 2:
        raise ValueError(f"n = {n}: a classifier has a class and at least one attribute.")
    attributes = with_class(as_local_scores(phi, n), class_index)
    c = attributes.class_index
    if root is not None and (root == c or not 0 <= root < n):
        raise ValueError(f"root {root}: the root of the tree is an attribute, 0 to {n - 1} but not the class {c}.")
    start = None if root is None else operator.index(root) - (root > c)
    return attributes.augmented(
        optimal_branching(attributes, n - 1, root=start, spanning=spanning, knowledge=knowledge)
    )


def _gains(scores: LocalScoreFunction, n: int) -> tuple[Floats, float]:
    """Gains, and the unit below which differences are rounding errors; it is a power of two, so that sums are exact."""
    if n < 1:
        raise ValueError(f"n = {n}: a tree has at least one variable.")
    # By score equivalence both directions of an edge gain the same, so one of them is enough.
    wanted = np.tri(n, k=-1, dtype=np.bool_) if scores.score_equivalent else ~np.eye(n, dtype=np.bool_)
    joined = _compiled(scores, wanted)
    if joined is None:
        joined = _counted_together(scores, wanted)
    alone = joined.diagonal().copy()
    unit = rounding_unit(np.array([joined.min(), joined.max()]))
    joined -= alone[:, None]
    joined[~wanted] = 0.0
    if scores.score_equivalent:
        joined += joined.T
    return joined.T, unit


def _compiled(scores: LocalScoreFunction, wanted: Mask) -> Floats | None:
    """φ_i({X_j}, T) at [i, j] where wanted, φ_i(∅, T) on the diagonal, else 0; None if φ has no compiled form."""
    n = len(wanted)
    compiled = scores.compiled() if scores.n == n else None
    if compiled is None:
        return None
    check_pairs(n, BYTES_A_COMPILED_PAIR)
    values = compiled.toggles([(i, ()) for i in range(n)], np.where(wanted, -np.inf, np.inf))
    scores.misses += n + int(np.count_nonzero(wanted))
    scored = wanted | np.eye(n, dtype=np.bool_)
    return np.where(scored, values, 0.0) if np.isfinite(values[scored]).all() else None


def _counted_together(scores: LocalScoreFunction, wanted: Mask) -> Floats:
    """As `_compiled`, for any φ."""
    n = len(wanted)
    check_pairs(n, BYTES_A_PAIR)
    child, parent = np.nonzero(wanted)
    values = np.diag(scores_alone(scores, n))
    values[wanted] = evaluate(scores, [(i, (j,)) for i, j in zip(child.tolist(), parent.tolist(), strict=True)])
    return values
