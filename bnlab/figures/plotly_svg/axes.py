"""Axes of plotly figures: pixels of values, ticks, and labels with the room that they need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, cos, floor, log10, radians, sin
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from bnlab.figures.plotly_svg.paint import stroke, text_block, text_size
from bnlab.figures.plotly_svg.values import FloatArray, Spec, numbers
from bnlab.figures.svg import element

PADDING = 0.05
PIXELS = {True: 80.0, False: 46.0}
"""Minimum pixels between two ticks, by whether the axis is horizontal."""
GAP = 5.0
"""Pixels between an axis, its tick labels and its title."""

Axes: TypeAlias = "Mapping[str, Axis]"


class Area(NamedTuple):
    """Plot area in pixels."""

    left: float
    right: float
    top: float
    bottom: float

    def at(self, letter: str, share: float) -> float:
        """Pixel of a share of the width from the left ("x"), or of the height from the bottom ("y")."""
        begin, end = (self.left, self.right) if letter == "x" else (self.bottom, self.top)
        return begin + share * (end - begin)


@dataclass(frozen=True)
class Axis:
    """One axis in its place, with its name in traces ("x", "y2", ...) and its entries in the layout.

    `low` and `high` are its ends (logarithms to base 10 on a logarithmic axis; high is less on a reversed one), `begin`
    and `end` their pixels, from the bottom on a vertical axis. `categories` are names, at coordinates from 0 on.
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
        return bool(self.spec["type"] == "log")

    def placed(self, area: Area) -> Axis:
        """The axis with the pixels of its ends in a plot area."""
        begin, end = (area.at(self.name[0], share) for share in self.spec["domain"])
        return replace(self, begin=begin, end=end)

    def places(self, values: Iterable[Any]) -> FloatArray:
        """Coordinates of values along the axis: indices of names, logarithms, or the numbers; nan for missing ones."""
        if self.categories:
            index = {name: float(i) for i, name in enumerate(self.categories)}
            return numbers(index.get(value) if isinstance(value, str) else value for value in values)
        found = numbers(values)
        return np.log10(found, out=np.full(len(found), np.nan), where=found > 0) if self.log else found

    def at(self, along: Any) -> Any:
        """Pixels of coordinates along the axis."""
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
        if "tickvals" in self.spec:
            values = self.spec["tickvals"]
            texts = self.spec.get("ticktext") or [self._tick_text(value, 1.0) for value in values]
            return self.places(values).tolist(), list(map(str, texts))
        if self.categories:
            return range(len(self.categories)), self.categories
        most = self.spec.get("nticks") or max(2, abs(self.end - self.begin) / PIXELS[self.horizontal])
        if self.log and (found := self._decades(low, high, most)):
            return [log10(value) for value in found], [self._tick_text(value, value) for value in found]
        found = round_numbers(10.0**low, 10.0**high, most) if self.log else round_numbers(low, high, most)
        step = found[1] - found[0] if len(found) > 1 else abs(found[0]) or 1.0
        return self.places(found).tolist(), [self._tick_text(value, step) for value in found]

    def _decades(self, low: float, high: float, most: float) -> list[float]:
        """Powers of ten, with multiples if they are few; none if even these are too few."""
        digits = range(1, 10) if self.spec.get("dtick") == "D1" else (1,)
        powers = range(floor(low), ceil(high) + 1, max(1, ceil((high - low) / most)))
        for chosen in (digits, (1, 2, 5)):
            found = [d * 10.0**k for k in powers for d in chosen if low - 1e-9 <= log10(d) + k <= high + 1e-9]
            if len(found) > (self.spec.get("dtick") != 1):
                return found
        return []

    def _tick_text(self, value: Any, step: float) -> str:
        if isinstance(value, str):
            return value
        digits = max(0, -floor(log10(step) + 1e-9))
        grouped = "," if abs(value) >= 10_000 or self.spec.get("separatethousands") else ""
        text = f"{value:.0%}" if self.spec.get("tickformat") == ".0%" else f"{value:{grouped}.{digits}f}"
        if self.spec.get("exponentformat") == "power" and self.log:
            power = floor(log10(value) + 1e-9)
            times = "" if value == 10.0**power else f"{value / 10.0**power:g}×"
            text = f"{times}10<sup>{power}</sup>"
        return text.replace("-", "−")

    def labels(self) -> tuple[list[tuple[float, str]], float, float]:
        """Pixels and texts of tick labels, their angle, which avoids overlaps, and the pixels that they need."""
        texts = self.ticks() if self.spec["showticklabels"] else []
        sizes = [text_size(text, self.spec["tickfont"]["size"]) for _, text in texts]
        angle = self._label_angle(sizes)
        slant = abs(sin(radians(angle))), abs(cos(radians(angle)))
        turned = [(slant[1] * w + slant[0] * h, slant[0] * w + slant[1] * h) for w, h in sizes]
        return texts, angle, max((box[self.horizontal] for box in turned), default=0.0) + GAP

    def _label_angle(self, sizes: Sequence[tuple[float, float]]) -> float:
        if self.spec["tickangle"] != "auto":
            return float(self.spec["tickangle"])
        if not self.horizontal or len(sizes) < 2:
            return 0.0
        between = abs(self.end - self.begin) / (abs(self.high - self.low) if self.categories else len(sizes))
        if max(width for width, _ in sizes) + 6 <= between:
            return 0.0
        return 30.0 if between * sin(radians(30)) > self.spec["tickfont"]["size"] else 90.0

    def room(self) -> float:
        """Pixels that labels and title need beside the axis."""
        title = self.spec["title"]
        height = text_size(title["text"], title["font"]["size"])[1] + GAP
        return self.labels()[2] + height * bool(title["text"]) + GAP

    def draw_grid(self, other: Axis) -> Iterator[str]:
        """Grid lines between the ends of the other axis, with a stronger line at zero."""
        spec = self.spec
        lines = [(at, spec["gridcolor"], 1) for at, _ in (self.ticks() if spec["showgrid"] else ())]
        has_zero = spec["zeroline"] and not self.log and not self.categories
        if has_zero and min(self.low, self.high) <= 0 <= max(self.low, self.high):
            lines.append((float(self.at(0.0)), spec["zerolinecolor"], spec["zerolinewidth"]))
        for at, colour, width in lines:
            ends = (at, other.begin, at, other.end) if self.horizontal else (other.begin, at, other.end, at)
            places = dict(zip(("x1", "y1", "x2", "y2"), ends, strict=True))
            yield element("line", **places, **stroke({"width": width}, colour))

    def draw_labels(self, other: Axis) -> Iterator[str]:
        """Tick labels and title, below or to the left of the beginning of the other axis."""
        (texts, angle, room), edge, size = self.labels(), other.begin, self.spec["tickfont"]["size"]
        for at, words in texts:
            if not self.horizontal:
                yield text_block(words, edge - GAP, at, size=size, anchor="end")
            elif not angle:
                yield text_block(words, at, edge + GAP + text_size(words, size)[1] / 2, size=size)
            else:
                anchor = "end" if angle < 0 else "start"
                below = edge + GAP + (size / 2 if abs(angle) < 60 else 0)
                yield text_block(words, at, below, size=size, anchor=anchor, angle=angle)
        title, middle = self.spec["title"], (self.begin + self.end) / 2
        if not title["text"]:
            return
        size = title["font"]["size"]
        away = room + GAP + text_size(title["text"], size)[1] / 2
        place = (middle, edge + away) if self.horizontal else (edge - away, middle)
        yield text_block(title["text"], *place, size=size, angle=0.0 if self.horizontal else -90)


def make_axis(name: str, spec: Spec, values: Sequence[Any], *, padded: bool) -> Axis:
    """Axis for all values along it and along axes that match it; if `padded`, with room at both ends of numbers."""
    kind = spec["type"]
    if kind not in ("-", "linear", "log", "category"):
        raise ValueError(f"axis {name} of type {kind!r}: SVG is drawn with linear, log and category axes.")
    names = [value for value in values if isinstance(value, str)]
    categories: tuple[str, ...] = ()
    if kind == "category" or (kind == "-" and names):
        categories = tuple(dict.fromkeys([*spec.get("categoryarray", ()), *names]))
    if "range" in spec:
        return Axis(name, spec, categories, *map(float, spec["range"]))
    axis = Axis(name, spec, categories, 0.0, 1.0)
    along = axis.places(values)
    along = along[np.isfinite(along)]
    low, high = (float(along.min()), float(along.max())) if len(along) else (0.0, 1.0)
    to_zero = spec["rangemode"] == "tozero"
    if categories:
        low, high = min(low, 0.0) - 0.5, max(high, len(categories) - 1.0) + 0.5
    elif to_zero and not axis.log:
        low, high = min(low, 0.0), max(high, 0.0)
    if low == high:
        low, high = low - 1, high + 1
    elif not categories:
        room = PADDING * (high - low) * padded
        low, high = (low if to_zero and low == 0 else low - room), (high if to_zero and high == 0 else high + room)
    low, high = (high, low) if spec.get("autorange") == "reversed" else (low, high)
    return replace(axis, low=low, high=high)


def round_numbers(low: float, high: float, most: float) -> list[float]:
    """Round numbers within a range, at most about `most`.

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
