"""The front door of the structure learners: an algorithm by name, data in, a graph out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bnlab._names import nearest
from bnlab.counts.source import CountSource, count_source
from bnlab.graphs.dag import Dag
from bnlab.learners import trees
from bnlab.scores import LocalScore, LocalScores, make_score

if TYPE_CHECKING:
    from bnlab.data.table import Table


def learn(
    data: Table | CountSource,
    algorithm: str,
    *,
    score: str | LocalScore | None = None,
    root: str | None = None,
    **score_params: Any,
) -> Dag:
    """Learn the structure of a Bayesian network.

    Parameters
    ----------
    data : Table or CountSource
    algorithm : str
        "chow-liu": the tree of greatest likelihood (Carvalho 2009, Algorithm 2); its score is always "ll".
        "branching": the tree of greatest score for any score (Algorithms 3 and 4); by default "bic".
    score : str or LocalScore, optional
        As for `bnlab.score`.
    root : str, optional
        Variable at the root of the tree; by default the first one where every root gives the same score, and the best
        one where not.
    **score_params
        Parameters of a score given by name, such as ``ess=4``.

    Raises
    ------
    ValueError
        When the algorithm, the score, one of its parameters or the root is unknown.

    Examples
    --------
    >>> import bnlab
    >>> data = bnlab.load_network("cancer").sample(5000, seed=0)
    >>> learn(data, "chow-liu", root="Cancer").edges
    (('Cancer', 'Pollution'), ('Cancer', 'Smoker'), ('Cancer', 'Xray'), ('Cancer', 'Dyspnoea'))
    """
    if algorithm not in ALGORITHMS:
        raise ValueError(f"algorithm={algorithm!r}: {nearest(algorithm, ALGORITHMS)}")
    source = count_source(data)
    if root is not None and root not in source.names:
        raise ValueError(f"root={root!r} is not a variable of the data: {nearest(root, source.names)}")
    at = None if root is None else source.names.index(root)
    return Dag(source.names, ALGORITHMS[algorithm](source, score, score_params, at))


def _chow_liu(
    source: CountSource, score: str | LocalScore | None, params: dict[str, Any], root: int | None
) -> trees.ParentTuples:
    chosen = make_score("ll" if score is None else score, **params)
    if chosen.name != "ll":
        raise ValueError(
            f"score={score!r}: the Chow-Liu tree maximises the likelihood; use algorithm 'branching' for other scores"
        )
    return trees.chow_liu(LocalScores(source, chosen), len(source.names), root=root or 0)


def _branching(
    source: CountSource, score: str | LocalScore | None, params: dict[str, Any], root: int | None
) -> trees.ParentTuples:
    phi = LocalScores(source, make_score("bic" if score is None else score, **params))
    return trees.optimal_branching(phi, len(source.names), root=root)


ALGORITHMS: dict[str, Callable[..., trees.ParentTuples]] = {"chow-liu": _chow_liu, "branching": _branching}
