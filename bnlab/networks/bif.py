"""Bayesian networks as text: the Interchange Format (BIF 0.15, Cozman 1998) as the bnlearn repository writes it.

The grammar, where commas and bars separate names but may be left out, as in the first files of the format::

    file        := { "network" NAME "{" {property} "}" | variable | probability }
    variable    := "variable" NAME "{" { "type" "discrete" "[" INTEGER "]" "{" NAME.. "}" ";" | property } "}"
    probability := "probability" "(" NAME [ "|" NAME.. ] ")" "{" { entry | property } "}"
    entry       := "(" STATE.. ")" NUMBER.. ";" | "table" NUMBER.. ";" | "default" NUMBER.. ";"
    property    := "property" .. ";"

A name is anything between double quotes, or any run of characters other than space, ``{}()[];,|"``. Comments
(``// ..`` and ``/* .. */``) begin where a token may begin, so that ``Asy/Patch`` is a name.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Sequence
from itertools import product
from math import prod
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab._names import nearest
from bnlab.checkpoint import replace_file
from bnlab.data.variable import Variable, shortened
from bnlab.graphs.dag import Dag
from bnlab.networks.network import ROW_TOLERANCE, BayesianNetwork

SUM_TOLERANCE = 5e-3
MAX_CELLS = 2**22
MAX_UNPACKED = 100

_SKIP = r"(?:\s++|//[^\n]*+|/\*(?s:.*?)\*/)*+"
_STRING = r'"(?:[^"\\]|\\(?s:.))*+"'
_WORD = r'[^\s{}()\[\];,|"]++'
# What is left open runs to the end of the file as one token, so that reading stays linear.
_OPEN = r'(?s:/\*.*|".*)'
_TOKEN = re.compile(rf"{_SKIP}({_STRING}|{_OPEN}|[{{}}()\[\];,|]|{_WORD}|\Z)")
_PLAIN = re.compile(rf"(?!//|/\*){_WORD}")
_PUNCTUATION = frozenset("{}()[];,|")
_END = ""
_DEFAULT = -1
_MESSAGE = 1000
_Row: TypeAlias = tuple[int, list[float]]


class BifError(ValueError):
    """A text that is not a Bayesian network in BIF; the message begins with the line.

    Attributes
    ----------
    line : int
        Counted from 1.
    """

    def __init__(self, line: int, message: str) -> None:
        cut = message if len(message) <= _MESSAGE else f"{message[: _MESSAGE // 2]} … {message[-_MESSAGE // 2 :]}"
        super().__init__(f"line {line}: {cut}")
        self.line = line


def read_bif(source: str | Path) -> BayesianNetwork:
    """Read a Bayesian network from a BIF file, or from the text of one.

    Rows that sum to 1 within 1e-6 are kept as printed. Rounded rows, up to 0.005 off, are divided by their sum.
    Parents are put in the order of the variables, whatever their order in the file.

    Parameters
    ----------
    source : Path or str
        Path of a ``.bif`` or ``.bif.gz`` file (UTF-8, or else Latin-1); a str with a brace or a line break is
        taken for the text itself.

    Raises
    ------
    BifError
        (A ValueError.) If the text breaks the grammar, names an unknown variable or state, lacks a table or a row
        of one, says something twice, or holds rows that are no probabilities or a graph with a cycle.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> text = '''
    ... network example { }
    ... variable rain { type discrete [ 2 ] { no, yes }; }
    ... variable wet { type discrete [ 2 ] { no, yes }; }
    ... probability ( rain ) { table 0.8, 0.2; }
    ... probability ( wet | rain ) { (no) 0.9, 0.1; (yes) 0.25, 0.75; }
    ... '''
    >>> read_bif(text).cpt("wet")
    array([[0.9 , 0.1 ],
           [0.25, 0.75]])
    """
    if isinstance(source, Path) or not re.search(r"[{}\n]", source):
        return parse_bif(_read_text(Path(source)))
    return parse_bif(source)


def parse_bif(text: str) -> BayesianNetwork:
    """Read a Bayesian network from the text of a BIF file; see `read_bif`.

    Raises
    ------
    BifError
        As for `read_bif`.
    """
    return _Reader(text.removeprefix("\ufeff")).network()


def write_bif(net: BayesianNetwork, path: str | Path) -> None:
    """Write a Bayesian network as a BIF file, UTF-8; `read_bif` gives the very same network back.

    States that are not strings are written as their text, and come back as strings.

    Raises
    ------
    ValueError
        If two states of a variable have the same text.
    OSError
        If the file cannot be written.
    """
    replace_file(path, format_bif(net))


def format_bif(net: BayesianNetwork) -> str:
    """Text of a Bayesian network in BIF.

    Raises
    ------
    ValueError
        If two states of a variable have the same text.
    """
    states = [_state_names(v) for v in net.variables]
    parts = ["network unknown {\n}\n"]
    for variable, names in zip(net.variables, states, strict=True):
        parts.append(
            f"variable {_quoted(variable.name)} {{\n  type discrete [ {len(names)} ] {{ {', '.join(names)} }};\n}}\n"
        )
    parts += [_format_family(net, i, states) for i in range(len(net))]
    return "".join(parts)


def _state_names(variable: Variable) -> list[str]:
    names = [_quoted(str(state)) for state in variable.states]
    if len(set(names)) < len(names):
        raise ValueError(
            f"variable {variable.name!r} has the states {shortened(variable.states)}: two have the same text, "
            "which BIF cannot tell apart; rename one."
        )
    return names


def _quoted(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unquoted(token: str) -> str:
    if not token.startswith('"'):
        return token
    return re.sub(r'\\(["\\])', r"\1", token[1:-1])


def _format_family(net: BayesianNetwork, i: int, states: Sequence[Sequence[str]]) -> str:
    parents = net.dag.parents[i]
    rows = [", ".join(map(repr, row)) for row in net.cpts[i].reshape(-1, net.arities[i]).tolist()]
    head = _quoted(net.names[i])
    if not parents:
        return f"probability ( {head} ) {{\n  table {rows[0]};\n}}\n"
    given = ", ".join(_quoted(net.names[p]) for p in parents)
    labels = product(*(states[p] for p in parents))
    lines = [f"  ({', '.join(label)}) {row};\n" for label, row in zip(labels, rows, strict=True)]
    return f"probability ( {head} | {given} ) {{\n{''.join(lines)}}}\n"


def _read_text(path: Path) -> str:
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        limit = MAX_UNPACKED * len(data) + (1 << 20)
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
                data = file.read(limit + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise BifError(1, f"{path} is a damaged gzip file: {error}.") from None
        if len(data) > limit:
            raise BifError(
                1, f"{path} unpacks to more than {MAX_UNPACKED} times its size: unpack it yourself to read it."
            )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _tokens(text: str) -> list[str]:
    """Tokens of a text, the last `_END`."""
    if '"' not in text and "//" not in text and "/*" not in text:
        for mark in _PUNCTUATION:
            text = text.replace(mark, f" {mark} ")
        return [*text.split(), _END]
    tokens: list[str] = _TOKEN.findall(text)
    if tokens[-2:] == [_END, _END]:
        tokens.pop()
    return tokens


class _Reader:
    """Recursive descent over the tokens; every step moves forward, so reading takes linear time."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._quoted = '"' in text
        self._next = 0
        self._variables: list[Variable] = []
        self._position: dict[str, int] = {}
        self._codes: list[dict[str, int]] = []
        self._cells = 0
        self._families: dict[int, tuple[tuple[int, ...], NDArray[np.float64]]] = {}

    def network(self) -> BayesianNetwork:
        self._refuse_open_token()
        tables = self._read_blocks()
        if not self._variables:
            raise self._error("no variable is declared: a BIF file holds 'variable NAME { .. }' blocks.")
        with np.errstate(over="ignore", invalid="ignore"):
            for start in tables:
                self._next = start
                self._read_probability()
        self._next = len(self._tokens) - 1
        for variable, i in self._position.items():
            if i not in self._families:
                raise self._error(f"variable {variable!r} has no probability block.")
        return self._assemble()

    def _read_blocks(self) -> list[int]:
        """Read what is declared, and tell where the probability blocks begin: they may stand before it."""
        tables = []
        while (token := self._take()) != _END:
            if token == "variable":
                self._read_variable()
            elif token == "probability":
                tables.append(self._next)
                self._next = self._find("}") + 1
            elif token == "network":
                self._read_network()
            elif token != ";":
                known = "a 'network', 'variable' or 'probability' block begins"
                raise self._error(f"found {token!r} where {known}.", at=self._next - 1)
        return tables

    def _read_network(self) -> None:
        if self._peek() != "{":
            self._name("the network")
        self._expect("{")
        while (token := self._take()) != "}":
            self._skip_property(token)

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
        self._codes.append({state: k for k, state in enumerate(states)})

    def _read_states(self, name: str) -> list[str]:
        self._expect("discrete")
        self._expect("[")
        count = self._take()
        self._expect("]")
        self._expect("{")
        at = self._next
        states = self._names_until("}")
        if self._peek() == ";":
            self._next += 1
        if str(len(states)) != count:
            raise self._error(f"variable {name!r} declares {count} states and lists {len(states)}.", at=at)
        if len(set(states)) < len(states) or not states:
            raise self._error(f"variable {name!r} needs states that differ: {shortened(tuple(states))}.", at=at)
        return states

    def _read_probability(self) -> None:
        at = self._next
        self._expect("(")
        family = [self._variable(name, at) for name in self._names_until(")")]
        if not family:
            raise self._error("a probability block names its variable: probability ( NAME | PARENT, .. ).", at=at)
        child, *given = family
        name = self._variables[child].name
        if child in self._families:
            raise self._error(f"variable {name!r} has two probability blocks.", at=at)
        if len(set(family)) < len(family):
            raise self._error(f"the probability block of {name!r} names a variable twice.", at=at)
        self._expect("{")
        table = self._table(child, given, self._read_entries(child, given), at)
        order = sorted(range(len(given)), key=given.__getitem__)
        self._families[child] = tuple(sorted(given)), table.transpose(*order, len(given))

    def _read_entries(self, child: int, given: list[int]) -> dict[int, _Row]:
        """Rows of a probability block by configuration code, and the default row under `_DEFAULT`."""
        rows: dict[int, _Row] = {}
        r = self._variables[child].arity
        while (token := self._take()) != "}":
            at = self._next - 1
            if token == "(":
                self._add_row(rows, child, given, self._configuration(given, at), self._numbers(r, at), at)
            elif token == "default":
                self._add_row(rows, child, given, _DEFAULT, self._numbers(r, at), at)
            elif token == "table":
                q = self._configurations(given)
                values = self._numbers(q * r, at)
                # The state of the child changes slowest here, the last parent's fastest.
                for j in range(q):
                    self._add_row(rows, child, given, j, values[j::q], at)
            else:
                self._skip_property(token)
        return rows

    def _add_row(
        self, rows: dict[int, _Row], child: int, given: list[int], j: int, values: list[float], at: int
    ) -> None:
        if j in rows:
            raise self._error(f"{self._row_name(child, given, j)} is given twice.", at=at)
        rows[j] = at, values

    def _table(self, child: int, given: list[int], rows: dict[int, _Row], at: int) -> NDArray[np.float64]:
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
        wrong = _normalise(flat)
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
        for p, state in zip(given, states, strict=True):
            code = self._codes[p].get(state)
            if code is None:
                known = nearest(state, self._codes[p])
                raise self._error(f"{self._variables[p].name!r} has no state {state!r}; {known}", at=at)
            j = j * len(self._codes[p]) + code
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
            values = list(map(_number if "_" in "".join(words) else float, words))
        except ValueError:
            wrong = next(k for k in range(start, self._next) if not _is_number_or_comma(self._tokens[k]))
            raise self._error(f"found {self._tokens[wrong]!r} where a number or ';' is needed.", at=wrong) from None
        if len(values) != n:
            raise self._error(f"{len(values)} values where {_in_digits(n)} are needed.", at=at)
        return values

    def _variable(self, name: str, at: int) -> int:
        try:
            return self._position[name]
        except KeyError:
            raise self._error(f"no variable {name!r} is declared; {nearest(name, self._position)}", at=at) from None

    def _assemble(self) -> BayesianNetwork:
        families = [self._families[i] for i in range(len(self._variables))]
        try:
            dag = Dag([v.name for v in self._variables], [parents for parents, _ in families])
        except ValueError as error:
            raise self._error(str(error)) from None
        return BayesianNetwork(dag, self._variables, [table for _, table in families])

    def _peek(self) -> str:
        return self._tokens[self._next]

    def _take(self) -> str:
        token = self._tokens[self._next]
        if token != _END:
            self._next += 1
        return token

    def _expect(self, token: str) -> None:
        if self._peek() != token:
            raise self._error(f"found {_shown(self._peek())} where {token!r} is needed.")
        self._next += 1

    def _find(self, token: str) -> int:
        try:
            return self._tokens.index(token, self._next)
        except ValueError:
            raise self._error(f"the file ends before the {token!r} that belongs here.") from None

    def _name(self, of: str) -> str:
        token = self._peek()
        if token == _END or token in _PUNCTUATION:
            raise self._error(f"found {_shown(token)} where the name of {of} is needed.")
        self._next += 1
        return _unquoted(token)

    def _names_until(self, closing: str) -> list[str]:
        start, end = self._next, self._find(closing)
        names = [token for token in self._tokens[start:end] if token != "," and token != "|"]
        if not _PUNCTUATION.isdisjoint(names):
            wrong = next(k for k in range(start, end) if self._tokens[k] in _PUNCTUATION - {",", "|"})
            raise self._error(f"found {self._tokens[wrong]!r} where a name or {closing!r} is needed.", at=wrong)
        self._next = end + 1
        return [_unquoted(token) for token in names] if self._quoted else names

    def _skip_property(self, token: str) -> None:
        if token == "property":
            self._next = self._find(";") + 1
        elif token != ";":
            raise self._error(f"found {_shown(token)}, which does not belong in this block.", at=self._next - 1)

    def _refuse_open_token(self) -> None:
        last = max(len(self._tokens) - 2, 0)
        token = self._tokens[last]
        if token.startswith("/*") or (token.startswith('"') and not re.fullmatch(_STRING, token)):
            opened = "comment" if token.startswith("/*") else "quoted name"
            raise self._error(f"the {opened} that begins here is never closed.", at=last)

    def _error(self, message: str, at: int | None = None) -> BifError:
        target = self._next if at is None else at
        for k, match in enumerate(_TOKEN.finditer(self._text)):
            if k == target:
                return BifError(self._text.count("\n", 0, match.start(1)) + 1, message)
        return BifError(self._text.count("\n") + 1, message)


def _normalise(rows: NDArray[np.float64]) -> int | None:
    """Make rounded rows sum to 1, in place; tells the first row that is no distribution instead."""
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
    return "the end of the file" if token == _END else repr(token)


def _number(word: str) -> float:
    if "_" in word:  # Python would read 0_5 as 5
        raise ValueError(word)
    return float(word)


def _is_number_or_comma(token: str) -> bool:
    try:
        return token == "," or _number(token) is not None
    except ValueError:
        return False
