"""Editing a graph one edge at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bnlab.graphs.checks import CycleError
from bnlab.graphs.dag import Dag

Action: TypeAlias = Literal["add", "delete", "reverse"]
ACTIONS: tuple[Action, ...] = ("add", "delete", "reverse")


@dataclass(frozen=True)
class Edit:
    """One change of one edge u -> v.

    Attributes
    ----------
    action : {"add", "delete", "reverse"}
    u, v : str
        Parent and child before the change; of an added edge, after it.

    Raises
    ------
    ValueError
        If the action is unknown.

    Examples
    --------
    >>> print(Edit("reverse", "A", "B"))
    reverse A -> B
    """

    action: Action
    u: str
    v: str

    def __post_init__(self) -> None:
        if self.action not in ACTIONS:
            raise ValueError(f"action {self.action!r}: an edit is one of {', '.join(map(repr, ACTIONS))}.")

    def __str__(self) -> str:
        return f"{self.action} {self.u} -> {self.v}"


def edited(dag: Dag, edit: Edit) -> Dag:
    """Graph after an edit.

    Raises
    ------
    ValueError
        If a node is unknown, the edge is there already or is not there, or the edit would close a cycle, which the
        message shows.

    Examples
    --------
    >>> dag = Dag.from_edges("ABC", [("A", "B"), ("B", "C")])
    >>> edited(dag, Edit("delete", "A", "B"))
    Dag(3 nodes, 1 edge: [A][B][C|B])
    >>> edited(dag, Edit("add", "C", "A"))
    Traceback (most recent call last):
    ...
    ValueError: adding C -> A would close A -> B -> C -> A: a Bayesian network has no cycle.
    """
    u, v = dag.index(edit.u), dag.index(edit.v)
    parents = [list(family) for family in dag.parents]
    if edit.action == "add":
        _check_joinable(dag, u, v)
        parents[v].append(u)
    else:
        _check_edge(dag, u, v)
        parents[v].remove(u)
        if edit.action == "reverse":
            parents[u].append(v)
    try:
        return Dag(dag.names, parents)
    except CycleError as error:
        doing = "adding" if edit.action == "add" else "reversing"
        raise ValueError(
            f"{doing} {edit.u} -> {edit.v} would close {error.cycle}: a Bayesian network has no cycle."
        ) from None


def _check_joinable(dag: Dag, u: int, v: int) -> None:
    names = dag.names
    if u == v:
        raise ValueError(f"adding {names[u]} -> {names[v]}: a variable cannot be its own parent.")
    if u in dag.parents[v]:
        raise ValueError(f"adding {names[u]} -> {names[v]}: this edge is there already.")
    if v in dag.parents[u]:
        raise ValueError(
            f"adding {names[u]} -> {names[v]}: {names[v]} -> {names[u]} is there already; reverse it instead."
        )


def _check_edge(dag: Dag, u: int, v: int) -> None:
    if u not in dag.parents[v]:
        names = dag.names
        other = f" (there is {names[v]} -> {names[u]})" if v in dag.parents[u] else ""
        raise ValueError(f"no edge {names[u]} -> {names[v]} in this graph{other}.")
