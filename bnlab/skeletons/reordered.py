"""A tester whose variables are in another order, so that a search does not depend on the order of the columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bnlab.citests.compiled.search import CompiledDep
from bnlab.citests.g2_tester import G2Tester
from bnlab.citests.tester import Pair, Unreliable


class Reordered:
    """Tester whose variable k is variable ``order[k]`` of a `G2Tester`.

    The variables are ordered by entropy, see `G2Tester.order_of_columns`.

    Examples
    --------
    >>> from bnlab.networks import cancer
    >>> Reordered(G2Tester(cancer().sample(500, seed=1))).names
    ('Cancer', 'Pollution', 'Xray', 'Smoker', 'Dyspnoea')
    """

    def __init__(self, tester: G2Tester) -> None:
        self.tester, self.order = tester, tester.order_of_columns()
        self.names = tuple(tester.names[v] for v in self.order)

    def strength(self, x: int, y: int, z: tuple[int, ...]) -> float:
        """Strength of dependence in nats (see `Tester.strength`)."""
        order = self.order
        return self.tester.strength(order[x], order[y], tuple(sorted([order[v] for v in z])) if z else z)

    @property
    def compiles(self) -> bool:
        """Whether the tests have compiled loops."""
        return self.tester.compiles

    def compiled_dep(self, unreliable: Unreliable, remember_below: int = 0) -> CompiledDep | None:
        """Return the equivalent of `Dep` for compiled loops; None if the data do not support them."""
        dep = self.tester.compiled_dep(unreliable, remember_below)
        return None if dep is None else dep.reordered(self.order)

    def pair(self, pair: Sequence[int]) -> Pair:
        """Pair of columns, the first one first."""
        i, j = self.order[pair[0]], self.order[pair[1]]
        return (i, j) if i < j else (j, i)

    def columns(self, variables: Iterable[int]) -> tuple[int, ...]:
        """Columns of a set of variables, ascending."""
        return tuple(sorted(self.order[v] for v in variables))

    def separators(self, found: Mapping[Pair, tuple[int, ...]]) -> dict[Pair, tuple[int, ...]]:
        """Separators by pair, in terms of columns."""
        return {self.pair(pair): self.columns(z) for pair, z in found.items()}

    def weakest(self, found: Mapping[Pair, tuple[float, tuple[int, ...]]]) -> dict[Pair, tuple[float, tuple[int, ...]]]:
        """Strengths and sets by pair, in terms of columns."""
        return {self.pair(pair): (strength, self.columns(z)) for pair, (strength, z) in found.items()}
