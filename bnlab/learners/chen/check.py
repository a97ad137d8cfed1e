"""Whether a state can be one of a `ChenSearch`: compiled loops follow its numbers without looking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnlab.learners.edges import acyclic_parents

if TYPE_CHECKING:
    from bnlab.learners.compiled.decisions import Decisions
    from bnlab.learners.compiled.instance import Instance


def check_state(net: Instance, decisions: Decisions, n: int, choices: int) -> None:
    """Refuse a state that is not of a search over n variables with so many choices each, such as one of another file.

    Raises
    ------
    ValueError
        When an array has another shape, or the arrays contradict each other.
    """
    fault = _fault(net, decisions, n, choices)
    if fault is not None:
        raise ValueError(
            f"the state is not one of this search over {n} variables: {fault}. Take a state of the same variables and "
            "settings, or begin anew."
        )


def _fault(net: Instance, decisions: Decisions, n: int, choices: int) -> str | None:
    words = (n + 63) // 64
    shapes = {
        **dict.fromkeys(("parents", "neighbours", "ancestors", "best_parents"), (n, words)),
        **dict.fromkeys(("tau", "support", "permanent"), (n, n)),
        **dict.fromkeys(("local", "active", "since"), (n,)),
        "numbers": (5,),
        "best": (1,),
        "choice": (n, choices),
    }
    for name, array in (*net._asdict().items(), *decisions._asdict().items()):
        if array.shape != shapes[name]:
            return f"{name} has the shape {array.shape}, not {shapes[name]}"
    iteration, active, components, _, blocked = net.numbers.tolist()
    if iteration < 0 or active != decisions.active.sum() or not 1 <= components <= n or blocked not in (0, 1):
        return f"its counts are {net.numbers.tolist()}"
    if decisions.choice.min() < 0 or decisions.choice.max() >= n:
        return "it chooses a variable that is not there"
    parents = _matrix(net.parents)
    for graph in (parents, _matrix(net.best_parents), _padded(decisions.permanent.T)):
        if graph[:, n:].any():
            return "it has an edge from a variable that is not there"
        try:
            acyclic_parents([np.flatnonzero(row).tolist() for row in graph], n, "its graph")
        except ValueError as error:
            return str(error).rstrip(".")
    if (_matrix(net.neighbours) != (parents | _padded(parents[:, :n].T))).any():
        return "its neighbours are not those of its graph"
    if (net.ancestors != _ancestors(net.parents, parents[:, :n])).any():
        return "its ancestors are not those of its graph"
    return None


def _matrix(sets: Any) -> NDArray[np.bool_]:
    """Sets of nodes as rows of flags, 64 a word."""
    bits = sets[:, :, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
    return np.asarray(bits.reshape(len(sets), -1).astype(np.bool_))


def _padded(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.pad(flags, ((0, 0), (0, -flags.shape[1] % 64)))


def _ancestors(sets: Any, parents: NDArray[np.bool_]) -> Any:
    """Ancestors of each node of an acyclic graph, as rows of bits."""
    found = sets.copy()
    for _ in range(len(sets)):
        before = found.copy()
        for v, row in enumerate(parents):
            if row.any():
                found[v] |= np.bitwise_or.reduce(found[row], axis=0)
        if (found == before).all():
            break
    return found
