"""Curve of a running search, which stores all points; only drawn curves are thinned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.fork import Locked
from bnlab.search import Event, Progress, Trace

FloatArray: TypeAlias = NDArray[np.float64]

COLUMNS = ("iteration", "seconds", "score", "best", "bound")
RESTARTS = ("instance", "restart", "turn")
PERMANENT = ("converged", "forced")
MOST_POINTS = 2000
MOST_MARKS = 200
BATCH = 64
"""Steps that are added at once, which is faster than one by one, and needs little memory."""


class Curve(Locked):
    """Iteration, seconds, score, best so far and upper bound of every iteration, and the events that are marked.

    Parameters
    ----------
    names : sequence of str, optional
        Variables, for the edges of the events.

    Attributes
    ----------
    unit : str or None
        Quantity of the scores, such as "score in nats" or "targets done"; None if unknown.

    Examples
    --------
    >>> curve = Curve()
    >>> curve.add(Progress(2, (-9.0, -7.0), -7.0), seconds=0.5)
    >>> curve.add(Progress(3, (-8.0,), -7.0), seconds=0.25)
    >>> curve.column("seconds").tolist(), curve.column("best").tolist()
    ([0.25, 0.5, 0.75], [-9.0, -7.0, -7.0])
    """

    def __init__(self, names: Sequence[str] | None = None) -> None:
        super().__init__()
        self.names = names
        self.unit: str | None = None
        self._seconds = 0.0
        self._events: list[tuple[str, Event]] = []
        self._rows = np.empty((len(COLUMNS), 1024))
        self._n = 0
        # Steps whose points are not added yet.
        self._pending: list[tuple[Progress, float]] = []

    @classmethod
    def of(cls, trace: Trace, names: Sequence[str] | None = None) -> Curve:
        """Curve of a finished trace."""
        curve = cls(names)
        scores, ends = trace.scores, np.asarray(trace.iterations, dtype=np.int64)
        first = ends[-1:] - len(scores)
        steps = np.split(scores, (ends[:-1] - first).clip(0))
        spent = np.diff(trace.seconds, prepend=0.0).tolist()
        for end, step, best, bound, seconds in zip(
            trace.iterations, steps, trace.best, trace.bounds, spent, strict=False
        ):
            curve.add(Progress(end, step, best, bound=bound), seconds)
        curve.mark(trace.events)
        return curve

    def __len__(self) -> int:
        """Number of points."""
        self._catch_up()
        return self._n

    @property
    def seconds(self) -> float:
        """Total seconds of all steps."""
        self._catch_up()
        return self._seconds

    @property
    def events(self) -> list[tuple[str, Event]]:
        """Events that are marked, each with the name of its mark."""
        self._catch_up()
        return self._events

    def column(self, name: str) -> FloatArray:
        """Values of one column, a view."""
        n = len(self)
        values: FloatArray = self._rows[COLUMNS.index(name), :n]
        return values

    def add(self, progress: Progress, seconds: float) -> None:
        """Append the points of one step."""
        with self.lock:
            self._pending.append((progress, seconds))
            if len(self._pending) == BATCH:
                self._add_pending()

    def clear(self) -> None:
        """Remove all points; the time goes on."""
        with self.lock:
            self._add_pending()
            self._n = 0

    def drawn(self, by: str, x_range: Sequence[float] | None, most: int) -> dict[str, FloatArray]:
        """Columns of at most `most` points within a range; peaks are kept."""
        begin, end = 0, len(self)
        if x_range is not None:
            x = self.column(by)
            begin = max(int(np.searchsorted(x, x_range[0])) - 1, 0)
            end = min(int(np.searchsorted(x, x_range[1], side="right")) + 1, end)
        rows = self._rows[:, begin:end]
        kept = thinned(rows[2], most)
        return dict(zip(COLUMNS, rows[:, kept], strict=True))

    def marks(self, most: int | None = MOST_MARKS) -> list[dict[str, Any]]:
        """Events with their places: at most `most`, the last one and evenly chosen earlier ones."""
        events = self.events
        if not self._n or not events:
            return []
        step = 1 if most is None else -(-len(events) // most)
        chosen = events[(len(events) - 1) % step :: step]
        rows = np.searchsorted(self.column("iteration"), [event.iteration for _, event in chosen])
        at = self._rows[:, rows.clip(max=self._n - 1)].T.tolist()
        marks = []
        for (mark, event), place in zip(chosen, at, strict=True):
            ends = (event.u, event.v) if mark == "permanent" else ()
            u, v = (str(end if self.names is None else self.names[end]) for end in ends) if ends else ("", "")
            own = {"mark": mark, "kind": event.kind, "u": u, "v": v}
            marks.append(own | dict(zip(("iteration", "seconds", "score"), place, strict=False)))
        return marks

    def _catch_up(self) -> None:
        if self._pending:
            with self.lock:
                self._add_pending()

    def _add_pending(self) -> None:
        """Add the points of the pending steps."""
        if not self._pending:
            return
        steps, seconds = zip(*self._pending, strict=True)
        self._pending = []
        self.mark([event for step in steps for event in step.events])
        begins = np.cumsum([self._seconds, *seconds])
        self._seconds = float(begins[-1])
        lengths = np.array([len(step.scores) for step in steps])
        length = np.repeat(lengths, lengths)
        place = np.arange(1, len(length) + 1) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        scores = np.concatenate([step.scores for step in steps])
        best = scores.copy()
        best[place == length] = np.maximum(scores[place == length], [s.best_score for s in steps if len(s.scores)])
        known = self._rows[3, self._n - 1] if self._n else -np.inf
        after = self._n + len(scores)
        if after > self._rows.shape[1]:
            longer = np.empty((len(COLUMNS), max(after, 2 * self._rows.shape[1])))
            longer[:, : self._n] = self._rows[:, : self._n]
            self._rows = longer
        self._rows[:, self._n : after] = (
            np.repeat([step.iteration for step in steps], lengths) - length + place,
            np.repeat(begins[:-1], lengths) + np.repeat(seconds, lengths) * place / length,
            scores,
            np.maximum(np.maximum.accumulate(best), known),
            np.repeat([step.bound for step in steps], lengths),
        )
        self._n = after

    def mark(self, events: Sequence[Event]) -> None:
        """Add the marks of events."""
        self._events += [(mark, event) for event in events if (mark := event_mark(event)) is not None]


def event_mark(event: Event) -> str | None:
    """Mark of an event: "permanent", "restart" or None.

    Examples
    --------
    >>> event_mark(Event(3, "converged", 0, 1)), event_mark(Event(9, "instance")), event_mark(Event(1, "add", 0, 1))
    ('permanent', 'restart', None)
    """
    if event.kind in RESTARTS:
        return "restart"
    return "permanent" if event.kind in PERMANENT and event.u != event.v else None


def thinned(values: FloatArray, most: int = MOST_POINTS) -> NDArray[np.int64]:
    """Indices of at most `most` points: the ends of a curve, and the least and greatest value of each stretch.

    Parameters
    ----------
    values : ndarray of float, shape (points,)
    most : int
        At least 4.

    Raises
    ------
    ValueError
        If `most` is less than 4.

    Examples
    --------
    >>> thinned(np.array([0.0, 1, 9, 1, 0, 1, -9, 1, 0, 1]), 6)
    array([0, 2, 4, 5, 6, 9])
    """
    if most < 4:
        raise ValueError(f"most={most}: a thinned curve keeps its ends and some stretches; give at least 4.")
    n = len(values)
    if n <= most:
        return np.arange(n)
    stretches = (most - 2) // 2
    length = -(-(n - 2) // stretches)
    begin = 1 + length * np.arange((n - 2) // length)
    inner = values[1 : 1 + length * len(begin)].reshape(len(begin), length)
    kept = np.concatenate([[0, n - 1], begin + inner.argmin(axis=1), begin + inner.argmax(axis=1)])
    rest = values[1 + inner.size : -1]
    if len(rest):
        kept = np.append(kept, 1 + inner.size + np.array([rest.argmin(), rest.argmax()]))
    return np.unique(kept)
