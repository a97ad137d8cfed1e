"""First iterations of Chen's search as a table."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Any

import numpy as np
import pandas as pd

from bnlab.learners import ChenSearch
from bnlab.learners.chen.state import ChenState


def iterations(search: ChenSearch, number: int, names: Sequence[str]) -> pd.DataFrame:
    """First iterations of a search (steps 4 to 7), one row each.

    Parameters
    ----------
    search : ChenSearch
    number : int
    names : sequence of str
        Names of the variables.

    Returns
    -------
    DataFrame
        j, network (its edges), U (the score, nats), Δ (its change), and where the node learned from the move:
        decision (before → after), exp(βΔ), and the probability of the new decision before and after, τ.
    """
    state, lines, before = search.init(), [], None
    for j in range(number):
        last, (state, info) = state, search.advance(state, 1)
        utility = info.scores[-1]
        edges = (f"{names[u]} → {names[v]}" for v, of in enumerate(state.parents) for u in of)
        line: dict[str, Any] = {"j": j, "network": ", ".join(edges), "U": utility}
        line["Δ"] = None if before is None else utility - before
        for i in np.flatnonzero((state.tau != last.tau).any(axis=1)):
            line |= {"exp(βΔ)": exp(search.rate * line["Δ"]), **_learned(last, state, int(i), names)}
        before = utility
        lines.append(line)
    return pd.DataFrame(lines)


def _learned(last: ChenState, state: ChenState, i: int, names: Sequence[str]) -> dict[str, Any]:
    was, now = (next(iter(s.choices[i]), None) for s in (last, state))
    called = ("none" if h is None else names[h] for h in (was, now))
    h = i if now is None else now
    return {
        "decision": f"D{i + 1}: {' → '.join(called)}",
        "τ before": last.tau[i, h],
        "τ after": state.tau[i, h],
    }
