"""The naive Bayes classifier: attributes independent given the class (Duda and Hart 1973; Carvalho 2009, section 3)."""

from __future__ import annotations

from bnlab.classifiers.augmented import AugmentedNaiveBayes, Structure
from bnlab.counts.source import CountSource
from bnlab.networks.fit import Smoothing


class NaiveBayes(AugmentedNaiveBayes):
    """Naive Bayes for discrete attributes, a scikit-learn classifier.

    Parameters
    ----------
    smoothing : float, "none", "laplace" or Smoothing
        A number m adds m pseudo-rows distributed as the attribute's frequencies, as the papers do with 5.
    ties : "first" or "prior"
        Which of several equally probable classes is predicted: the first, or the commonest in training.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"sky": ["blue", "blue", "grey", "grey"], "wind": ["no", "yes", "yes", "no"]})
    >>> NaiveBayes().fit(X, ["dry", "dry", "wet", "wet"]).predict(X)
    array(['dry', 'dry', 'wet', 'wet'], dtype='<U3')
    """

    def __init__(self, *, smoothing: float | str | Smoothing = 5, ties: str = "first") -> None:
        self.smoothing = smoothing
        self.ties = ties

    def _structure(self, source: CountSource, names: tuple[str, ...]) -> Structure:
        n = len(names) - 1
        return (*(((n,),) * n), ())
