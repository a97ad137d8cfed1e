"""Result of every learner of this folder: an undirected graph, with the tests that decided each pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, inf

from bnlab._runtime.names import check_known
from bnlab.citests.tester import Pair
from bnlab.graphs.pdag import Pdag

_SHOWN = 60


@dataclass(frozen=True, repr=False)
class SuperStructure:
    """Undirected graph that restricts a later search for a directed graph.

    Attributes
    ----------
    names : tuple of str
    pairs : frozenset of (int, int)
        Edges as indices (i, j), i < j.
    weakest : mapping of (int, int) to (float, tuple of int)
        For each pair, joined or not, that some test found dependent: the least strength, -ln p on data, and the set
        that was given.
    separators : mapping of (int, int) to tuple of int
        For each pair, joined or not, that some test found independent: the first of the smallest sets that separated
        it. Under ``unreliable="independent"``, there may have been too few rows for a test given this set.
    nsc : int
        Number of statistical calls, as the paper counts them; a repeated test counts again unless the algorithm itself
        caches it.
    nsc_memoised : int
        The same if the algorithm cached the result of each target: less than `nsc` for GetPC only.
    not_performed : int
        Further calls without a test, because there were too few rows.
    """

    names: tuple[str, ...]
    pairs: frozenset[Pair]
    weakest: Mapping[Pair, tuple[float, tuple[int, ...]]]
    separators: Mapping[Pair, tuple[int, ...]]
    nsc: int
    nsc_memoised: int
    not_performed: int

    def __len__(self) -> int:
        """Return the number of nodes, as for the other graphs."""
        return len(self.names)

    def __repr__(self) -> str:
        """Counts, then the edges."""
        shown = ", ".join(f"{a} - {b}" for a, b in self.edges[:_SHOWN]) + (", …" if len(self.pairs) > _SHOWN else "")
        return (
            f"SuperStructure({len(self)} nodes, {len(self.pairs)} edges, {self.nsc:,} tests, "
            f"{self.not_performed:,} not performed{shown and ': ' + shown})"
        )

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Pairs of names, the earlier node first, in node order."""
        return tuple((self.names[i], self.names[j]) for i, j in sorted(self.pairs))

    def strength(self, a: str, b: str) -> float:
        """Least strength with which a test found the pair dependent, in nats; infinite if none did."""
        return self.weakest.get(self._pair(a, b), (inf, ()))[0]

    def p_value(self, a: str, b: str) -> float:
        """Greatest p-value with which a test of the run found the pair dependent; 0.0 if it underflows.

        Not a p-value of the edge: it is the extreme of many tests (see `SuperStructure.strength`, -ln of it).
        """
        return exp(-self.strength(a, b))

    def given(self, a: str, b: str) -> tuple[str, ...] | None:
        """Set that was given in the test of `strength`; None if no test found the pair dependent."""
        least = self.weakest.get(self._pair(a, b))
        return None if least is None else tuple(self.names[v] for v in least[1])

    def separator(self, a: str, b: str) -> tuple[str, ...] | None:
        """Smallest set that separated the pair in a test; None if no set did.

        It is also None for a few pairs that are not joined: a greedy step may pass over a variable without a test that
        separates it. A joined pair may have a separator if another test was decisive.
        """
        found = self.separators.get(self._pair(a, b))
        return None if found is None else tuple(self.names[v] for v in found)

    def to_pdag(self) -> Pdag:
        """Return the undirected graph alone."""
        return Pdag(self.names, undirected=self.pairs)

    def _pair(self, a: str, b: str) -> Pair:
        i, j = self._index(a), self._index(b)
        if i == j:
            raise ValueError(f"pair {a!r}, {b!r}: two different nodes are needed")
        return min(i, j), max(i, j)

    def _index(self, name: str) -> int:
        check_known(name, self.names, f"no variable {name!r}")
        return self.names.index(name)
