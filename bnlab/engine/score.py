"""Scores of families as sums over counts, in nats; greater is better.

A parent configuration of N_j rows adds the terms of its cells N_jk, less the term of N_j. LL, AIC, BIC and fNML: the
term is N log N, each of the (r - 1) q parameters costs a penalty, and fNML also subtracts the parametric complexity of
N_j. K2 and BDeu: the term is log Γ(N + N') - log Γ(N'), where N' of a cell is 1 or ess / (r q), and that of a
configuration the sum over its cells. Each row may count for several under them: N is then that many times as great.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnlab.engine.compiled import ONE, ZERO, compiled, inner
from bnlab.engine.rows import Table

LIKELIHOOD, K2, BDEU = 0, 1, 2
FREQUENT = 256  # counts below it have their log Γ in tables
TABLES = 251  # a prime, so that products of small arities spread over them
LEAST_PRIOR = 1e-300  # log Γ is infinite for smaller numbers
MOST = 2.0**62  # beyond it a number is no int64
_HALF_LOG_TWO_PI = 0.9189385332046727


class Score(NamedTuple):
    """A score of tables of one number of rows."""

    kind: int
    penalty: float  # nats that a parameter costs
    ess: float  # of BDeu
    weight: float  # of K2 and BDeu: rows that each row counts for
    terms: np.ndarray  # of a likelihood: N log N by N
    complexity: np.ndarray  # of fNML: (greatest arity + 1, N + 1) by r and N_j, filled for the arities of the table
    entropies: np.ndarray  # (n,) most that a variable adds to a likelihood as a parent; infinite for other scores
    priors: np.ndarray  # (2, tables) of K2 and BDeu: N' of each table below
    gammas: np.ndarray  # (2, tables, `FREQUENT`) log Γ(N + N') - log Γ(N') by N, or nan until it is needed


def score_of(
    kind: int, table: Table, penalty: float = 0.0, ess: float = 0.0, complexity: np.ndarray | None = None,
    weight: float = 1.0,
) -> Score:  # fmt: skip
    """Score of a table by its kind and parameters."""
    n_rows, n = table.codes.shape[1], len(table.arities)
    complexity = np.empty((0, 0)) if complexity is None else complexity
    counts, entropies = np.empty(0), np.full(n, np.inf)
    if kind == LIKELIHOOD:
        counts = n_log_n_up_to(n_rows)
        sums = np.concatenate([[0.0], np.cumsum(counts[table.ones])])
        entropies = counts[-1] - (sums[np.where(table.first < 0, 0, table.first + table.arities)] - sums[table.first])
        for v in np.flatnonzero(table.first < 0):  # without bitmaps
            entropies[v] = counts[-1] - counts[np.bincount(table.codes[v])].sum()
    return Score(kind, float(penalty), float(ess), float(weight), counts, complexity, entropies, *_tables(kind))


def with_own_tables(score: Score) -> Score:
    """The same score for another thread, which fills its own tables of log Γ."""
    priors, gammas = _tables(score.kind)
    return score._replace(priors=priors, gammas=gammas)


def _tables(kind: int) -> tuple[np.ndarray, np.ndarray]:
    tables = 0 if kind == LIKELIHOOD else TABLES
    return np.zeros((2, tables)), np.empty((2, tables, FREQUENT))


def reordered_score(score: Score, order: np.ndarray) -> Score:
    """Score of a reordered table, with tables of its own."""
    return with_own_tables(score._replace(entropies=score.entropies[order]))


@inner
def log_gamma(x):
    """Logarithm of the gamma function, x > 0, by Stirling's series; its error is below 1e-14 and an ulp or two."""
    product = 1.0
    while x < 8.0:
        product *= x
        x += 1.0
    u = 1.0 / x
    w = u * u
    series = 1 / 12 - w * (1 / 360 - w * (1 / 1260 - w * (1 / 1680 - w * (1 / 1188 - w * (691 / 360360)))))
    value = (x - 0.5) * np.log(x) - x + _HALF_LOG_TWO_PI + u * series
    return value - np.log(product) if product != 1.0 else value


@inner
def gammas_of(score, side, prior, size):
    """Table of an N' that belongs to a size; that of configurations is on side 0, that of cells on side 1."""
    k = np.int64(min(size, MOST)) % TABLES
    if score.priors[side, k] != prior:
        score.priors[side, k] = prior
        score.gammas[side, k] = np.nan
    return score.gammas[side, k]


@inner
def fit(score, counts, ends, r, q):
    """The sum over the counts of a family of q configurations, of a child of r states.

    `counts` has a row for each state of a further parent; cells ``ends[j]`` to ``ends[j + 1]`` of it are those of a
    configuration of the others.
    """
    kind, weight, terms, complexity = score.kind, score.weight, score.terms, score.complexity
    value = of_row = of_cell = n_j = n_jk = 0.0
    rows = cells = terms
    if kind == K2:
        n_j, n_jk = float(r), 1.0
        rows, cells = gammas_of(score, ZERO, n_j, n_j), gammas_of(score, ONE, n_jk, n_jk)
    elif kind == BDEU:
        n_j, n_jk = max(score.ess / q, LEAST_PRIOR), max(score.ess / (q * r), LEAST_PRIOR)
        rows, cells = gammas_of(score, ZERO, n_j, q), gammas_of(score, ONE, n_jk, q * r)
    if kind != LIKELIHOOD:
        of_row, of_cell = log_gamma(n_j), log_gamma(n_jk)
    for s in range(counts.shape[0]):
        for j in range(ends.shape[0] - 1):
            total, inside = np.int64(0), 0.0
            for c in range(ends[j], ends[j + 1]):
                n = np.int64(counts[s, c])
                total += n
                if kind == LIKELIHOOD:
                    inside += terms[n]
                elif n < FREQUENT:
                    if np.isnan(cells[n]):
                        cells[n] = log_gamma(weight * n + n_jk) - of_cell
                    inside += cells[n]
                else:
                    inside += log_gamma(weight * n + n_jk) - of_cell
            if kind == LIKELIHOOD:
                inside -= terms[total]
                if complexity.shape[0]:
                    inside -= complexity[r, total]
            elif total < FREQUENT:
                if np.isnan(rows[total]):
                    rows[total] = log_gamma(weight * total + n_j) - of_row
                inside -= rows[total]
            else:
                inside -= log_gamma(weight * total + n_j) - of_row
            value += inside
    return value


def n_log_n_up_to(most: int) -> np.ndarray:
    """N log N of N = 0 to `most`, shape (most + 1,)."""
    values = np.arange(most + 1.0)
    values[1:] *= np.log(values[1:])
    return values


@inner
def n_log_n(count, known):
    """N log N of a count; `known` has those of small whole numbers, or nothing where counts are real."""
    if count < known.shape[0]:
        return known[np.int64(count)]
    return count * np.log(count) if count > 0 else 0.0


@compiled
def log_likelihoods(table, first, known):
    """Sum of N_ijk log(N_ijk / N_ij) over each family of a stack; `known` is that of `n_log_n`.

    Family f has the rows ``table[first[f]:first[f + 1]]`` of a contingency table, shape (configurations, r).
    """
    n_families, r = first.shape[0], table.shape[1]
    values = np.empty(n_families)
    for f in range(n_families):
        value = 0.0
        for j in range(first[f], first[f + 1] if f + 1 < n_families else table.shape[0]):
            total = 0 * table[j, 0]
            for k in range(r):
                total += table[j, k]
            if total > 0:
                inside = 0.0
                for k in range(r):
                    inside += n_log_n(table[j, k], known)
                value += inside - n_log_n(total, known)
        values[f] = value
    return values


@compiled
def log_marginal_likelihoods(table, first, n_ijk):
    """Logarithm of the marginal likelihood of each family of a stack (`log_likelihoods`), N'_ijk equal in a family."""
    n_families, r = first.shape[0], table.shape[1]
    values = np.empty(n_families)
    for f in range(n_families):
        cell, row = n_ijk[f], n_ijk[f] * r
        of_cell, of_row = log_gamma(cell), log_gamma(row)
        value = 0.0
        for j in range(first[f], first[f + 1] if f + 1 < n_families else table.shape[0]):
            total = 0 * table[j, 0]
            for k in range(r):
                count = table[j, k]
                if count:
                    total += count
                    value += log_gamma(count + cell) - of_cell
            if total:
                value += of_row - log_gamma(total + row)
        values[f] = value
    return values
