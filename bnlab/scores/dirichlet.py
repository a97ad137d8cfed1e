"""Bayesian Dirichlet scores (Carvalho 2009, section 2.1.1): one formula with different hyperparameters N'_ijk.

References
----------
Heckerman, Geiger and Chickering (1995), Learning Bayesian networks: the combination of knowledge and statistical data.
Cooper and Herskovits (1992), A Bayesian method for the induction of probabilistic networks from data (K2).
Buntine (1991), Theory refinement on Bayesian networks (BDeu).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import ClassVar, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from bnlab._runtime.cached import cached_property
from bnlab._runtime.names import nearest
from bnlab.counts.types import Family, FamilyBatch, FloatArray, IntArray
from bnlab.data.variable import Variable, shortened
from bnlab.scores.local import LEAST_PRIOR, LocalScore, check_positive

Hyperparameters: TypeAlias = Callable[[str, tuple[str, ...]], ArrayLike]


@runtime_checkable
class PriorNetwork(Protocol):
    """What BDe needs of its prior network; `bnlab.networks.BayesianNetwork` is one."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables with their states."""

    def marginal(self, nodes: Sequence[str], /) -> FloatArray:
        """Joint distribution of some variables, one axis each, in the given order."""


def log_marginal_likelihood(batch: FamilyBatch, n_ijk: float | FloatArray, n_ij: float | FloatArray) -> FloatArray:
    """Logarithm of each family's factor in Theorem 2.3.

    Parameters
    ----------
    batch : FamilyBatch
    n_ijk : float, or ndarray broadcastable to (rows, r)
        Hyperparameters N'_ijk.
    n_ij : float, or ndarray of shape (rows,)
        Their sums over the states of the child, N'_ij.

    Returns
    -------
    ndarray of float64, shape (families,)
        Nats.
    """
    from scipy.special import gammaln

    return _log_ratios(batch, n_ijk, n_ij, gammaln(n_ijk), gammaln(n_ij))


def _log_ratios(
    batch: FamilyBatch,
    n_ijk: float | FloatArray,
    n_ij: float | FloatArray,
    log_gamma_ijk: float | FloatArray,
    log_gamma_ij: float | FloatArray,
) -> FloatArray:
    from scipy.special import gammaln

    cells = gammaln(batch.table + n_ijk) - log_gamma_ijk
    rows = log_gamma_ij - gammaln(batch.n_ij + n_ij)
    return batch.sum_cells(cells) + batch.sum_rows(rows)


def _with_equal_hyperparameters(batch: FamilyBatch, n_ijk: FloatArray) -> FloatArray:
    """As `log_marginal_likelihood`, with one N'_ijk for all cells of each family, shape (families,)."""
    from bnlab.engine.score import log_marginal_likelihoods

    values: FloatArray = log_marginal_likelihoods(batch.table, batch.first, n_ijk)
    return values


@dataclass(frozen=True)
class K2(LocalScore):
    """BD with every N'_ijk = 1 (Cooper and Herskovits 1992).

    Examples
    --------
    >>> from bnlab.counts import FamilyCounts
    >>> coin = FamilyCounts(np.array([[1, 1]]), np.array([0]), ())
    >>> round(float(np.exp(K2()(coin))), 12)  # 1! / 3! 1! 1!
    0.166666666667
    """

    name: ClassVar[str] = "k2"
    score_equivalent: ClassVar[bool] = False
    bayesian: ClassVar[bool] = True

    def batch(self, batch: FamilyBatch) -> FloatArray:
        """K2 of each family, ndarray of float64, shape (families,)."""
        return _with_equal_hyperparameters(batch, np.ones(len(batch)))


@dataclass(frozen=True)
class BDeu(LocalScore):
    """BDe with a uniform prior network, N'_ijk = ess / (r_i q_i).

    The paper lists it as not score equivalent; it is, as a BDe.

    Parameters
    ----------
    ess : float
        Equivalent sample size N', greater than 0.
    """

    ess: float = 1.0
    name: ClassVar[str] = "bdeu"
    score_equivalent: ClassVar[bool] = True
    bayesian: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_positive(self.name, "ess", self.ess)

    def batch(self, batch: FamilyBatch) -> FloatArray:
        """BDeu of each family, ndarray of float64, shape (families,)."""
        return _with_equal_hyperparameters(batch, np.maximum(self.ess / batch.q / batch.r, LEAST_PRIOR))


@dataclass(frozen=True, eq=False)
class BD(LocalScore):
    """Bayesian Dirichlet score with any hyperparameters (Theorem 2.3).

    Parameters
    ----------
    hyper : float, array_like or callable
        N'_ijk, all greater than 0: one number for all; an array for the families of one shape, either (q, r) or
        broadcastable to one axis a parent, then the child; or a function ``hyper(child, parents)`` of the names of a
        family, its parents in the order of the data, that returns either. A function is called for each family scored,
        through `for_family` or `LocalScores`.

    Raises
    ------
    ValueError
        When a hyperparameter is not a finite number greater than 0; the message names the configuration.

    Examples
    --------
    >>> from bnlab.counts import FamilyCounts
    >>> coin = FamilyCounts(np.array([[1, 1]]), np.array([0]), ())
    >>> bool(np.isclose(BD(1)(coin), K2()(coin), rtol=1e-12))
    True
    >>> round(float(np.exp(BD([2, 1])(coin))), 12)  # 2 / (3 4) 2 1
    0.166666666667
    """

    hyper: ArrayLike | Hyperparameters
    name: ClassVar[str] = "bd"
    score_equivalent: ClassVar[bool] = False
    bayesian: ClassVar[bool] = True
    _values: FloatArray | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if callable(self.hyper):
            object.__setattr__(self, "_values", None)
            return
        values = np.asarray(self.hyper, dtype=np.float64)
        check_hyperparameters(values, lambda at: f"bd: hyper{list(at) if at else ''}")
        object.__setattr__(self, "_values", values)

    @property
    def needs_family(self) -> bool:
        """Whether the hyperparameters are a function of the family."""
        return self._values is None

    def batch(self, batch: FamilyBatch) -> FloatArray:
        """BD of each family, ndarray of float64, shape (families,)."""
        if self._values is None:
            raise ValueError("bd: hyper is a function of the family; score with for_family(...) or with LocalScores")
        if self._values.ndim == 0:
            return log_marginal_likelihood(batch, self._values, self._values * batch.r)
        ends = np.append(batch.first[1:], len(batch.table))
        parts = [
            _of_rows(self._values, arities, batch.r, _configurations(batch, begin, end))
            for arities, begin, end in zip(batch.parent_arities, batch.first, ends, strict=True)
        ]
        n_ijk = np.concatenate(parts)
        return log_marginal_likelihood(batch, n_ijk, n_ijk.sum(axis=1))

    def for_family(self, family: Family, variables: Sequence[Variable]) -> BD:
        """BD with the hyperparameters of one family of `variables`."""
        if not callable(self.hyper):
            return self
        child, parents = variables[family[0]], tuple(variables[p] for p in family[1])
        values = np.asarray(self.hyper(child.name, tuple(p.name for p in parents)), dtype=np.float64)
        return BD(_checked_for(self.name, values, child, parents))


@dataclass(frozen=True)
class BDe(LocalScore):
    """BD with N'_ijk = ess P(X_i = k, Pi_i = j) under a prior network (Theorem 2.6).

    The paper lists it as not score equivalent; it is, by construction (Heckerman et al. 1995, Theorem 6).

    Parameters
    ----------
    prior_network : BayesianNetwork
        It has every variable of the data, in any order, with the same states. Each configuration of each scored
        family needs a probability greater than 0.
    ess : float
        Equivalent sample size N', greater than 0.
    """

    prior_network: PriorNetwork
    ess: float = 1.0
    name: ClassVar[str] = "bde"
    score_equivalent: ClassVar[bool] = True
    bayesian: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_positive(self.name, "ess", self.ess)
        if not isinstance(self.prior_network, PriorNetwork):
            raise TypeError(f"bde: prior_network is a {type(self.prior_network).__name__}: give a BayesianNetwork")

    @property
    def needs_family(self) -> bool:
        """True: the prior depends on the variables of a family."""
        return True

    def batch(self, batch: FamilyBatch) -> FloatArray:
        """Not defined: counts alone do not say which family of the prior network they belong to."""
        raise ValueError("bde: the prior must know the family; score with for_family(...) or with LocalScores")

    def for_family(self, family: Family, variables: Sequence[Variable]) -> BD:
        """BD with the hyperparameters that the prior network gives to one family of `variables`.

        Raises
        ------
        ValueError
            When the prior network lacks a variable, has other states, or gives a configuration probability 0.
        """
        child, parents = variables[family[0]], tuple(variables[p] for p in family[1])
        members = (*parents, child)
        states = np.ix_(*(self._codes(variable) for variable in members))
        joint = self.prior_network.marginal([variable.name for variable in members])
        try:
            return BD(_checked_for(self.name, self.ess * joint[states], child, parents))
        except ValueError as error:
            raise ValueError(
                f"{error}. It is ess times the probability that the prior network gives: take one without zeros in its "
                "tables, such as networks.fit(dag, data, BDeuPrior()) estimates"
            ) from None

    @cached_property
    def _by_name(self) -> dict[str, Variable]:
        return {variable.name: variable for variable in self.prior_network.variables}

    def _codes(self, variable: Variable) -> IntArray:
        """Code in the prior network of each state of a variable of the data."""
        known = self._by_name.get(variable.name)
        if known is None:
            offer = nearest(variable.name, self._by_name)
            raise ValueError(f"bde: the prior network has no variable {variable.name!r}; {offer}")
        if known.states == variable.states:
            return np.arange(known.arity)
        texts = [str(state) for state in known.states], [str(state) for state in variable.states]
        for theirs, wanted in ((known.states, variable.states), texts):
            codes = {state: code for code, state in enumerate(theirs)}
            if len(wanted) == known.arity and set(wanted) == codes.keys():
                return np.array([codes[state] for state in wanted])
        raise ValueError(
            f"bde: variable {variable.name!r} has the states {shortened(variable.states)} in the data and "
            f"{shortened(known.states)} in the prior network; both need the same ones, in any order "
            "(table.recoded(net.variables) gives the data those of the network)"
        )


def check_hyperparameters(values: FloatArray, where: Callable[[tuple[int, ...]], str]) -> None:
    """Refuse hyperparameters that are not finite and greater than 0; `where` names the place of the first one."""
    wrong = ~(np.isfinite(values) & (values > 0))
    if wrong.any():
        at = tuple(int(k) for k in np.argwhere(wrong)[0])
        raise ValueError(
            f"{where(at)}: the hyperparameter N' is {values[at]:g}; it must be a finite number greater than 0"
        )


def _checked_for(score: str, values: FloatArray, child: Variable, parents: tuple[Variable, ...]) -> FloatArray:
    family = f"{score}: family {child.name} | {', '.join(p.name for p in parents)}".rstrip(" |")
    arities = tuple(p.arity for p in parents)
    try:
        values = _shaped(values, arities, child.arity)
    except ValueError as error:
        raise ValueError(f"{family}: {error}") from None
    check_hyperparameters(values, lambda at: f"{family}: {_states((*parents, child), at, values.shape)}")
    return values


def _states(members: Sequence[Variable], at: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """Configuration at an index of an array that broadcasts to the axes of `members`."""
    named = zip(members[len(members) - len(at) :], at, shape, strict=True)
    return ", ".join(f"{v.name}={v.states[k]}" for v, k, size in named if size == v.arity) or "everywhere"


def _shaped(values: FloatArray, parent_arities: tuple[int, ...], r: int) -> FloatArray:
    """Array that broadcasts to (*parent_arities, r), from one that does or has the shape (q, r)."""
    shape = (*parent_arities, r)
    if values.shape == (prod(parent_arities), r):
        return values.reshape(shape)
    try:
        fits = np.broadcast_shapes(values.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"hyperparameters of shape {values.shape} do not fit the family's {shape} configurations")
    return values


def _of_rows(values: FloatArray, arities: tuple[int, ...], r: int, configurations: IntArray) -> FloatArray:
    """Hyperparameters of some parent configurations, shape (rows, r); a broadcast array is never expanded."""
    values = _shaped(values, arities, r)
    if not arities:
        return np.broadcast_to(values, (len(configurations), r))
    rows: FloatArray = np.broadcast_to(values, (*arities, r))[np.unravel_index(configurations, arities)]
    return rows


def _configurations(batch: FamilyBatch, begin: int, end: int) -> IntArray:
    return np.arange(end - begin) if batch.configurations is None else batch.configurations[begin:end]
