"""Curve of a search that grows while it runs and is never thinned itself, only what is drawn of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bnlab.figures.convergence import FloatArray, event_mark, thinned
from bnlab.search import Event, Progress, Trace

if TYPE_CHECKING:
    from collections.abc import Sequence

COLUMNS = ("iteration", "seconds", "score", "best")
MOST_MARKS = 400


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
        self.seconds = 0.0
        self.events: list[tuple[str, Event]] = []
        self._rows = np.empty((len(COLUMNS), 1024))
        self._n = 0

    @classmethod
    def of(cls, trace: Trace) -> Curve:
        """Curve of a finished trace."""
        from bnlab.figures.convergence import trace_frame

        curve = cls()
        curve._rows = trace_frame(trace)[list(COLUMNS)].to_numpy(np.float64).T.copy()
        curve._n = curve._rows.shape[1]
        curve.seconds = trace.seconds[-1] if trace.seconds else 0.0
        curve._mark(trace.events)
        return curve

    def __len__(self) -> int:
        """Number of points."""
        return self._n

    def column(self, name: str) -> FloatArray:
        """Values of one column, a view."""
        values: FloatArray = self._rows[COLUMNS.index(name), : self._n]
        return values

    def add(self, progress: Progress, seconds: float) -> None:
        """Append the points of one step."""
        before, self.seconds = self.seconds, self.seconds + seconds
        if progress.events:
            self._mark(progress.events)
        new = len(progress.scores)
        if not new:
            return
        while self._n + new > self._rows.shape[1]:
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)], axis=1)
        known = self._rows[3, self._n - 1] if self._n else -np.inf
        if new == 1:
            score = progress.scores[0]
            best = max(known, score, progress.best_score)
            self._rows[:, self._n] = progress.iteration, self.seconds, score, best
            self._n += 1
            return
        place = slice(self._n, self._n + new)
        scores = np.asarray(progress.scores, dtype=np.float64)
        best = np.maximum.accumulate(np.maximum(scores, known))
        best[-1] = max(best[-1], progress.best_score)
        self._rows[0, place] = np.arange(progress.iteration - new + 1, progress.iteration + 1)
        self._rows[1, place] = before + seconds * np.arange(1, new + 1) / new
        self._rows[2, place], self._rows[3, place] = scores, best
        self._n += new

    def clear(self) -> None:
        """Forget the points so far; the clock runs on."""
        self._n = 0

    def drawn(self, by: str, x_range: Sequence[float] | None, most: int) -> dict[str, bytes]:
        """Columns of at most `most` points within a range, as bytes of float64; peaks stay."""
        begin, end = 0, self._n
        if x_range is not None:
            x = self.column(by)
            begin = max(int(np.searchsorted(x, x_range[0])) - 1, 0)
            end = min(int(np.searchsorted(x, x_range[1], side="right")) + 1, self._n)
        rows = self._rows[:, begin:end]
        kept = thinned(rows[2], most)
        return dict(zip(COLUMNS, (row[kept].tobytes() for row in rows), strict=True))

    def marks(self, names: Sequence[str] | None) -> list[dict[str, Any]]:
        """Events with their places; of very many the last, evenly left out before."""
        if not self._n or not self.events:
            return []
        step = -(-len(self.events) // MOST_MARKS)
        chosen = self.events[(len(self.events) - 1) % step :: step]
        rows = np.searchsorted(self.column("iteration"), [event.iteration for _, event in chosen])
        at = self._rows[:, rows.clip(max=self._n - 1)].T.tolist()
        return [
            {"mark": mark, "iteration": place[0], "seconds": place[1], "score": place[2], "text": _words(event, names)}
            for (mark, event), place in zip(chosen, at, strict=True)
        ]

    def _mark(self, events: Sequence[Event]) -> None:
        self.events += [(mark, event) for event in events if (mark := event_mark(event)) is not None]


def _words(event: Event, names: Sequence[str] | None) -> str:
    if event_mark(event) != "permanent":
        return "new start"
    u, v = (str(node) if names is None else str(names[node]) for node in (event.u, event.v))
    return f"permanent edge {u} → {v}"
