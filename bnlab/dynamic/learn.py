"""Learners of networks over time: a graph of the first slices, and one of the transitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bnlab._runtime.interrupts import reraise_interrupts
from bnlab._runtime.names import known_name
from bnlab._runtime.values import at_least
from bnlab.counts.base import CountSource
from bnlab.counts.incomplete import complete_families
from bnlab.data.table import Table
from bnlab.dynamic.names import at, labels, sliced
from bnlab.dynamic.panel import Panel
from bnlab.dynamic.parts import ChunkedPanel, DaskPanel, PanelParts
from bnlab.dynamic.scores import WithPast
from bnlab.dynamic.structure import DynamicDag, time_order
from bnlab.graphs.dag import Dag
from bnlab.graphs.equivalence import as_learned, member
from bnlab.graphs.knowledge import Knowledge
from bnlab.learners.learn import KNOWN, learn, score_and_options
from bnlab.learners.table import GAP_LEARNERS, LEARNERS
from bnlab.scores import LocalScore, local_scores
from bnlab.search import run

Edges = list[tuple[str, str]]

SLICE_LEARNERS = {"tdbn": ("branching", None), "cdbn": ("ckg", "path"), "bcdbn": ("ckg", "bfs")}
"""Learner of a slice under `WithPast`, and its order."""
OF_THE_TRANSITION = ("knowledge", "root", "within", "start")
"""Options that name variables of a transition; the first slices are learned without them."""


@reraise_interrupts()
def learn_dynamic(
    panel: Panel | ChunkedPanel | DaskPanel,
    algorithm: str = "tdbn",
    *,
    score: str | LocalScore | None = None,
    p: int | None = None,
    k: int | None = None,
    stationary: bool = True,
    **options: Any,
) -> DynamicDag:
    """Learn the structure of a network over time.

    The present has parents within its slice, from the past, and among static variables. The first slices get a graph of
    their own, by the same learner, in which parents from the past are static variables and earlier slices.

    Parameters
    ----------
    panel : Panel, ChunkedPanel or DaskPanel
        From `bnlab.load_panel`; or in parts, if it is larger than memory.
    algorithm : str
        "tdbn": the optimal tree-augmented network (Monteiro, Vinga and Carvalho 2015): within a slice a tree, and for
        each variable the best parents from the past. Options `root` and `spanning` as for "branching".
        "cdbn", "bcdbn": the best network consistent with the tree of "tdbn" (Sousa and Carvalho 2018): within a slice
        parents among the ancestors in the tree, or among all variables before in breadth-first order. It scores at
        least as much as "tdbn" if k is at least 1.
        Others are learners of `bnlab.learn`, with all their options, under the knowledge that no edge leads to the
        past or to a static variable. Of an equivalence class the result has one member, whose graphs know the edges
        that neither data nor time direct (`Dag.undecided`).
    score : str or LocalScore, optional
        As for `bnlab.learn`. For the first three, by default "bic", with missing values PNAL.
    p : int, optional
        For the first three: greatest number of parents from the past, static variables included; by default 1.
    k : int, optional
        For "cdbn" and "bcdbn": greatest number of parents within the slice, by default 2. Others take it if they have
        such an option.
    stationary : bool
        Whether one transition serves all steps. If not, each step, counted from the first row of a unit, has its own.
    **options
        Options of the learner, and parameters of the score. Those that name variables (`knowledge`, `root`, `within`,
        `start`) use the names of a transition, and do not concern the first slices. The first three know the
        variables of the present only.

    Returns
    -------
    DynamicDag

    Raises
    ------
    ValueError
        If the algorithm or an option is unknown or out of range, no unit has more than `lags` times, or as for
        `bnlab.learn`.
    TypeError
        If the panel is no Panel, or as for `bnlab.learn`.

    Notes
    -----
    A variable may have no parent from the past. The authors' program for "tdbn" gives it at least one, and finds the
    same network under that rule.

    With missing values, the first three score each family on the rows in which it is complete
    (`bnlab.counts.AvailableCases`), as "available-cases" does for other learners.

    Examples
    --------
    >>> import bnlab
    >>> chain = {"x_0": [0, 1] * 30, "x_1": [1, 0] * 30, "y_0": [0, 0, 1] * 20, "y_1": [0, 1] * 30}
    >>> learn_dynamic(bnlab.load_panel(chain, wide="_"), "tdbn", spanning=False)
    DynamicDag(prior [x[0]][y[0]]; transition [x[t]|x[t-1]][y[t]|x[t-1]])
    """
    if not isinstance(panel, Panel | PanelParts):
        raise TypeError(
            f"panel is a {type(panel).__name__}: make a Panel, bnlab.load_panel(df, unit=..., time=...), or learn from "
            "rows without time by bnlab.learn."
        )
    algorithm = known_name(algorithm, (*SLICE_LEARNERS, *KNOWN), "algorithm")
    if algorithm in SLICE_LEARNERS:
        limits = {"p": 1 if p is None else at_least("p", p, 0), "k": 2 if k is None else at_least("k", k, 0)}
        if algorithm == "tdbn" and k is not None:
            raise ValueError(f"k={k!r}: within a slice a tDBN is a tree; 'cdbn' and 'bcdbn' take k.")
    elif p is not None:
        raise ValueError(
            f"p={p!r}: {algorithm!r} does not count parents from the past; limit all parents by its own options, such "
            "as max_parents, or take 'tdbn', 'cdbn' or 'bcdbn'."
        )
    else:
        limits = {} if k is None else {"k": k}

    def edges_to(table: Table | CountSource, present: Sequence[str], own: dict[str, Any]) -> Edges:
        if algorithm in SLICE_LEARNERS:
            return _edges_of_slice(table, present, algorithm, score, limits, own)
        return _edges_by_tiers(table, present, algorithm, score, limits | own)

    static, names, lags = panel.static, panel.names, panel.lags
    about_first = {name: value for name, value in options.items() if name not in OF_THE_TRANSITION}
    first: Edges = []
    for s in range(lags):
        first += edges_to(panel.first_slices(s + 1), [at(name, s) for name in names], about_first)
    present = [at(name, "t") for name in names]
    tables: list[Table | CountSource] = [panel.transitions] if stationary else []
    if not stationary:
        tables += [panel.transitions_to(step) for step in range(lags, max(lags + 1, panel.longest))]
    nodes, known = sliced(static, names, labels(lags)), options.get("knowledge") or Knowledge()
    order = time_order([name for name in nodes if name not in present], present)
    transitions = tuple(
        as_learned(Dag.from_edges(nodes, edges_to(table, present, options)), order | known, table.experiments)
        for table in tables
    )
    slices = Knowledge(tiers=filter(None, [static, *([at(name, s) for name in names] for s in range(lags))]))
    return DynamicDag(
        as_learned(Dag.from_edges(sliced(static, names, range(lags)), first), slices), transitions, static
    )


def _edges_of_slice(
    table: Table | CountSource,
    present: Sequence[str],
    algorithm: str,
    score: str | LocalScore | None,
    limits: dict[str, int],
    options: dict[str, Any],
) -> Edges:
    """Edges to a slice by a learner under `WithPast`."""
    name, order = SLICE_LEARNERS[algorithm]
    if "order" in options:
        raise ValueError(f"order={options['order']!r}: 'cdbn' is of paths, 'bcdbn' of breadth-first order.")
    source = complete_families(table)
    if score is None and source is not table:
        by_gaps = GAP_LEARNERS["available-cases"].score
        score = by_gaps(len(table.names)) if by_gaps is not None else None
    chosen, own = score_and_options(LEARNERS[name], score, options)
    phi = WithPast(local_scores(source, chosen), present, [n for n in table.names if n not in present], limits["p"])
    if order is not None:
        own |= {"k": limits["k"], "order": order}
    parents = run(LEARNERS[name].search(phi, len(present), **own))
    return [
        (u, present[v])
        for v, within in enumerate(parents)
        for u in (*phi.past_of(v, within), *(present[w] for w in within))
    ]


def _edges_by_tiers(
    table: Table | CountSource,
    present: Sequence[str],
    algorithm: str,
    score: str | LocalScore | None,
    options: dict[str, Any],
) -> Edges:
    """Edges to a slice by a learner that knows that nothing leads to the past."""
    known = time_order([name for name in table.names if name not in present], present)
    if options.get("knowledge") is not None:
        known |= options["knowledge"]
    found = learn(table, algorithm, score=score, **{**options, "knowledge": known})
    return list(member(found, table.names).edges)
