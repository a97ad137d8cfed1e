"""Hybrid parents and children.

S. Rodrigues de Morais and A. Aussem (2010), An efficient and scalable algorithm for local Bayesian network structure
discovery, ECML PKDD; restated by E. Villanueva and C. D. Maciel (2012), section 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from bnlab.citests.g2_tester import G2Tester
from bnlab.citests.tester import Dep
from bnlab.skeletons.search import ByTarget, TargetState


@dataclass(frozen=True)
class HPCState(TargetState):
    """State of a search by HPC or OptHPC.

    Attributes
    ----------
    own : tuple of tuple of int
        Those neighbours of each finished target that its own search found. The others found the target.
    """

    own: tuple[tuple[int, ...], ...] = ()


S = TypeVar("S", bound=HPCState)


class HPC(ByTarget):
    """HPC of every variable; no result is cached.

    On data the result depends on the order of the variables; `bnlab.skeleton` chooses one from the data. With a
    d-separation oracle the result is the true skeleton.

    Parameters
    ----------
    tester, unreliable, max_order
        See `ByTarget`.
    rule : {"or", "and"}
        The published rule is "or". Under "and" two variables of which neither finds the other in its own search are
        also not joined if one is determined by the neighbours that its search found, as a genotype by two alleles:
        given these it does not vary, so that no test tells whether it has other neighbours.
    """

    def init(self) -> HPCState:
        """State before the first target."""
        return HPCState()

    def neighbours(self, dep: Dep, target: int, state: HPCState) -> tuple[list[int], HPCState]:
        """HPC of one target: variables that Inter-IAPC finds from the target, or from which it finds the target."""
        pcs, separators = self.pc_superset(dep, target)
        spouses = self.spouse_superset(dep, target, pcs, separators)
        scope = sorted({target, *pcs, *spouses})
        pc = self.inter_iapc(dep, target, scope)
        back = [x for x in pcs if x not in pc and target in self.inter_iapc(dep, x, scope)]
        return with_finders(self, target, pc, back, state)

    def pc_superset(self, dep: Dep, target: int) -> tuple[list[int], dict[int, set[int]]]:
        """DE-PCS: variables that no set of at most one variable separates from the target; separators of the others."""
        separators: dict[int, set[int]] = {}
        dep.prepare_group(target, (x for x in range(self.n) if x != target))
        for x in range(self.n):
            if x != target and dep(target, x) == 0:
                separators[x] = set()
        pcs = [x for x in range(self.n) if x != target and x not in separators]
        for x in list(pcs):
            separator = dep.separator(target, x, [(y,) for y in pcs if y != x])
            if separator is not None:
                pcs.remove(x)
                separators[x] = set(separator)
        return pcs, separators

    def spouse_superset(self, dep: Dep, target: int, pcs: Sequence[int], separators: dict[int, set[int]]) -> set[int]:
        """DE-SPS: separated variables that depend on the target if some x of `pcs` is also given."""
        spouses: set[int] = set()
        for x in pcs:
            tests = [
                (target, y, tuple(sorted((*separators[y], x)))) for y in sorted(separators) if x not in separators[y]
            ]
            dep.prepare(tests)
            found = [y for _, y, z in tests if dep(target, y, z) > 0]
            for y in list(found):
                if dep.separator(target, y, [(x, z) for z in found if z != y]) is not None:
                    found.remove(y)
            spouses.update(found)
        return spouses

    def inter_iapc(self, dep: Dep, target: int, scope: Sequence[int]) -> set[int]:
        """Inter-IAPC: Markov blanket within `scope`, growing and shrinking in turn, less its spouses."""
        blanket = self._blanket(dep, target, scope)
        return {x for x in blanket if not self.has_separator(dep, target, x, blanket)}

    def _blanket(self, dep: Dep, target: int, scope: Sequence[int]) -> list[int]:
        blanket: list[int] = []
        seen: list[set[int]] = []
        while True:
            before = set(blanket)
            best = strongest(dep, target, [x for x in scope if x != target and x not in before], tuple(blanket))
            if best is not None:
                blanket.append(best)
            for x in list(blanket):
                others = tuple(v for v in blanket if v != x)
                if dep.separates(target, x, others):
                    blanket.remove(x)
            if set(blanket) == before or set(blanket) in seen:
                return blanket
            seen.append(set(blanket))


def strongest(dep: Dep, target: int, candidates: Sequence[int], given: tuple[int, ...]) -> int | None:
    """First candidate with the strongest dependence on the target; None if none depends on it."""
    best, greatest = None, 0.0
    dep.prepare_group(target, candidates, given)
    for x in candidates:
        strength = dep(target, x, given)
        if strength > greatest:
            best, greatest = x, strength
    return best


def with_finders(
    search: ByTarget, target: int, own: Iterable[int], finders: Iterable[int], state: S
) -> tuple[list[int], S]:
    """Neighbours of a target, from those that its own search found and those that found it, and the new state."""
    found = (*state.own, tuple(sorted(own)))

    def is_determined(x: int) -> bool:
        return isinstance(search.tester, G2Tester) and len(found[x]) > 1 and search.tester.determines(found[x], x)

    def is_doubtful(x: int) -> bool:
        return x < target and target not in found[x] and (is_determined(target) or is_determined(x))

    believed = [x for x in finders if search.rule == "or" or not is_doubtful(x)]
    return sorted({*found[target], *believed}), replace(state, own=found)
