"""Scores by name."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Any

from bnlab._runtime.names import nearest
from bnlab.scores.dirichlet import BD, K2, BDe, BDeu
from bnlab.scores.likelihood import AIC, BIC, LL
from bnlab.scores.local import LocalScore
from bnlab.scores.mit import MIT
from bnlab.scores.nml import NML

SCORES: dict[str, type[LocalScore]] = {
    "ll": LL,
    "aic": AIC,
    "bic": BIC,
    "mdl": BIC,
    "nml": NML,
    "mit": MIT,
    "k2": K2,
    "bd": BD,
    "bde": BDe,
    "bdeu": BDeu,
}


def make_score(name: str | LocalScore, **params: Any) -> LocalScore:
    """Score with the given name and parameters.

    Parameters
    ----------
    name : str or LocalScore
        "ll", "aic", "bic" (or "mdl", the same), "nml", "mit", "k2", "bd", "bde" or "bdeu", in any case; or a score,
        which is returned.
    **params
        ``alpha`` of mit; ``ess`` of bdeu; ``prior_network`` and ``ess`` of bde; ``hyper`` of bd.

    Raises
    ------
    ValueError
        When the name is unknown, or a parameter is unknown, missing or out of range.
    TypeError
        When `name` or a parameter is of the wrong type.

    Examples
    --------
    >>> make_score("BDeu", ess=4)
    BDeu(ess=4)
    """
    if isinstance(name, LocalScore):
        if params:
            raise ValueError(f"{name!r} has its parameters already; {', '.join(params)} cannot be set here")
        return name
    if not isinstance(name, str):
        raise TypeError(f"score {name!r} is a {type(name).__name__}: give a name such as 'bic', or a LocalScore")
    score = SCORES.get(name.lower())
    if score is None:
        raise ValueError(f"no score is called {name!r}: {nearest(name, SCORES)}")
    _check_parameters(name, score_parameters(score), params)
    return score(**params)


@cache
def score_parameters(score: type[LocalScore]) -> dict[str, Field[Any]]:
    """Parameters of a kind of score by their names."""
    return {f.name: f for f in fields(score) if f.init}  # type: ignore[arg-type]


def _check_parameters(name: str, known: dict[str, Field[Any]], given: dict[str, Any]) -> None:
    for parameter in given:
        if parameter not in known:
            takes = nearest(parameter, known) if known else "it takes none"
            raise ValueError(f"score {name!r} has no parameter {parameter!r}: {takes}")
    for parameter, declared in known.items():
        if parameter not in given and declared.default is MISSING:
            raise ValueError(f"score {name!r} needs the parameter {parameter!r}")
