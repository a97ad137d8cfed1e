"""Evidence: observed states, likelihoods of states, and the error for evidence of probability 0."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab.data.variable import Variable
from bnlab.graphs.dag import listed
from bnlab.networks.types import Network

FloatArray = NDArray[np.float64]
Finding: TypeAlias = "Hashable | Mapping[Hashable, float] | list[Hashable] | set[Hashable]"
"""What is known of a node: its state, the likelihood of each of its states, or several states one of which it has."""
Evidence: TypeAlias = Mapping[str, Finding]

MOST_NAMED = 10


class ImpossibleEvidence(ValueError):
    """Evidence of probability 0.

    Attributes
    ----------
    conflict : dict of str to state, mapping or list
        Minimal part of the evidence that is impossible: without any one of its nodes it is possible. If it has more
        than ten nodes, this holds for the first ten only.
    """

    def __init__(self, conflict: Evidence) -> None:
        self.conflict = dict(conflict)
        named = [stated(name, finding) for name, finding in self.conflict.items()]
        if len(named) > MOST_NAMED:
            named[MOST_NAMED:] = [f"{len(named) - MOST_NAMED:,} more observations"]
        together = " together" if len(named) > 1 else ""
        verb, some = ("have", "one of them") if together else ("has", "it")
        super().__init__(
            f"{listed(named)} {verb} probability 0{together} in this network: remove {some} from the evidence."
        )

    @classmethod
    def among(cls, evidence: Evidence, possible: Callable[[Evidence], bool]) -> ImpossibleEvidence:
        """Error that names a minimal part of impossible evidence, found by bisection (QuickXplain, Junker 2004)."""
        items = list(evidence.items())
        needed: list[tuple[str, Finding]] = []
        begin = 0
        # `needed` and the items from `begin` on are impossible together, and possible without any one of `needed`.
        while begin < len(items) and (not needed or possible(dict(needed))):
            if len(needed) == MOST_NAMED:
                needed += items[begin:]
                break
            low, high = begin, len(items)
            while high - low > 1:
                middle = (low + high) // 2
                if possible(dict(needed + items[middle:])):
                    high = middle
                else:
                    low = middle
            needed.append(items[low])
            begin = low + 1
        return cls(dict(needed))


class Findings(NamedTuple):
    """Evidence by codes.

    Attributes
    ----------
    codes : dict of int to int
        Code of the observed state of a node.
    weights : dict of int to ndarray of float64, shape (r,)
        Likelihoods of the states of a node, divided by the greatest one.
    log_scale : float
        Sum of the logarithms of the greatest likelihoods.
    """

    codes: dict[int, int]
    weights: dict[int, FloatArray]
    log_scale: float


def findings_of(net: Network, evidence: Evidence) -> Findings:
    """Evidence by codes; None, NaN and pandas.NA are missing values: a node with such a state is not observed.

    Raises
    ------
    ImpossibleEvidence
        (A ValueError.) If no state of a node has a likelihood above 0.
    ValueError
        If a node or a state is unknown, or a likelihood is negative or no finite number.
    TypeError
        If a finding is of another type, such as an array.
    """
    found = Findings({}, {}, 0.0)
    log_scale = 0.0
    given: Mapping[str, Any] = evidence
    for name, finding in given.items():
        i = net.dag.index(name)
        if isinstance(finding, Mapping | list | set):
            weights = _weights(net.variables[i], finding)
            greatest = float(weights.max())
            if greatest == 0:
                raise ImpossibleEvidence({name: finding})
            found.weights[i] = weights / greatest
            log_scale += float(np.log(greatest))
        elif not isinstance(finding, Hashable):
            raise TypeError(
                f"evidence on {name!r} is a {type(finding).__name__}: give a state, a list of states, or a mapping "
                "from states to likelihoods."
            )
        elif not _is_missing(finding):
            found.codes[i] = net.variables[i].code(finding)
    return found._replace(log_scale=log_scale)


def _weights(variable: Variable, finding: Mapping[Any, float] | list[Any] | set[Any]) -> FloatArray:
    weights = np.zeros(variable.arity)
    for state in finding:
        weight: Any = finding[state] if isinstance(finding, Mapping) else 1.0
        if not (isinstance(weight, int | float | np.number | np.bool_) and np.isfinite(weight) and weight >= 0):
            raise ValueError(
                f"evidence on {variable.name!r}: the likelihood of {state!r} is {weight!r}; likelihoods are finite "
                "numbers of at least 0."
            )
        weights[variable.code(state)] = weight
    return weights


def _is_missing(state: Any) -> bool:
    try:
        return state is None or bool(state != state)
    except TypeError:  # pandas.NA is neither equal to itself nor different
        return True


def stated(name: str, finding: Finding) -> str:
    """What is known of a node, in words.

    Examples
    --------
    >>> stated("smoke", "yes"), stated("smoke", {"yes": 1.0, "no": 1 / 3})
    ('smoke = yes', 'smoke with the likelihoods yes: 1, no: 0.333')
    """
    if isinstance(finding, Mapping):
        likelihoods = ", ".join(f"{state}: {weight:.3g}" for state, weight in finding.items())
        return f"{name} with the likelihoods {likelihoods}"
    if isinstance(finding, list | set):
        return f"{name} = " + (" or ".join(map(str, finding)) or "no state")
    return f"{name} = {finding}"
