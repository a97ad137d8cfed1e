"""Tornado chart: how far each probability of a network moves the answer to a query."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple

from bnlab.figures.labels import plain, row_labels
from bnlab.figures.theme import BLUE, VERMILLION, Chart, as_figure, chart_layout, hover
from bnlab.networks.query.sensitivity import sensitivity

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.networks.network import BayesianNetwork
    from bnlab.networks.query.evidence import Evidence

LONGEST, ROW, ABOVE, BELOW = 48, 26, 92, 60


class TornadoData(NamedTuple):
    """Bars of a tornado chart.

    Attributes
    ----------
    query : str
        The query, such as "P(lung = yes | xray = yes)".
    now : float
        Its answer.
    bars : DataFrame
        Rows of `bnlab.networks.sensitivity` with a column ``label``, the longest bar first.
    """

    query: str
    now: float
    bars: pd.DataFrame


def tornado_data(
    net: BayesianNetwork,
    target: str,
    state: Hashable,
    evidence: Evidence | None = None,
    *,
    change: float = 0.1,
    most: int | None = 12,
) -> TornadoData:
    """Answers to a query if each probability of the network is changed alone.

    Parameters
    ----------
    net : BayesianNetwork
    target, state, evidence
        As for `bnlab.networks.sensitivity`.
    change : float
        Each probability is lowered and raised by this much, but not below 0 or above 1.
    most : int, optional
        Number of bars; None for all.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> data = tornado_data(asia(), "lung", "yes", {"xray": "yes"}, most=2)
    >>> data.query, round(data.now, 3)
    ('P(lung = yes | xray = yes)', 0.489)
    """
    frame = sensitivity(net, target, state, evidence, change=change)
    length = (frame.at_high - frame.at_low).abs().sort_values(ascending=False, kind="stable")
    bars = frame.loc[length.index[:most]].reset_index(drop=True)
    bars.insert(0, "label", [_label(net, *row) for row in zip(bars.node, bars.given, bars.state, strict=True)])
    given = ", ".join(f"{name} = {finding}" for name, finding in (evidence or {}).items())
    now = float(net.marginal(target, evidence)[net.variables[net.dag.index(target)].code(state)])
    return TornadoData(f"P({target} = {state}{' | ' if given else ''}{given})", now, bars)


def _label(net: BayesianNetwork, node: str, given: tuple[Hashable, ...], state: Hashable) -> str:
    parents = ", ".join(f"{name} = {own}" for name, own in zip(net.dag.parents_of(node), given, strict=True))
    return f"P({node} = {state}{' | ' if parents else ''}{parents})"


def tornado_json(data: TornadoData, *, title: str = "") -> Chart:
    """Draw one bar per probability, from the answer with the lowered one to the answer with the raised one.

    Parameters
    ----------
    data : TornadoData
    title : str
        By default it names the query.
    """
    rows = row_labels(data.bars.label.tolist(), LONGEST)
    traces = []
    for end, name, ink in (("low", "Lowered", VERMILLION), ("high", "Raised", BLUE)):
        labels = [
            f"{plain(label)}<br>{name} from {value:.3g} to {to:.3g}<br>{plain(data.query)}: {data.now:.4f} to {at:.4f}"
            for label, value, to, at in zip(
                data.bars.label, data.bars.probability, data.bars[end], data.bars[f"at_{end}"], strict=True
            )
        ]
        bars = {"x": (data.bars[f"at_{end}"] - data.now).tolist(), "y": rows, "orientation": "h"}
        look = {"marker": {"color": ink}, "name": name, "showlegend": True}
        traces.append({"type": "bar", **bars, **look, **hover("%{customdata}", labels)})
    layout = chart_layout(
        plain(title or f"What moves {data.query}"), ROW * max(len(rows), 2), above=ABOVE, below=BELOW, legend=True
    )
    layout |= {
        "barmode": "overlay",
        "bargap": 0.25,
        "xaxis": {"title": {"text": f"Change of {plain(data.query)} from {data.now:.3f}"}},
        "yaxis": {"type": "category", "categoryorder": "array", "categoryarray": rows[::-1]},
    }
    return {"data": traces, "layout": layout}


tornado_figure = as_figure("tornado_figure", tornado_json)
