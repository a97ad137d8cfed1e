"""Arrays of numbers that are too small for a float, such as the joint probability of many observations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, log
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.interrupts import run_interruptible

FloatArray: TypeAlias = NDArray[np.float64]
Exponent: TypeAlias = "int | NDArray[np.int64]"

_OF_ZERO = -(2**40)
"""Exponent of zeros, below that of any product of floats."""
_SPAN = 900
"""Greatest difference of exponents in an array with a common exponent; a float has about 1,000 exponents below 1."""
_LONG = 2**22
"""Number of cells above which a single call of numpy would delay Ctrl-C."""


def range_checked() -> np.errstate:
    """Context in which numpy reports underflow and overflow; arithmetic of `Scaled` is exact only within it."""
    return np.errstate(under="raise", over="raise", divide="raise", invalid="raise")


class Scaled:
    """Nonnegative numbers ``values * 2**exponent`` that neither underflow nor overflow.

    All numbers have a common exponent until a product underflows; then each number gets its own. Every number is
    therefore exact up to rounding, and the usual case costs no more than plain arrays. (A common exponent alone is not
    enough: a state may be 10**1000 times less probable than another after half of the evidence, and more probable
    after all of it.) An array of exponents is broadcast to the shape of the values.

    Examples
    --------
    >>> small = Scaled(np.array([1e-200, 3e-200]))
    >>> with range_checked():
    ...     product = small * small
    >>> round(product.sum((0,)).log(), 6)  # log(1e-399)
    -918.731452
    >>> product.shares((0,))
    array([0.1, 0.9])
    """

    __slots__ = ("exponent", "values")

    def __init__(self, values: Any, exponent: Exponent = 0) -> None:
        self.values: FloatArray = values
        self.exponent = exponent if isinstance(exponent, int) else np.broadcast_to(exponent, values.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of each axis."""
        return self.values.shape

    def __getitem__(self, at: Any) -> Scaled:
        return Scaled(self.values[at], self.exponent if isinstance(self.exponent, int) else self.exponent[at])

    def transpose(self, order: Sequence[int]) -> Scaled:
        """Permute the axes."""
        exponent = self.exponent if isinstance(self.exponent, int) else self.exponent.transpose(order)
        return Scaled(self.values.transpose(order), exponent)

    def __mul__(self, other: Scaled) -> Scaled:
        return self._combined(_product, other, 1)

    def __truediv__(self, other: Scaled) -> Scaled:
        """Quotients of arrays of the same shape; 0 / 0 is 0."""
        return self._combined(_quotient, other, -1)

    def _combined(self, function: Callable[[FloatArray, FloatArray], FloatArray], other: Scaled, sign: int) -> Scaled:
        try:
            return Scaled(function(self.values, other.values), self.exponent + sign * other.exponent)
        except FloatingPointError:
            a, b = self._split(), other._split()
            return Scaled(function(a.values, b.values), a.exponent + sign * b.exponent)

    def sum(self, axes: tuple[int, ...]) -> Scaled:
        """Sums over axes, which get length 1."""
        if not axes:
            return self
        _, total, exponent = self._summed(axes)
        return Scaled(total, exponent) if isinstance(exponent, int) else Scaled(total, exponent)._joined()

    def shares(self, axes: tuple[int, ...]) -> FloatArray:
        """Divide each number by the sum over axes; the result is 0 if the sum is. A share below 1e-308 may be 0."""
        values, total, _ = self._summed(axes)
        with np.errstate(under="ignore"):
            return _quotient(values, total)

    def log(self) -> float:
        """Natural logarithm of the sum of all numbers; -inf if the sum is 0."""
        total = self.sum(tuple(range(self.values.ndim)))
        value = total.values.item()
        return log(value) + int(total.exponent) * log(2) if value > 0 else -inf

    def _split(self) -> Scaled:
        """Same numbers with their own exponents and values from 1/2 to 1."""
        values, exponent = np.frexp(self.values)
        return Scaled(values, np.where(values > 0, exponent.astype(np.int64) + self.exponent, _OF_ZERO))

    def _summed(self, axes: tuple[int, ...]) -> tuple[FloatArray, FloatArray, Exponent]:
        """Values with a common exponent along some axes, their sums over these axes, and the exponents."""
        if isinstance(self.exponent, int):
            try:
                return self.values, _sum(self.values, axes), self.exponent
            except FloatingPointError:
                pass  # overflow
        own = self._split()
        highest = np.maximum.reduce(own.exponent, axes, keepdims=True)
        values = _shifted(own.values, own.exponent - highest)  # 0 if a number is negligible beside the others
        return values, _sum(values, axes), highest

    def _joined(self) -> Scaled:
        """Same numbers, with a common exponent if their exponents are close enough."""
        known = np.asarray(self.exponent)[np.asarray(self.values > 0)]
        if known.size == 0:
            return Scaled(self.values)
        highest = int(known.max())
        if highest - int(known.min()) > _SPAN:
            return self
        return Scaled(_shifted(self.values, self.exponent - highest), highest)


def _shifted(values: FloatArray, exponent: Any) -> FloatArray:
    with np.errstate(under="ignore"):
        return np.asarray(np.ldexp(values, np.clip(exponent, -2200, 1100).astype(np.intc)))


def _quotient(a: FloatArray, b: FloatArray) -> FloatArray:
    return a / b if np.count_nonzero(b) == b.size else a / np.where(b > 0, b, 1.0)


def _product(a: FloatArray, b: FloatArray) -> Any:
    if a.size * b.size > _LONG and np.broadcast(a, b).size > _LONG:
        return _run_in_thread(np.multiply, a, b, order="C")
    return np.multiply(a, b, order="C")


def _sum(values: FloatArray, axes: tuple[int, ...]) -> Any:
    if values.size > _LONG:
        return _run_in_thread(np.add.reduce, values, axes, keepdims=True)
    return np.add.reduce(values, axes, keepdims=True)


def _run_in_thread(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call numpy in a thread, so that Ctrl-C interrupts it; the thread does not inherit the caller's error state."""

    def checked() -> Any:
        with range_checked():
            return function(*args, **options)

    return run_interruptible(checked)
