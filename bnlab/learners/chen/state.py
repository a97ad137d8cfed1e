"""State of Chen's search, and the check that a state belongs to a given search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlab.learners.chen.readings import Readings
from bnlab.learners.edges import acyclic_parents
from bnlab.learners.types import Floats, Mask, ParentTuples

if TYPE_CHECKING:
    from bnlab.engine.instance import Instance
    from bnlab.engine.policies import Decisions


@dataclass(frozen=True, eq=False)
class ChenState:
    """State of a `ChenSearch`: a plain value of arrays that pickles.

    Attributes
    ----------
    net : Instance
        The current network.
    decisions : Decisions
        Policies, current choices and permanent edges.
    """

    net: Instance
    decisions: Decisions

    @property
    def iteration(self) -> int:
        """Number of iterations so far."""
        return int(self.net.numbers[0])

    @property
    def score(self) -> float:
        """Score of the current network."""
        return float(self.net.local.sum())

    @property
    def best_score(self) -> float:
        """Score of the best network so far; -inf before the first one."""
        return float(self.net.best[0])

    @property
    def parents(self) -> ParentTuples:
        """Ascending parents of each variable in the current network."""
        return parents_of(unpacked(self.net.parents))

    @property
    def best_parents(self) -> ParentTuples:
        """Ascending parents of each variable in the best network so far."""
        return parents_of(unpacked(self.net.best_parents))

    @property
    def tau(self) -> Floats:
        """Policies, shape (n, n): [i, j] for i -> j, [i, i] for no edge; rows sum to one."""
        return self.decisions.tau

    @property
    def permanent(self) -> tuple[tuple[int, int], ...]:
        """Permanent edges (u, v)."""
        return tuple((int(u), int(v)) for u, v in np.argwhere(self.decisions.permanent))

    @property
    def choices(self) -> tuple[tuple[int, ...], ...]:
        """Children that each node has currently chosen, without the permanent ones."""
        return tuple(tuple(int(h) for h in row if h != i) for i, row in enumerate(self.decisions.choice))

    @property
    def active(self) -> tuple[bool, ...]:
        """Whether each decision node is still subject to the optimisation."""
        return tuple(self.decisions.active.tolist())


def first_state(prior: Floats, support: Mask, permanent: Mask, readings: Readings, seed: int) -> ChenState:
    """State before the first iteration: all nodes active with their initial policies, and only the permanent edges.

    `prior` holds the initial policies, `support` the possible decisions and `permanent` the permanent edges, all of
    shape (n, n).
    """
    from bnlab.engine.instance import Instance
    from bnlab.engine.policies import Decisions, normalise

    n = len(prior)
    tau = prior.copy()
    for i in range(n):
        normalise(tau[i], support[i], readings.floor)
    active = support.sum(axis=1) > 1
    none = np.tile(np.arange(n)[:, None], (1, readings.choices))
    random = np.random.SeedSequence(seed).generate_state(1, np.uint64).view(np.int64)[0]
    numbers = np.array([0, active.sum(), n, random, 0], dtype=np.int64)
    parents = _packed(permanent.T)
    sets = (parents, _packed(permanent | permanent.T), _packed(_closure(permanent.T)))
    net = Instance(*sets, np.zeros(n), numbers, np.array([-np.inf]), parents.copy())
    since = np.zeros(n, dtype=np.int64)
    return ChenState(net, Decisions(tau, support.copy(), none, permanent.copy(), active, since))


def unpacked(sets: Any) -> Mask:
    """Sets of nodes as rows of flags, from rows of bits, 64 per word."""
    octets = sets.astype("<u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little").astype(np.bool_)


def _packed(flags: Mask) -> Any:
    """Sets of nodes as rows of bits, 64 per word: the inverse of `unpacked`."""
    words = np.zeros((len(flags), 64 * ((flags.shape[1] + 63) // 64)), dtype=np.bool_)
    words[:, : flags.shape[1]] = flags
    return np.packbits(words, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def _closure(edges: Mask) -> Mask:
    """Transitive closure: pairs of nodes with a path from the first to the second."""
    for _ in range(len(edges).bit_length()):  # each iteration doubles the length of paths
        edges = edges | ((1.0 * edges) @ edges > 0)
    return edges


def parents_of(flags: Mask) -> ParentTuples:
    """Parents of each variable, from flags whose rows are the variables."""
    return tuple(tuple(np.flatnonzero(row).tolist()) for row in flags)


def check_state(state: ChenState, n: int, choices: int) -> None:
    """Raise for a state that does not belong to a search over n variables with this number of choices each.

    Compiled loops use its numbers without a check.

    Raises
    ------
    ValueError
        If an array has another shape, or the arrays contradict each other.
    """
    fault = _fault(state.net, state.decisions, n, choices)
    if fault is not None:
        raise ValueError(
            f"the state is not one of this search over {n} variables: {fault}. Take a state of the same variables and "
            "settings, or start a new search."
        )


def _fault(net: Instance, decisions: Decisions, n: int, choices: int) -> str | None:
    """First contradiction in a state, as part of an error message; None if there is none."""
    shapes = {
        **dict.fromkeys(("parents", "neighbours", "ancestors", "best_parents"), (n, (n + 63) // 64)),
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
    for graph in (unpacked(net.parents), unpacked(net.best_parents), decisions.permanent.T):
        if graph[:, n:].any():
            return "it has an edge from a variable that is not there"
        try:
            acyclic_parents(parents_of(graph), n, "its graph")
        except ValueError as error:
            return str(error).rstrip(".")
    edges = unpacked(net.parents)[:, :n]
    above = _closure(edges)
    for name, sets, expected in (("neighbours", net.neighbours, edges | edges.T), ("ancestors", net.ancestors, above)):
        found = unpacked(sets)
        if found[:, n:].any() or (found[:, :n] != expected).any():
            return f"its {name} are not those of its graph"
    return None
