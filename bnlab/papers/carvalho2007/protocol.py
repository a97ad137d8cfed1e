"""Data sets, scores and classifiers of Table 1, and the protocols that are run.

The paper specifies: 5 pseudo-rows smooth TAN and C2G; the score is LL on the large data sets and MDL on the small ones;
holdout or five folds. A `bnlab.papers.carvalho2009.Protocol` holds all other choices, as for the report of 2009.
"""

from __future__ import annotations

from typing import Any

from bnlab.papers.carvalho2007.reported import table1 as carvalho2007_table1
from bnlab.papers.carvalho2009.protocol import Protocol

SCORE_OF = {
    name: "LL" if score == "LL" else "BIC/MDL"
    for name, score in carvalho2007_table1().groupby("dataset", sort=False).score.first().items()
}
"""Score that TAN and C2G maximise, for each data set in the order of Table 1."""

DATASETS = tuple(SCORE_OF)

LARGE = tuple(name for name, score in SCORE_OF.items() if score == "LL")
"""Data sets whose structures are learned with LL, the "larger" ones of the paper."""

CLASSIFIERS = ("NB", "TAN", "C2G")
"""Classifiers of Table 1, in its order."""

AS_PRINTED = Protocol(
    "as printed",
    "The paper's text (TAN and C2G are smoothed, naive Bayes is not), and what its numbers imply: cuts on all rows, "
    "the Id of glass, 1,070 test rows of chess.",
    smoothing=5.0,
    unsmoothed=("NB",),
)
HONEST = AS_PRINTED.but(
    "honest",
    "What one would do today: nothing of the test rows is used in training, and no row number.",
    cuts="training rows",
    row_id=False,
    chess_test=1066,
    unsmoothed=(),
)
NO_ID = AS_PRINTED.but("no Id", "As printed, glass without its row number.", row_id=False)
HONEST_CUTS = AS_PRINTED.but("cuts on training rows", "As printed, nothing leaks by the cuts.", cuts="training rows")

_SUSPECTED: dict[str, tuple[str, dict[str, Any]]] = {
    "all smoothed": ("Naive Bayes is smoothed, too.", {"unsmoothed": ()}),
    "none smoothed": ("Relative frequencies everywhere.", {"smoothing": "none"}),
    "zeros raised": ("Zeros become 1e-6.", {"smoothing": "floor", "unsmoothed": ()}),
    "laplace": ("One row more a cell.", {"smoothing": "laplace", "unsmoothed": ()}),
    "50 pseudo-rows": ("Ten times the smoothing.", {"smoothing": 50.0, "unsmoothed": ()}),
    "no class prior": ("P(c) left out.", {"class_prior": False}),
    "ties: first class": ("Impossible rows go to the first class.", {"ties": "first"}),
    "ties: a miss": ("Impossible rows count as errors.", {"ties": "miss"}),
    "stratified": ("Both parts have the classes' proportions.", {"stratified": True}),
    "sizes exchanged": ("770 rows train, 1,540 are tested.", {"split": "exchanged"}),
    "sizes exchanged, none smoothed": (
        "770 rows train, 1,540 are tested, nothing is smoothed.",
        {"split": "exchanged", "smoothing": "none"},
    ),
    "210 training rows": ("The split of the UCI notes, drawn.", {"split": "UCI notes"}),
    "210 training rows, none smoothed": (
        "The split of the UCI notes, drawn; nothing is smoothed.",
        {"split": "UCI notes", "smoothing": "none"},
    ),
}
SEGMENT_SUSPECTS = [AS_PRINTED.but(name, reason, **choices) for name, (reason, choices) in _SUSPECTED.items()]
"""Protocols that might have given the numbers of segment; each differs in one or two choices from "as printed"."""


_ORDERS = {"path": range(5), "bfs": (1, 2, 3), "search": (2,)}
SWEEP = {f"{order} {k}": (order, k) for order, ks in _ORDERS.items() for k in ks}
"""Order (as for `bnlab.CkG`) and k of each model of the sweep, by its name in the records."""
