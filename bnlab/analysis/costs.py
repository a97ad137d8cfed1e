"""Seconds and memory of a learner, estimated before it runs."""

from __future__ import annotations

from typing import Any

from bnlab._runtime.costs import Estimate
from bnlab._runtime.interrupts import reraise_interrupts
from bnlab._runtime.names import known_name
from bnlab.counts.source import as_data
from bnlab.data.table import Table
from bnlab.learners.costs import learner_estimate
from bnlab.learners.table import GAP_LEARNERS, LEARNERS
from bnlab.scores import LocalScore
from bnlab.skeletons.skeleton import SKELETONS, skeleton_estimate


def estimate(
    data: Any, algorithm: str | None = None, *, score: str | LocalScore | None = None, **options: Any
) -> Estimate:
    """Estimate how long a learner takes, and how much memory, without running it on the whole table.

    The learner runs on some of the variables and rows, which takes about a second at most for most data. Powers of
    the numbers of variables and rows lead from there to all of them; where two of the runs show that more rows take
    much longer, their power counts.

    Parameters
    ----------
    data : Table or DataFrame
    algorithm : str, optional
        As for `bnlab.learn` or `bnlab.skeleton`; by default the learner that `bnlab.learn` takes.
    score, **options
        As for `bnlab.learn` or `bnlab.skeleton`. Of those that name variables only `within` counts.

    Raises
    ------
    ValueError
        As for `bnlab.learn` and `bnlab.skeleton`.
    TypeError
        If the data are neither a Table nor a DataFrame.

    Notes
    -----
    The time is that of an otherwise idle computer. In dense networks the number of tests of "opthpc" and "hpc" depends
    on edges that few variables and rows do not show, and they may take seven times as long; "boss" on millions of rows
    may take four times as long.

    Examples
    --------
    >>> import bnlab
    >>> data = bnlab.load_network("alarm").sample(1000, seed=0)
    >>> found = bnlab.estimate(data, "boss", restarts=10)
    >>> found.algorithm, 0 < found.seconds < 600
    ('boss', True)
    >>> bnlab.estimate(data, "hpc").seconds < 600
    True
    """
    with reraise_interrupts():
        table = as_data(data)
        if not isinstance(table, Table):
            raise TypeError(
                f"an estimate runs on some columns: give a Table or a DataFrame, not a {type(data).__name__}."
            )
        name = algorithm and known_name(algorithm, (*LEARNERS, *GAP_LEARNERS, *SKELETONS), "algorithm")
        if name not in SKELETONS:
            return learner_estimate(table, name, score, options)
        if score is not None:
            raise ValueError(f"score={score!r}: {name!r} learns by tests, not by a score. Leave it out.")
        return skeleton_estimate(table, name, options)
