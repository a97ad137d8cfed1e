"""Experiments of the papers; the code of each is loaded at its first use."""

from __future__ import annotations

from bnlab._runtime.names import nearest
from bnlab.papers.base.experiment import Experiment

PAPERS = ("carvalho2009", "carvalho2007", "villanueva2012", "matuszak2012")
"""Names of the papers' packages."""


def experiment_of(paper: str) -> Experiment:
    """Return the experiment of a paper.

    Raises
    ------
    ValueError
        If the paper is unknown.

    Examples
    --------
    >>> experiment_of("carvalho2009").title
    'Carvalho 2009, Table 2'
    """
    if paper == "carvalho2009":
        from bnlab.papers.carvalho2009.table2 import TABLE2

        return TABLE2
    if paper == "carvalho2007":
        from bnlab.papers.carvalho2007.table1 import TABLE1

        return TABLE1
    if paper == "villanueva2012":
        from bnlab.papers.villanueva2012.section4 import SECTION4

        return SECTION4
    if paper == "matuszak2012":
        from bnlab.papers.matuszak2012.table1 import NUMBERS

        return NUMBERS
    raise ValueError(f"paper={paper!r}: {nearest(paper, PAPERS)}")
