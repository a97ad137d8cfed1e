"""Readings of Matuszak and Miekisz (2012): choices that the text leaves open, and two extensions."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from bnlab._runtime.names import check_known
from bnlab._runtime.values import at_least

CONNECTED = ("preserved", "once", "required", "ignored")
LIMITS = ("overall", "iterations", "moves")
CHECKS = ("all", "moved")
STUCK = ("restart", "skip")
ANSWERS = ("final", "best", "present")
LOWEST_FLOOR = 1e-300

_NAMES = {"connected": CONNECTED, "check": CHECKS, "limit": LIMITS, "stuck": STUCK, "answer": ANSWERS}


@dataclass(frozen=True, kw_only=True)
class Readings:
    """One reading for each sentence of the paper that allows several; the defaults are those of `paper_search`.

    Parameters
    ----------
    connected : "preserved", "once", "required" or "ignored"
        Step 4(c), "the weakly connected property is preserved". "preserved": a move must not increase the number of
        components. "once": no condition until the skeleton is connected; then it must stay connected. "required":
        every move must result in a connected skeleton. "ignored": no condition. An instance (step 3) may be
        disconnected in any case.
    check : "all" or "moved"
        Step 6, "check the permanent edge condition". "all": equation 2 is tested for the current choice of every active
        node in every iteration. "moved": only for the node that has just moved, before its policy learns. A policy that
        becomes certain of its current choice then draws it repeatedly; as no move results, it is not tested.
    limit : "overall", "iterations" or "moves"
        The steps that Q counts. "overall": iterations of the whole search ("iterations limited to Q", section 4);
        after them each node decides when it is selected. "iterations": iterations since the node's policy was
        initialised. "moves": moves of the node since then.
    stuck : "restart" or "skip"
        Step 4(c), "else go to Step 4", if no move is admissible. The present choices that satisfy equation 2 become
        permanent; then a new instance is generated ("restart"), or the iteration ends ("skip").
    update_first : bool
        Whether the policy also learns from the first move after a new instance, which step 7 excludes.
    prune : bool
        Step 6: whether edges that would close a cycle with permanent ones leave the supports at once.
    max_exponent : float
        Equation 4: βΔ is clipped to ± this before exp.
    floor : float
        Minimum probability of a possible decision, to prevent underflow.
    answer : "final", "best" or "present"
        Network that is the result. "final": the permanent edges once no node is active, and the best network before.
        "best": the best network so far. "present": the current network ("iterations limited to Q", with
        `max_iterations` = Q).
    choices : int
        Extension: decision nodes per variable, which share its policy. With the paper's one, an instance has at most
        one edge per variable besides the permanent ones.
    growth : float
        Extension: factor by which β grows at every new block.

    Raises
    ------
    ValueError, TypeError
        If an option is unknown or out of range.

    Examples
    --------
    >>> Readings(limit="moves").limit
    'moves'
    """

    connected: str = "preserved"
    check: str = "all"
    limit: str = "overall"
    stuck: str = "restart"
    update_first: bool = False
    prune: bool = False
    max_exponent: float = 50.0
    floor: float = 1e-12
    answer: str = "final"
    choices: int = 1
    growth: float = 1.0

    def __post_init__(self) -> None:
        for name, known in _NAMES.items():
            given = vars(self)[name]
            check_known(given, known, f"{name}={given!r}")
        check_range("max_exponent", self.max_exponent, 0.0, 700.0, "between 0 and 700: exp overflows beyond")
        check_range("growth", self.growth, 0.0, np.inf, "a finite number greater than 0")
        at_least("choices", self.choices, 1)

    def check_floor(self, n: int) -> None:
        """Raise an error if `floor` is out of range for n variables."""
        if not LOWEST_FLOOR <= self.floor < 1.0 / (2 * n):
            raise ValueError(f"floor={self.floor!r}: it must be from {LOWEST_FLOOR} to less than 1 / (2 n).")


def check_range(name: str, value: Any, low: float, high: float, rule: str) -> None:
    """Raise an error unless a value is a number strictly between `low` and `high`.

    Raises
    ------
    TypeError
        If it is not a number.
    ValueError
        If it is nan or out of range.
    """
    if not isinstance(value, Real):
        raise TypeError(f"{name}={value!r} is not a number: it must be {rule}.")
    if not low < float(value) < high:
        raise ValueError(f"{name}={value!r}: it must be {rule}.")
