"""Classifiers from consistent k-graphs: for k = 2 the C2G classifier (Carvalho and Oliveira 2007, section 4).

References
----------
A. M. Carvalho, A. L. Oliveira. Learning Bayesian networks consistent with the optimal branching. ICMLA 2007.
"""

from __future__ import annotations

from typing import Any

from bnlab._runtime.names import nearest
from bnlab.classifiers.augmented import AugmentedNaiveBayes, Structure
from bnlab.classifiers.score_parameter import ScoreLearned
from bnlab.counts.source import CountSource
from bnlab.learners.ckg import ORDERS, ckg
from bnlab.learners.orderings import ordering_search
from bnlab.learners.subsets import checked_k
from bnlab.learners.trees import with_class
from bnlab.networks.fit import Smoothing
from bnlab.scores import LocalScore, LocalScores


class CkG(ScoreLearned, AugmentedNaiveBayes):
    """Consistent k-graph classifier, a scikit-learn classifier.

    Beside the class, every attribute has at most k other attributes as parents, the best of those that lie on the
    path to it from the root of the optimal TAN's tree.

    Parameters
    ----------
    k : int
        Greatest number of parents beside the class. 0 gives naive Bayes; an attribute with fewer candidates than k
        may have all of them.
    score : str or LocalScore
        "ll", "aic", "bic", "mdl", "nml", "mit", "k2", "bdeu", or a score object. The paper takes "mdl" for small
        data, "ll" for large.
    order : "path", "bfs" or "search"
        Candidates for the parents of an attribute: those on its path, as in the paper; all that come before it in
        breadth-first order of the tree; or all that come before it in the order that a search over orders finds
        (Teyssier and Koller 2005), which heeds no tree.
    score_params : dict, optional
        Parameters of a score given by name, such as ``{"ess": 4}``.
    smoothing : float, "none", "laplace" or Smoothing
        A number m adds m pseudo-rows distributed as the attribute's frequencies, as the papers do with 5.
    ties : "first" or "prior"
        Which of several equally probable classes is predicted: the first, or the commonest in training.
    seed : int
        Of the search over orders.

    Examples
    --------
    >>> import pandas as pd
    >>> from itertools import product
    >>> rows = pd.DataFrame(product([0, 1], repeat=3), columns=["a", "b", "c"])
    >>> X, parity = pd.concat([rows] * 3), [sum(row) % 2 for row in rows.to_numpy()] * 3
    >>> [CkG(k, "ll", order="bfs").fit(X, parity).score(X, parity) for k in (0, 1, 2)]
    [0.5, 0.5, 1.0]
    """

    def __init__(
        self,
        k: int = 2,
        score: str | LocalScore = "mdl",
        *,
        order: str = "path",
        score_params: dict[str, Any] | None = None,
        smoothing: float | str | Smoothing = 5,
        ties: str = "first",
        seed: int = 0,
    ) -> None:
        self.k = k
        self.score = score
        self.order = order
        self.score_params = score_params
        self.smoothing = smoothing
        self.ties = ties
        self.seed = seed

    def _structure(self, source: CountSource, names: tuple[str, ...]) -> Structure:
        n = len(names) - 1
        phi = with_class(LocalScores(source, self._local_score()), n)
        if self.order == "search":
            return phi.augmented(ordering_search(phi, n, self.k, seed=self.seed))
        return phi.augmented(ckg(phi, n, self.k, order=self.order))

    def _check_options(self) -> None:
        super()._check_options()
        checked_k(self.k)
        if self.order not in (*ORDERS, "search"):
            raise ValueError(f"order={self.order!r}: {nearest(self.order, (*ORDERS, 'search'))}")
