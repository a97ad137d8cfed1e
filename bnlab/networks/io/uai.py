"""UAI files, as inference competitions use them: without names, which become ``x0``, ``x1`` and states ``0``, ``1``."""

from __future__ import annotations

import re

from bnlab.networks.io.draft import Draft, NetworkFileError
from bnlab.networks.io.genie import checked_numbers
from bnlab.networks.network import BayesianNetwork


def parse_uai(text: str) -> BayesianNetwork:
    """Read a network from the text of a UAI file; NetworkFileError if it does not hold one."""
    words = _Words(re.sub(r"#[^\n]*", "", text).split())
    kind = words.take(1)[0]
    if kind != "BAYES":
        raise NetworkFileError(f"the file is of type {kind!r}: only Bayesian networks (BAYES) can be read.")
    draft = Draft(len(text))
    n = words.count("variables")
    for i, arity in enumerate(words.counts(n, "a number of states")):
        if arity > len(text):
            raise NetworkFileError(f"variable {i} has {arity} states, more than the file has numbers.")
        draft.add_variable(f"x{i}", map(str, range(arity)))
    scopes = [words.counts(words.count("variables of a table"), "a variable") for _ in range(words.count("tables"))]
    for scope in scopes:
        if not scope or max(scope) >= n:
            raise NetworkFileError(f"a table is of the variables {scope}: there are {n}, counted from 0.")
        *given, child = scope
        numbers = words.take(words.count("numbers"))
        draft.add_table(child, given, checked_numbers(f"x{child}", " ".join(numbers)))
    return draft.network()


class _Words:
    """Words of a text, one after the other."""

    def __init__(self, words: list[str]) -> None:
        self._words, self._next = words, 0

    def take(self, n: int) -> list[str]:
        found = self._words[self._next : self._next + n]
        if len(found) < n:
            raise NetworkFileError(f"the file ends where {n} more words are needed.")
        self._next += n
        return found

    def count(self, what: str) -> int:
        return self.counts(1, f"the number of {what}")[0]

    def counts(self, n: int, what: str) -> list[int]:
        words = self.take(n)
        wrong = next((word for word in words if not (word.isascii() and word.isdigit() and len(word) < 10)), None)
        if wrong is not None:
            raise NetworkFileError(f"found {wrong!r} where {what} is needed.")
        return [int(word) for word in words]
