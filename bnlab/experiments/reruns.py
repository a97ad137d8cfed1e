"""The papers that have a rerun; the code of each is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Callable

from bnlab._runtime.names import nearest
from bnlab.experiments.rerun import Rerun


def _carvalho2009() -> Rerun:
    from bnlab.experiments.carvalho2009.rerun import RERUN

    return RERUN


def _carvalho2007() -> Rerun:
    from bnlab.experiments.carvalho2007.rerun import RERUN

    return RERUN


def _villanueva2012() -> Rerun:
    from bnlab.experiments.villanueva2012.rerun import RERUN

    return RERUN


def _matuszak2012() -> Rerun:
    from bnlab.experiments.matuszak2012.rerun import RERUN

    return RERUN


PAPERS: dict[str, Callable[[], Rerun]] = {
    "carvalho2009": _carvalho2009,
    "carvalho2007": _carvalho2007,
    "villanueva2012": _villanueva2012,
    "matuszak2012": _matuszak2012,
}
"""What gives the rerun of each paper, by the names of their modules."""


def rerun_of(paper: str) -> Rerun:
    """Rerun of a paper.

    Raises
    ------
    ValueError
        If there is none.

    Examples
    --------
    >>> rerun_of("carvalho2009").title
    'Carvalho 2009, Table 2'
    """
    if paper not in PAPERS:
        raise ValueError(f"paper={paper!r}: {nearest(paper, list(PAPERS))}")
    return PAPERS[paper]()
