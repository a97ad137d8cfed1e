"""causal-learn: Python over numpy; skeletons and tests of independence."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.contenders.base import PEERS_PC, Contender, Joined, Trial, pairs_of
from benchmarks.workload import ALPHA


class CausalLearn(Contender):
    """causal-learn."""

    package = "causal-learn"
    title = "causal-learn"

    def _test(self) -> Any:
        from causallearn.utils.cit import CIT

        return CIT(self.work.codes.to_numpy(), "gsq")

    def independence_tests(self) -> Trial:
        test = self._test()
        return Trial(lambda: [test(x, y, z) for x, y, z in self.work.triples], np.array)

    def skeleton(self, algorithm: str) -> Trial | None:
        from causallearn.utils.PCUtils.SkeletonDiscovery import skeleton_discovery

        if algorithm not in PEERS_PC:
            return None
        codes, test = self.work.codes.to_numpy(), self._test()
        return Trial(
            lambda: skeleton_discovery(codes, ALPHA, test, stable=True, show_progress=False),
            lambda found: Joined(
                pairs_of((self.work.names[i], self.work.names[j]) for i, j in np.argwhere(found.G.graph != 0))
            ),
            note="its stable PC without the orientation of edges, by G2 tests",
        )
