"""Files of parent sets with their scores, which programs for exact structure learning exchange.

The first line is the number of variables. For each variable follow a line with its name (Cussens' format, of GOBNILP)
or index (.jkl) and the number of its sets, and a line for each set: the score, the number of parents, and the parents.

References
----------
M. Bartlett, J. Cussens. Advances in Bayesian network learning using integer programming. UAI 2013.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from bnlab._runtime.files import open_to_read, write_new
from bnlab.learners.parent_sets import ParentSets

_NEEDED = "a file of parent sets and their scores"


def write_parent_sets(path: str | os.PathLike[str], sets: ParentSets, names: Sequence[str] | None = None) -> Path:
    """Write parent sets and scores to a file.

    Parameters
    ----------
    path : str or path
        No file is replaced: where there is one of this name, the first free one of x-2.jkl, x-3.jkl ... is taken.
    sets : tuple of tuple of (float, tuple of int)
        Result of a `ParentSetSearch`: of each variable its sets with their scores.
    names : sequence of str, optional
        Names of the variables, none with blanks; without them their indices are written (.jkl).

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    ValueError
        When there is not one name for each variable, or one is empty or holds blanks.
    OSError
        When the file cannot be written.
    """
    called = [str(i) for i in range(len(sets))] if names is None else list(names)
    if len(set(called)) != len(sets):
        raise ValueError(f"{len(set(called))} different names for {len(sets)} variables: give one for each")
    if blank := [name for name in called if name.split() != [name]]:
        raise ValueError(f"the name {blank[0]!r}: the format separates by blanks; leave out `names` to write indices")
    lines = [str(len(sets))]
    for name, of_v in zip(called, sets, strict=True):
        lines.append(f"{name} {len(of_v)}")
        lines += [" ".join([repr(score), str(len(parents)), *(called[u] for u in parents)]) for score, parents in of_v]
    return write_new(path, "\n".join(lines) + "\n")


def read_parent_sets(path: str | os.PathLike[str]) -> tuple[tuple[str, ...], ParentSets]:
    """Read parent sets and scores from a file.

    Returns
    -------
    names : tuple of str
    sets : tuple of tuple of (float, tuple of int)
        Of each variable its sets, best first, as an `OptimumSearch` takes them.

    Raises
    ------
    ValueError
        Where the file is not of this format, with the number of the line.
    FileNotFoundError, OSError
        When it cannot be read.
    """
    with open_to_read(path, _NEEDED) as file:
        text = file.read().decode("utf-8", errors="replace")
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    try:
        return _parsed(lines)
    except _Wrong as wrong:
        number, fields = lines[wrong.line] if wrong.line < len(lines) else (len(text.splitlines()) + 1, [])
        found = " ".join(fields)[:60] or "the end of the file"
        raise ValueError(f"{path}, line {number}: {found!r} where {wrong.rule} is expected") from None


class _Wrong(Exception):
    """A line, by its position, that breaks a rule."""

    def __init__(self, line: int, rule: str) -> None:
        super().__init__(rule)
        self.line, self.rule = line, rule


def _parsed(lines: Sequence[tuple[int, list[str]]]) -> tuple[tuple[str, ...], ParentSets]:
    (n,) = _fields(lines, 0, "the number of variables", int)
    names: list[str] = []
    blocks: list[list[tuple[int, float, list[str]]]] = []
    at = 1
    for _ in range(n):
        name, size = _fields(lines, at, "a variable and the number of its parent sets", str, int)
        names.append(name)
        blocks.append([])
        for line in range(at + 1, at + 1 + size):
            rule = "a score, a number of parents, and so many parents"
            score, count = _fields(lines, line, rule, float, int)
            parents = lines[line][1][2:]
            if not isfinite(score) or len(set(parents)) != count or len(parents) != count:
                raise _Wrong(line, rule)
            blocks[-1].append((line, score, parents))
        at += 1 + size
    if at < len(lines):
        raise _Wrong(at, f"the end after {n} variables")
    position = {name: i for i, name in enumerate(names)}
    if len(position) < n:
        raise _Wrong(0, f"a file of {n} different variables")
    sets = []
    for v, block in enumerate(blocks):
        of_v = []
        for line, score, parents in block:
            if not position.keys() >= set(parents) - {names[v]} or names[v] in parents:
                raise _Wrong(line, "parents that are other variables of the file")
            of_v.append((score, tuple(sorted(position[u] for u in parents))))
        sets.append(tuple(sorted(of_v, key=lambda scored: (-scored[0], len(scored[1]), scored[1]))))
    return tuple(names), tuple(sets)


def _fields(lines: Sequence[tuple[int, list[str]]], at: int, rule: str, *kinds: type) -> list[Any]:
    """First fields of a line as values."""
    try:
        found = [kind(field) for kind, field in zip(kinds, lines[at][1], strict=False)]
    except (ValueError, IndexError):
        raise _Wrong(at, rule) from None
    if len(found) < len(kinds) or any(kind is int and value < 0 for kind, value in zip(kinds, found, strict=True)):
        raise _Wrong(at, rule)
    return found
