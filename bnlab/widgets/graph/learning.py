"""Learning the graph of a `NetworkGraph` again from its data and its background knowledge."""

from __future__ import annotations

from threading import Event
from typing import Any

from bnlab._runtime.interrupts import reraise_interrupts
from bnlab.graphs import Dag
from bnlab.widgets.graph.shown import ShownGraph


class LearnedGraph(ShownGraph):
    """Part of `NetworkGraph` that learns its graph."""

    def learn(self, algorithm: str | None = None, **options: Any) -> None:
        """Learn the graph again from the data, under the background knowledge; positions and evidence stay.

        This can be undone like an edit, unless the previous graph breaks the knowledge.

        Parameters
        ----------
        algorithm : str, optional
            As for `bnlab.learn`; by default the learner recommended for the size of the data, with the trait `score`.
        **options
            Other arguments of `bnlab.learn`, such as score.

        Raises
        ------
        ValueError
            If there are no data, the graph is not a Dag, or as for `bnlab.learn`.
        TypeError
            As for `bnlab.learn`.

        Examples
        --------
        >>> from bnlab.graphs import Knowledge
        >>> from bnlab.networks import cancer
        >>> from bnlab.widgets import NetworkGraph
        >>> widget = NetworkGraph(cancer(), cancer().sample(5000, seed=0))
        >>> widget.knowledge = Knowledge(forbidden=[("Cancer", "Xray")])
        >>> widget.learn()
        >>> ("Cancer", "Xray") in widget.graph.edges
        False
        """
        self._learn(Event(), algorithm, **options)

    def _learn(self, stop: Event, algorithm: str | None = None, **options: Any) -> None:
        """Learn the graph; after a stop, the graph stays as it was."""
        # Imported here: a graph that is only viewed must not load compiled code and pandas.
        from bnlab.learners import make_search

        session = self._session
        if session.learning_refused:
            raise ValueError(session.learning_refused)
        assert session.source is not None
        score = self.score if algorithm is None else None
        search = make_search(session.source, algorithm, **{"score": score, "knowledge": self.knowledge, **options})
        state = search.init()
        with reraise_interrupts():
            while self._ready and not stop.is_set() and not search.is_done(state):
                state, _ = search.step(state)
        with self._lock:
            if not self._ready or session is not self._session:
                return
            if stop.is_set():
                self._report("Stopped: the graph is as before.")
                return
            found, before = Dag(session.names, search.result(state)), session.graph
            self._lost_evidence = session.change(lambda history: history.replace(found, "learn again"))
            self.graph = session.graph
            if found == before:
                self._report("Learned again: the graph is the same.")

    def _learn_or_stop(self) -> None:
        """Learn in the worker thread, or stop the running learner."""
        if self._stop_learning is not None:
            self._stop_learning.set()
            self._report("Stopping …")
            return
        stop = self._stop_learning = Event()

        def job() -> None:
            try:
                self._learn(stop)
            finally:
                self._stop_learning = None
                if self._ready:
                    with self._lock:
                        self._show_controls()

        self._report("Learning …")
        self._show_controls()
        self._later(job, "Not learned")
