"""Recursive descent over the text of a BIF file (its grammar: `bnlab.networks.io.bif`)."""

from __future__ import annotations

import re
from math import prod

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.names import nearest
from bnlab.data.variable import Variable, shortened
from bnlab.graphs.dag import Dag
from bnlab.networks.io.bif_text import END, PUNCTUATION, STRING, TOKEN, BifError, tokens_of, unquoted
from bnlab.networks.network import ROW_TOLERANCE, BayesianNetwork

SUM_TOLERANCE = 5e-3
MAX_CELLS = 2**22
_DEFAULT = -1


class Reader:
    """Reader of one text; every step moves forward, so reading takes linear time."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokens_of(text)
        self._quoted = '"' in text
        self._next = 0
        self._variables: list[Variable] = []
        self._position: dict[str, int] = {}
        self._cells = 0
        self._families: dict[int, tuple[tuple[int, ...], NDArray[np.float64]]] = {}

    def network(self) -> BayesianNetwork:
        """The network that the text describes; raises BifError where it does not describe one."""
        self._refuse_open_token()
        tables = self._read_blocks()
        if not self._variables:
            raise self._error("no variable is declared: a BIF file holds 'variable NAME { .. }' blocks.")
        with np.errstate(over="ignore", invalid="ignore"):
            for self._next in tables:
                self._read_probability()
        self._next = len(self._tokens) - 1
        for variable, i in self._position.items():
            if i not in self._families:
                raise self._error(f"variable {variable!r} has no probability block.")
        families = [self._families[i] for i in range(len(self._variables))]
        try:
            dag = Dag([v.name for v in self._variables], [parents for parents, _ in families])
        except ValueError as error:
            raise self._error(str(error)) from None
        return BayesianNetwork._of_checked(dag, self._variables, [table for _, table in families])

    def _read_blocks(self) -> list[int]:
        """Read the declarations; returns where the probability blocks begin, which may come before them."""
        tables = []
        while (token := self._take()) != END:
            if token == "variable":
                self._read_variable()
            elif token == "probability":
                tables.append(self._next)
                self._next = self._find("}") + 1
            elif token == "network":
                if self._tokens[self._next] != "{":
                    self._name("the network")
                self._expect("{")
                while (token := self._take()) != "}":
                    self._skip_property(token)
            elif token != ";":
                known = "a 'network', 'variable' or 'probability' block begins"
                raise self._error(f"found {token!r} where {known}.", at=self._next - 1)
        return tables

    def _read_variable(self) -> None:
        at = self._next
        name = self._name("a variable")
        if name in self._position:
            raise self._error(f"variable {name!r} is declared twice.", at=at)
        self._expect("{")
        states: list[str] | None = None
        while (token := self._take()) != "}":
            if token == "type" and states is None:
                states = self._read_states(name)
            else:
                self._skip_property(token)
        if states is None:
            raise self._error(f"variable {name!r} has no 'type discrete [ n ] {{ .. }};' line.", at=at)
        self._position[name] = len(self._variables)
        self._variables.append(Variable(name, tuple(states)))

    def _read_states(self, name: str) -> list[str]:
        self._expect("discrete")
        self._expect("[")
        count = self._take()
        self._expect("]")
        self._expect("{")
        at = self._next
        states = self._names_until("}")
        if self._tokens[self._next] == ";":
            self._next += 1
        if str(len(states)) != count:
            raise self._error(f"variable {name!r} declares {count} states and lists {len(states)}.", at=at)
        if len(set(states)) < len(states) or not states:
            raise self._error(f"variable {name!r} needs states that differ: {shortened(tuple(states))}.", at=at)
        return states

    def _read_probability(self) -> None:
        at = self._next
        self._expect("(")
        names = self._names_until(")")
        for name in names:
            if name not in self._position:
                raise self._error(f"no variable {name!r} is declared; {nearest(name, self._position)}", at=at)
        family = [self._position[name] for name in names]
        if not family:
            raise self._error("a probability block names its variable: probability ( NAME | PARENT, .. ).", at=at)
        child, *given = family
        name = self._variables[child].name
        if child in self._families:
            raise self._error(f"variable {name!r} has two probability blocks.", at=at)
        if len(set(family)) < len(family):
            raise self._error(f"the probability block of {name!r} names a variable twice.", at=at)
        self._expect("{")
        table = self._table(child, given, self._read_rows(child, given), at)
        order = sorted(range(len(given)), key=given.__getitem__)
        self._families[child] = tuple(sorted(given)), table.transpose(*order, len(given))

    def _read_rows(self, child: int, given: list[int]) -> dict[int, tuple[int, list[float]]]:
        """Token and values of each row of a probability block, by configuration; the default row under `_DEFAULT`."""
        rows: dict[int, tuple[int, list[float]]] = {}
        r = self._variables[child].arity
        while (token := self._take()) != "}":
            at = self._next - 1
            if token == "(":
                found = [(self._configuration(given, at), self._numbers(r, at))]
            elif token == "default":
                found = [(_DEFAULT, self._numbers(r, at))]
            elif token == "table":
                q = self._configurations(given)
                values = self._numbers(q * r, at)
                # The state of the child changes slowest here, the last parent's fastest.
                found = [(j, values[j::q]) for j in range(q)]
            else:
                self._skip_property(token)
                continue
            for j, row in found:
                if j in rows:
                    raise self._error(f"{self._row_name(child, given, j)} is given twice.", at=at)
                rows[j] = at, row
        return rows

    def _table(
        self, child: int, given: list[int], rows: dict[int, tuple[int, list[float]]], at: int
    ) -> NDArray[np.float64]:
        """Probabilities in an array, shape (*arities of `given`, r), rounded rows made to sum to 1."""
        q, r = self._configurations(given), self._variables[child].arity
        default = rows.pop(_DEFAULT, None)
        if default is None and len(rows) < q:
            missing = next(j for j in range(q) if j not in rows)
            raise self._error(f"{self._row_name(child, given, missing)} is missing.", at=at)
        self._cells += q * r
        if self._cells > max(MAX_CELLS, len(self._text)):
            name, cells = self._variables[child].name, _in_digits(self._cells)
            raise self._error(
                f"with the table of {name!r} there are {cells} cells, far more than the file has numbers: its default "
                "rows stand for too many; give its variable fewer parents.",
                at=at,
            )
        flat = np.empty((q, r))
        if default is not None:
            flat[:] = default[1]
        if rows:
            flat[list(rows)] = [values for _, values in rows.values()]
        wrong = normalise(flat)
        if wrong is not None:
            row = shortened(tuple(flat[wrong].tolist()))
            raise self._error(
                f"the row {row} sums to {flat[wrong].sum():.6g}: probabilities are not negative and sum to 1.",
                at=(rows.get(wrong) or default or (at,))[0],
            )
        return flat.reshape(*(self._variables[p].arity for p in given), r)

    def _configurations(self, given: list[int]) -> int:
        return prod(self._variables[p].arity for p in given)

    def _configuration(self, given: list[int], at: int) -> int:
        """Mixed-radix code of the parents' states between parentheses, the first parent most significant."""
        states = self._names_until(")")
        if len(states) != len(given):
            raise self._error(f"{len(states)} parent states where {len(given)} are needed.", at=at)
        j = 0
        try:
            for p, state in zip(given, states, strict=True):
                j = j * self._variables[p].arity + self._variables[p].code(state)
        except ValueError as error:
            raise self._error(str(error), at=at) from None
        return j

    def _row_name(self, child: int, given: list[int], j: int) -> str:
        name = self._variables[child].name
        if j == _DEFAULT:
            return f"the default row of {name!r}"
        states = []
        for p in reversed(given):
            j, code = divmod(j, self._variables[p].arity)
            states.append(str(self._variables[p].states[code]))
        return f"the row ({', '.join(reversed(states))}) of {name!r}"

    def _numbers(self, n: int, at: int) -> list[float]:
        """Exactly n numbers, up to the next semicolon."""
        start, self._next = self._next, self._find(";") + 1
        words = [token for token in self._tokens[start : self._next - 1] if token != ","]
        try:
            if "_" in "".join(words):  # Python would read 0_5 as 5
                raise ValueError
            values = list(map(float, words))
        except ValueError:
            numbered = enumerate(self._tokens[start : self._next], start)
            wrong = next(k for k, token in numbered if token != "," and not _is_number(token))
            raise self._error(f"found {self._tokens[wrong]!r} where a number or ';' is needed.", at=wrong) from None
        if len(values) != n:
            raise self._error(f"{len(values)} values where {_in_digits(n)} are needed.", at=at)
        return values

    def _take(self) -> str:
        token = self._tokens[self._next]
        if token != END:
            self._next += 1
        return token

    def _expect(self, token: str) -> None:
        if self._tokens[self._next] != token:
            raise self._error(f"found {_shown(self._tokens[self._next])} where {token!r} is needed.")
        self._next += 1

    def _find(self, token: str) -> int:
        try:
            return self._tokens.index(token, self._next)
        except ValueError:
            raise self._error(f"the file ends before the {token!r} that belongs here.") from None

    def _name(self, of: str) -> str:
        token = self._tokens[self._next]
        if token == END or token in PUNCTUATION:
            raise self._error(f"found {_shown(token)} where the name of {of} is needed.")
        self._next += 1
        return unquoted(token)

    def _names_until(self, closing: str) -> list[str]:
        start, end = self._next, self._find(closing)
        names = [token for token in self._tokens[start:end] if token != "," and token != "|"]
        if not PUNCTUATION.isdisjoint(names):
            wrong = next(k for k in range(start, end) if self._tokens[k] in PUNCTUATION - {",", "|"})
            raise self._error(f"found {self._tokens[wrong]!r} where a name or {closing!r} is needed.", at=wrong)
        self._next = end + 1
        return [unquoted(token) for token in names] if self._quoted else names

    def _skip_property(self, token: str) -> None:
        if token == "property":
            self._next = self._find(";") + 1
        elif token != ";":
            raise self._error(f"found {_shown(token)}, which does not belong in this block.", at=self._next - 1)

    def _refuse_open_token(self) -> None:
        last = max(len(self._tokens) - 2, 0)
        token = self._tokens[last]
        if token.startswith("/*") or (token.startswith('"') and not re.fullmatch(STRING, token)):
            opened = "comment" if token.startswith("/*") else "quoted name"
            raise self._error(f"the {opened} that begins here is never closed.", at=last)

    def _error(self, message: str, at: int | None = None) -> BifError:
        """Error of the line where a token begins, by default the next one."""
        number = self._next if at is None else at
        for k, match in enumerate(TOKEN.finditer(self._text)):
            if k == number:
                return BifError(self._text.count("\n", 0, match.start(1)) + 1, message)
        return BifError(self._text.count("\n") + 1, message)


def normalise(rows: NDArray[np.float64]) -> int | None:
    """Make rounded rows sum to 1, in place; returns the first row that is no distribution, if there is one."""
    sums = rows.sum(axis=-1)
    gap = np.abs(sums - 1)
    worst = gap.max()
    if not (worst <= SUM_TOLERANCE and rows.min() >= 0):
        return int(np.argmin((rows >= 0).all(axis=-1) & (gap <= SUM_TOLERANCE)))
    if worst > ROW_TOLERANCE:
        rounded = gap > ROW_TOLERANCE
        rows[rounded] /= sums[rounded, None]
    return None


def _in_digits(number: int) -> str:
    """Number in digits, its magnitude alone where they are many."""
    return str(number) if number < 10**15 else f"about 2**{number.bit_length() - 1}"


def _shown(token: str) -> str:
    return "the end of the file" if token == END else repr(token)


def _is_number(word: str) -> bool:
    try:
        return "_" not in word and float(word) is not None
    except ValueError:
        return False
