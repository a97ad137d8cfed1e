"""Max-min parents and children.

I. Tsamardinos, L. E. Brown and C. F. Aliferis (2006), The max-min hill-climbing Bayesian network structure learning
algorithm, Machine Learning 65, 31-78, Algorithms 1 and 2, with the optimisations of its section 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bnlab.citests.tester import Dep, Tester, Unreliable
from bnlab.skeletons.by_target import Rule, TargetsAlone


class MMPC(TargetsAlone):
    """MMPC of every variable, with the symmetry correction.

    With a d-separation oracle the result is the true skeleton.

    Parameters
    ----------
    tester, rule, unreliable, max_order
        See `ByTarget`; "and" is the published correction, "or" leaves it out.
    use_symmetry : bool
        Leave a variable out of a target's candidates when its own search ran earlier and did not find the target:
        far fewer tests, on data slightly more edges.
    """

    published_rule = "and"

    def __init__(
        self,
        tester: Tester,
        *,
        rule: Rule | None = None,
        use_symmetry: bool = False,
        unreliable: Unreliable = "independent",
        max_order: int | None = None,
    ) -> None:
        super().__init__(tester, rule=rule, unreliable=unreliable, max_order=max_order)
        self.use_symmetry = use_symmetry

    def found(self, dep: Dep, target: int, before: Sequence[Sequence[int]]) -> list[int]:
        """MMPC of one target: grow by the max-min heuristic, then remove what a subset separates."""
        candidates = [x for x in range(self.n) if x != target and not self._excluded(x, target, before)]
        return self._shrink(dep, target, self._grow(dep, target, candidates))

    def kernel(self) -> tuple[Any, ...]:
        """Compiled search, and its arguments."""
        from bnlab.skeletons.compiled.mmpc import mmpc

        return mmpc, self.use_symmetry, self.max_order

    def _excluded(self, x: int, target: int, before: Sequence[Sequence[int]]) -> bool:
        return self.use_symmetry and x < len(before) and target not in before[x]

    def _grow(self, dep: Dep, target: int, candidates: Sequence[int]) -> list[int]:
        """Candidates in the order in which their least association was greatest.

        A variable whose least association has reached 0 is never looked at again, and only sets with the newest
        member are tested.
        """
        association = {x: dep(target, x) for x in candidates}
        association = {x: a for x, a in association.items() if a > 0}
        cpc: list[int] = []
        while association:
            newest = max(association, key=association.__getitem__)
            del association[newest]
            for x in list(association):
                for z in self.subsets_with(newest, cpc):
                    strength = dep(target, x, z)
                    if strength == 0:
                        del association[x]
                        break
                    if 0 < strength < association[x]:
                        association[x] = strength
            cpc.append(newest)
        return cpc

    def subsets_with(self, newest: int, older: Sequence[int]) -> list[tuple[int, ...]]:
        """Sets of older members, by size, each with the newest added."""
        return [(*z, newest) for z in self.subsets(older) if len(z) < self.max_order]

    def _shrink(self, dep: Dep, target: int, cpc: list[int]) -> list[int]:
        for x in list(cpc):
            others = [v for v in cpc if v != x]
            if any(dep(target, x, z) == 0 for z in self.subsets(others)):
                cpc.remove(x)
        return cpc
