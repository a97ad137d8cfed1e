"""The tree augmented naive Bayes classifier, optimal for any score (Friedman 1997; Carvalho 2009, Algorithms 5-7)."""

from __future__ import annotations

from typing import Any

from bnlab.classifiers.augmented import AugmentedNaiveBayes, Structure
from bnlab.classifiers.score_parameter import ScoreLearned
from bnlab.counts.source import CountSource
from bnlab.learners.trees import tan
from bnlab.networks.fit import Smoothing
from bnlab.scores import LocalScore, LocalScores


class TAN(ScoreLearned, AugmentedNaiveBayes):
    """Tree augmented naive Bayes, a scikit-learn classifier.

    Beside the class, every attribute but one has one other attribute as a parent; the tree is the best one there
    is for the score.

    Parameters
    ----------
    score : str or LocalScore
        "ll", "aic", "bic", "mdl", "nml", "mit", "k2", "bdeu", or a score object.
    score_params : dict, optional
        Parameters of a score given by name, such as ``{"ess": 4}``.
    smoothing : float, "none", "laplace" or Smoothing
        A number m adds m pseudo-rows distributed as the attribute's frequencies, as the papers do with 5.
    ties : "first" or "prior"
        Which of several equally probable classes is predicted: the first, or the commonest in training.
    spanning : bool
        False allows a forest: an attribute whose best parent would lower the score gets none but the class.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})
    >>> exclusive_or = [0, 1, 1, 0]
    >>> TAN(smoothing="none").fit(X, exclusive_or).predict(X).tolist()
    [0, 1, 1, 0]
    """

    def __init__(
        self,
        score: str | LocalScore = "ll",
        *,
        score_params: dict[str, Any] | None = None,
        smoothing: float | str | Smoothing = 5,
        ties: str = "first",
        spanning: bool = True,
    ) -> None:
        self.score = score
        self.score_params = score_params
        self.smoothing = smoothing
        self.ties = ties
        self.spanning = spanning

    def _structure(self, source: CountSource, names: tuple[str, ...]) -> Structure:
        phi = LocalScores(source, self._local_score())
        return tan(phi, len(names), len(names) - 1, spanning=self.spanning)
