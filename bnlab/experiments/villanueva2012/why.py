"""Why an edge is in a learned skeleton or is not: the tests that were made of the pair, and the one that decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, TypeAlias

import pandas as pd

from bnlab._runtime.names import nearest
from bnlab.citests.dseparation import DSeparation
from bnlab.citests.g2_tester import CITest, G2Tester
from bnlab.citests.tester import Tester
from bnlab.counts.source import CountSource
from bnlab.data.table import Table
from bnlab.graphs.dag import Dag
from bnlab.search import iterate
from bnlab.skeletons import SuperStructure, make_search

Kind: TypeAlias = Literal["true", "extra", "missing", "absent"]
Named: TypeAlias = tuple[str, ...]

CHANCE = "dependent by chance given a true separator"
NEVER = "no true separator was tried"
WEAK = "too weak to be seen in the rows"
DETERMINED = "the variables given leave nothing to vary in these rows"
FEW_ROWS = "too few rows for the test"
GREEDY = "passed over without a test that separates"


@dataclass(frozen=True)
class Turn:
    """What the search for the neighbours of one end made of the pair.

    Attributes
    ----------
    target : str
        That end, or "" for a search that does not go by targets.
    found : bool
        Whether the other end was found.
    tests : int
        Tests of the pair that it asked for.
    given : tuple of str or None
        Set of the test that decided: where the pair was found, the one nearest to separating it; else the last one
        that did. None where there is none.
    """

    target: str
    found: bool
    tests: int
    given: Named | None


@dataclass(frozen=True)
class Explanation:
    """Why a pair is joined or is not.

    Attributes
    ----------
    a, b : str
        In the order of the columns.
    joined : bool
    turns : tuple of Turn
    test : CITest or None
        The test that decided; None where the search passed over the pair without one.
    kind : {"true", "extra", "missing", "absent"} or None
        Against the true graph, where it is known.
    cause : str
        Of an error against the true graph, else "".
    rows, needed : int
        Rows of the data, and rows that the deciding test needs.
    alpha : float
    """

    a: str
    b: str
    joined: bool
    turns: tuple[Turn, ...]
    test: CITest | None
    kind: Kind | None
    cause: str
    rows: int
    needed: int
    alpha: float

    def __repr__(self) -> str:
        """The sentence."""
        return self.sentence

    @property
    def sentence(self) -> str:
        """All in words."""
        head = f"{self.a} – {self.b} is {'in' if self.joined else 'out'}"
        truth = {
            None: "",
            "true": ", and in the true network too",
            "extra": ", but not in the true network",
            "missing": ", but is in the true network",
            "absent": ", and not in the true network",
        }[self.kind]
        cause = f" Cause: {self.cause}." if self.cause else ""
        return f"{head}{truth}. {self._turns()}{self._decided()}{cause}"

    def _turns(self) -> str:
        said = []
        for turn in self.turns:
            if turn.target:
                other = self.b if turn.target == self.a else self.a
                verb = "finds" if turn.found else "does not find"
                said.append(f"{turn.target} {verb} {other} ({_counted(turn.tests)}).")
        return " ".join([*said, ""]) if said else f"{_counted(sum(t.tests for t in self.turns)).capitalize()} of it. "

    def _decided(self) -> str:
        if self.test is None:
            return "No test separates them: the greedy step chose others." if not self.joined else ""
        given = f"given {_set(self.test.z)}"
        if not self.test.performed:
            return (
                f"The test {given} needs {self.needed:,} rows and there are {self.rows:,}: "
                "not performed, independence is assumed."
            )
        outcome = self.test.outcome
        numbers = f"G² = {outcome.statistic:,.1f}, df = {outcome.df:,}, p = {outcome.p_value:.3g}"
        if self.joined:
            return f"The test nearest to separating them is {given}: {numbers}, still at most {self.alpha:g}."
        return f"The test {given} separates them: {numbers}, more than {self.alpha:g}."


@dataclass(frozen=True)
class _Asked:
    """A test of a pair that was asked for: in which step, given what, and its strength."""

    doing: str
    given: tuple[int, ...]
    strength: float


class _Recorder:
    """A tester that writes down what it is asked."""

    def __init__(self, tester: Tester) -> None:
        self.names = tester.names
        self.doing = ""
        self.asked: dict[tuple[int, int], list[_Asked]] = defaultdict(list)
        self._waiting: list[tuple[tuple[int, int], tuple[int, ...], float]] = []
        self._ask = tester.strength

    def strength(self, x: int, y: int, z: tuple[int, ...]) -> float:
        """Answer of the tester."""
        strength = self._ask(x, y, z)
        self._waiting.append(((min(x, y), max(x, y)), z, strength))
        return strength

    def file_under(self, doing: str) -> None:
        """Note in which step the tests since the last call were asked for."""
        for pair, given, strength in self._waiting:
            self.asked[pair].append(_Asked(doing, given, strength))
        self._waiting.clear()


class Trace:
    """A skeleton, learned with a record of every test.

    Parameters
    ----------
    data : Table, CountSource or G2Tester
        A tester brings its own level and rules.
    algorithm : {"opthpc", "hpc", "mmpc", "getpc", "heupc"}
    dag : Dag, optional
        True graph, to tell right edges from wrong ones.
    df, alpha, rows_per_cell
        See `G2Tester`.
    **options
        Of the algorithm.

    Attributes
    ----------
    graph : SuperStructure

    Examples
    --------
    >>> from bnlab.networks import cancer
    >>> net = cancer()
    >>> trace = Trace(net.sample(20_000, seed=1), "mmpc", net.dag)
    >>> trace.errors()
    []
    >>> trace.explain("Xray", "Dyspnoea").test.z
    ('Cancer',)
    """

    def __init__(
        self,
        data: Table | CountSource | G2Tester,
        algorithm: str = "opthpc",
        dag: Dag | None = None,
        *,
        df: Any = "adjusted",
        alpha: float = 0.05,
        rows_per_cell: float = 5.0,
        **options: Any,
    ) -> None:
        self.tester = data if isinstance(data, G2Tester) else G2Tester(data, alpha, df=df, rows_per_cell=rows_per_cell)
        self.names = self.tester.names
        self.dag = None if dag is None else dag.reordered(self.names)
        self._oracle = None if self.dag is None else DSeparation(self.dag)
        self._skips = options.get("unreliable") == "skip"
        recorder = _Recorder(self.tester)
        search = make_search(recorder, algorithm, **options)
        self._found: dict[str, Named] = {}
        state: Any = None
        for state, info in iterate(search):  # noqa: B007
            recorder.file_under(info.doing)
            self._found[info.doing] = info.found
        self.graph: SuperStructure = search.result(state)
        self._by_target = algorithm != "heupc"
        self._asked = recorder.asked

    def explain(self, a: str, b: str) -> Explanation:
        """Say why a pair is joined or is not.

        Raises
        ------
        ValueError
            If a name is unknown or the two are the same.
        """
        i, j = sorted((self._index(a), self._index(b)))
        if i == j:
            raise ValueError(f"pair {a!r}, {b!r}: two different variables are needed")
        joined = (i, j) in self.graph.pairs
        turns = tuple(self._turn(target, i, j) for target in ((i, j) if self._by_target else (None,)))
        decided = next((turn for turn in turns if turn.found == joined), turns[0])
        test = None if decided.given is None else self.tester.test(self.names[i], self.names[j], decided.given)
        needed = self._rows_needed(i, j, () if decided.given is None else decided.given)
        kind = self._kind(i, j, joined)
        cause = self._cause(i, j, kind, test)
        rows, alpha = self.tester.source.n_rows, self.tester.alpha
        return Explanation(self.names[i], self.names[j], joined, turns, test, kind, cause, rows, needed, alpha)

    def errors(self) -> list[Explanation]:
        """Every missing and every extra edge, in the order of the columns.

        Raises
        ------
        ValueError
            Without a true graph.
        """
        if self.dag is None:
            raise ValueError("which edges are wrong is not known: give the true graph, Trace(data, algorithm, dag)")
        pairs = [(i, j) for i, j in combinations(range(len(self.names)), 2) if self._is_error(i, j)]
        return [self.explain(self.names[i], self.names[j]) for i, j in pairs]

    def _turn(self, target: int | None, i: int, j: int) -> Turn:
        asked: Sequence[_Asked] = self._asked.get((i, j), [])
        if target is None:
            joined = (i, j) in self.graph.pairs
            return Turn("", joined, len(asked), self._decisive(asked, asked, joined))
        name, other = self.names[target], self.names[i + j - target]
        own = [test for test in asked if test.doing == name]
        found = other in self._found.get(name, ())
        return Turn(name, found, len(own), self._decisive(own, asked, found))

    def _decisive(self, own: Sequence[_Asked], everything: Sequence[_Asked], found: bool) -> Named | None:
        """Set of the test that decided a turn: one of its own, else one that was made before and remembered."""
        for tests in (own, everything):
            if found:
                dependent = [test for test in tests if test.strength > 0]
                if dependent:
                    return self._named(min(dependent, key=lambda test: test.strength).given)
            elif separating := [test for test in tests if self._separates(test)]:
                return self._named(separating[-1].given)
        return None

    def _separates(self, test: _Asked) -> bool:
        return test.strength == 0 or (test.strength < 0 and not self._skips)

    def _kind(self, i: int, j: int, joined: bool) -> Kind | None:
        if self.dag is None:
            return None
        real = self._is_real(i, j)
        return ("true" if real else "extra") if joined else ("missing" if real else "absent")

    def _is_real(self, i: int, j: int) -> bool:
        return self.dag is not None and (i in self.dag.parents[j] or j in self.dag.parents[i])

    def _is_error(self, i: int, j: int) -> bool:
        return ((i, j) in self.graph.pairs) != self._is_real(i, j)

    def _cause(self, i: int, j: int, kind: Kind | None, test: CITest | None) -> str:
        if kind == "missing":
            return _why_missed(test)
        if kind == "extra" and self._oracle is not None:
            tried = [asked for asked in self._asked[i, j] if asked.strength > 0]
            by_chance = any(self._oracle.strength(i, j, asked.given) == 0 for asked in tried)
            return CHANCE if by_chance else NEVER
        return ""

    def _rows_needed(self, i: int, j: int, given: Iterable[str]) -> int:
        cells = self.tester.source.arities[i] * self.tester.source.arities[j]
        for name in given:
            cells *= self.tester.source.arities[self.names.index(name)]
        return round(self.tester.rows_per_cell * cells)

    def _named(self, given: tuple[int, ...]) -> Named:
        return tuple(self.names[v] for v in given)

    def _index(self, name: str) -> int:
        if name not in self.names:
            raise ValueError(f"no variable {name!r}: {nearest(name, self.names)}")
        return self.names.index(name)


def _why_missed(test: CITest | None) -> str:
    if test is None:
        return GREEDY
    if not test.performed:
        return FEW_ROWS
    return WEAK if test.outcome.df else DETERMINED


def causes(errors: Iterable[Explanation]) -> pd.DataFrame:
    """Count the errors by kind and cause.

    Returns
    -------
    DataFrame with columns kind, cause, edges
    """
    frame = pd.DataFrame([(e.kind, e.cause) for e in errors], columns=["kind", "cause"])
    return frame.groupby(["kind", "cause"], sort=True).size().rename("edges").reset_index()


def _counted(tests: int) -> str:
    return f"{tests:,} test{'' if tests == 1 else 's'}"


def _set(names: Named) -> str:
    return f"{{{', '.join(names)}}}" if names else "nothing"
