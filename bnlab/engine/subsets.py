"""Maxima and sums over all subsets of a few variables: networks, orders and graphs.

The weights in all sums are natural logarithms.
"""

from __future__ import annotations

import numpy as np

from bnlab.engine.compiled import compiled, inner

NEGLIGIBLE = -40.0
"""exp(-40) is below the rounding error of 1."""


@inner
def log_add(a, b):
    """log(exp(a) + exp(b))."""
    if a < b:
        a, b = b, a
    if b - a < NEGLIGIBLE or b == -np.inf:
        return a
    return a + np.log1p(np.exp(b - a))


@inner
def without(v, subset):
    """Bits of a subset with the bit of v removed and higher bits moved down."""
    return (subset & ((1 << v) - 1)) | (subset >> (v + 1) << v)


@compiled
def best_of_subsets(gains):
    """Score of the best network on each subset of the variables: the best sink, and the best network on the others.

    Parameters
    ----------
    gains : ndarray of float64, shape (n, 2 ** (n - 1))
        [v, S] is the score of v with its best parents in S, a set of the other variables as bits `without` v.

    Returns
    -------
    ndarray of float64, shape (2 ** n,)
    """
    n = len(gains)
    best = np.empty(1 << n)
    best[0] = 0.0
    for subset in range(1, 1 << n):
        greatest = -np.inf
        for v in range(n):
            if subset >> v & 1:
                others = subset ^ (1 << v)
                greatest = max(greatest, best[others] + gains[v, without(v, others)])
        best[subset] = greatest
    return best


@compiled
def sum_over_subsets(values):
    """Replace [S] by the sum over all subsets of S, in place; values of shape (2 ** bits,)."""
    bit = 1
    while bit < len(values):
        for subset in range(len(values)):
            if subset & bit:
                values[subset] = log_add(values[subset], values[subset ^ bit])
        bit <<= 1


@compiled
def sums_over_orders(alpha):
    """Sums over the orders of the first variables and of the last variables.

    Parameters
    ----------
    alpha : ndarray of float64, shape (n, 2 ** (n - 1))
        [v, S] is the weight of v with its parents in S, a set of the other variables as bits `without` v.

    Returns
    -------
    first, last : ndarray of float64, shape (2 ** n,)
        [S] is the weight of all orders of S that come before, or after, all other variables.
    """
    n = len(alpha)
    full = (1 << n) - 1
    first, last = np.empty(1 << n), np.empty(1 << n)
    terms = np.empty((2, n))
    for subset in range(1 << n):
        greatest = np.full(2, -np.inf)
        for v in range(n):
            terms[:, v] = -np.inf
            if subset >> v & 1:
                others = subset ^ (1 << v)
                terms[0, v] = first[others] + alpha[v, without(v, others)]
                terms[1, v] = last[others] + alpha[v, without(v, full ^ subset)]
                greatest[0] = max(greatest[0], terms[0, v])
                greatest[1] = max(greatest[1], terms[1, v])
        sums = np.zeros(2)
        for end in range(2):
            if greatest[end] > -np.inf:
                for v in range(n):
                    sums[end] += np.exp(terms[end, v] - greatest[end])
        first[subset] = 0.0 if subset == 0 else greatest[0] + np.log(sums[0])
        last[subset] = 0.0 if subset == 0 else greatest[1] + np.log(sums[1])
    return first, last


@compiled
def shares_of_orders(v, alpha, first, last):
    """Probability that S are the variables before v, shape (2 ** (n - 1),); `alpha` is the row of v."""
    full = len(first) - 1
    shares = np.zeros(len(alpha))
    for subset in range(len(first)):
        if not subset >> v & 1:
            place = without(v, subset)
            weight = first[subset] + alpha[place] + last[full ^ subset ^ (1 << v)]
            shares[place] = np.exp(weight - first[full])
    return shares


@compiled
def sums_over_graphs(alpha):
    """Weights of all DAGs on each subset, and their derivatives with respect to the weights of the families.

    Parameters
    ----------
    alpha : ndarray of float64, shape (n, 2 ** (n - 1))
        As for `sums_over_orders`.

    Returns
    -------
    weights : ndarray of float64, shape (2 ** n,)
        [S] is the weight of all DAGs on S, by inclusion and exclusion of their sinks T (Tian and He 2009, eq. 16):
        W(S) = sum over T of (-1)^(|T| + 1) W(S - T) * product over j in T of alpha_j(S - T).
    shares : ndarray of float64, shape (n, 2 ** (n - 1))
        [v, U] is the derivative of log W(all) with respect to log alpha_v(U); it is not a logarithm.
    """
    n = len(alpha)
    size = 1 << n
    lowest, odd = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.bool_)
    for subset in range(1, size):
        lowest[subset] = 0 if subset & 1 else lowest[subset >> 1] + 1
        odd[subset] = odd[subset >> 1] != bool(subset & 1)
    plus, minus = np.full(size, -np.inf), np.full(size, -np.inf)
    plus[0] = 0.0
    weights, product = np.empty(size), np.zeros(size)
    for base in range(size):
        gap = minus[base] - plus[base]
        weights[base] = (
            plus[base] if minus[base] == -np.inf else (plus[base] + np.log1p(-np.exp(gap)) if gap < 0.0 else -np.inf)
        )
        rest = size - 1 - base
        sinks = -rest & rest
        while sinks and weights[base] > -np.inf:
            j = lowest[sinks]
            product[sinks] = product[sinks & (sinks - 1)] + alpha[j, without(j, base)]
            target, weight = base | sinks, weights[base] + product[sinks]
            if odd[sinks]:
                plus[target] = log_add(plus[target], weight)
            else:
                minus[target] = log_add(minus[target], weight)
            sinks = (sinks - rest) & rest
    return weights, _shares_of_graphs(alpha, weights, lowest, odd)


@inner
def _shares_of_graphs(alpha, weights, lowest, odd):
    """Derivatives of `sums_over_graphs`: the same sum in reverse, from the whole set down."""
    n, size = len(alpha), len(weights)
    shares = np.zeros(alpha.shape)
    slopes = np.full(size, -np.inf)  # log of the derivative of W(all) with respect to W(S)
    slopes[size - 1] = 0.0
    product, terms = np.zeros(size), np.empty(size)
    of_variable = np.empty(n)
    for base in range(size - 2, -1, -1):
        rest = size - 1 - base
        greatest = -np.inf
        sinks = -rest & rest
        while sinks:
            j = lowest[sinks]
            product[sinks] = product[sinks & (sinks - 1)] + alpha[j, without(j, base)]
            terms[sinks] = slopes[base | sinks] + product[sinks]
            greatest = max(greatest, terms[sinks])
            sinks = (sinks - rest) & rest
        if greatest == -np.inf:
            continue
        total = 0.0
        of_variable[:] = 0.0
        sinks = -rest & rest
        while sinks:
            if terms[sinks] - greatest > 2 * NEGLIGIBLE:
                term = np.exp(terms[sinks] - greatest) * (1.0 if odd[sinks] else -1.0)
                total += term
                left = sinks
                while left:
                    of_variable[lowest[left]] += term
                    left &= left - 1
            sinks = (sinks - rest) & rest
        if total > 0.0:
            slopes[base] = greatest + np.log(total)
        scale = np.exp(greatest + weights[base] - weights[size - 1])
        for v in range(n):
            if rest >> v & 1:
                shares[v, without(v, base)] = of_variable[v] * scale
    return shares


@compiled
def probabilities_of_parents(v, alpha, shares, found):
    """Enter the probability of each u -> v: the sum over U of share(U) * (1 - alpha(U - u) / alpha(U)).

    Parameters
    ----------
    v : int
    alpha, shares : ndarray of float64, shape (2 ** (n - 1),)
        The rows of v.
    found : ndarray of float64, shape (n, n)
        Column v is updated.
    """
    n = len(found)
    for subset in range(len(alpha)):
        if shares[subset] != 0.0 and alpha[subset] > -np.inf:
            for place in range(n - 1):
                if subset >> place & 1:
                    u = place if place < v else place + 1
                    found[u, v] -= shares[subset] * np.expm1(alpha[subset ^ (1 << place)] - alpha[subset])
