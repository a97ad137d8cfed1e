"""Structure of a network over time: the graph of the first slices and the graphs of the transitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bnlab._runtime.values import at_least
from bnlab.dynamic.names import labels, sliced, split
from bnlab.graphs.dag import Dag
from bnlab.graphs.knowledge import Knowledge


@dataclass(frozen=True, repr=False)
class DynamicDag:
    """Graph of the first slices, and of the transitions: one for all steps, or one a step.

    Parameters
    ----------
    prior : Dag
        On the static variables and the first slices, ``bp[0]`` up to ``bp[lags-1]``; no edge leads back in time.
    transitions : tuple of Dag
        On the static variables, the past ``bp[t-1]`` and the present ``bp[t]``; edges lead to the present only.
    static : tuple of str
        Variables that do not change in time, and have no parents.

    Attributes
    ----------
    names : tuple of str
        Variables that change in time.
    lags : int
        Number of slices of the past.

    Raises
    ------
    ValueError
        If names or edges are not as described.

    Examples
    --------
    >>> prior = Dag(["sex", "bp[0]"], [(), (0,)])
    >>> DynamicDag(prior, (Dag(["sex", "bp[t-1]", "bp[t]"], [(), (), (0, 1)]),), ("sex",))
    DynamicDag(prior [sex][bp[0]|sex]; transition [bp[t]|sex:bp[t-1]])
    """

    prior: Dag
    transitions: tuple[Dag, ...]
    static: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "transitions", tuple(self.transitions))
        object.__setattr__(self, "static", tuple(self.static))
        if not self.transitions:
            raise ValueError("transitions is empty: give one graph for all steps, or one a step.")
        wanted = sliced(self.static, self.names, labels(self.lags))
        first = sliced(self.static, self.names, range(self.lags))
        if not self.names or self.prior.names != first:
            raise ValueError(f"the prior graph is on {', '.join(self.prior.names)}: it must be on {', '.join(first)}.")
        for dag in self.transitions:
            if dag.names != wanted:
                raise ValueError(f"a transition is on {', '.join(dag.names)}: it must be on {', '.join(wanted)}.")
            self._check(dag, len(wanted) - len(self.names))
        for s in range(self.lags):
            self._check(self.prior, len(self.static) + s * len(self.names), alone=False)

    def _check(self, dag: Dag, before: int, alone: bool = True) -> None:
        """Refuse edges into the past, or into static variables; in the prior graph only edges back in time."""
        for v in range(before):
            for u in dag.parents[v]:
                if alone or v < len(self.static) or u >= before:
                    raise ValueError(
                        f"edge {dag.names[u]!r} -> {dag.names[v]!r}: no edge may lead to a static variable or to the "
                        "past of a transition, nor back in time."
                    )

    @property
    def names(self) -> tuple[str, ...]:
        """Variables that change in time."""
        found = (split(name) for name in self.transitions[0].names if name not in self.static)
        return tuple(name[0] for name in found if name is not None and name[1] == "t")

    @property
    def lags(self) -> int:
        """Number of slices of the past."""
        return (len(self.transitions[0].names) - len(self.static)) // max(len(self.names), 1) - 1

    @property
    def stationary(self) -> bool:
        """Whether one transition serves all steps."""
        return len(self.transitions) == 1

    @property
    def transition(self) -> Dag:
        """The transition of all steps.

        Raises
        ------
        ValueError
            If each step has its own.
        """
        if not self.stationary:
            raise ValueError(f"{len(self.transitions)} steps have a transition each: take one of `transitions`.")
        return self.transitions[0]

    def at_step(self, step: int) -> int:
        """Position of the transition into slice `step`; ValueError beyond the steps that have one."""
        at_least("step", step, self.lags)
        if self.stationary:
            return 0
        if step - self.lags >= len(self.transitions):
            raise ValueError(
                f"slice {step} has no transition: there are {len(self.transitions)}, up to slice "
                f"{self.lags + len(self.transitions) - 1}; learn with stationary=True for one that serves all steps."
            )
        return step - self.lags

    def family(self, step: int, i: int) -> tuple[tuple[int, ...], int]:
        """Parents of variable i in slice `step`, as nodes of the unrolled graph, and its node in its own graph."""
        n, fixed = len(self.names), len(self.static)
        if step < self.lags:
            node = fixed + step * n + i
            return self.prior.parents[node], node
        dag = self.transitions[self.at_step(step)]
        node, moved = fixed + self.lags * n + i, (step - self.lags) * n
        return tuple(u if u < fixed else u + moved for u in dag.parents[node]), node

    def unroll(self, length: int) -> Dag:
        """Graph of so many slices, ``bp[0]`` to ``bp[length-1]``.

        Raises
        ------
        ValueError
            If `length` is below 1, or a slice has no transition.

        Examples
        --------
        >>> step = Dag(["x[t-1]", "x[t]"], [(), (0,)])
        >>> DynamicDag(Dag(["x[0]"], [()]), (step,)).unroll(3).edges
        (('x[0]', 'x[1]'), ('x[1]', 'x[2]'))
        """
        at_least("length", length, 1)
        families = [self.family(s, i)[0] for s in range(length) for i in range(len(self.names))]
        return Dag(sliced(self.static, self.names, range(length)), [*(() for _ in self.static), *families])

    def __repr__(self) -> str:
        def shown(dag: Dag, nodes: range) -> str:
            parts = []
            for v in nodes:
                given = ":".join(dag.names[u] for u in dag.parents[v])
                parts.append(f"[{dag.names[v]}{'|' * bool(given)}{given}]")
            return "".join(parts)

        before = len(self.static) + self.lags * len(self.names)
        present = range(before, before + len(self.names))
        if self.stationary:
            text = f"transition {shown(self.transition, present)}"
        else:
            text = "; ".join(f"to slice {s} {shown(dag, present)}" for s, dag in enumerate(self.transitions, self.lags))
        return f"DynamicDag(prior {shown(self.prior, range(len(self.prior.names)))}; {text})"


def time_order(past: Sequence[str], present: Sequence[str]) -> Knowledge:
    """Rules of a table of slices: edges lead to the present alone, from the past, static variables and the present.

    Examples
    --------
    >>> time_order(["x[t-1]"], ["x[t]"])
    Knowledge(tiers=[['x[t-1]'], ['x[t]']], max_parents={'x[t-1]': 0})
    """
    return Knowledge(tiers=filter(None, (past, present)), max_parents=dict.fromkeys(past, 0))
