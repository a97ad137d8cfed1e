"""Accuracy of learned structures and probabilities under different treatments of missing values.

Rows are sampled from a known network, and three mechanisms remove some of their values. Every method gets the same
table. A cell is one run. Its record has the structural Hamming distance between essential graphs, the log-likelihood of
other, complete rows, and processor time.

References
----------
Friedman (1997), Learning belief networks in the presence of missing values and hidden variables.
Bodewes and Scutari (2021), Learning Bayesian networks from incomplete data with the node-average likelihood.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

from bnlab.counts.incomplete import AvailableCases
from bnlab.data.gaps import MECHANISMS, remove_values
from bnlab.data.table import Table
from bnlab.data.variable import Variable
from bnlab.graphs.comparison import compare
from bnlab.graphs.dag import Dag
from bnlab.learners import learn
from bnlab.learners.recommend import RESTARTS_IN_ROUNDS, recommended
from bnlab.networks import BayesianNetwork, BDeuPrior, fit, impute, load_network
from bnlab.networks.rows import incomplete_rows
from bnlab.papers.base.grid import Cell, Design, StoredCells
from bnlab.papers.base.records import StoredRecords, stored_records

ROWS = 5000
HELD_OUT = 10_000
"""Number of complete rows for the log-likelihood of new data."""
OBSERVED = 3
"""Under "mar", one in this many variables is always observed; the missing values of the others depend on these."""
COMPLETE, NONE = "complete data", "none"
NOT_AT_RANDOM = "structural EM, not at random"
"""Structural EM with the option `not_at_random`, only on some networks."""
PRIOR = BDeuPrior(1.0)


def incomplete_table(net: BayesianNetwork, cell: Cell) -> tuple[Table, Table]:
    """Sample of a network, and the same rows with gaps.

    Parameters
    ----------
    net : BayesianNetwork
    cell : mapping with mechanism, share (of all values) and sample (the seed)
    """
    table = net.sample(ROWS, seed=cell["sample"])
    if cell["mechanism"] == NONE:
        return table, table
    n, share, observed = len(net.names), cell["share"], []
    if cell["mechanism"] == "mar":
        rng = np.random.default_rng([cell["sample"], n])
        observed = [net.names[i] for i in rng.choice(n, -(-n // OBSERVED), replace=False)]
        share *= n / (n - len(observed))
    return table, remove_values(table, share, cell["mechanism"], seed=cell["sample"], observed=observed)


def _learner(table: Table) -> tuple[str, dict[str, Any]]:
    """Learner and options of the rounds of structural EM in `learn`, but without a time limit."""
    found = recommended(table.n_variables, table.n_rows)
    return found.algorithm, {"restarts": RESTARTS_IN_ROUNDS} if found.algorithm == "boss" else found.options


def _with_gaps(algorithm: str, gaps: Table, **more: Any) -> Dag:
    learner, options = _learner(gaps)
    return learn(gaps, algorithm, learner=learner, **options, **more)


def _from_complete(table: Table, gaps: Table) -> BayesianNetwork:
    learner, options = _learner(table)
    return fit(learn(table, learner, **options), table, PRIOR)


def _structural_em(table: Table, gaps: Table) -> BayesianNetwork:
    return fit(_with_gaps("structural-em", gaps), gaps, PRIOR)


def _not_at_random(table: Table, gaps: Table) -> BayesianNetwork:
    """The probability tables are estimated as if values were missing at random."""
    return fit(_with_gaps("structural-em", gaps, not_at_random=True), gaps, PRIOR)


def _available_cases(table: Table, gaps: Table) -> BayesianNetwork:
    return fit(_with_gaps("available-cases", gaps), AvailableCases(gaps), PRIOR)


def _drop_rows(table: Table, gaps: Table) -> BayesianNetwork:
    """If no row is complete, the result is the network without edges and with uniform probabilities."""
    complete = ~incomplete_rows(gaps)
    if not complete.any():
        empty = [np.full(arity, 1 / arity) for arity in gaps.arities]
        return BayesianNetwork(Dag.from_edges(gaps.names, []), gaps.variables, empty)
    return _from_complete(gaps.take(complete), gaps)


def _missing_state(table: Table, gaps: Table) -> BayesianNetwork:
    """The probability tables are conditional on no value being missing."""
    wider = [Variable(v.name, (*v.states, "missing")) if v.name in gaps.gaps else v for v in gaps.variables]
    found = _from_complete(Table(wider, [gaps.column(i) for i in range(len(wider))]), gaps)
    cpts = []
    for i, parents in enumerate(found.dag.parents):
        cpt = found.cpts[i][tuple(slice(gaps.arities[v]) for v in (*parents, i))]
        cpts.append(cpt / cpt.sum(axis=-1, keepdims=True))
    return BayesianNetwork(found.dag, gaps.variables, cpts)


def _single_imputation(table: Table, gaps: Table) -> BayesianNetwork:
    """Missing values become the most frequent state of their variable."""
    alone = fit(Dag.from_edges(gaps.names, []), AvailableCases(gaps), PRIOR)
    return _from_complete(impute(alone, gaps), gaps)


METHODS: dict[str, Callable[[Table, Table], BayesianNetwork]] = {
    COMPLETE: _from_complete,
    "structural EM": _structural_em,
    "available cases": _available_cases,
    "drop rows": _drop_rows,
    "missing state": _missing_state,
    "most frequent state": _single_imputation,
    NOT_AT_RANDOM: _not_at_random,
}
"""Methods by name, as functions of the complete table, which only the first method uses, and the table with gaps."""


def evaluate(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Results of one cell.

    Parameters
    ----------
    cell : mapping with sample, network, mechanism, share and method

    Returns
    -------
    dict
        variables; complete_rows of the table with gaps; edges; shd_cpdag, between essential graphs; held_out, mean
        log-likelihood of new complete rows, nats, with parameters under a BDeu prior (ess 1); true_held_out, the same
        for the true network; seconds, processor time of learning structure and parameters, without compilation.
    """
    net = load_network(cell["network"])
    table, gaps = incomplete_table(net, cell)
    _compiled(cell["method"])
    begin = process_time()
    found = METHODS[cell["method"]](table, gaps)
    seconds = process_time() - begin
    new = net.sample(HELD_OUT, seed=10_000 + cell["sample"])
    return {
        "variables": len(net.names),
        "complete_rows": int((~incomplete_rows(gaps)).sum()),
        "edges": len(found.dag.edges),
        "shd_cpdag": compare(found.dag, net.dag).shd_cpdag,
        "held_out": round(float(found.log_likelihood(new).mean()), 5),
        "true_held_out": round(float(net.log_likelihood(new).mean()), 5),
        "seconds": round(seconds, 4),
    }


@cache
def _compiled(method: str) -> None:
    """Run a method once, so that timings exclude compilation."""
    table = load_network("asia").sample(200, seed=0)
    METHODS[method](table, remove_values(table, 0.1, seed=0))


def _complete(cell: Cell) -> Cell:
    """Cell that is run: for the method that uses the complete table, nothing is missing."""
    return {**cell, "mechanism": NONE, "share": 0.0} if cell["method"] == COMPLETE else dict(cell)


SMALL = ("cancer", "earthquake", "survey", "simple", "asia", "sachs")
DESIGN = Design(
    evaluate,
    {
        "sample": [1, 2, 3],
        "network": [*SMALL, "child", "insurance", "alarm", "hailfinder"],
        "mechanism": list(MECHANISMS),
        "share": [0.1, 0.2, 0.4],
        "method": [name for name in METHODS if name != NOT_AT_RANDOM],
    },
    _complete,
)
LARGE: dict[str, list[Any]] = {
    "sample": [1, 2],
    "network": ["andes"],
    "share": [0.2],
    "method": [name for name in METHODS if name not in ("available cases", NOT_AT_RANDOM)],
}
"""Cells of a network of 223 variables; few, because each takes minutes."""
MORE: dict[str, list[Any]] = {"sample": list(range(4, 13)), "network": ["survey", "simple"]}
"""More samples of networks on which two methods differ less than three samples do."""
WITH_MODEL: dict[str, list[Any]] = {"network": [*SMALL, "child"], "method": [COMPLETE, NOT_AT_RANDOM]}
LARGE_WITH_MODEL = {**LARGE, "mechanism": ["mnar"], "method": [NOT_AT_RANDOM]}
"""Cells of the option `not_at_random`."""
STORED = (
    StoredCells("missing_values", DESIGN),
    StoredCells("andes", DESIGN, LARGE),
    StoredCells("andes", DESIGN, LARGE_WITH_MODEL),
    StoredCells("more_samples", DESIGN, MORE),
    StoredCells("not_at_random", DESIGN, WITH_MODEL),
)


def records_frame(records: StoredRecords) -> pd.DataFrame:
    """Records as a table, one row per run of a method on a table with gaps.

    Returns
    -------
    DataFrame
        The fields of the cells and of `evaluate`; shd_complete, held_out_complete and seconds_complete for the complete
        data of the same sample; shd_ratio, (shd_cpdag + 1) / (shd_complete + 1); loss, nats per row behind the complete
        data.
    """
    frame = pd.DataFrame(stored_records(records))
    reference = frame[frame.method == COMPLETE].set_index(["network", "sample"])[["shd_cpdag", "held_out", "seconds"]]
    reference.columns = pd.Index(["shd_complete", "held_out_complete", "seconds_complete"])
    runs = frame[frame.method != COMPLETE].join(reference, on=["network", "sample"])
    return runs.assign(
        shd_ratio=(runs.shd_cpdag + 1) / (runs.shd_complete + 1), loss=runs.held_out_complete - runs.held_out
    ).reset_index(drop=True)


def ranks(frame: pd.DataFrame) -> pd.DataFrame:
    """Methods by how close they come to the results with complete data, closest first.

    Parameters
    ----------
    frame : DataFrame
        From `records_frame`.

    Returns
    -------
    DataFrame
        Index method; runs; best, the share of tables on which no other method has a lower structural Hamming distance;
        shd_ratio and loss, medians; seconds, median.
    """
    tables = ["network", "mechanism", "share", "sample"]
    best = frame.assign(best=frame.shd_cpdag == frame.groupby(tables).shd_cpdag.transform("min"))
    return (
        best.groupby("method")
        .agg(
            runs=("best", "size"),
            best=("best", "mean"),
            shd_ratio=("shd_ratio", "median"),
            loss=("loss", "median"),
            seconds=("seconds", "median"),
        )
        .sort_values("shd_ratio")
    )


def differences(frame: pd.DataFrame, by: Sequence[str], ours: str = "structural EM") -> pd.DataFrame:
    """Structural Hamming distances of the other methods less those of one method, on the same tables.

    Parameters
    ----------
    frame : DataFrame
        From `records_frame`.
    by : sequence of str
        Columns by which tables are grouped: some of network, mechanism, share and sample.
    ours : str

    Returns
    -------
    DataFrame
        Index `by` and method; nearer, equal and farther, the number of tables on which ours is nearer to the true
        network than the other method, equally near, or farther; difference, the mean over the tables, with low and high
        (95 % interval, Student's t; nan for one table); edges, the mean number of edges of the other method.
    """
    from scipy.stats import t

    tables = frame.set_index(["network", "mechanism", "share", "sample"])
    less = tables[tables.method != ours].join(tables[tables.method == ours].shd_cpdag.rename("own"))
    less = less.assign(difference=less.shd_cpdag - less.own)
    groups = less.assign(nearer=less.difference > 0, equal=less.difference == 0, farther=less.difference < 0).groupby(
        [*by, "method"], sort=False
    )
    found = groups[["nearer", "equal", "farther"]].sum().join(groups.difference.agg(["mean", "sem", "size"]))
    half = t.ppf(0.975, found["size"] - 1) * found["sem"]
    found = found.assign(difference=found["mean"], low=found["mean"] - half, high=found["mean"] + half)
    return found.drop(columns=["mean", "sem", "size"]).join(groups.edges.mean())


def stored_frame(folder: str | os.PathLike[str], stem: str = "missing_values") -> pd.DataFrame:
    """Stored records of one file of a folder of results, as from `records_frame`."""
    return records_frame(Path(folder) / f"{stem}.jsonl")
