"""Bayesian network classifiers in which every attribute has the class among its parents (Carvalho 2009, section 3).

One class implements the shared parts, parameters and prediction. A subclass chooses the further parents of each
attribute with one structure learner under ``φ(i, Π ∪ {C})``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from bnlab._runtime.budget import check_memory
from bnlab._runtime.cached import cached_property
from bnlab._runtime.types import fits
from bnlab.classifiers.encoding import MISSING, UNSEEN, as_frame, encode, training_table
from bnlab.counts.base import CountSource
from bnlab.counts.incomplete import complete_families
from bnlab.counts.source import count_source
from bnlab.counts.types import FamilyCounts, FloatArray, IntArray
from bnlab.graphs.dag import Dag
from bnlab.networks.em import ExpectationMaximization
from bnlab.networks.network import BayesianNetwork
from bnlab.networks.propagation import Propagation, factors_of
from bnlab.networks.smoothing import Dirichlet, MarginalPseudoRows, MaximumLikelihood, Smoothing
from bnlab.search import iterate

Structure = tuple[tuple[int, ...], ...]
TIE_RULES = ("first", "prior")
BYTES_A_PROBABILITY = 16
_MOST_ROWS = 1 << 16  # up to so many parent configurations, the row of each in the table is listed instead of searched
_BLOCK_CELLS = 1 << 20  # log-probabilities in memory at a time if only the classes are predicted


class AugmentedNaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the classifiers.

    Rows are classified by the greatest ``P(c) Π_i P(x_i | parents, c)``. A value that is not in the training data does
    not change the result: as a child its factor is left out, as a parent it leads to the distribution of an unobserved
    configuration, which is the same for every class. Missing values are summed out exactly. In a row in which one of
    them is a parent, values that are not in the training data also count as missing. From training rows with missing
    values, the structure is learned from available cases (`bnlab.counts.AvailableCases`), and the parameters by
    expectation maximisation.

    Attributes
    ----------
    classes_ : ndarray, shape (n_classes,)
        Class labels; the declared ones if `y` is a pandas categorical.
    dag_ : Dag
        Structure over the attributes and, last, the class.
    network_ : BayesianNetwork
        The structure with its smoothed parameters.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X has column names.
    """

    smoothing: float | str | Smoothing
    ties: str

    @abstractmethod
    def _structure(self, source: CountSource, names: tuple[str, ...]) -> Structure:
        """Parents of every variable, ascending; the class is the last variable and a parent of all others."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn structure and parameters.

        Parameters
        ----------
        X : DataFrame or array_like, shape (N, n_attributes)
            Discrete values: strings, integers, booleans or categoricals; some may be missing (None, NaN, pandas.NA).
        y : array_like, shape (N,)
            Class of each row; none missing.
        sample_weight : array_like of float, shape (N,), optional
            How often each row counts. Rows of weight 0 are left out.

        Raises
        ------
        ValueError
            If a column is continuous or infinite, the class is missing in a row, the rows are of one class only, an
            option is unknown, or exact inference for rows with missing values needs too much memory.
        """
        self._check_options()
        frame = as_frame(X)
        validate_data(self, X, skip_check_array=True)
        table = training_table(frame, y, sample_weight)
        source = count_source(complete_families(table))
        parents = self._structure(source, table.names)
        self._variables = table.variables
        self.classes_ = np.array(table.variables[-1].states)
        self.dag_ = Dag(table.names, parents)
        self._smoothing = as_smoothing(self.smoothing)
        if table.has_gaps:
            search = ExpectationMaximization(self.dag_, table, self._smoothing)
            *_, (state, _) = iterate(search)
            self._counts = search.counts(state)
        else:
            self._counts = source.count(list(enumerate(parents)))
        self._joint = JointLogLikelihood(parents, self._counts, self._smoothing)
        return self

    @property
    def network_(self) -> BayesianNetwork:
        """The classifier as a Bayesian network over the attributes and the class."""
        check_is_fitted(self)
        return BayesianNetwork(self.dag_, self._variables, [self._smoothing.cpt(c) for c in self._counts])

    def predict(self, X: Any) -> NDArray[Any]:
        """Most probable class of each row, shape (N,); the rule `ties` decides ties."""
        codes = self._codes(X)
        step = max(1, _BLOCK_CELLS // len(self.classes_))
        blocks = [codes[:, begin : begin + step] for begin in range(0, max(codes.shape[1], 1), step)]
        best = [winners(self._joint(block), self._joint.log_prior, self.ties) for block in blocks]
        labels: NDArray[Any] = self.classes_[np.concatenate(best)]
        return labels

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Log-probability in nats of each class, shape (N, n_classes), also if `predict_proba` underflows to 0."""
        joint = self._log_ratios(X)
        joint -= np.log(np.exp(joint).sum(axis=1, keepdims=True))
        return joint

    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class, shape (N, n_classes).

        Missing values are summed out. A value that is not in the training data leaves out its attribute and the
        children of this attribute; in a row in which a parent is missing, it is summed out like a missing value.

        A row that is impossible under every class, which only happens without smoothing, gets the same
        probability for all classes, or with ``ties="prior"`` the classes' frequencies.
        """
        probabilities: FloatArray = np.exp(self._log_ratios(X))
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        return probabilities

    def _log_ratios(self, X: Any) -> FloatArray:
        """Log of the probability of each class divided by the greatest of its row, shape (N, n_classes)."""
        joint = self.joint_log_likelihood(X)
        impossible = np.isneginf(joint).all(axis=1)
        joint[impossible] = self._joint.log_prior if self.ties == "prior" else 0.0
        joint -= joint.max(axis=1, keepdims=True)
        return joint

    def joint_log_likelihood(self, X: Any) -> FloatArray:
        """Log of ``P(c, x)`` in nats for each row and class, shape (N, n_classes)."""
        codes = self._codes(X)
        check_memory(
            BYTES_A_PROBABILITY * codes.shape[1] * len(self.classes_),
            f"the probabilities of {len(self.classes_):,} classes in {codes.shape[1]:,} rows",
            "give fewer rows at a time, or predict the classes only (predict)",
        )
        return self._joint(codes)

    def _codes(self, X: Any) -> IntArray:
        check_is_fitted(self)
        frame = as_frame(X)
        validate_data(self, X, skip_check_array=True, reset=False)
        return encode(frame, self._variables[:-1])

    def _check_options(self) -> None:
        if self.ties not in TIE_RULES:
            raise ValueError(f"ties={self.ties!r}: the rules are 'first' (the first class) and 'prior' (the commonest)")
        as_smoothing(self.smoothing)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


class JointLogLikelihood:
    """Log of ``P(c, x)`` under the structure and the estimated parameters of a classifier, for rows given as codes.

    Parameters
    ----------
    parents : tuple of tuple of int
        Parents of every variable; the class is the last variable and the last parent of all others.
    counts : sequence of FamilyCounts
        Counts of every variable with these parents.
    smoothing : Smoothing

    Attributes
    ----------
    log_prior : ndarray of float64, shape (n_classes,)
        Log of ``P(c)`` in nats.
    """

    def __init__(self, parents: Structure, counts: Sequence[FamilyCounts], smoothing: Smoothing) -> None:
        self.log_prior = _log(smoothing.rows(counts[-1])[0])
        self._parents, self._counts, self._smoothing = parents, counts, smoothing
        self._are_parents = np.zeros(len(parents) - 1, dtype=bool)
        self._are_parents[[p for own in parents[:-1] for p in own[:-1]]] = True
        self._factors = [
            _Factor(c, p[:-1], len(self.log_prior), smoothing) for c, p in zip(counts[:-1], parents[:-1], strict=True)
        ]

    def __call__(self, codes: IntArray) -> FloatArray:
        """Log of ``P(c, x)`` in nats, shape (N, n_classes).

        Parameters
        ----------
        codes : ndarray of int64, shape (n_attributes, N)
            `UNSEEN` stands for a value that is not in the training data, `MISSING` for a missing value.
        """
        joint = np.empty((codes.shape[1], len(self.log_prior)))
        if codes.size and codes.min() == MISSING:
            summed = ((codes == MISSING) & self._are_parents[:, None]).any(axis=0)
            if summed.any():
                joint[summed] = self._summed(codes[:, summed])
                joint[~summed] = self(codes[:, ~summed])
                return joint
            codes = np.maximum(codes, UNSEEN)
        joint[:] = self.log_prior
        for i, factor in enumerate(self._factors):
            joint += factor.log_probabilities(codes, i)
        return joint

    def _summed(self, codes: IntArray) -> FloatArray:
        """Log of the sum over all unknown values, shape (N, n_classes)."""
        tree, numbers = self._inference
        arities = np.array([c.r for c in self._counts])
        rows = np.where(codes < 0, arities[:-1, None], codes)
        classes = np.arange(arities[-1])
        every = np.vstack([np.repeat(rows, len(classes), axis=1), np.tile(classes, rows.shape[1])])
        return tree.log_probabilities(numbers, every).reshape(-1, len(classes))

    @cached_property
    def _inference(self) -> tuple[Propagation, FloatArray]:
        dag = Dag([str(i) for i in range(len(self._parents))], self._parents)
        tree = Propagation.of_graph(dag, [c.r for c in self._counts])
        return tree, tree.product(factors_of(dag, [self._smoothing.cpt(c) for c in self._counts]))


def winners(joint: FloatArray, log_prior: FloatArray, ties: str) -> IntArray:
    """Code of the most probable class of each row; see the parameter `ties` of the classifiers.

    Parameters
    ----------
    joint : ndarray of float64, shape (N, n_classes)
    log_prior : ndarray of float64, shape (n_classes,)
    ties : "first" or "prior"
    """
    if ties == "prior":
        tied = joint == joint.max(axis=1, keepdims=True)
        joint = np.where(tied, log_prior, -np.inf)
    best: IntArray = joint.argmax(axis=1)
    return best


class _Factor:
    """Log of ``P(x_i | parents, c)``, looked up by the parents' and the child's codes, for all classes at once."""

    def __init__(self, counts: FamilyCounts, parents: tuple[int, ...], n_classes: int, smoothing: Smoothing) -> None:
        self._parents = parents
        self._arities = counts.parent_arities[:-1]
        own = counts.configurations // n_classes
        is_first = np.ones(len(own), dtype=bool)
        is_first[1:] = own[1:] > own[:-1]
        self._known, row = own[is_first], np.cumsum(is_first) - 1
        # Last row: parents never observed together; last state: an unseen value of the child, which has no effect.
        table = np.zeros((len(self._known) + 1, counts.r + 1, n_classes))
        table[:, :-1, :] = _log(smoothing.unobserved(counts))[None, :, None]
        table[row, :-1, counts.configurations % n_classes] = _log(smoothing.rows(counts))
        self._n_states, self._table = counts.r + 1, table.reshape(-1, n_classes)
        q = prod(self._arities)
        self._rows = np.full(q + 1 if q <= _MOST_ROWS else 0, len(self._known))
        if len(self._rows):
            self._rows[self._known] = np.arange(len(self._known))

    def log_probabilities(self, codes: IntArray, child: int) -> FloatArray:
        """Log-probabilities of rows, shape (N, n_classes), from the codes of attributes, shape (n_attributes, N)."""
        # An unseen value, -1, is the last state of the previous row, or of the last row.
        position = self._row(codes) * self._n_states + codes[child] if self._parents else codes[child]
        found: FloatArray = self._table.take(position, axis=0)
        return found

    def _row(self, codes: IntArray) -> IntArray:
        """Row of the table for the parents' codes, shape (N,)."""
        configuration = np.zeros(codes.shape[1], dtype=np.int64)
        unseen = np.zeros(codes.shape[1], dtype=bool)
        for parent, arity in zip(self._parents, self._arities, strict=True):
            configuration = configuration * arity + codes[parent]
            unseen |= codes[parent] < 0
        configuration[unseen] = -1
        if len(self._rows):
            return self._rows[configuration]
        row = np.searchsorted(self._known, configuration)
        row[row == len(self._known)] = 0
        row[self._known[row] != configuration] = len(self._known)
        return row


def as_smoothing(smoothing: float | str | Smoothing) -> Smoothing:
    """Estimator of the parameters for a value of the option `smoothing`.

    Parameters
    ----------
    smoothing : "none", "laplace", float or Smoothing
        A number m adds m pseudo-rows, as the papers do, distributed as the child's frequencies.

    Raises
    ------
    ValueError
        If the option is none of these.

    Examples
    --------
    >>> as_smoothing(5)
    MarginalPseudoRows(m=5.0)
    >>> as_smoothing("laplace")
    Dirichlet(alpha=1.0)
    """
    if isinstance(smoothing, Smoothing):
        return smoothing
    if smoothing == "none":
        return MaximumLikelihood()
    if smoothing == "laplace":
        return Dirichlet(1.0)
    if fits(smoothing, float):
        return MarginalPseudoRows(float(smoothing))
    raise ValueError(
        f'smoothing={smoothing!r}: use "none", "laplace", a number of pseudo-rows such as 5, or a Smoothing object'
    )


def _log(probabilities: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(probabilities)
    return logs
