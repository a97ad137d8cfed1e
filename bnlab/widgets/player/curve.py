"""Curve of a search that grows while it runs and is never thinned itself, only what is drawn of it."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlab.figures.searches.curves import FloatArray, event_edge, event_mark, thinned, trace_frame
from bnlab.search import Event, Progress, Trace

if TYPE_CHECKING:
    from collections.abc import Sequence

COLUMNS = ("iteration", "seconds", "score", "best")
MOST_MARKS = 200
TOGETHER = 64
"""Steps that are taken at once: quicker than one by one, and in little memory."""


class Curve:
    """Iteration, seconds, score and best so far of every iteration, and the events worth a mark.

    Examples
    --------
    >>> curve = Curve()
    >>> curve.add(Progress(2, (-9.0, -7.0), -7.0), seconds=0.5)
    >>> curve.add(Progress(3, (-8.0,), -7.0), seconds=0.25)
    >>> curve.column("seconds").tolist(), curve.column("best").tolist()
    ([0.25, 0.5, 0.75], [-9.0, -7.0, -7.0])
    """

    def __init__(self) -> None:
        self._seconds = 0.0
        self._events: list[tuple[str, Event]] = []
        self._rows = np.empty((len(COLUMNS), 1024))
        self._n = 0
        # Steps that are not taken yet.
        self._new: list[tuple[Progress, float]] = []
        self._lock = Lock()

    @classmethod
    def of(cls, trace: Trace) -> Curve:
        """Curve of a finished trace."""
        curve = cls()
        curve._rows = trace_frame(trace)[list(COLUMNS)].to_numpy(np.float64).T.copy()
        curve._n = curve._rows.shape[1]
        curve._seconds = trace.seconds[-1] if trace.seconds else 0.0
        curve._mark(trace.events)
        return curve

    def __len__(self) -> int:
        """Number of points."""
        self._catch_up()
        return self._n

    @property
    def seconds(self) -> float:
        """Seconds of all steps."""
        self._catch_up()
        return self._seconds

    @property
    def events(self) -> list[tuple[str, Event]]:
        """Events worth a mark, each with the name of its mark."""
        self._catch_up()
        return self._events

    def column(self, name: str) -> FloatArray:
        """Values of one column, a view."""
        n = len(self)
        values: FloatArray = self._rows[COLUMNS.index(name), :n]
        return values

    def add(self, progress: Progress, seconds: float) -> None:
        """Append the points of one step."""
        with self._lock:
            self._new.append((progress, seconds))
            if len(self._new) == TOGETHER:
                self._take()

    def clear(self) -> None:
        """Forget the points so far; the clock runs on."""
        with self._lock:
            self._take()
            self._n = 0

    def drawn(self, by: str, x_range: Sequence[float] | None, most: int) -> dict[str, bytes]:
        """Columns of at most `most` points within a range, as bytes of float64; peaks stay."""
        begin, end = 0, len(self)
        if x_range is not None:
            x = self.column(by)
            begin = max(int(np.searchsorted(x, x_range[0])) - 1, 0)
            end = min(int(np.searchsorted(x, x_range[1], side="right")) + 1, end)
        rows = self._rows[:, begin:end]
        kept = thinned(rows[2], most)
        return dict(zip(COLUMNS, (row[kept].tobytes() for row in rows), strict=True))

    def marks(self, names: Sequence[str] | None) -> list[dict[str, Any]]:
        """Events with their places; of very many the last, evenly left out before."""
        events = self.events
        if not self._n or not events:
            return []
        step = -(-len(events) // MOST_MARKS)
        chosen = events[(len(events) - 1) % step :: step]
        rows = np.searchsorted(self.column("iteration"), [event.iteration for _, event in chosen])
        at = self._rows[:, rows.clip(max=self._n - 1)].T.tolist()
        marks = []
        for (mark, event), place in zip(chosen, at, strict=True):
            u, v = event_edge(event, names)
            text = f"permanent edge {u} → {v}" if u else "new start"
            own = {"mark": mark, "u": u, "v": v, "text": text}
            marks.append(own | dict(zip(("iteration", "seconds", "score"), place, strict=False)))
        return marks

    def _catch_up(self) -> None:
        if self._new:
            with self._lock:
                self._take()

    def _take(self) -> None:
        """Take the points of the steps that are not taken yet."""
        if not self._new:
            return
        steps, seconds = zip(*self._new, strict=True)
        self._new = []
        self._mark([event for step in steps for event in step.events])
        begins = np.cumsum([self._seconds, *seconds])
        self._seconds = float(begins[-1])
        lengths = np.array([len(step.scores) for step in steps])
        length = np.repeat(lengths, lengths)
        place = np.arange(1, len(length) + 1) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        scores = np.concatenate([step.scores for step in steps])
        best = scores.copy()
        best[place == length] = np.maximum(scores[place == length], [s.best_score for s in steps if len(s.scores)])
        known = self._rows[3, self._n - 1] if self._n else -np.inf
        self._append(
            np.repeat([step.iteration for step in steps], lengths) - length + place,
            np.repeat(begins[:-1], lengths) + np.repeat(seconds, lengths) * place / length,
            scores,
            np.maximum(np.maximum.accumulate(best), known),
        )

    def _append(self, *columns: Any) -> None:
        after = self._n + len(columns[0])
        if after > self._rows.shape[1]:
            longer = np.empty((len(COLUMNS), max(after, 2 * self._rows.shape[1])))
            longer[:, : self._n] = self._rows[:, : self._n]
            self._rows = longer
        self._rows[:, self._n : after] = columns
        self._n = after

    def _mark(self, events: Sequence[Event]) -> None:
        self._events += [(mark, event) for event in events if (mark := event_mark(event)) is not None]
