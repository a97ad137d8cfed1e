"""Score of a whole network (Carvalho 2009, Definition 2.11), and log P(B) of the Bayesian scores (section 2.1.1).

Any function of a graph can be the prior. By default the prior is uniform, a constant that is left out.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any, Literal, overload

from bnlab.counts.source import DataLike
from bnlab.data.table import Table
from bnlab.graphs.dag import GraphLike
from bnlab.graphs.equivalence import member
from bnlab.graphs.pdag import Pdag
from bnlab.scores.local import LocalScore
from bnlab.scores.make import local_scores
from bnlab.scores.structure_prior import StructurePrior, check_bayesian

if TYPE_CHECKING:
    import pandas as pd


@overload
def score(
    graph: GraphLike | Pdag,
    data: DataLike,
    name: str | LocalScore = ...,
    *,
    per_node: Literal[False] = ...,
    structure_prior: StructurePrior | None = ...,
    **params: Any,
) -> float: ...
@overload
def score(
    graph: GraphLike | Pdag,
    data: DataLike,
    name: str | LocalScore = ...,
    *,
    per_node: Literal[True],
    structure_prior: StructurePrior | None = ...,
    **params: Any,
) -> pd.Series[float]: ...
def score(
    graph: GraphLike | Pdag,
    data: DataLike,
    name: str | LocalScore = "bic",
    *,
    per_node: bool = False,
    structure_prior: StructurePrior | None = None,
    **params: Any,
) -> float | pd.Series[float]:
    """Score of a graph on a table, in nats; greater is better.

    Parameters
    ----------
    graph : Dag, Pdag, networkx.DiGraph, iterable of (parent, child) names, or anything with a `dag`
        On the variables of the table, in any order. A Pdag, an equivalence class, has the score of its members, if the
        score is the same for all; other scores are of `bnlab.graphs.member` (`make_score(...).score_equivalent`).
    data : Table, DataFrame or CountSource
    name : str or LocalScore
        As for `make_score`.
    per_node : bool
        Give the local score of each variable instead of their sum.
    structure_prior : callable, optional
        ``log P(B)`` in nats as a function of the Dag, such as `EdgePrior`, added to a Bayesian score. Uniform
        by default, a constant that is left out.
    **params
        Parameters of the score.

    Returns
    -------
    float, or Series indexed by variable

    Raises
    ------
    ValueError
        When the graph is on other variables, a structure prior is given to a score that is not Bayesian or is combined
        with `per_node`, and as for `make_score`.
    TypeError
        When `graph` is not a graph, `data` are no data, and as for `make_score`.

    Examples
    --------
    >>> from bnlab.data import Table, Variable
    >>> bit = ("0", "1")
    >>> table = Table([Variable("X", bit), Variable("Y", bit)], [[0, 0, 1, 1], [0, 0, 1, 1]])
    >>> round(score([("X", "Y")], table, "ll"), 6)  # 4 log(1/2)
    -2.772589
    """
    import pandas as pd

    given: Any = graph
    if isinstance(graph, Table) or (isinstance(given, pd.DataFrame) and list(given.index) != list(given.columns)):
        raise TypeError(f"graph is a {type(graph).__name__}: the graph comes first, as in bnlab.score(graph, data).")
    phi = local_scores(data, name, **params)
    dag = member(graph, phi.names)
    if structure_prior is not None:
        check_bayesian(phi.score)
        if per_node:
            raise ValueError(
                "per_node=True: log P(B) belongs to the whole graph; leave out structure_prior or per_node"
            )
    families = tuple(enumerate(dag.parents))
    # Local scores of a table are cached for the next call.
    values = phi.indexed(families) if isinstance(data, Table) else phi.once(families)
    if per_node:
        return pd.Series(values, index=list(phi.names), name=phi.score.name)
    total = fsum(values.tolist())
    return total if structure_prior is None else total + float(structure_prior(dag))
