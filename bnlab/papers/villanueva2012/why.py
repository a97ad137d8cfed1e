"""Explanation of an edge or a missing edge of a learned skeleton: the tests of the pair, and the decisive one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import pandas as pd

from bnlab._runtime.names import check_known
from bnlab.citests.dseparation import DSeparation
from bnlab.citests.g2_tester import CITest, G2Tester
from bnlab.citests.tester import Tester
from bnlab.counts.base import CountSource
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
    """Result for the pair in the search for the neighbours of one of its ends.

    Attributes
    ----------
    target : str
        That end, or "" for a search without targets.
    found : bool
        Whether the other end was found.
    tests : int
        Number of tests of the pair in this search.
    given : tuple of str or None
        Conditioning set of the decisive test: if the pair was found, the test closest to separating it; otherwise the
        last one that separated it. None if there is no such test.
    """

    target: str
    found: bool
    tests: int
    given: Named | None


@dataclass(frozen=True)
class Explanation:
    """Explanation of an edge, or of a pair without one.

    Attributes
    ----------
    a, b : str
        The pair, in the order of the columns.
    joined : bool
    turns : tuple of Turn
    test : CITest or None
        The decisive test; None if the search rejected the pair without one.
    kind : {"true", "extra", "missing", "absent"} or None
        Comparison with the true graph, if it is known.
    cause : str
        Cause of an error, otherwise "".
    rows, needed : int
        Numbers of rows of the data, and of rows that the decisive test needs.
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
        """Return the explanation as text."""
        return self.sentence

    @property
    def sentence(self) -> str:
        """Explanation as text."""
        truth = {
            None: "",
            "true": ", and in the true network too",
            "extra": ", but not in the true network",
            "missing": ", but is in the true network",
            "absent": ", and not in the true network",
        }[self.kind]
        parts = [f"{self.a} – {self.b} is {'in' if self.joined else 'out'}{truth}."]
        for turn in self.turns:
            verb, tests = "finds" if turn.found else "does not find", f"{turn.tests:,} test{'s' * (turn.tests != 1)}"
            other = self.b if turn.target == self.a else self.a
            parts.append(f"{turn.target} {verb} {other} ({tests})." if turn.target else f"{tests.capitalize()} of it.")
        return " ".join([*parts, *self._deciding_test(), *([f"Cause: {self.cause}."] if self.cause else [])])

    def _deciding_test(self) -> list[str]:
        if self.test is None:
            return [] if self.joined else ["No test separates them: the greedy step chose others."]
        given = f"given {{{', '.join(self.test.z)}}}" if self.test.z else "given nothing"
        if not self.test.performed:
            return [
                f"The test {given} needs {self.needed:,} rows and there are {self.rows:,}: not performed, independence "
                "is assumed."
            ]
        outcome = self.test.outcome
        numbers = f"G² = {outcome.statistic:,.1f}, df = {round(outcome.df, 1):,}, p = {outcome.p_value:.3g}"
        if self.joined:
            return [f"The test nearest to separating them is {given}: {numbers}, still at most {self.alpha:g}."]
        return [f"The test {given} separates them: {numbers}, more than {self.alpha:g}."]


class _Test(NamedTuple):
    """A test of a pair: the step of the search, the conditioning set, and the strength."""

    doing: str
    given: tuple[int, ...]
    strength: float


class _Recorder:
    """A tester that records its tests."""

    def __init__(self, tester: Tester) -> None:
        self.names, self._tester = tester.names, tester
        self.tests: dict[tuple[int, int], list[_Test]] = defaultdict(list)
        self._waiting: list[tuple[tuple[int, int], tuple[int, ...], float]] = []

    def strength(self, x: int, y: int, z: tuple[int, ...]) -> float:
        """Return the strength from the tester, and record the test."""
        strength = self._tester.strength(x, y, z)
        self._waiting.append(((min(x, y), max(x, y)), z, strength))
        return strength

    def file_under(self, doing: str) -> None:
        """Assign the tests since the last call to a step."""
        for pair, given, strength in self._waiting:
            self.tests[pair].append(_Test(doing, given, strength))
        self._waiting.clear()


class Trace:
    """A skeleton, learned with a record of every test.

    Parameters
    ----------
    data : Table, CountSource or G2Tester
        A tester has its own level and rules.
    algorithm : {"opthpc", "hpc", "mmpc", "getpc", "heupc"}
    dag : Dag, optional
        True graph, to find errors.
    df, alpha, rows_per_cell
        See `G2Tester`.
    **options
        Options of the algorithm, whose variant is that of the paper.

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
        edges = () if self.dag is None else self.dag.edges
        self._true = {tuple(sorted(map(self.names.index, edge))) for edge in edges}
        self._oracle = None if self.dag is None else DSeparation(self.dag)
        self._skips = options.get("unreliable") == "skip"
        recorder = _Recorder(self.tester)
        search = make_search(recorder, algorithm, **{"variant": "paper", **options})
        self._found: dict[str, Named] = {}
        state: Any = None
        for state, info in iterate(search):  # noqa: B007
            recorder.file_under(info.doing)
            self._found[info.doing] = info.found
        self.graph: SuperStructure = search.result(state)
        self._by_target = algorithm != "heupc"
        self._tests = recorder.tests

    def explain(self, a: str, b: str) -> Explanation:
        """Explain why a pair has an edge or not.

        Raises
        ------
        ValueError
            If a name is unknown or the two are the same.
        """
        for name in (a, b):
            check_known(name, self.names, f"no variable {name!r}")
        if a == b:
            raise ValueError(f"pair {a!r}, {b!r}: two different variables are needed")
        i, j = sorted(map(self.names.index, (a, b)))
        joined = (i, j) in self.graph.pairs
        turns = tuple(self._turn(target, i, j) for target in ((i, j) if self._by_target else (None,)))
        given = next((turn for turn in turns if turn.found == joined), turns[0]).given
        test = None if given is None else self.tester.test(self.names[i], self.names[j], given)
        arities = [self.tester.source.arities[v] for v in (i, j, *map(self.names.index, given or ()))]
        kind, real = None, (i, j) in self._true
        if self.dag is not None:
            kind = ("true" if real else "extra") if joined else ("missing" if real else "absent")
        return Explanation(
            a=self.names[i],
            b=self.names[j],
            joined=joined,
            turns=turns,
            test=test,
            kind=cast("Kind | None", kind),
            cause=self._cause(i, j, kind, test),
            rows=self.tester.source.n_rows,
            needed=round(self.tester.rows_per_cell * prod(arities)),
            alpha=self.tester.alpha,
        )

    def errors(self) -> list[Explanation]:
        """Explain all missing and extra edges, in the order of the columns.

        Raises
        ------
        ValueError
            If there is no true graph.
        """
        if self.dag is None:
            raise ValueError("which edges are wrong is not known: give the true graph, Trace(data, algorithm, dag)")
        wrong = sorted(self._true ^ set(self.graph.pairs))
        return [self.explain(self.names[i], self.names[j]) for i, j in wrong]

    def _turn(self, target: int | None, i: int, j: int) -> Turn:
        tests = self._tests.get((i, j), [])
        if target is None:
            joined = (i, j) in self.graph.pairs
            return Turn("", joined, len(tests), self._decisive(tests, tests, joined))
        name, other = self.names[target], self.names[i + j - target]
        own = [test for test in tests if test.doing == name]
        found = other in self._found.get(name, ())
        return Turn(name, found, len(own), self._decisive(own, tests, found))

    def _decisive(self, own: Sequence[_Test], everything: Sequence[_Test], found: bool) -> Named | None:
        """Conditioning set of the decisive test of a turn: one of its own, or else an earlier one that was reused."""
        for tests in (own, everything):
            dependent = sorted((test for test in tests if test.strength > 0), key=lambda test: -test.strength)
            separating = [t for t in tests if t.strength == 0 or (t.strength < 0 and not self._skips)]
            if chosen := dependent if found else separating:
                return tuple(self.names[v] for v in chosen[-1].given)
        return None

    def _cause(self, i: int, j: int, kind: str | None, test: CITest | None) -> str:
        if kind == "missing":
            if test is None:
                return GREEDY
            return FEW_ROWS if not test.performed else WEAK if test.outcome.df else DETERMINED
        if kind == "extra" and self._oracle is not None:
            tried = [made for made in self._tests[i, j] if made.strength > 0]
            by_chance = any(self._oracle.strength(i, j, made.given) == 0 for made in tried)
            return CHANCE if by_chance else NEVER
        return ""


def causes(errors: Iterable[Explanation]) -> pd.DataFrame:
    """Count the errors by kind and cause.

    Returns
    -------
    DataFrame with columns kind, cause, edges
    """
    frame = pd.DataFrame([(e.kind, e.cause) for e in errors], columns=["kind", "cause"])
    return frame.groupby(["kind", "cause"], sort=True).size().rename("edges").reset_index()
