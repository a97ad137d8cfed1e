"""A parameter called `score` in estimators that scikit-learn gives a method of the same name."""

from __future__ import annotations

from functools import partial
from typing import Any

from sklearn.base import ClassifierMixin

from bnlab.scores import LocalScore, make_score


class _ScoreParameter:
    """Set, it is the score that learns the structure; read, it is scikit-learn's method, the accuracy on test rows."""

    def __get__(self, estimator: Any, owner: type) -> Any:
        return ClassifierMixin.score if estimator is None else partial(ClassifierMixin.score, estimator)

    def __set__(self, estimator: Any, value: str | LocalScore) -> None:
        estimator.__dict__["score"] = value


class ScoreLearned:
    """Mixin of classifiers with a parameter `score`, so that they can be cloned and searched over it."""

    score = _ScoreParameter()
    score_params: dict[str, Any] | None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name, as scikit-learn asks for."""
        return {name: vars(self)[name] for name in self._get_param_names()}  # type: ignore[attr-defined]

    def _local_score(self) -> LocalScore:
        return make_score(vars(self)["score"], **(self.score_params or {}))
