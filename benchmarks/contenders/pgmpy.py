"""pgmpy: Python over pandas."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from benchmarks.contenders.base import (
    PEERS_PC,
    Contender,
    Joined,
    Trial,
    frame_counts,
    pairs_of,
    predicted,
    upper_triangle,
)
from benchmarks.workload import ALPHA, SEED, Workload


class Pgmpy(Contender):
    """pgmpy."""

    package = "pgmpy"
    title = "pgmpy"

    def __init__(self, work: Workload) -> None:
        super().__init__(work)
        from pgmpy import config

        config.set_show_progress(False)

    @property
    def _states(self) -> dict[str, list[Any]]:
        return {variable.name: list(variable.states) for variable in self.work.table.variables}

    def load(self) -> Trial:
        from pgmpy.structure_score import BIC

        return Trial(lambda: BIC(self.work.frame), lambda score: frame_counts(score.data))

    def load_strings(self) -> Trial:
        from pgmpy.structure_score import BIC

        return Trial(lambda: BIC(self.work.strings), lambda score: frame_counts(score.data))

    def mutual_information(self) -> Trial:
        from pgmpy.estimators import TreeSearch

        codes = self.work.codes
        return Trial(
            lambda: TreeSearch._get_weights(codes, n_jobs=self.work.cores, show_progress=False),
            upper_triangle,
            note="given columns of numbers, the form in which it is fastest",
        )

    def chow_liu(self) -> Trial:
        from pgmpy.estimators import TreeSearch

        search = TreeSearch(self.work.codes, root_node=self.work.names[0], n_jobs=self.work.cores)
        return Trial(
            lambda: search.estimate("chow-liu", show_progress=False),
            lambda dag: self.work.tree_weight(dag.edges()),
            note="given columns of numbers, the form in which it is fastest",
        )

    def _scorer(self, score: str) -> Any:
        from pgmpy.structure_score import BIC, K2, BDeu

        if score == "bdeu":
            return BDeu(self.work.frame, equivalent_sample_size=1, state_names=self._states)
        return {"k2": K2, "bic": BIC}[score](self.work.frame, state_names=self._states)

    def local_scores(self, score: str) -> Trial:
        part = self.work.some_families(0.03)
        families = [(child, tuple(parents)) for child, parents in self.work.named(part)]
        scorer = self._scorer(score)
        return Trial(
            lambda: [scorer.local_score(child, parents) for child, parents in families],
            np.array,
            share=len(part) / len(self.work.families),
        )

    def network_score(self, score: str) -> Trial:
        from pgmpy.models import DiscreteBayesianNetwork

        network = DiscreteBayesianNetwork(self.work.network.dag.edges)
        network.add_nodes_from(self.work.names)
        scorer = self._scorer(score)
        return Trial(lambda: scorer.score(network), float)

    def climb(self, score: str) -> Trial | None:
        from pgmpy.causal_discovery import HillClimbSearch

        if score == "k2" or not self.work.is_small:
            return None
        search = HillClimbSearch(
            self._scorer(score), tabu_length=0, epsilon=1e-8, return_type="dag", show_progress=False
        )
        return Trial(
            lambda: search.fit(self.work.frame),
            lambda found: self.work.graph_score(found.causal_graph_.edges(), score),
        )

    def independence_tests(self) -> Trial:
        from pgmpy.ci_tests import GSq

        test = GSq(self.work.frame)
        part = self.work.named_triples[: max(1, len(self.work.named_triples) // 10)]

        def p_value(x: str, y: str, z: list[str]) -> float:
            test(X=x, Y=y, Z=z, significance_level=ALPHA)
            return float(test.p_value_)

        return Trial(
            lambda: [p_value(*triple) for triple in part], np.array, share=len(part) / len(self.work.named_triples)
        )

    def skeleton(self, algorithm: str) -> Trial | None:
        from pgmpy.causal_discovery import PC

        if algorithm not in PEERS_PC:
            return None
        # The stable variant, G2 tests, and above all the older class in pgmpy.estimators are slower.
        search = PC(
            variant="orig",
            ci_test="chi_square",
            significance_level=ALPHA,
            n_jobs=self.work.cores,
            show_progress=False,
        )
        return Trial(
            lambda: search.fit(self.work.frame),
            lambda found: Joined(pairs_of(found.skeleton_.edges())),
            note="its PC (variant orig) with the orientation of edges, by chi-squared tests",
        )

    def fit(self, kind: str) -> Trial | None:
        from pgmpy.estimators import TreeSearch
        from pgmpy.models import DiscreteBayesianNetwork
        from pgmpy.parameter_estimator import DiscreteBayesianEstimator

        train, target = self.work.train, self.work.target
        states = {name: column.cat.categories.tolist() for name, column in train.items()}
        laplace = DiscreteBayesianEstimator(state_names=states, prior_type="K2")

        def edges() -> Any:
            if kind == "nb":
                return [(target, name) for name in train if name != target]
            search = TreeSearch(train, root_node=train.columns[0], n_jobs=self.work.cores)
            return search.estimate("tan", class_node=target, show_progress=False).edges()

        if kind not in ("nb", "tan"):
            return None
        return Trial(
            lambda: DiscreteBayesianNetwork(edges()).fit(train, estimator=laplace),
            lambda model: self.work.train_score(model.edges()),
        )

    @cached_property
    def _fitted(self) -> dict[str, Any]:
        return {}

    def predict(self, kind: str) -> Trial | None:
        trial = self.fit(kind)
        if trial is None:
            return None
        if kind not in self._fitted:
            self._fitted[kind] = trial.run()
        model, target = self._fitted[kind], self.work.target
        X = self.work.test.drop(columns=target)[:200]
        return Trial(
            lambda: model.predict(X, n_jobs=self.work.cores),
            lambda labels: predicted(labels[target], X.index, model.edges()),
            share=len(X) / len(self.work.test),
        )

    def sample(self) -> Trial:
        from pgmpy.readwrite import BIFReader
        from pgmpy.sampling import BayesianModelSampling

        sampler = BayesianModelSampling(BIFReader(str(self.work.bif)).get_model())
        return Trial(
            lambda: sampler.forward_sample(
                self.work.table.n_rows, seed=SEED, show_progress=False, n_jobs=self.work.cores
            ),
            frame_counts,
        )

    def read_bif(self) -> Trial:
        from pgmpy.readwrite import BIFReader

        return Trial(
            lambda: BIFReader(str(self.work.bif)).get_model(),
            lambda model: (tuple(model.edges()), sum(float((c.values**2).sum()) for c in model.get_cpds())),
        )
