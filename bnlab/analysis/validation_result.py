"""Result of a cross-validation: held-out predictions, their measures with intervals, and the networks of all folds.

References
----------
C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003 (the corrected t-test).
R. R. Bouckaert, E. Frank. Evaluating the replicability of significance tests for comparing learning algorithms.
PAKDD 2004 (the same for repeated cross-validation).
E. B. Wilson. Probable inference, the law of succession, and statistical inference. JASA 22, 1927 (intervals of shares).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from math import nan, sqrt
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.names import check_known
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import Dag
from bnlab.graphs.pdag import Pdag

if TYPE_CHECKING:
    import pandas as pd

Floats: TypeAlias = NDArray[np.float64]

MEASURES = {
    "log_likelihood": "mean log-likelihood of a row, nats; greater is better",
    "accuracy": "share of rows whose target is its most probable state; greater is better",
    "log_loss": "mean of -ln P(state of the target), nats; less is better",
    "brier": "mean squared distance of the probabilities from 0 and 1, summed over the states, 0 to 2; less is better",
    "auc": "area under the ROC curve, mean over the states; greater is better, 0.5 is chance",
    "edges": "number of edges",
}


class Interval(NamedTuple):
    """Mean, its interval, and the p-value of the mean 0."""

    mean: float
    low: float
    high: float
    p: float


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidation:
    """Held-out predictions of learners, and their networks.

    Attributes
    ----------
    names : tuple of str
        Variables.
    target : str or None
    states : tuple
        States of the target.
    graphs : mapping of str to tuple of Dag or Pdag
        For each learner the networks of all folds, repeat after repeat.
    log_likelihoods : mapping of str to ndarray of float, shape (repeats, rows)
        Of each row under the network that has not seen it, in nats.
    probabilities : mapping of str to ndarray of float, shape (repeats, rows, states)
        Of the target's states, given the other values of the row; no states without a target.
    arcs : mapping of str to ndarray of float, shape (variables, variables)
        Shares of the folds whose essential graph has each edge, see `stability`.
    truth : ndarray of int, shape (rows,)
        Code of the target's state in each row, the number of states if it is missing; empty without a target.
    fold_of : ndarray of int, shape (repeats, rows)
    """

    names: tuple[str, ...]
    target: str | None
    states: tuple[Hashable, ...]
    graphs: Mapping[str, tuple[Dag | Pdag, ...]]
    log_likelihoods: Mapping[str, Floats]
    probabilities: Mapping[str, Floats]
    arcs: Mapping[str, Floats]
    truth: NDArray[np.int64]
    fold_of: NDArray[np.int64]

    @property
    def learners(self) -> tuple[str, ...]:
        """Names of the learners."""
        return tuple(self.graphs)

    @property
    def folds(self) -> int:
        """Number of folds."""
        return int(self.fold_of.max()) + 1

    def __repr__(self) -> str:
        """Design, and the measures of each learner."""
        repeats, rows = self.fold_of.shape
        means = self.measures().groupby(level="learner", sort=False).mean()
        lines = [f"CrossValidation({rows:,} rows, {self.folds} folds, {repeats} repeats)"]
        return "\n".join([*lines, means.round(4).to_string()])

    def measures(self) -> pd.DataFrame:
        """Measures of each learner in each fold.

        Returns
        -------
        DataFrame, indexed by learner, repeat and fold
            log_likelihood, with a target also accuracy, log_loss, brier and auc, and edges: see
            `bnlab.analysis.validation_result.MEASURES`. A measure without rows is NaN; a state without rows of both
            kinds has no part in auc.
        """
        import pandas as pd

        rows = []
        for learner in self.learners:
            for repeat, folds in enumerate(self.fold_of):
                for fold in range(self.folds):
                    test = folds == fold
                    graph = self.graphs[learner][repeat * self.folds + fold]
                    values = {"log_likelihood": float(self.log_likelihoods[learner][repeat, test].mean())}
                    if self.target is not None:
                        values |= _target_measures(self.truth[test], self.probabilities[learner][repeat, test])
                    edges = len(graph.edges) if isinstance(graph, Dag) else len(graph.directed | graph.undirected)
                    rows.append({"learner": learner, "repeat": repeat, "fold": fold, **values, "edges": float(edges)})
        return pd.DataFrame(rows).set_index(["learner", "repeat", "fold"])

    def summary(self, reference: str | None = None, *, confidence: float = 0.95) -> pd.DataFrame:
        """Mean of each measure over the folds, and its difference from that of a reference in the same folds.

        Parameters
        ----------
        reference : str, optional
            A learner; by default the first.
        confidence : float
            Of the intervals, between 0 and 1.

        Returns
        -------
        DataFrame, indexed by measure and learner
            mean, low, high; difference, difference_low, difference_high, and p, the two-sided p-value of no difference.

        Raises
        ------
        ValueError
            If the reference is unknown, or the confidence is out of range.

        Notes
        -----
        Networks of different folds share most of their training rows, so that the plain t-interval is too narrow. Here
        the variance of the mean of J values is multiplied by 1 + J / (folds - 1), as Nadeau and Bengio (2003) correct
        it, with J - 1 degrees of freedom. The interval is for the mean over new data sets of this size: for the
        difference of hill climbing from the Chow-Liu tree, on 150 samples of 200 rows of asia, intervals of 95 %
        contained it in 92 %, plain t-intervals in 80 %, and intervals from the differences of single rows in 74 %.
        """
        import pandas as pd

        check_known(reference or self.learners[0], self.learners, f"reference={reference!r} is no learner")
        if not 0 < confidence < 1:
            raise ValueError(f"confidence={confidence!r}: a share between 0 and 1.")
        frame, rows = self.measures(), []
        for measure in frame.columns:
            by_learner = dict(
                zip(self.learners, frame[measure].to_numpy().reshape(len(self.learners), -1), strict=True)
            )
            base = by_learner[reference or self.learners[0]]
            for learner, values in by_learner.items():
                with np.errstate(invalid="ignore"):  # -inf - -inf
                    apart = corrected_interval(values - base, self.folds, confidence)
                rows.append((measure, learner, *corrected_interval(values, self.folds, confidence)[:3], *apart))
        columns = ["measure", "learner", "mean", "low", "high", "difference", "difference_low", "difference_high", "p"]
        return pd.DataFrame(rows, columns=columns).set_index(["measure", "learner"])

    def stability(self, learner: str | None = None) -> EdgeConfidence:
        """Share of the folds in which a learner finds each edge.

        A direction that the data cannot determine counts one half each way, as in `bnlab.learners.Bootstrap`. The folds
        share most of their rows, so that the shares are greater than those of a bootstrap.

        Parameters
        ----------
        learner : str, optional
            By default the first.
        """
        learner = self._known(learner)
        return EdgeConfidence(self.names, self.arcs[learner], len(self.graphs[learner]), "cross-validation")

    def roc(self, state: Hashable) -> pd.DataFrame:
        """ROC curve of each learner for a state of the target against all others, from the rows of all folds.

        Returns
        -------
        DataFrame
            learner, target, state, threshold, false_positive_rate, true_positive_rate.

        Raises
        ------
        ValueError
            If there is no target, the state is unknown, or all rows or none have it.
        """
        import pandas as pd
        from sklearn.metrics import roc_curve

        parts = []
        for learner, shares, hits in self._predictions(state):
            if not 0 < hits.sum() < len(hits):
                raise ValueError(f"state={state!r}: all rows have it or none, and a curve needs rows of both kinds.")
            false, true, thresholds = roc_curve(hits, shares)
            part = {"threshold": thresholds, "false_positive_rate": false, "true_positive_rate": true}
            parts.append(pd.DataFrame({"learner": learner, "target": self.target, "state": state, **part}))
        return pd.concat(parts, ignore_index=True)

    def calibration(self, state: Hashable, bins: int = 10) -> pd.DataFrame:
        """How often a state of the target occurs where its probability was said to be in each of some intervals.

        Parameters
        ----------
        state : hashable
        bins : int
            Number of intervals of equal width.

        Returns
        -------
        DataFrame
            learner, target, state; predicted, the mean probability in the interval; observed, the share of its rows
            that have the state, with low and high, the 95 % interval of Wilson; rows, mean number over the repeats.
            Intervals without rows are left out.

        Raises
        ------
        ValueError
            If there is no target, the state is unknown, or `bins` is less than 1.
        """
        import pandas as pd

        if bins < 1:
            raise ValueError(f"bins={bins}: at least 1.")
        rows = []
        for learner, shares, hits in self._predictions(state):
            place = np.minimum((shares * bins).astype(np.int64), bins - 1)
            for k in np.unique(place):
                own, count = hits[place == k], (place == k).sum() / len(self.fold_of)
                low, high = wilson(own.mean(), count)
                rows.append((learner, self.target, state, shares[place == k].mean(), own.mean(), low, high, count))
        columns = ["learner", "target", "state", "predicted", "observed", "low", "high", "rows"]
        return pd.DataFrame(rows, columns=columns)

    def _predictions(self, state: Hashable) -> Iterator[tuple[str, Floats, NDArray[np.bool_]]]:
        """Each learner, the probabilities of a state in rows with a known target, and whether they have it."""
        if self.target is None:
            raise ValueError("there is no target: give cross_validate(..., target=) the variable to predict.")
        if state not in self.states:
            raise ValueError(f"state={state!r}: the states of {self.target!r} are {', '.join(map(repr, self.states))}.")
        k, known = self.states.index(state), self.truth < len(self.states)
        hits = np.tile(self.truth[known] == k, len(self.fold_of))
        for learner in self.learners:
            yield learner, self.probabilities[learner][:, known, k].ravel(), hits

    def _known(self, learner: str | None) -> str:
        if learner is None:
            return self.learners[0]
        check_known(learner, self.learners, f"no learner {learner!r}")
        return learner


def corrected_interval(values: Floats, folds: int, confidence: float) -> Interval:
    """Interval of the mean of a measure over the folds of one or more cross-validations (Nadeau and Bengio 2003).

    Values that are NaN are left out; fewer than two values have no interval. Equal values have no p-value, unless they
    are 0.

    Examples
    --------
    >>> [round(value, 3) for value in corrected_interval(np.array([1.0, 2.0, 3.0]), 3, 0.95)]
    [2.0, -1.928, 5.928, 0.16]
    """
    from scipy.special import stdtr, stdtrit

    known = values[~np.isnan(values)]
    if len(known) < 2 or np.isinf(known).any():
        return Interval(float(known.mean()) if len(known) else nan, nan, nan, nan)
    mean = float(known.mean())
    error = sqrt(known.var(ddof=1) * (1 / len(known) + 1 / (folds - 1)))
    width = float(stdtrit(len(known) - 1, (1 + confidence) / 2)) * error
    p = 2 * float(stdtr(len(known) - 1, -abs(mean) / error)) if error else (nan if mean else 1.0)
    return Interval(mean, mean - width, mean + width, p)


def wilson(share: float, rows: float) -> tuple[float, float]:
    """95 % interval of a share of some rows (Wilson 1927).

    Examples
    --------
    >>> [round(end, 3) for end in wilson(0.2, 10)]
    [0.057, 0.51]
    """
    z = 1.959963984540054
    middle = (share + z * z / (2 * rows)) / (1 + z * z / rows)
    half = z / (1 + z * z / rows) * sqrt(share * (1 - share) / rows + z * z / (4 * rows * rows))
    return max(0.0, float(middle - half)), min(1.0, float(middle + half))


def _target_measures(truth: NDArray[np.int64], shares: Floats) -> dict[str, float]:
    """Measures of predictions of a target in one fold; rows whose target is missing do not count."""
    from sklearn.metrics import roc_auc_score

    known = truth < shares.shape[1]
    if not known.any():
        return dict.fromkeys(("accuracy", "log_loss", "brier", "auc"), nan)
    truth, shares = truth[known], shares[known]
    hits = np.eye(shares.shape[1])[truth]
    with np.errstate(divide="ignore"):
        losses = -np.log(shares[np.arange(len(truth)), truth])
    both = [k for k in range(shares.shape[1]) if 0 < hits[:, k].sum() < len(hits)]
    return {
        "accuracy": float((shares.argmax(axis=1) == truth).mean()),
        "log_loss": float(losses.mean()),
        "brier": float(((shares - hits) ** 2).sum(axis=1).mean()),
        "auc": float(np.mean([roc_auc_score(hits[:, k], shares[:, k]) for k in both])) if both else nan,
    }
