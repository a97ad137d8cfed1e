"""GetPC.

J. M. Peña, R. Nilsson, J. Björkegren and J. Tegnér (2007), Towards scalable and data efficient learning of Markov
boundaries, International Journal of Approximate Reasoning 45, 211-232.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from bnlab.citests.tester import Dep
from bnlab.skeletons.search import ByTarget, Rule, TargetState
from bnlab.skeletons.super_structure import SuperStructure


@dataclass(frozen=True, eq=False)
class GetPC(ByTarget):
    """GetPC of every variable.

    With a d-separation oracle the result is the true skeleton. GetPC(T) runs GetPCD for T and for every variable that
    this finds, so GetPCD runs repeatedly for the same variable. `SuperStructure.nsc` counts every run, as published;
    `SuperStructure.nsc_memoised` counts one run for each variable, which is all that is computed here.

    Parameters
    ----------
    tester, rule, unreliable, max_order
        See `ByTarget`; the published rule is "and".
    """

    rule: Rule = field(default="and", kw_only=True)

    def neighbours(self, dep: Dep, target: int, state: TargetState) -> tuple[list[int], TargetState]:
        """GetPCD of one target: parents, children and perhaps some descendants."""
        found: list[int] = []
        candidates = [x for x in range(self.n) if x != target]
        while True:
            last = set(found)
            least = self._least_strengths(dep, target, candidates, found)
            candidates = [x for x in candidates if least[x] > 0]
            if candidates:
                best = max(candidates, key=least.__getitem__)
                candidates.remove(best)
                found.append(best)
            found = [x for x in found if self._depends(dep, target, x, [v for v in found if v != x])]
            if set(found) == last:
                return found, state

    def result(self, state: TargetState) -> SuperStructure:
        """Graph so far, with the calls of every run of GetPCD that the published algorithm makes."""
        graph = super().result(state)
        return replace(
            graph,
            nsc=self._published_cost([performed for performed, _ in state.costs], state.found),
            not_performed=self._published_cost([not_performed for _, not_performed in state.costs], state.found),
        )

    def _published_cost(self, costs: Sequence[int], found: Iterable[Sequence[int]]) -> int:
        """Sum over finished targets T of the cost of GetPCD(T) and of GetPCD(X) for each X in it."""
        return sum(costs) + sum(costs[x] for neighbours in found for x in neighbours if x < len(costs))

    def _least_strengths(
        self, dep: Dep, target: int, others: Sequence[int], variables: Sequence[int]
    ) -> dict[int, float]:
        """Least strength of each of some others over subsets of `variables`.

        It is 0 if a subset separates it from the target, or if no test is performed.
        """
        least = dict.fromkeys(others, inf)
        for z in self.subsets(variables):
            left = [x for x in others if least[x] > 0]
            if not left:
                break
            dep.prepare_group(target, left, z)
            for x in left:
                strength = dep(target, x, z)
                if strength >= 0:
                    least[x] = min(strength, least[x])
        return {x: strength if strength < inf else 0.0 for x, strength in least.items()}

    def _depends(self, dep: Dep, target: int, x: int, variables: Sequence[int]) -> bool:
        return self._least_strengths(dep, target, [x], variables)[x] > 0
