"""pybnesian: C++ over Arrow; BIC and BDe(u), no K2, no classifiers, no BIF, one thread."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from benchmarks.contenders.base import PEERS_PC, Contender, Joined, Trial, frame_counts, heaviest_tree, pairs_of
from benchmarks.workload import ALPHA, SEED


class PyBNesian(Contender):
    """pybnesian."""

    package = "pybnesian"
    title = "pybnesian"

    def load(self) -> Trial:
        import pybnesian

        return Trial(lambda: pybnesian.BIC(self.work.frame), lambda score: frame_counts(score.data().to_pandas()))

    def load_strings(self) -> Trial:
        import pybnesian

        return Trial(
            lambda: pybnesian.BIC(self.work.strings.astype("category")),
            lambda score: frame_counts(score.data().to_pandas()),
            note="through astype('category')",
        )

    def mutual_information(self) -> Trial:
        import pybnesian

        pairs = list(combinations(self.work.names, 2))
        test = pybnesian.MutualInformation(self.work.frame)
        return Trial(lambda: [test.mi(a, b) for a, b in pairs], np.array)

    def chow_liu(self) -> Trial:
        weigh = self.mutual_information().run
        return Trial(
            lambda: heaviest_tree(self.work.names, weigh()),
            self.work.tree_weight,
            note="its mutual informations, the tree by networkx",
        )

    def _score(self, score: str) -> Any:
        import pybnesian

        made = {"bic": pybnesian.BIC, "bdeu": lambda frame: pybnesian.BDe(frame, 1.0)}
        return made[score](self.work.frame) if score in made else None

    def local_scores(self, score: str) -> Trial | None:
        import pybnesian

        families = self.work.named(self.work.families)
        empty = pybnesian.DiscreteBN(list(self.work.names))
        scorer = self._score(score)
        if scorer is None:
            return None
        return Trial(lambda: [scorer.local_score(empty, child, parents) for child, parents in families], np.array)

    def _network(self) -> Any:
        import pybnesian

        return pybnesian.DiscreteBN(list(self.work.names), list(self.work.network.dag.edges))

    def network_score(self, score: str) -> Trial | None:
        network, scorer = self._network(), self._score(score)
        return None if scorer is None else Trial(lambda: scorer.score(network))

    def sample(self) -> Trial:
        import pyarrow as pa

        network = self._network()
        columns = [
            # Its factors refuse the large strings that newer pandas hands over.
            pa.DictionaryArray.from_arrays(c.cat.codes.to_numpy(), pa.array(c.cat.categories.tolist(), pa.string()))
            for _, c in self.work.frame.items()
        ]
        network.fit(pa.RecordBatch.from_arrays(columns, names=list(self.work.names)))
        return Trial(
            lambda: network.sample(self.work.table.n_rows, seed=SEED),
            lambda batch: frame_counts(batch.to_pandas()),
            note="parameters fitted to the rows",
        )

    def climb(self, score: str) -> Trial | None:
        import pybnesian

        scorer = self._score(score)
        if scorer is None:
            return None
        operators, empty = pybnesian.ArcOperatorSet(), pybnesian.DiscreteBN(list(self.work.names))
        return Trial(
            lambda: pybnesian.GreedyHillClimbing().estimate(operators, scorer, empty),
            lambda network: self.work.graph_score(network.arcs(), score),
        )

    def skeleton(self, algorithm: str) -> Trial | None:
        import pybnesian

        test = pybnesian.ChiSquare(self.work.frame)
        if algorithm == "mmpc":
            search, note = lambda: pybnesian.MMPC().estimate(test, alpha=ALPHA), "its MMPC, by chi-squared tests"
        elif algorithm in PEERS_PC:
            search = lambda: pybnesian.PC().estimate(test, alpha=ALPHA, use_sepsets=True)  # noqa: E731
            note = "its PC with the orientation of edges, by chi-squared tests"
        else:
            return None
        return Trial(search, lambda graph: Joined(pairs_of([*graph.edges(), *graph.arcs()])), note=note)
