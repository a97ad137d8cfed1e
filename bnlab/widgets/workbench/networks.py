"""Part of `Workbench` that learns networks, estimates the confidence of their edges, and removes them."""

from __future__ import annotations

from typing import Any

import pandas as pd

from bnlab.analysis.recipe import recipe_of
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import Dag, GraphLike
from bnlab.graphs.pdag import Pdag
from bnlab.widgets.workbench.jobs import WorkbenchJobs
from bnlab.widgets.workbench.measures import Question
from bnlab.widgets.workbench.results import result_frame
from bnlab.widgets.workbench.traits import WorkbenchTraits
from bnlab.widgets.workbench.view import WorkbenchView


class WorkbenchNetworks(WorkbenchTraits):
    """Networks of a workbench; `Workbench` is the class to use."""

    _jobs: WorkbenchJobs
    _view: WorkbenchView

    @property
    def networks(self) -> dict[str, Dag | Pdag]:
        """Networks of the current table by their names; a Pdag is an equivalence class."""
        return dict(self._session.study.graphs)

    def learn(
        self,
        algorithm: str | None = None,
        *,
        score: str | None = None,
        name: str | None = None,
        wait: bool = True,
        **options: Any,
    ) -> Dag | Pdag | None:
        """Learn a network and show it.

        Parameters
        ----------
        algorithm : str, optional
            By default the learner chosen in the page, with its score and options.
        score : str, optional
            By default the first one of the algorithm.
        name : str, optional
            By default derived from learner and score.
        wait : bool
            Whether to wait for the end; if False, the method returns None at once.
        **options
            As for `bnlab.learn`; defaults are those of `bnlab.analysis.recipe`, and the trait `knowledge`.

        Raises
        ------
        ValueError
            If a name or an option is not possible, or there are no data.

        Notes
        -----
        `stop`, or an interrupt (Ctrl-C), ends the search with the best network so far.
        """
        self._session.ready  # noqa: B018 - raises when there are no data
        recipe = (
            self._recipe(score, **options)
            if algorithm is None
            else recipe_of(algorithm, score, **{**self._knowledge_option, **options})
        )
        found = self._jobs.run("learn", lambda: self._jobs.learn(recipe, name), wait)
        return None if found is None else self.networks[found]

    def bootstrap(
        self, name: str | None = None, replicates: int | None = None, *, wait: bool = True
    ) -> EdgeConfidence | None:
        """Learn a network again from resampled rows, and count its edges; continue a stopped bootstrap.

        Parameters
        ----------
        name : str, optional
            Network; by default the shown one.
        replicates : int, optional
            The trait `replicates` by default.
        wait : bool
            As for `learn`.

        Raises
        ------
        ValueError
            If there is no such network, or it was not learned.
        """
        chosen = self._name_or_shown(name)
        self._session.recipe(chosen)
        return self._jobs.run("trust", lambda: self._jobs.bootstrap(chosen, replicates), wait)

    def posterior(self, name: str | None = None, *, wait: bool = True) -> EdgeConfidence | None:
        """Posterior probabilities of the edges of a network, from `bnlab.edge_probabilities`.

        They respect the background knowledge that the network was learned with.

        Parameters
        ----------
        name, wait
            As for `bootstrap`.

        Raises
        ------
        ValueError
            As for `bootstrap`, or if values are missing.
        """
        chosen = self._name_or_shown(name)
        self._session.recipe(chosen)
        return self._jobs.run("trust", lambda: self._jobs.posterior(chosen), wait)

    def average(self, name: str | None = None, threshold: float | None = None) -> Dag | Pdag:
        """Add and show the consensus network: the edges that reach the confidence threshold.

        Raises
        ------
        ValueError
            If the network has no bootstrap, or the threshold is outside [0, 1].
        """
        self._jobs.worker.call(lambda: self._jobs.average(name, threshold))
        return self.networks[str(self.shown)]

    def keep_edits(self) -> Dag | Pdag:
        """Add and show the network as edited in the picture; ValueError if nothing was edited."""
        self._jobs.worker.call(self._jobs.keep_edits)
        return self.networks[str(self.shown)]

    def add(self, name: str, graph: GraphLike | Pdag) -> Dag | Pdag:
        """Add and show a network from elsewhere, such as an expert's, to compare it with the learned ones.

        Parameters
        ----------
        name : str
        graph : Dag, Pdag, BayesianNetwork, networkx.DiGraph or iterable of (parent, child) names
            On the variables of the table.

        Raises
        ------
        ValueError
            If there are no data, the name is empty or taken, the graph has other variables, or as for
            `bnlab.graphs.as_dag`.
        TypeError
            If it is not a graph.

        Examples
        --------
        >>> from bnlab.networks import cancer
        >>> from bnlab.widgets import Workbench
        >>> workbench = Workbench(cancer().sample(500, seed=0))
        >>> workbench.add("expert", [("Smoker", "Cancer"), ("Cancer", "Xray")]).edges
        (('Smoker', 'Cancer'), ('Cancer', 'Xray'))
        >>> workbench.close()
        """
        self._jobs.worker.call(lambda: self._jobs.add(name, graph))
        return self.networks[name]

    def remove(self, name: str) -> None:
        """Remove a network; ValueError if there is none with that name."""
        self._jobs.worker.call(lambda: self._jobs.remove(name))

    def distance_to_optimum(self, *, wait: bool = True) -> str:
        """Compute the distance of the shown network to the best one, by an exact search of up to a minute.

        The score and the background knowledge are those that the network was learned with. For up to 12 variables, the
        page starts the search by itself.

        Parameters
        ----------
        wait : bool
            Whether to wait for the end; if False, the result is the distance known so far.

        Returns
        -------
        str
            A sentence, such as "Under BIC, among all networks, “X” is an optimum."; "" if the distance is unknown.

        Raises
        ------
        ValueError
            If there is no network, values are missing, or the search is not possible.
        """
        measures, shown = self._view.measures, self._name_or_shown(None)
        measures.find_optimum(Question.about(self._session, shown))
        if wait:
            measures.wait()
            if measures.optima.failure:
                raise ValueError(measures.optima.failure)
        return measures.gap_sentence(shown)

    def to_frame(self) -> pd.DataFrame:
        """Networks, one per row.

        Returns
        -------
        DataFrame
            algorithm, learned_by, edges, seconds, stopped, bootstrap (samples); without missing values also every score
            in nats and held_out, the mean log-likelihood of held-out rows in nats: of `bnlab.cross_validate` with the
            recipe of the network, which learns anew in each of five folds, so that this may take five times as long as
            the network. A network without a recipe, or whose search was stopped, keeps its edges in every fold.
        """
        frame = result_frame(self._session)
        if self._session.table is not None and not self._session.table.has_gaps:
            frame["held_out"] = self._view.measures.all_held_out()
        return frame
