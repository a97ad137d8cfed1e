"""Noisy-OR: a table with one number per parent, for parents that cause their child independently of each other.

References
----------
J. Pearl. Probabilistic Reasoning in Intelligent Systems. Morgan Kaufmann, 1988, section 4.3.2.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from bnlab._runtime.names import check_known
from bnlab.counts.types import FloatArray
from bnlab.data.variable import Variable
from bnlab.graphs.dag import Dag

NoisyNodes: TypeAlias = "Collection[str] | Mapping[str, Mapping[str, Hashable]]"
"""Nodes whose table is a noisy-OR, or for each the states by variable that mean "on", as for `bnlab.networks.fit`."""

ON = ("yes", "true", "1", "on", "present")
"""States, in lower case, that mean "on" if no others are named."""
TOLERANCE = 1e-12
MOST_STEPS = 10_000


def noisy_or(
    child: Variable,
    parents: Sequence[Variable],
    effects: Mapping[str, float],
    *,
    leak: float = 0.0,
    on: Mapping[str, Hashable] | None = None,
) -> FloatArray:
    """Return the table of a noisy-OR: the child is off with probability (1 - leak) times 1 - effect of each cause.

    Parameters
    ----------
    child, parents : Variable, sequence of Variable
        Of two states each; parents in the order of `Dag.parents_of`.
    effects : mapping of str to float
        By parent the probability that it turns the child on, if it is on and all others are off and there is no leak.
    leak : float
        Probability that the child is on although all parents are off.
    on : mapping of str to state, optional
        State of some variables that means "on"; by default yes, true, 1, on or present.

    Returns
    -------
    ndarray of float64, shape (2, ..., 2)
        One axis per parent, then the child, as `BayesianNetwork` takes it.

    Raises
    ------
    ValueError
        If a variable has not two states or none that means "on", a parent has no effect, or a probability is outside
        [0, 1].

    Examples
    --------
    >>> fever, flu, cold = (Variable(name, ("yes", "no")) for name in ("fever", "flu", "cold"))
    >>> noisy_or(fever, [flu, cold], {"flu": 0.8, "cold": 0.5}, leak=0.1)[:, :, 0]
    array([[0.91, 0.82],
           [0.55, 0.1 ]])
    """
    names = [parent.name for parent in parents]
    for name in effects:
        check_known(name, names, f"effects[{name!r}]: no such parent of {child.name!r}")
    for name in names:
        if name not in effects:
            raise ValueError(f"effects: parent {name!r} of {child.name!r} has none; give it a probability.")
    numbers = [leak, *(effects[name] for name in names)]
    for name, value in zip(["leak", *names], numbers, strict=True):
        if not 0 <= value <= 1:
            raise ValueError(f"{name}: {value!r} is no probability; give a number from 0 to 1.")
    return _table(np.array(numbers, dtype=np.float64), [on_state(v, on) for v in (*parents, child)])


def fitted_noisy_or(
    counts: FloatArray, child: Variable, parents: Sequence[Variable], on: Mapping[str, Hashable] | None = None
) -> FloatArray:
    """Table of the noisy-OR of greatest likelihood, by expectation-maximisation over which causes acted.

    The likelihood is concave in the logarithms of 1 - effect, so that it has no local optima.

    Parameters
    ----------
    counts : ndarray, shape (2, ..., 2)
        Rows by the states of the parents, then of the child.

    Raises
    ------
    ValueError
        As for `noisy_or`.
    """
    codes = [on_state(v, on) for v in (*parents, child)]
    turned = np.asarray(counts, dtype=np.float64)
    for axis, code in enumerate(codes):
        turned = turned if code else np.flip(turned, axis)
    flat = turned.reshape(-1, 2)  # off, on
    acts = np.column_stack([np.ones(len(flat)), *(a.ravel() for a in np.indices((2,) * len(parents)))])
    seen = acts.T @ flat.sum(axis=1)
    numbers = np.full(acts.shape[1], 0.5)
    for _ in range(MOST_STEPS):
        p = 1 - np.prod(1 - acts * numbers, axis=1)
        share = np.divide(flat[:, 1], p, out=np.zeros(len(flat)), where=p > 0)
        # A cause that was never on has no effect that the rows could show.
        new = np.divide(numbers * (acts.T @ share), seen, out=np.zeros_like(numbers), where=seen > 0)
        step, numbers = np.abs(new - numbers).max(), new
        if step < TOLERANCE:
            break
    return _table(numbers, codes)


def noisy_nodes(given: NoisyNodes, dag: Dag, variables: Sequence[Variable]) -> dict[int, Mapping[str, Hashable]]:
    """States that mean "on" for each node that is a noisy-OR, by its index; ValueError if one cannot be."""
    by_name = given if isinstance(given, Mapping) else {name: {} for name in given}
    found = {}
    for name, on in by_name.items():
        check_known(name, dag.names, f"noisy_or: no node {name!r}")
        i = dag.index(name)
        for v in (*dag.parents[i], i):
            on_state(variables[v], on)
        found[i] = on
    return found


def single_causes(
    table: FloatArray, child: Variable, parents: Sequence[Variable], on: Mapping[str, Hashable] | None = None
) -> tuple[dict[str, float], float]:
    """Effect of each parent and leak, from the rows of a table with at most one cause; those of a noisy-OR are its own.

    Raises
    ------
    ValueError
        As for `noisy_or`.

    Examples
    --------
    >>> fever, flu, cold = (Variable(name, ("yes", "no")) for name in ("fever", "flu", "cold"))
    >>> table = noisy_or(fever, [flu, cold], {"flu": 0.8, "cold": 0.5}, leak=0.1)
    >>> effects, leak = single_causes(table, fever, [flu, cold])
    >>> {name: round(effect, 12) for name, effect in effects.items()}, round(leak, 12)
    ({'flu': 0.8, 'cold': 0.5}, 0.1)
    """
    *causes, effect = (on_state(v, on) for v in (*parents, child))
    off = [1 - code for code in causes]
    leak = float(table[(*off, effect)])
    effects = {}
    for i, parent in enumerate(parents):
        p = float(table[(*off[:i], causes[i], *off[i + 1 :], effect)])
        effects[parent.name] = max(1 - (1 - p) / (1 - leak), 0.0) if leak < 1 else 0.0
    return effects, leak


def on_state(variable: Variable, on: Mapping[str, Hashable] | None = None) -> int:
    """Code of the state of a variable that means "on"; ValueError if it has not two states, or none means it."""
    if variable.arity != 2:
        raise ValueError(f"{variable.name!r} has {variable.arity} states: a noisy-OR needs variables of two.")
    if on is not None and variable.name in on:
        return variable.code(on[variable.name])
    found = [k for k, state in enumerate(variable.states) if str(state).lower() in ON]
    if len(found) != 1:
        raise ValueError(
            f"{variable.name!r}: which of {variable.states} means “on”? Name it, on={{{variable.name!r}: state}}."
        )
    return found[0]


def _table(numbers: FloatArray, codes: Sequence[int]) -> FloatArray:
    """Table from the leak and the effects, with the states at these codes as "on"."""
    off = np.full((1,) * (len(numbers) - 1), 1 - numbers[0])
    for axis, effect in enumerate(numbers[1:]):
        shape = [1] * (len(numbers) - 1)
        shape[axis] = 2
        off = off * np.array([1.0, 1 - effect]).reshape(shape)
    table = np.stack([off, 1 - off], axis=-1)
    for axis, code in enumerate(codes):
        table = table if code else np.flip(table, axis)
    return np.ascontiguousarray(table)
