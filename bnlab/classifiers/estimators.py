"""The classifiers: naive Bayes, tree augmented naive Bayes, and consistent k-graphs (for k = 2 the C2G classifier).

References
----------
N. Friedman, D. Geiger, M. Goldszmidt. Bayesian network classifiers. Machine Learning 29, 1997.
A. M. Carvalho, A. L. Oliveira. Learning Bayesian networks consistent with the optimal branching. ICMLA 2007.
A. M. Carvalho. Scoring functions for learning Bayesian networks. INESC-ID Tec. Rep. 54/2009.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from sklearn.base import ClassifierMixin

from bnlab._runtime.names import check_known
from bnlab._runtime.values import at_least
from bnlab.classifiers.augmented import AugmentedNaiveBayes, Structure
from bnlab.counts.base import CountSource
from bnlab.graphs.knowledge import Knowledge
from bnlab.learners.ckg import MDL, ckg
from bnlab.learners.consistent import ORDERS
from bnlab.learners.edges import Known, leave_constant_alone
from bnlab.learners.orderings import ordering_search
from bnlab.learners.trees import tan
from bnlab.learners.with_class import with_class
from bnlab.networks.smoothing import Smoothing
from bnlab.scores import LocalScore, LocalScores, make_score


class NaiveBayes(AugmentedNaiveBayes):
    """Naive Bayes for discrete attributes, a scikit-learn classifier.

    Parameters
    ----------
    smoothing : float, "none", "laplace" or Smoothing
        A number m adds m pseudo-rows distributed as the attribute's frequencies, as the papers do with 5.
    ties : "first" or "prior"
        Rule for equally probable classes: predict the first, or the most frequent in training.

    Notes
    -----
    If classes are small, five pseudo-rows have a large weight. The log-loss on soybean-large (classes from 8 rows, five
    folds) is 0.80 nats if missing values are an additional state; ``BDeuPrior(1.0)``, the estimate of R's bnlearn,
    gives 0.47. If they are summed out, the log-losses are 0.37 and 0.36. On other data, five pseudo-rows are often the
    better choice (glass 0.93 against 1.10, hepatitis 0.53 against 0.59).

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


class _ScoreParameter:
    """Attribute that stores the score of the structure; when read, it is scikit-learn's method for the accuracy."""

    def __get__(self, estimator: Any, owner: type) -> Any:
        return ClassifierMixin.score if estimator is None else partial(ClassifierMixin.score, estimator)

    def __set__(self, estimator: Any, value: str | LocalScore) -> None:
        estimator.__dict__["score"] = value


class _ScoreLearned(AugmentedNaiveBayes):
    """Base of classifiers with a parameter `score`, which scikit-learn can clone and search over."""

    score = _ScoreParameter()
    score_params: dict[str, Any] | None
    knowledge: Knowledge | None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name, as scikit-learn needs them."""
        return {name: vars(self)[name] for name in self._get_param_names()}


def _local_scores(estimator: _ScoreLearned, source: CountSource) -> LocalScores:
    score = make_score(vars(estimator)["score"], **(estimator.score_params or {}))
    return LocalScores(source, score.for_target(source.names[-1]))


def _known(source: CountSource, knowledge: Knowledge | None) -> Known:
    """Knowledge of edges between attributes; constant ones have only the class as a parent."""
    attributes = source.names[:-1]
    constant = [v for v in source.constant if v < len(attributes)]
    return leave_constant_alone(attributes, constant, knowledge)


class TAN(_ScoreLearned):
    """Tree augmented naive Bayes, a scikit-learn classifier.

    Beside the class, every attribute but one has one other attribute as a parent; the tree is optimal for the score.
    An attribute of which the rows show one state has the class alone.

    Parameters
    ----------
    score : str or LocalScore
        "ll", "aic", "bic", "mdl", "nml", "mit", "k2", "bdeu", "fcll", "fcll-nml", or a score object. "fcll" is
        made for classification: it approximates the conditional log-likelihood of the class.
    score_params : dict, optional
        Parameters of a score given by name, such as ``{"ess": 4}``.
    smoothing : float, "none", "laplace" or Smoothing
        A number m adds m pseudo-rows distributed as the attribute's frequencies, as the papers do with 5.
    ties : "first" or "prior"
        Rule for equally probable classes: predict the first, or the most frequent in training.
    spanning : bool
        If False, it may be a forest: an attribute whose best parent lowers the score has only the class as parent.
    knowledge : Knowledge, optional
        Edges between attributes that the tree must have, at most one into each attribute, or must not have.

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
        knowledge: Knowledge | None = None,
    ) -> None:
        self.score = score
        self.score_params = score_params
        self.smoothing = smoothing
        self.ties = ties
        self.spanning = spanning
        self.knowledge = knowledge

    def _structure(self, source: CountSource, names: tuple[str, ...]) -> Structure:
        n = len(names)
        return tan(
            _local_scores(self, source), n, n - 1, spanning=self.spanning, knowledge=_known(source, self.knowledge)
        )


class CkG(_ScoreLearned):
    """Consistent k-graph classifier, a scikit-learn classifier.

    Beside the class, every attribute has at most k other attributes as parents, the best of those that lie on the
    path to it from the root of the optimal TAN's tree. An attribute of which the rows show one state has the class
    alone.

    Parameters
    ----------
    k : int or "mdl"
        Greatest number of parents beside the class. 0 gives naive Bayes; an attribute with fewer candidates than k
        may have all of them. "mdl" chooses k from 0 to 3 by the least description length of the network, for any
        `score`; it cannot be used with ``order="search"``.
    score : str or LocalScore
        "ll", "aic", "bic", "mdl", "nml", "mit", "k2", "bdeu", "fcll", "fcll-nml", or a score object. The paper uses
        "mdl" for small data, "ll" for large. The default has the least log-loss with k = 2 over 13 UCI data sets
        (means of five folds, `notebooks/results/ckg_scores`): 0.41 nats, accuracy 85.4 %; "mdl" has 0.59 and 83.5 %,
        "ll" 0.43 and 84.5 %, naive Bayes 0.93 and 81.1 %.
    order : "path", "bfs" or "search"
        Candidates for the parents of an attribute: those on its path, as in the paper; all that come before it in
        breadth-first order of the tree; or all that come before it in the order that a search over orders finds
        (Teyssier and Koller 2005), which uses no tree.
    score_params : dict, optional
        Parameters of a score given by name, such as ``{"ess": 4}``.
    smoothing : float, "none", "laplace" or Smoothing
        A number m adds m pseudo-rows distributed as the attribute's frequencies, as the papers do with 5.
    ties : "first" or "prior"
        Rule for equally probable classes: predict the first, or the most frequent in training.
    seed : int
        Seed of the search over orders.
    knowledge : Knowledge, optional
        Edges between attributes that the network must have or must not have. Orders of a tree keep at most one required
        parent of an attribute. The class does not count among `max_parents`.

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
        k: int | str = 2,
        score: str | LocalScore = "nml",
        *,
        order: str = "path",
        score_params: dict[str, Any] | None = None,
        smoothing: float | str | Smoothing = 5,
        ties: str = "first",
        seed: int = 0,
        knowledge: Knowledge | None = None,
    ) -> None:
        self.k = k
        self.score = score
        self.order = order
        self.score_params = score_params
        self.smoothing = smoothing
        self.ties = ties
        self.seed = seed
        self.knowledge = knowledge

    def _structure(self, source: CountSource, names: tuple[str, ...]) -> Structure:
        n = len(names) - 1
        phi, known = with_class(_local_scores(self, source), n), _known(source, self.knowledge)
        if self.order == "search":
            return phi.augmented(ordering_search(phi, n, int(self.k), seed=self.seed, knowledge=known))
        return phi.augmented(ckg(phi, n, self.k, order=self.order, knowledge=known))

    def _check_options(self) -> None:
        super()._check_options()
        if self.k != MDL:
            at_least("k", self.k, 0)
        elif self.order == "search":
            raise ValueError(f'k={MDL!r}: take order="path" or "bfs", or a whole number k')
        check_known(self.order, (*ORDERS, "search"), f"order={self.order!r}")
