"""Names of variables at a time: ``bp[0]`` in an unrolled network, ``bp[t-1]`` and ``bp[t]`` in a transition network."""

from __future__ import annotations

from collections.abc import Sequence


def at(name: str, when: int | str) -> str:
    """Name of a variable at a time.

    Examples
    --------
    >>> at("bp", 0), at("bp", "t-1")
    ('bp[0]', 'bp[t-1]')
    """
    return f"{name}[{when}]"


def labels(lags: int) -> list[str]:
    """Labels of the slices of a transition network, the earliest first.

    Examples
    --------
    >>> labels(2)
    ['t-2', 't-1', 't']
    """
    return [*(f"t-{lag}" for lag in range(lags, 0, -1)), "t"]


def sliced(static: Sequence[str], names: Sequence[str], slices: Sequence[int | str]) -> tuple[str, ...]:
    """Names of a table or network of several slices: static variables, then the others slice by slice.

    Examples
    --------
    >>> sliced(["sex"], ["bp"], labels(1))
    ('sex', 'bp[t-1]', 'bp[t]')
    """
    return (*static, *(at(name, when) for when in slices for name in names))


def split(name: str) -> tuple[str, str] | None:
    """Variable and label of a name such as ``bp[t-1]``; None if it has no label.

    Examples
    --------
    >>> split("bp[t-1]"), split("x[1][0]"), split("sex")
    (('bp', 't-1'), ('x[1]', '0'), None)
    """
    variable, bracket, label = name.removesuffix("]").rpartition("[")
    return (variable, label) if bracket and name.endswith("]") else None
