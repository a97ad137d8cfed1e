"""Axes of plotly figures: from values to pixels, and ticks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10, radians, sin
from typing import Any

import numpy as np

from bnlab.figures.plotly_svg.paint import text_size
from bnlab.figures.plotly_svg.values import FloatArray, Spec, listed, numbers

PADDING = 0.05
PIXELS = {True: 80.0, False: 46.0}
"""Between two ticks at least, by whether the axis is horizontal."""


@dataclass(frozen=True)
class Axis:
    """One axis in its place.

    Attributes
    ----------
    name : str
        "x", "y2", ... as traces name it.
    spec : dict
        Its entries in the layout.
    categories : tuple of str
        Of an axis of names, from place 0 on; empty for numbers.
    low, high : float
        Ends; on a logarithmic axis their logarithms to base 10. `high` is less on a reversed axis.
    begin, end : float
        Pixels of the ends; vertical axes begin at the bottom.
    """

    name: str
    spec: Spec
    categories: tuple[str, ...]
    low: float
    high: float
    begin: float = 0.0
    end: float = 1.0

    @property
    def horizontal(self) -> bool:
        """Whether it is an x axis."""
        return self.name.startswith("x")

    @property
    def log(self) -> bool:
        """Whether it is logarithmic."""
        return self.spec.get("type") == "log"

    def places(self, values: Iterable[Any]) -> FloatArray:
        """Values as distances along the axis: places of names, logarithms, or the numbers themselves."""
        return places(values, self.categories, log=self.log)

    def at(self, along: Any) -> Any:
        """Pixels of distances along the axis."""
        return self.begin + (np.asarray(along) - self.low) / (self.high - self.low) * (self.end - self.begin)

    def pixels(self, values: Iterable[Any]) -> FloatArray:
        """Pixels of values."""
        return np.asarray(self.at(self.places(values)))

    def ticks(self) -> list[tuple[float, str]]:
        """Pixels and texts of the ticks within the axis."""
        low, high = sorted((self.low, self.high))
        room = 1e-6 * (high - low)
        found = zip(*self._ticks(low, high), strict=True)
        return [(float(self.at(along)), text) for along, text in found if low - room <= along <= high + room]

    def _ticks(self, low: float, high: float) -> tuple[Sequence[float], Sequence[str]]:
        if "tickvals" in self.spec and self.spec["tickvals"] is not None:
            values = listed(self.spec["tickvals"])
            texts = listed(self.spec.get("ticktext")) or [self._written(value, 1.0) for value in values]
            return self.places(values).tolist(), [str(text) for text in texts]
        if self.categories:
            return range(len(self.categories)), self.categories
        most = self.spec.get("nticks") or max(2, abs(self.end - self.begin) / PIXELS[self.horizontal])
        if self.log and (found := self._decades(low, high, most)):
            return [log10(value) for value in found], [self._written(value, value) for value in found]
        found = round_numbers(10.0**low, 10.0**high, most) if self.log else round_numbers(low, high, most)
        step = found[1] - found[0] if len(found) > 1 else abs(found[0]) or 1.0
        return self.places(found).tolist(), [self._written(value, step) for value in found]

    def _decades(self, low: float, high: float, most: float) -> list[float]:
        """Powers of ten, with their multiples where there are few; none where even these are too few."""
        digits = range(1, 10) if self.spec.get("dtick") == "D1" else (1,)
        every = max(1, ceil((high - low) / most))
        for chosen in (digits, (1, 2, 5)):
            powers = range(floor(low), ceil(high) + 1, every)
            found = [d * 10.0**k for k in powers for d in chosen if low - 1e-9 <= log10(d) + k <= high + 1e-9]
            if len(found) > (self.spec.get("dtick") != 1):
                return found
        return []

    def _written(self, value: Any, step: float) -> str:
        if isinstance(value, str):
            return value
        digits = max(0, -floor(log10(step) + 1e-9))
        if self.spec.get("tickformat") == ".0%":
            text = f"{value:.0%}"
        elif self.spec.get("exponentformat") == "power" and self.log:
            power = floor(log10(value) + 1e-9)
            times = "" if value == 10.0**power else f"{value / 10.0**power:g}×"
            text = f"{times}10<sup>{power}</sup>"
        elif abs(value) < 10_000 and not self.spec.get("separatethousands"):
            text = f"{value:.{digits}f}"
        else:
            text = f"{value:,.{digits}f}"
        return text.replace("-", "−")

    def label_angle(self, texts: Sequence[str], size: float) -> float:
        """Degrees that tick labels are turned by, so that they do not overlap."""
        given = self.spec.get("tickangle", "auto")
        if given != "auto" and given is not None:
            return float(given)
        if not self.horizontal or len(texts) < 2:
            return 0.0
        between = abs(self.end - self.begin) / abs(self.high - self.low)
        between = between if self.categories else abs(self.end - self.begin) / len(texts)
        if max(text_size(text, size)[0] for text in texts) + 6 <= between:
            return 0.0
        return 30.0 if between * sin(radians(30)) > size else 90.0


def places(values: Iterable[Any], categories: Sequence[str], *, log: bool) -> FloatArray:
    """Values as distances along an axis, nan where there is none."""
    if categories:
        index = {name: float(i) for i, name in enumerate(categories)}
        return np.array([index.get(value, np.nan) if isinstance(value, str) else _or_nan(value) for value in values])
    found = numbers(values)
    return np.log10(found, out=np.full(len(found), np.nan), where=found > 0) if log else found


def _or_nan(value: Any) -> float:
    return np.nan if value is None else float(value)


def make_axis(name: str, spec: Spec, values: Sequence[Any], *, padded: bool) -> Axis:
    """Axis that holds the values.

    Parameters
    ----------
    name : str
    spec : dict
        Entries in the layout.
    values : sequence
        All values along the axis and along those that share its range.
    padded : bool
        Whether there is some room beyond the first and the last number.

    Raises
    ------
    ValueError
        If the axis is of a type that is not drawn.
    """
    kind = spec.get("type", "-")
    if kind not in ("-", "linear", "log", "category"):
        raise ValueError(f"axis {name} of type {kind!r}: SVG is drawn with linear, log and category axes.")
    names = [value for value in values if isinstance(value, str)]
    categories: tuple[str, ...] = ()
    if kind == "category" or (kind == "-" and names):
        categories = tuple(dict.fromkeys([*listed(spec.get("categoryarray")), *map(str, names)]))
    if spec.get("range") is not None:
        low, high = map(float, listed(spec["range"]))
        return Axis(name, spec, categories, low, high)
    along = places(values, categories, log=kind == "log")
    along = along[np.isfinite(along)]
    low, high = (float(along.min()), float(along.max())) if len(along) else (0.0, 1.0)
    if categories:
        low, high = min(low, 0.0) - 0.5, max(high, len(categories) - 1.0) + 0.5
    elif spec.get("rangemode") == "tozero" and kind != "log":
        low, high = min(low, 0.0), max(high, 0.0)
    if low == high:
        low, high = low - 1, high + 1
    elif not categories:
        room = PADDING * (high - low) * padded
        to_zero = spec.get("rangemode") == "tozero"
        low, high = (low if to_zero and low == 0 else low - room), (high if to_zero and high == 0 else high + room)
    return Axis(name, spec, categories, *((high, low) if spec.get("autorange") == "reversed" else (low, high)))


def round_numbers(low: float, high: float, most: float) -> list[float]:
    """Round numbers within a range, about `most` of them at most.

    Examples
    --------
    >>> round_numbers(0.0, 9.5, 5), round_numbers(3.0, 3.0, 5)
    ([0.0, 2.0, 4.0, 6.0, 8.0], [3.0])
    """
    if not high - low > 1e-12 * max(abs(high), 1.0):
        return [low]
    rough = (high - low) / most
    power = 10.0 ** floor(log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
    return [round(k * step, 12) for k in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]
