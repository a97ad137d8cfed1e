"""The probability table of a node as it is typed: rows from texts, and what the details show to edit it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from bnlab.figures.graphs import node_tables
from bnlab.graphs.dag import counted
from bnlab.networks.network import BayesianNetwork, FloatArray
from bnlab.networks.noisy_or import noisy_or, on_state, single_causes
from bnlab.widgets.graph.session import GraphSession

ROUNDED = 0.01
"""Most that a row whose states are all typed may miss 1: it was rounded."""
HOW = "type a number from 0 to 1, such as 0.25 or 25%."
RULE = (
    "Select a probability to type another; the others of its row are rescaled in proportion. Several numbers with "
    "spaces between them fill the row from there."
)


def typed_table(net: BayesianNetwork, name: str, row: int, state: int, text: str) -> FloatArray:
    """Table of a node after probabilities were typed from one state of a row on.

    The typed ones stay as they are; the others of the row are rescaled in proportion, or equally if all are 0.

    Parameters
    ----------
    row : int
        Code of the parent configuration.
    text : str
        Numbers from 0 to 1 or percentages, with spaces between them.

    Returns
    -------
    ndarray of float64, shape (*parent_arities, r)

    Raises
    ------
    ValueError
        If a text is no probability, there are more than states, or the row cannot sum to 1.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> typed_table(asia(), "lung", 0, 0, "0.3")
    array([[0.3 , 0.7 ],
           [0.01, 0.99]])
    """
    i = net.dag.index(name)
    table = net.cpts[i].copy()
    rows = table.reshape(-1, table.shape[-1])
    if row not in range(len(rows)) or state not in range(rows.shape[1]):
        raise ValueError(f"row {row!r}, state {state!r}: the table of {name!r} has {rows.shape[0]} x {rows.shape[1]}.")
    what = probability_of(net, i, row)
    typed = [_number(f"{what}: {word!r}", word) for word in text.split()]
    if not typed:
        raise ValueError(f"{what}: nothing is typed; {HOW}")
    after = state + len(typed)
    if after > rows.shape[1]:
        raise ValueError(f"{what}: {counted(len(typed), 'number')} for {counted(rows.shape[1] - state, 'state')}.")
    others = np.r_[0:state, after : rows.shape[1]]
    total, new = sum(typed), rows[row].copy()
    new[state:after] = typed
    if total > 1 + (0 if len(others) else ROUNDED) + 1e-9:
        raise ValueError(f"{what}: the numbers sum to {total:.4g}; the probabilities of a row sum to 1.")
    if not len(others):
        if total < 1 - ROUNDED:
            raise ValueError(f"{what}: the row sums to {total:.4g}, not 1; leave out a number, and it gets the rest.")
        new /= total
    else:
        rest, before = max(1 - total, 0.0), new[others].sum()
        new[others] = new[others] * (rest / before) if before > 0 else rest / len(others)
    rows[row] = new
    return table


def probability_of(net: BayesianNetwork, i: int, row: int) -> str:
    """Name of a row of probabilities.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> probability_of(asia(), 3, 1)
    'P(lung | smoke = no)'
    """
    parents = [net.variables[p] for p in net.dag.parents[i]]
    codes = np.unravel_index(row, [p.arity for p in parents]) if parents else ()
    given = ", ".join(f"{p.name} = {p.states[int(k)]}" for p, k in zip(parents, codes, strict=True))
    return f"P({net.names[i]}{' | ' if given else ''}{given})"


def noisy_words(node: str) -> str:
    """Words for a change of a table to a noisy-OR."""
    return f"set P({node}) as noisy-OR"


def typed_noisy_or(net: BayesianNetwork, name: str, effects: Mapping[str, str], leak: str) -> FloatArray:
    """Table of a noisy-OR from texts; ValueError if one is no probability, or as for `bnlab.networks.noisy_or`."""
    numbers = {parent: _number(f"{parent}: {text!r}", text.strip()) for parent, text in effects.items()}
    return noisy_table(net, name, numbers, leak=_number(f"leak: {leak!r}", leak.strip()))


def noisy_table(
    net: BayesianNetwork,
    name: str,
    effects: Mapping[str, float],
    *,
    leak: float,
    on: Mapping[str, Hashable] | None = None,
) -> FloatArray:
    """Table of a noisy-OR for a node and its parents; parameters and errors as for `bnlab.networks.noisy_or`."""
    i = net.dag.index(name)
    parents = [net.variables[p] for p in net.dag.parents[i]]
    return noisy_or(net.variables[i], parents, effects, leak=leak, on=on)


def noisy_form(net: BayesianNetwork, name: str) -> dict[str, Any] | None:
    """Numbers of a noisy-OR to type, those of the table at first; None if the table of the node cannot be one."""
    i = net.dag.index(name)
    child, parents = net.variables[i], [net.variables[p] for p in net.dag.parents[i]]
    try:
        effects, leak = single_causes(net.cpts[i], child, parents)
    except ValueError:
        return None
    is_one = np.allclose(noisy_or(child, parents, effects, leak=leak), net.cpts[i])
    words = "" if is_one else " The table is none yet: these numbers are those of its rows with at most one cause."
    shown = [[parent, f"{effect:.4g}"] for parent, effect in effects.items()]
    on = child.states[on_state(child)]
    about = f"Probability with which each parent alone leads to {name} = {on}. Leak: without any of them."
    return {"effects": shown, "leak": f"{leak:.4g}", "note": about + words} if parents else None


def _number(what: str, text: str) -> float:
    """Probability from a text; ValueError if it is none."""
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise ValueError(f"{what} is no number; {HOW}") from None
    if not 0 <= value <= 1:
        raise ValueError(f"{what} is no probability; {HOW}")
    return value


def editing(session: GraphSession, name: str, first: int) -> dict[str, Any]:
    """Part of the table of a node from a row on, to edit it, in the form that the inspector takes."""
    net = session.network
    assert net is not None
    i = net.dag.index(name)
    q = net.cpts[i].size // net.arities[i]
    most = node_tables.MOST_ROWS
    first = min(max(first, 0), (q - 1) // most * most)
    counts = None if session.source is None else session.source.count([(i, net.dag.parents[i])])[0]
    shown = node_tables.cpt_rows(net, i, counts, first=first)
    table = net.cpts[i].reshape(q, -1)
    for j, row in enumerate(shown["rows"]):
        of = probability_of(net, i, first + j).removeprefix(f"P({name}").removesuffix(")")
        row |= {
            "code": first + j,
            "text": [f"{p:.4g}" for p in table[first + j, : node_tables.MOST_STATES].tolist()],
            "labels": [f"P({name} = {state}{of})" for state in shown["states"]],
        }
    pages = {"first": first, "step": most, "last": min(first + most, q), "all": q} if q > most else None
    return shown | {"node": name, "pages": pages, "rule": RULE}
