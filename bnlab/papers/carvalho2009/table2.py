"""Table 2: grid, records, comparison with the reported numbers, and the numbers that each protocol explains.

A protocol *explains* a number if the median of its seeds lies in the reported interval.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd

from bnlab.learners.types import ParentTuples
from bnlab.papers.base import metrics
from bnlab.papers.base.experiment import Network
from bnlab.papers.base.grid import Cell, StoredCells
from bnlab.papers.base.metrics import ROUNDING, cut_hits, rounded_hits
from bnlab.papers.carvalho2007.reported import table1 as carvalho2007_table1
from bnlab.papers.carvalho2009 import conditional
from bnlab.papers.carvalho2009.candidates import AS_PRINTED, CANDIDATES, HONEST, PROTOCOLS
from bnlab.papers.carvalho2009.cell import evaluate, learned_folds, structures
from bnlab.papers.carvalho2009.classification import AccuracyTable, attribute_graph
from bnlab.papers.carvalho2009.protocol import DATASETS, SCORES, Protocol, drawn
from bnlab.papers.carvalho2009.reported import table2 as carvalho2009_table2
from bnlab.papers.carvalho2009.rows import Fold

_DRAWN = {protocol.name: protocol for protocol in (drawn(AS_PRINTED), drawn(HONEST))}
VARIANTS = PROTOCOLS | _DRAWN | CANDIDATES
"""All protocols by name."""


class Table2(AccuracyTable):
    """Accuracy of the optimal TAN under eight scores on twelve data sets."""

    key = "carvalho2009"
    title = "Carvalho 2009, Table 2"
    item_name = "score"
    datasets, items, protocols = DATASETS, tuple(SCORES), VARIANTS
    variants = tuple(VARIANTS)
    stems = ("table2", "candidates")
    published, run_cell = staticmethod(carvalho2009_table2), staticmethod(evaluate)

    def stem(self, variant: str, cell: Cell) -> str:
        return "table2" if variant in PROTOCOLS | _DRAWN else "candidates"

    def learned(self, cell: Cell, protocol: Protocol, item: str) -> Iterator[tuple[Fold, ParentTuples, Network | None]]:
        """Yield the tree of each fold."""
        for k, (fold, edges) in enumerate(learned_folds(cell["dataset"], protocol, cell["seed"])):
            structure = structures(edges, protocol, [cell["seed"], k])[item]
            has_cycles = protocol.tree == "greedy"
            yield fold, structure, None if has_cycles else Network(attribute_graph(fold, structure))


TABLE2 = Table2()
Table2.stored = (
    StoredCells("table2", TABLE2.design(PROTOCOLS), {"seed": range(100)}),
    StoredCells("table2", TABLE2.design(_DRAWN), {"seed": range(100), "dataset": ["letter", "satimage"]}),
    StoredCells("candidates", TABLE2.design(CANDIDATES), {"seed": range(5)}),
    *conditional.STORED,
)
grid = TABLE2.grid
records_frame = TABLE2.records_frame
table2 = TABLE2.beside_reported
implied_rows = partial(metrics.implied_rows, carvalho2009_table2())
whole_hits = partial(metrics.whole_hits, carvalho2009_table2(), "score")


def ranking(records: pd.DataFrame) -> pd.DataFrame:
    """Protocols by the number of results in Table 2 that they explain.

    Returns
    -------
    DataFrame indexed by protocol, best first
        explained (of 96 numbers, by the median of the seeds), expected (numbers that it would explain on average if one
        of its own seeds had been reported), mean_error (mean absolute difference, percent), same_order (correlation
        between reported and reproduced accuracies over the scores within data sets, in units of the reported
        half-widths; of unrelated values, one in forty exceeds 0.21).
    """
    table = table2(records)
    runs = records.merge(table[["protocol", "dataset", "score", "half_width", "rerun"]])
    near = (100 * runs.accuracy - runs.rerun).abs() <= runs.half_width + ROUNDING
    near_own = near.groupby([runs.protocol, runs.dataset, runs.score]).mean()
    by_protocol = table.groupby("protocol", sort=False)
    ranks = pd.DataFrame(
        {
            "explained": by_protocol.inside.sum(),
            "expected": near_own.groupby("protocol").sum(),
            "mean_error": table.difference.abs().groupby(table.protocol, sort=False).mean(),
            "same_order": by_protocol[["dataset", "published", "rerun", "half_width"]].apply(_same_order),
        }
    )
    return ranks.sort_values(["explained", "mean_error"], ascending=[False, True], kind="stable")


def _same_order(table: pd.DataFrame) -> float:
    values = table[["published", "rerun"]]
    centred = (values - values.groupby(table.dataset).transform("mean")).div(table.half_width, axis=0)
    spread = centred.std()
    return float(centred.corr().iloc[0, 1]) if (spread > 0).all() else float(np.nan)


def chess_test_rows(least: int = 900, greatest: int = 1300) -> pd.DataFrame:
    """Number of accuracies of chess that are whole numbers of hits, for each possible number of test rows.

    Returns
    -------
    DataFrame with columns test_rows, rounded, cut_off, cut_off_2007
        rounded and cut_off count the eight accuracies of Table 2, as rounded or as truncated after two digits;
        cut_off_2007 counts the three that Carvalho and Oliveira 2007 report for the same data set.
    """
    now, before = (
        published.accuracy[published.dataset == "chess"] for published in (carvalho2009_table2(), carvalho2007_table1())
    )
    rows = range(least, greatest + 1)
    return pd.DataFrame(
        {
            "test_rows": rows,
            "rounded": [sum(rounded_hits(a, n) is not None for a in now) for n in rows],
            "cut_off": [sum(cut_hits(a, n) is not None for a in now) for n in rows],
            "cut_off_2007": [sum(cut_hits(a, n) is not None for a in before) for n in rows],
        }
    )
