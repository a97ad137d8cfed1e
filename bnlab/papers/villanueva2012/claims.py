"""Claims of section 4, and the number of cases in which the records support each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from bnlab.papers.villanueva2012.cell import under
from bnlab.papers.villanueva2012.protocol import LABELS
from bnlab.papers.villanueva2012.reported import claims as villanueva2012_claims

CLOSE = 0.05
"""Maximum difference of mean Sn or Sp that counts as "very close"."""

MARKED = 0.10
"""Minimum difference of mean Sn that counts as "markedly higher"."""

ABOUT_30 = (0.25, 0.35)
"""Range of the share of tests that counts as "about 30 %". The range is ours; the paper gives none."""

NOT_RUN = 10
"""Number of copies from which on the paper has no results of HPC."""

HOURS_30 = 30 * 3600

MOSTLY = 0.75

COSTS = ("ratio", "fewer", "dearest", "scaling", "cheapest", "tolerance")
"""Claims about costs, which are also judged on tilings."""

_HYBRID = ["opthpc", "hpc"]
_OTHERS = ["mmpc", "getpc", "heupc"]


class Finding(NamedTuple):
    """Result for a claim.

    Attributes
    ----------
    number : str
        Number by which the claim is judged, in words.
    holding, cases : int
        Number of cases in which the claim holds, and of all cases.
    """

    number: str
    holding: int
    cases: int

    @property
    def verdict(self) -> str:
        """Verdict: "holds" in all cases, "mostly" in three quarters of them, else "fails"; "not run" without a case."""
        if not self.cases:
            return "not run"
        return "holds" if self.holding == self.cases else "mostly" if self.holding >= MOSTLY * self.cases else "fails"


def findings(records: pd.DataFrame) -> dict[str, Finding]:
    """Results of the records of one reading for each claim of the paper.

    Parameters
    ----------
    records : DataFrame
        From `under`. Accuracy is judged on the networks themselves, costs also on tilings if these were run.

    Returns
    -------
    dict of str to Finding
        By the keys of `bnlab.papers.villanueva2012.reported.claims`.
    """
    base = records[records.copies == 1]
    sn, sp = (
        base.pivot_table(index=["network", "rows"], columns="algorithm", values=v, sort=False) for v in ("sn", "sp")
    )
    higher = sn[_HYBRID].min(axis=1) - sn[_OTHERS].max(axis=1)
    lower = sp[_OTHERS].min(axis=1) - sp[_HYBRID].max(axis=1)
    cost = mean_cost(records)
    share = (cost.opthpc / cost.hpc).dropna()
    return {
        "ratio": _ratio(share),
        "close": _close(sn, sp),
        "higher": _all(higher >= MARKED, f"by {MARKED:.2f} or more; least {_least(higher)}"),
        "small": _small(higher.unstack("rows")),
        "rising": _rising(sn.unstack("rows")),
        "maximum": _maximum(base),
        "lowest": _all(lower > 0, f"least distance {_least(lower)}"),
        "fewer": _all(share < 1, f"at most {share.max():.0%} of HPC's"),
        "dearest": _apart(cost, cheap=["opthpc", "mmpc", "heupc"], dear=["hpc", "getpc"]),
        "scaling": _scaling(records),
        "cheapest": _apart(cost, cheap=["mmpc", "heupc"], dear=["opthpc", "hpc", "getpc"]),
        "tolerance": _tolerance(records),
    }


def _all(cases: pd.Series, text: str) -> Finding:
    return Finding(f"{int(cases.sum())} of {len(cases)} {text}", int(cases.sum()), len(cases))


def _least(gap: pd.Series) -> str:
    network, rows = gap.idxmin()
    return f"{gap.min():+.2f} ({network}, {rows:,})"


def _ratio(share: pd.Series) -> Finding:
    copies = share.index.get_level_values("copies")
    tiled, own = share[copies < NOT_RUN], share[copies == 1]
    inside = tiled.between(*ABOUT_30)
    low, high = ABOUT_30
    text = f"from {low:.0%} to {high:.0%}; mean {tiled.mean():.0%}, {own.mean():.0%} over the untiled"
    return _all(inside, text)


def _close(sn: pd.DataFrame, sp: pd.DataFrame) -> Finding:
    apart = pd.concat({"Sn": sn.opthpc - sn.hpc, "Sp": sp.opthpc - sp.hpc})
    index, network, rows = apart.abs().idxmax()
    text = f"within {CLOSE:.2f}; worst {index} {apart[index, network, rows]:+.2f} ({network}, {rows:,})"
    return _all(apart.abs() <= CLOSE, text)


def _small(gap: pd.DataFrame) -> Finding:
    text = ", ".join(f"{network} {gap.loc[network, 500]:+.2f} → {gap.loc[network, 5000]:+.2f}" for network in gap.index)
    return _all(gap[500] > gap[5000], text)


def _rising(sn: pd.DataFrame) -> Finding:
    steps = pd.DataFrame({name: sn[name].diff(axis=1).iloc[:, 1:].min(axis=1) for name in LABELS if name in sn})
    return _all(steps.stack() > 0, "curves")


def _maximum(base: pd.DataFrame) -> Finding:
    chosen = base[base.algorithm.isin(_HYBRID) & base.network.isin(["Alarm", "Child"]) & (base.rows == 5000)]
    means = chosen.pivot_table(index="network", columns="algorithm", values="sn", sort=False)
    text = ", ".join(f"{LABELS[a]} {n} {means.loc[n, a]:.3f}" for a in _HYBRID for n in means.index)
    return _all(chosen.sn == 1, f"data sets with Sn = 1; means {text}")


def _apart(cost: pd.DataFrame, cheap: list[str], dear: list[str]) -> Finding:
    known = cost[[*cheap, *dear]].dropna()
    return _all(known[cheap].max(axis=1) < known[dear].min(axis=1), "networks")


def _scaling(records: pd.DataFrame) -> Finding:
    fitted = slopes(records).reindex(columns=["getpc", "hpc"]).dropna()
    if fitted.empty:
        return Finding("tilings not run", 0, 0)
    text = f"mean exponents GetPC {fitted.getpc.mean():.2f}, HPC {fitted.hpc.mean():.2f}"
    return _all(fitted.getpc < fitted.hpc, text)


def _tolerance(records: pd.DataFrame) -> Finding:
    cpu = records[(records.copies == NOT_RUN) & (records.algorithm == "hpc")].groupby("network").cpu.max()
    return _all(cpu > HOURS_30, f"at most {cpu.max():.0f} seconds here") if len(cpu) else Finding("not run", 0, 0)


def claims(records: pd.DataFrame, readings: Sequence[str] = ("as printed",)) -> pd.DataFrame:
    """Claims of the paper and the results for them.

    Parameters
    ----------
    records : DataFrame
        From `records_frame`.
    readings : sequence of str

    Returns
    -------
    DataFrame with columns key, where, claim, reading, number, holding, cases and verdict
    """
    found = {reading: findings(under(records, reading)) for reading in readings}
    rows = [
        {**claim, "reading": reading, **finding[claim["key"]]._asdict(), "verdict": finding[claim["key"]].verdict}
        for claim in villanueva2012_claims().to_dict("records")
        for reading, finding in found.items()
    ]
    return pd.DataFrame(rows)


def mean_cost(records: pd.DataFrame, value: str = "nsc") -> pd.DataFrame:
    """Mean over the sizes of the mean over the data sets of a size, as in Figure 2.

    Returns
    -------
    DataFrame of float, shape (networks and tilings, algorithms)
        Indexed by network, copies and variables; only those on which every size was run. Rows are in the order of the
        networks in the records, then by copies.
    """
    by_size = records.pivot_table(
        index=["network", "copies", "variables", "origin", "rows"], columns="algorithm", values=value, sort=False
    )
    by_network = by_size.groupby(level=["network", "copies", "variables", "origin"], sort=False)
    whole = by_network.size() == records.rows.nunique()
    order = {name: i for i, name in enumerate(records.network.unique())}
    cost = by_network.mean()[whole].droplevel("origin").sort_index(level="copies", kind="stable", sort_remaining=False)
    return cost.sort_index(level="network", key=lambda names: names.map(order), kind="stable", sort_remaining=False)


def slopes(records: pd.DataFrame) -> pd.DataFrame:
    """Exponents b of cost = a n^b by network and algorithm, by least squares of the logarithms.

    Returns
    -------
    DataFrame of float, shape (networks, algorithms)
        Only networks that were run with at least two numbers of copies.
    """
    cost = mean_cost(records)
    tables = {
        network: table.droplevel(["network", "copies"])
        for network, table in cost.groupby(level="network", sort=False)
        if len(table) > 1
    }
    fits = {network: np.polyfit(np.log(table.index), np.log(table), 1)[0] for network, table in tables.items()}
    return pd.DataFrame(fits, index=cost.columns).T
